import { createTaskGraph } from "blockedby";

const tasks = createTaskGraph();
const db = tasks.add({ title: "Provision the dev DB" });
tasks.add({ title: "Seed fixtures", blockedBy: [db.task.id] });
tasks.complete(db.task.id);
document.querySelector("output").textContent = tasks.ready().map((task) => task.title).join();
