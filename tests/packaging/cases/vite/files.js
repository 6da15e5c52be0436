import { createTaskGraph } from "blockedby";
import { exportTasks, importTasks } from "blockedby/files";

const tasks = createTaskGraph();
await importTasks('{"master":{"tasks":[{"id":1,"title":"Provision the dev DB","status":"done","dependencies":[],"subtasks":[]}]}}', { into: tasks });
tasks.add({ title: "Seed fixtures", blockedBy: [tasks.getSnapshot()[0].id] });
const { files } = await exportTasks(tasks, "task-master");
document.querySelector("output").textContent = `${tasks.ready()[0].title}, ${JSON.parse(files[0].text).master.tasks.length}`;
