const { createTaskGraph } = require("blockedby");

const tasks = createTaskGraph();
const db = tasks.add({ title: "Provision the dev DB" });
tasks.add({ title: "Seed fixtures", blockedBy: [db.task.id] });
console.log(tasks.ready().map((task) => task.title).join());
tasks.complete(db.task.id);
console.log(tasks.ready().map((task) => task.title).join());
