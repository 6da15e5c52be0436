import { createTaskGraph, load } from "blockedby/slim";
import { wasmUrl } from "blockedby/url";

await load(wasmUrl);
const tasks = createTaskGraph();
tasks.add({ title: "Provision the dev DB" });
document.querySelector("output").textContent = tasks.ready()[0].title;
