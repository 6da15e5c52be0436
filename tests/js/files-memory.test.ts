// The reader comes with its first use, and what it took for a large import is given back. Needs --expose-gc.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskGraph } from "blockedby";
import { importTasks, readTasks } from "blockedby/files";
import { turn } from "./support/common.js";

const MB = 1 << 20;

/** Every memory that WebAssembly instances made from here on have, as long as somebody holds it. */
const memories: WeakRef<WebAssembly.Memory>[] = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    if (this.exports["read_files"] !== undefined) memories.push(new WeakRef(this.exports["memory"] as WebAssembly.Memory));
  }
};

async function held(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  assert.ok(gc, "run with --expose-gc");
  for (let round = 0; round < 5; round += 1) {
    gc();
    await turn();
  }
  return memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
}

test("nothing of the reader is there before its first use, and little after it", async () => {
  const tasks = createTaskGraph();
  tasks.add({ title: "T" });
  assert.equal(memories.length, 0, "importing made no instance");
  const text = Array.from({ length: 20_000 }, (_, at) =>
    JSON.stringify({ id: `t${at}`, title: "T".repeat(200), status: "open", issue_type: "task" })).join("\n");
  assert.ok(text.length > 4 * MB);
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await readTasks(text)).report.tasks, 20_000);
    const bytes = await held();
    assert.ok(bytes < 3 * MB, `${bytes} bytes are held after a read`);
  }
  await importTasks(text, { into: tasks });
  assert.equal(tasks.list().total, 20_001);
  assert.ok((await held()) < 3 * MB);
});
