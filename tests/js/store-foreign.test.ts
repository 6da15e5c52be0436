// What happens to what is stored behind the back of an open store: hints at any moment, files that vanish or break.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openTasks, type AnyStorage, type Change, type RecordStorage, type SnapshotStorage } from "blockedby";
import { memoryRecordStorage, memoryStorage } from "blockedby/storage";
import { sidecarStorage } from "blockedby/node";
import { faultyStorage } from "blockedby/testing";
import { ids, rejected, turn } from "./support/common.js";

/** Lets timers of a few milliseconds run. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

for (const kind of ["snapshot", "records"] as const) {
  test(`${kind}: a storage that calls back whenever it is read is read twice, and starves nobody`, async () => {
    for (const moment of ["during", "after"] as const) {
      const inner = kind === "snapshot" ? memoryStorage() : memoryRecordStorage();
      let hint: () => void = () => undefined;
      let loads = 0;
      const base = {
        load: async () => {
          loads += 1;
          if (moment === "during") hint();
          const found = inner.load();
          await null;
          if (moment === "after") hint();
          return found;
        },
        subscribe: (listener: () => void) => ((hint = listener), () => undefined),
      };
      const storage = (kind === "snapshot"
        ? { ...base, save: (text: string, revision: string | null) => (inner as ReturnType<typeof memoryStorage>).save(text, revision) }
        : { ...base, commit: (c: Parameters<RecordStorage["commit"]>[0]) => (inner as ReturnType<typeof memoryRecordStorage>).commit(c) }) as AnyStorage;
      const other = await openTasks({ storage: inner.peer() });
      const store = await openTasks({ storage });
      await store.add({ id: "a", title: "A" });
      loads = 0;
      hint();
      await later();
      assert.equal(loads, 2, "nothing new: once more, and no further");
      await turn();
      await other.reload();
      await other.add({ id: "b", title: "B" });
      loads = 0;
      hint();
      await later();
      assert.ok(loads <= 3, `${loads} reads`);
      assert.deepEqual(ids(store.getSnapshot()), ["a", "b"]);
      await store.add({ id: "c", title: "C" });
      await store.reload();
      await store.close();
      loads = 0;
      hint();
      await later();
      assert.equal(loads, 0, "nothing is read after the end");
      await other.close();
    }
  });

  test(`${kind}: a save during a read is not missed`, async () => {
    const inner = kind === "snapshot" ? memoryStorage() : memoryRecordStorage();
    const other = await openTasks({ storage: inner });
    const storage = faultyStorage(inner.peer() as AnyStorage);
    const store = await openTasks({ storage });
    storage.plan("load", "hangAfter");
    await other.add({ id: "a", title: "A" });
    await turn();
    assert.equal(storage.hanging, 1, "it has read what is stored, and does not say so yet");
    await other.add({ id: "b", title: "B" });
    await turn();
    storage.release();
    await later();
    assert.deepEqual(ids(store.getSnapshot()), ["a", "b"]);
    await store.close();
    await other.close();
  });

  test(`${kind}: what vanishes from the storage is stored anew as a whole with the next change`, async () => {
    for (const way of ["save", "failing save", "reload", "hint"] as const) {
      let inner = kind === "snapshot" ? memoryStorage() : memoryRecordStorage();
      let hint: () => void = () => undefined;
      const base = { load: () => inner.load(), subscribe: (listener: () => void) => ((hint = listener), () => undefined) };
      const storage = faultyStorage(
        (kind === "snapshot"
          ? { ...base, save: (text: string, revision: string | null) => (inner as ReturnType<typeof memoryStorage>).save(text, revision) }
          : { ...base, commit: (c: Parameters<RecordStorage["commit"]>[0]) => (inner as ReturnType<typeof memoryRecordStorage>).commit(c) }) as AnyStorage,
      );
      const store = await openTasks({ storage });
      await store.batch([{ action: "add", id: "a", title: "A" }, { action: "add", id: "b", title: "B", blockedBy: ["a"] }]);
      const heard: Change[] = [];
      store.on("change", (change) => heard.push(change));
      inner = kind === "snapshot" ? memoryStorage() : memoryRecordStorage();
      if (way === "reload") await store.reload();
      if (way === "hint") hint();
      if (way === "failing save") {
        storage.plan("save", "fail");
        await rejected("storage_unknown", store.add({ id: "lost", title: "Lost" }));
      }
      await turn();
      assert.deepEqual(ids(store.getSnapshot()), ["a", "b"]);
      await Promise.all([store.add({ id: "c", title: "C" }), store.complete("a")]);
      const reader = await openTasks({ storage: inner.peer(), readOnly: true });
      assert.deepEqual(reader.getSnapshot(), store.getSnapshot());
      assert.deepEqual(ids(reader.getSnapshot()), ["a", "b", "c"]);
      assert.equal(reader.edited, false, "head and rows fit together");
      assert.deepEqual(heard.map((change) => change.action), ["add", "complete"]);
      assert.equal((await store.undo()).changed, true, "the history is kept");
      await reader.close();
      await store.close();
    }
  });
}

test("a storage without revisions that gives nothing after a reload: the list is kept", async () => {
  let text: string | null = null;
  const storage: SnapshotStorage = { load: () => text, save: (next) => void (text = next) };
  const store = await openTasks({ storage });
  await store.add({ id: "a", title: "A" });
  text = null;
  await store.reload();
  await store.add({ id: "b", title: "B" });
  assert.match(String(text), /"id":"a"/);
  text = "garbage";
  await rejected("corrupt", store.reload());
  await rejected("corrupt", store.add({ id: "c", title: "C" }));
  assert.equal(text, "garbage", "what could not be read is not written over");
  await store.close();
});

test("a file that is removed, damaged or replaced under an open store", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "blockedby-"));
  const file = path.join(folder, "list.json");
  try {
    const store = await openTasks({ storage: sidecarStorage({ file }) });
    await store.add({ id: "a", title: "A" });
    await store.add({ id: "b", title: "B" });
    await rm(file);
    await store.add({ id: "c", title: "C" });
    const reader = await openTasks({ storage: sidecarStorage({ file }), readOnly: true });
    assert.deepEqual(ids(reader.getSnapshot()), ["a", "b", "c"]);
    await reader.close();
    const ring = { tasks: [{ id: "a", title: "A", blockedBy: ["b"] }, { id: "b", title: "B", blockedBy: ["a"] }] };
    for (const [text, code] of [["torn {", "corrupt"], ['{"format":"blockedby","version":9,"tasks":[]}', "unsupported_version"], [JSON.stringify(ring), "cycle"]] as const) {
      const good = store.snapshot();
      await writeFile(file, text);
      await rejected(code, store.add({ id: "d", title: "D" }));
      await rejected(code, store.add({ id: "d", title: "D" }));
      assert.deepEqual(ids(store.getSnapshot()), ["a", "b", "c"]);
      await writeFile(file, good);
    }
    await store.complete("a");
    await rm(file);
    await mkdir(file);
    await rejected("storage_denied", store.add({ id: "d", title: "D" }));
    await rejected("storage_denied", store.add({ id: "d", title: "D" }));
    await rm(file, { recursive: true });
    await store.add({ id: "d", title: "D" });
    assert.deepEqual(ids(store.getSnapshot()), ["a", "b", "c", "d"]);
    await store.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
