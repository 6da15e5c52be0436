import { Worker } from "node:worker_threads";

const worker = new Worker(new URL("./example.mjs", import.meta.url));
worker.on("error", (error) => {
  throw error;
});
