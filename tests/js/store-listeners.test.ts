// Listeners of a store that call back in, while it takes up what others stored and while it tells of its own calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTasks, type AnyStorage, type Change, type TaskStore } from "blockedby";
import { memoryRecordStorage, memoryStorage } from "blockedby/storage";
import { faultyStorage, type FaultyControls } from "blockedby/testing";
import { ids, rejected, turn } from "./support/common.js";

type Inner = ReturnType<typeof memoryStorage> | ReturnType<typeof memoryRecordStorage>;

/** A storage that tells nobody of foreign saves, as across machines. */
function deaf(inner: Inner): AnyStorage & FaultyControls {
  return faultyStorage({ ...inner, subscribe: () => () => undefined } as AnyStorage);
}

/** The rows in the storage, as another program reads them. */
async function stored(inner: Inner): Promise<TaskStore> {
  return openTasks({ storage: inner.peer(), readOnly: true });
}

/** Ways in which a store takes up what another one stored. */
const ways = {
  "a hint": async () => turn(),
  reload: async (store: TaskStore) => store.reload(),
  "a lost race": async (store: TaskStore) => void (await store.add({ id: "mine", title: "Mine" })),
  "a failed save": async (store: TaskStore, storage: FaultyControls) => {
    storage.plan("save", "fail");
    await rejected("storage_unknown", store.add({ id: "mine", title: "Mine" }));
  },
} as const;

for (const kind of ["snapshot", "records"] as const) {
  const on = (name: string, run: () => Promise<void>): void => void test(`${kind}: ${name}`, run);
  const make = (): Inner => (kind === "snapshot" ? memoryStorage() : memoryRecordStorage());

  for (const [way, takeUp] of Object.entries(ways)) {
    for (const event of ["change", "subscribe", "operation"] as const) {
      on(`calls of a ${event} listener during ${way} are carried out once, and stored when they resolve`, async () => {
        const inner = make();
        const storage = way === "a hint" ? faultyStorage(inner.peer() as AnyStorage) : deaf(inner.peer());
        const store = await openTasks({ storage });
        const other = await openTasks({ storage: inner });
        await other.add({ id: "t1", title: "1" });
        await store.reload();
        const calls: Promise<Change>[] = [];
        const listen = (): void => {
          if (calls.length > 0 || store.get("t2") === undefined) return;
          calls.push(store.complete("t1"), store.add({ id: "x", title: "X" }), store.claim(), store.add({ title: "Minted" }));
        };
        if (event === "subscribe") store.subscribe(listen);
        else store.on(event, listen);
        await other.add({ id: "t2", title: "2" });
        await takeUp(store, storage);
        await turn();
        // Operations are those of the store itself.
        if (calls.length === 0) return assert.equal(event, "operation");
        const [completed, added, claimed] = await Promise.all(calls);
        assert.equal(completed?.changed, true);
        assert.equal(added?.task?.id, "x");
        const reader = await stored(inner);
        assert.equal(reader.get("t1")?.status, "completed");
        assert.ok(reader.get("x"));
        assert.equal(reader.get(claimed?.task?.id as string)?.claim?.fence, claimed?.task?.claim?.fence);
        assert.equal(reader.getSnapshot().filter((task) => task.title === "Minted").length, 1);
        assert.equal(store.unsaved, 0);
        assert.deepEqual(reader.getSnapshot(), store.getSnapshot());
        for (const each of [reader, store, other]) await each.close();
      });
    }
  }

  on("operations and changes come in the order of the calls, whoever calls back in", async () => {
    for (const event of ["subscribe", "operation", "change"] as const) {
      const store = await openTasks({ storage: make() });
      const order: string[] = [];
      store.on("operation", (operation) => order.push(`operation ${operation.events.length > 0 ? operation.id.split(".")[1] : ""}`));
      let more = 3;
      const again = (): void => {
        if (more > 0) void store.add({ id: `m${more--}`, title: "M" });
      };
      if (event === "subscribe") store.subscribe(again);
      else store.on(event, again);
      store.on("change", (change) => order.push(`change ${change.revision}`));
      await store.add({ id: "a", title: "A" });
      await store.flush();
      assert.deepEqual(order, [1, 2, 3, 4].flatMap((at) => [`operation ${at}`, `change ${at}`]), event);
      await store.close();
    }
  });

  on("what a callback causes is told after what is under way has reached everybody", async () => {
    const store = await openTasks({ storage: make() });
    const order: string[] = [];
    store.subscribe(() => {
      order.push(`first ${store.revision}`);
      if (store.revision === 1) void store.add({ id: "b", title: "B" });
    });
    store.subscribe(() => order.push("second"));
    await store.add({ id: "a", title: "A" });
    await store.flush();
    assert.deepEqual(order, ["first 1", "second", "first 2", "second"]);
    await store.close();
  });

  on("a listener for operations that comes late hears no history", async () => {
    const store = await openTasks({ storage: make() });
    for (const id of ["a", "b", "c"]) await store.add({ id, title: id });
    const heard: string[] = [];
    const off = store.subscribe(() => {
      off();
      store.on("operation", (operation) => heard.push(operation.action));
    });
    await store.complete("a");
    await store.start("b");
    assert.deepEqual(heard, ["complete", "start"]);
    await store.close();
  });

  for (const [way, takeUp] of Object.entries(ways)) {
    on(`${way}: foreign changes are one change event, and settle who waits for them`, async () => {
      const inner = make();
      const storage = way === "a hint" ? faultyStorage(inner.peer() as AnyStorage) : deaf(inner.peer());
      const other = await openTasks({ storage: inner });
      await other.batch([{ action: "add", id: "a", title: "A" }, { action: "add", id: "b", title: "B", blockedBy: ["a"] }]);
      const store = await openTasks({ storage });
      const heard: Change[] = [];
      store.on("change", (change) => heard.push(change));
      const ready = store.whenReady("b");
      const settled = store.whenSettled("a");
      const next = store.changes()[Symbol.asyncIterator]().next();
      await turn();
      await other.batch([{ action: "complete", id: "a" }, { action: "add", id: "c", title: "C", blockedBy: ["b"] }]);
      await takeUp(store, storage);
      assert.equal((await ready).id, "b");
      assert.equal((await settled).status, "completed");
      const reload = heard[0] as Change;
      assert.equal(reload.action, "reload");
      assert.equal(reload.changed, true);
      assert.equal(reload.revision, 2);
      assert.deepEqual(ids(reload.nowReady), ["b"]);
      assert.deepEqual(ids(reload.nowBlocked), ["c"]);
      assert.equal((await next).value, reload);
      assert.deepEqual(heard.slice(1).map((change) => change.action), way === "a lost race" ? ["add"] : []);
      // Nothing new is no change.
      await store.reload();
      assert.equal(heard.filter((change) => change.action === "reload").length, 1);
      await store.close();
      await other.close();
    });
  }

  on("what a failed save takes back is told to those who subscribed", async () => {
    const storage = faultyStorage(make() as AnyStorage);
    const store = await openTasks({ storage });
    const seen: number[] = [];
    store.subscribe(() => seen.push(store.getSnapshot().length));
    storage.plan("save", "fail");
    await rejected("storage_unknown", store.add({ id: "a", title: "A" }));
    assert.deepEqual(seen, [1, 0]);
    await store.close();
  });
}
