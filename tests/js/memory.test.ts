// Memory stays flat over lists that come and go, and bounded over changes to one list. Needs --expose-gc.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskGraph as createHere, guard, memoryRecordStorage, openTasks, sessionOf } from "./support/internal.js";
import { createTaskGraph } from "blockedby";
import { coreMemory } from "../../js/runtime.js";
import { soak, turn } from "./support/common.js";

const MB = 1 << 20;

/** Bytes in use after everything unreachable is gone: JavaScript's heap and what lies beside it (the engine's memory). */
async function used(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  assert.ok(gc, "run with --expose-gc");
  for (let round = 0; round < 3; round += 1) {
    gc();
    await turn();
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** Bytes of the engine's memory; it never shrinks. */
const wasmBytes = (): number => coreMemory().buffer.byteLength;

const round = (at: number): void => {
  const list = createTaskGraph();
  list.add({ id: "a", title: `Title ${at}`, metadata: { at } });
  list.add({ id: "b", title: "B", blockedBy: ["a"] });
  list.on("change", () => undefined);
  list.complete("a");
  list.getSnapshot();
  list.snapshot();
  list.dispose();
};

test("lists that are made and disposed of leave nothing behind", async () => {
  const rounds = soak ? 10_000 : 2_000;
  for (let at = 0; at < 500; at += 1) round(at);
  const before = await used();
  for (let at = 0; at < rounds; at += 1) round(at);
  const grown = (await used()) - before;
  assert.ok(grown < MB, `${rounds} rounds left ${grown} bytes`);
});

test("the engine's memory does not grow with lists that come and go", () => {
  const rounds = soak ? 10_000 : 2_000;
  const one = (): void => {
    const list = createHere();
    list.batch(Array.from({ length: 50 }, (_, at) => ({ action: "add", id: `t${at}`, title: "T".repeat(100) }) as const));
    list.dispose();
  };
  for (let at = 0; at < 100; at += 1) one();
  const before = wasmBytes();
  for (let at = 0; at < rounds; at += 1) one();
  assert.equal(wasmBytes(), before);
});

test("a list that is dropped without dispose costs only its own", async () => {
  for (let at = 0; at < 20; at += 1) createTaskGraph().add({ title: "T" });
  const before = await used();
  for (let at = 0; at < 200; at += 1) createTaskGraph().add({ title: "T" });
  const grown = (await used()) - before;
  assert.ok(grown < 4 * MB, `${grown} bytes for 200 lists`);
});

test("opening and closing stores leaves nothing behind", async () => {
  const rounds = soak ? 5_000 : 500;
  const storage = memoryRecordStorage();
  const one = async (): Promise<void> => {
    const store = await openTasks({ storage });
    await store.add({ title: "T" });
    await store.remove(store.getSnapshot()[0]?.id as string, { removal: "strip" });
    await store.close();
  };
  for (let at = 0; at < 200; at += 1) await one();
  const before = await used();
  for (let at = 0; at < rounds; at += 1) await one();
  const grown = (await used()) - before;
  assert.ok(grown < MB, `${rounds} rounds left ${grown} bytes`);
});

test("many changes to one list stay bounded", async () => {
  const changes = soak ? 1_000_000 : 50_000;
  const list = createHere();
  for (let at = 0; at < 100; at += 1) list.add({ id: `base${at}`, title: "Base" });
  let number = 0;
  const change = (): void => {
    // Each round is four changes: a row that comes and goes, and one that settles and is taken up again.
    const id = `t${(number += 1)}`;
    list.add({ id, title: `Title ${number}`, blockedBy: [`base${number % 100}`] });
    list.complete(`base${number % 100}`);
    list.remove(id, { removal: "strip" });
    list.reopen(`base${number % 100}`);
  };
  for (let at = 0; at < 2_000; at += 1) change();
  const [before, bytes] = [await used(), wasmBytes()];
  for (let at = 0; at < changes / 4; at += 1) change();
  const grown = (await used()) - before;
  assert.ok(grown < 2 * MB, `${changes} changes left ${grown} bytes`);
  assert.ok(wasmBytes() - bytes <= 2 * MB, `the engine grew by ${wasmBytes() - bytes} bytes`);
  assert.equal(list.getSnapshot().length, 100);
  const { quickHandle } = list[sessionOf];
  const slots = guard((core) => core.slots(quickHandle));
  assert.ok(slots < 2_000, `${slots} slots for 100 rows`);
  assert.ok(list.snapshot().length < 300_000);
  list.dispose();
});

test("many changes to one store of records stay bounded", async () => {
  const changes = soak ? 100_000 : 5_000;
  const store = await openTasks({ storage: memoryRecordStorage() });
  await store.batch(Array.from({ length: 50 }, (_, at) => ({ action: "add", id: `base${at}`, title: "Base" }) as const));
  let number = 0;
  const change = async (): Promise<void> => {
    const id = `t${(number += 1)}`;
    await Promise.all([
      store.add({ id, title: "T", blockedBy: [`base${number % 50}`] }),
      store.complete(`base${number % 50}`),
      store.remove(id, { removal: "strip" }),
      store.reopen(`base${number % 50}`),
    ]);
  };
  for (let at = 0; at < 500; at += 1) await change();
  const before = await used();
  for (let at = 0; at < changes / 4; at += 1) await change();
  const grown = (await used()) - before;
  assert.ok(grown < 2 * MB, `${changes} changes left ${grown} bytes`);
  await store.close();
});

test("one huge call does not keep its memory", async () => {
  const list = createHere();
  const before = await used();
  const text = "x".repeat(100_000);
  for (let at = 0; at < 50; at += 1) list.add({ id: `t${at}`, title: "T", description: text.slice(at) });
  list.batch(list.getSnapshot().map(({ id }) => ({ action: "remove", id, removal: "strip" }) as const));
  for (let at = 0; at < 300; at += 1) list.add({ id: `n${at}`, title: "T" });
  list.batch(list.getSnapshot().map(({ id }) => ({ action: "remove", id, removal: "strip" }) as const));
  for (let at = 0; at < 200; at += 1) {
    list.add({ id: `m${at}`, title: "T" });
    list.remove(`m${at}`, { removal: "strip" });
  }
  list.snapshot();
  const grown = (await used()) - before;
  assert.ok(grown < 24 * MB, `${grown} bytes are kept`);
  list.dispose();
});
