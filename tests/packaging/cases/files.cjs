const { readFileSync } = require("node:fs");
const { createTaskGraph } = require("blockedby");
const { importTasks } = require("blockedby/files");

// The reader comes with its first use: whoever only imports the package does not load it.
const readers = () =>
  Object.keys(require.cache).filter((file) => file !== __filename && readFileSync(file, "utf8").includes("function read_files(")).length;

const record = (id, title, status, dependencies = []) => JSON.stringify({ id, title, status, issue_type: "task", dependencies });
const ledger = [
  record("bd-1", "Provision the dev DB", "closed"),
  record("bd-2", "Seed fixtures", "open", [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks" }]),
].join("\n");

(async () => {
  console.log("before", readers());
  const tasks = createTaskGraph();
  const { report } = await importTasks(ledger, { into: tasks });
  console.log(`${report.format} ${report.tasks} tasks, ready: ${tasks.ready().map(({ title }) => title).join()}`);
  console.log("after", readers());
})();
