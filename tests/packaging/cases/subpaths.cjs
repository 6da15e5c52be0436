const { readFileSync } = require("node:fs");

for (const name of ["storage", "node", "tools", "files", "testing"]) {
  const module = require(`blockedby/${name}`);
  console.log(name, Object.keys(module).length > 0);
}
// One engine: what the entries share is the same file, not a copy in each.
require("blockedby");
const loaded = Object.keys(require.cache).filter((file) => file !== __filename);
const engines = loaded.filter((file) => readFileSync(file, "utf8").includes("function initSync("));
console.log("files with an engine", engines.length);
