import { createTaskGraph } from "/node_modules/blockedby/dist/index.js";

// Importing must not throw, whatever the page's policy; using the engine may.
try {
  const tasks = createTaskGraph();
  tasks.add({ title: "Provision the dev DB" });
  document.querySelector("output").textContent = tasks.ready()[0].title;
} catch (error) {
  document.querySelector("output").textContent = `refused: ${error.message}`;
}
