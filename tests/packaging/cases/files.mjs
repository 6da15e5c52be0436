import { createTaskGraph } from "blockedby";
import { importTasks } from "blockedby/files";

const record = (id, title, status, dependencies = []) => JSON.stringify({ id, title, status, issue_type: "task", dependencies });
const ledger = [
  record("bd-1", "Provision the dev DB", "closed"),
  record("bd-2", "Seed fixtures", "open", [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks" }]),
].join("\n");
const tasks = createTaskGraph();
const { report } = await importTasks(ledger, { into: tasks });
console.log(`${report.format} ${report.tasks} tasks, ready: ${tasks.ready().map(({ title }) => title).join()}`);
