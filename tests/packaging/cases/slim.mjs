import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTaskGraph, load } from "blockedby/slim";
import { wasmUrl } from "blockedby/url";

// Two calls share one load.
const bytes = readFileSync(fileURLToPath(wasmUrl));
await Promise.all([load(bytes), load(bytes)]);
const tasks = createTaskGraph();
tasks.add({ title: "Provision the dev DB" });
console.log(tasks.ready()[0].title);
