// The built package in a real browser, through a bundler.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundle, openPages, outputOf, pageFor, type Pages } from "./harness.js";

let pages: Pages;

before(async () => {
  const script = await bundle(`
    import { createTaskGraph } from "blockedby";
    const tasks = createTaskGraph();
    const db = tasks.add({ title: "Provision the dev DB" });
    tasks.add({ title: "Seed fixtures", blockedBy: [db.task.id] });
    const before = tasks.ready().map((task) => task.title);
    tasks.complete(db.task.id);
    const after = tasks.ready().map((task) => task.title);
    document.querySelector("output")!.textContent = JSON.stringify({ before, after });
  `);
  const worker = `
    import { createTaskGraph } from "/pkg/index.js";
    const tasks = createTaskGraph();
    tasks.add({ title: "From a worker" });
    postMessage(tasks.ready()[0].title);
  `;
  pages = await openPages({
    pages: {
      "/": pageFor("/script.js"),
      "/script.js": script,
      "/in-worker": pageFor("/start-worker.js"),
      "/start-worker.js": `
        new Worker("/worker.js", { type: "module" }).onmessage = ({ data }) => {
          document.querySelector("output").textContent = data;
        };`,
      "/worker.js": worker,
    },
  });
});

after(() => pages.close());

test("completing a task releases what it blocked, under the strict policy", async () => {
  const page = await pages.open("/");
  assert.deepEqual(JSON.parse(await outputOf(page)), {
    before: ["Provision the dev DB"],
    after: ["Seed fixtures"],
  });
  assert.deepEqual(page.mistakes, []);
});

test("the package runs in a worker", async () => {
  const page = await pages.open("/in-worker");
  assert.equal(await outputOf(page), "From a worker");
  assert.deepEqual(page.mistakes, []);
});
