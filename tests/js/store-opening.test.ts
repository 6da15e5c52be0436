// Opening and closing: options that cannot be used, signals, storages that throw or give anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTasks, type AnyStorage, type SnapshotStorage, type StorageTraits, type StoreOptions } from "blockedby";
import { memoryStorage } from "blockedby/storage";
import { ids, rejected, turn } from "./support/common.js";

/** What storages of untyped programs may be. */
const as = <T>(value: unknown): T => value as T;
const boom = new Error("no such host");
const fail = (): never => {
  throw boom;
};

test("options that cannot be used are refused with their name", async () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["options", null],
    ["options", 5],
    ["now", { now: 5 }],
    ["random", { random: "x" }],
    ["authorize", { authorize: true }],
    ["storage", { storage: {} }],
    ["storage", { storage: 5 }],
    ["storage", { storage: "tasks.json" }],
    ["storage", { storage: { load: () => null } }],
    ["storage", { storage: { save: () => undefined } }],
    ["storage", { storage: { load: 1, save: 2 } }],
    ["load", { storage: new Proxy({}, { get: fail }) }],
    ["signal", { signal: {} }],
    ["signal", { signal: true }],
  ];
  for (const [field, options] of cases) {
    const error = await rejected("invalid_value", openTasks(as<StoreOptions>(options)));
    assert.equal((error.details as { field?: string }).field, field);
  }
});

test("a storage that fails to load, be subscribed to or close: typed, with its own error as the cause", async () => {
  const opening = await rejected("storage_unknown", openTasks({ storage: { load: fail, save: () => undefined } }));
  assert.equal(opening.cause, boom);
  const records = await rejected("storage_unknown", openTasks({ storage: { load: async () => fail(), commit: () => "1" } }));
  assert.equal(records.cause, boom);
  const subscribing = await rejected("storage_unknown", openTasks({ storage: { load: () => null, save: () => undefined, subscribe: fail } }));
  assert.equal(subscribing.cause, boom);
  const quarantine: SnapshotStorage & StorageTraits = { load: () => "torn {", save: () => undefined, quarantine: fail };
  assert.equal((await rejected("storage_unknown", openTasks({ storage: quarantine, onCorrupt: "quarantine" }))).cause, boom);

  let broken = false;
  const inner = memoryStorage();
  const storage: SnapshotStorage & StorageTraits = { ...inner, load: () => (broken ? fail() : inner.load()), close: fail };
  const store = await openTasks({ storage });
  await store.add({ id: "a", title: "A" });
  broken = true;
  assert.equal((await rejected("storage_unknown", store.reload())).cause, boom);
  assert.deepEqual(ids(store.getSnapshot()), ["a"], "the list stays as it was");
  broken = false;
  await store.reload();
  assert.equal((await rejected("storage_unknown", store.close())).cause, boom);
  await rejected("disposed", store.add({ title: "B" }));
});

test("records that are none are corrupt", async () => {
  const head = '{"format":"blockedby","version":1,"tasks":[]}';
  const thrown = { [Symbol.iterator]: fail };
  for (const given of [undefined, {}, 5, true, "text", [], { head, revision: "1" }, { head, revision: "1", rows: null }, { head, revision: "1", rows: 5 },
    { head, revision: "1", rows: [null] }, { head, revision: "1", rows: [{ id: "a" }] }, { head, revision: "1", rows: [{ id: "a", text: 5 }] },
    { head, rows: [] }, { head: 5, revision: "1", rows: [] }]) {
    await rejected("corrupt", openTasks({ storage: as<AnyStorage>({ load: () => given, commit: () => "1" }) }));
  }
  const late = await rejected("storage_unknown", openTasks({ storage: as<AnyStorage>({ load: () => ({ head, revision: "1", rows: thrown }), commit: () => "1" }) }));
  assert.equal(late.cause, boom);
});

test("whatever subscribe gives and however it ends, close reaches the storage", async () => {
  for (const [given, ends] of [[undefined, true], [5, true], [{}, true], [() => undefined, true], [fail, false]] as const) {
    let closed = 0;
    const storage = as<AnyStorage>({ load: () => null, save: () => undefined, subscribe: () => given, close: () => void (closed += 1) });
    const store = await openTasks({ storage });
    await store.add({ title: "A" });
    if (ends) await store.close();
    else assert.equal((await rejected("storage_unknown", store.close())).cause, boom);
    await store.close();
    assert.equal(closed, 1);
    assert.throws(() => store.getSnapshot(), { code: "disposed" });
  }
});

test("a signal gives up at once, while the storage is read and while what went stale is stored", async () => {
  await assert.rejects(openTasks({ signal: AbortSignal.abort(new Error("too late")) }), /too late/);
  for (const late of ["text", "failure"] as const) {
    let release: (found: string | null) => void = () => undefined;
    let refuse: (error: unknown) => void = () => undefined;
    let closed = 0;
    const storage: SnapshotStorage & StorageTraits = {
      load: () => new Promise<string | null>((resolve, reject) => ([release, refuse] = [resolve, reject])),
      save: () => assert.fail("nothing is stored"),
      quarantine: () => assert.fail("nothing is copied"),
      close: () => void (closed += 1),
    };
    const controller = new AbortController();
    const opening = openTasks({ storage, signal: controller.signal, onCorrupt: "quarantine" });
    await turn();
    controller.abort(new Error("changed my mind"));
    await assert.rejects(opening, /changed my mind/);
    assert.equal(closed, 0);
    if (late === "text") release(null);
    else refuse(boom);
    await turn();
    assert.equal(closed, 1, `the storage is let go after a late ${late}`);
  }

  const inner = memoryStorage();
  let time = 0;
  const now = (): number => time;
  const first = await openTasks({ storage: inner, rules: "tasks", now });
  await first.add({ id: "a", title: "A" });
  await first.start("a");
  await first.close();
  time = 10_000_000;
  const hangs: SnapshotStorage = { load: () => inner.load(), save: () => new Promise(() => undefined) };
  const controller = new AbortController();
  const opening = openTasks({ storage: hangs, now, signal: controller.signal });
  await turn();
  controller.abort(new Error("changed my mind"));
  await assert.rejects(opening, /changed my mind/);
});

test("a signal that aborts after the opening changes nothing", async () => {
  const controller = new AbortController();
  const store = await openTasks({ signal: controller.signal });
  controller.abort();
  await turn();
  await store.add({ title: "A" });
  await store.close();
});

test("close ends everybody who waits", async () => {
  const store = await openTasks();
  await store.add({ id: "a", title: "A" });
  await store.add({ id: "b", title: "B", blockedBy: ["a"] });
  const waiting = [rejected("disposed", store.whenReady("b")), rejected("disposed", store.whenSettled("a"))];
  const next = store.changes().next();
  await turn();
  await store.close();
  await Promise.all(waiting);
  assert.equal((await next).done, true);
});

test("what the host is asked about is what is carried out, also again after a lost race", async () => {
  let reads = 0;
  const shifty = {
    action: "add",
    get title() {
      reads += 1;
      return `Title ${reads}`;
    },
  };
  const asked: (string | undefined)[] = [];
  const inner = memoryStorage();
  const other = await openTasks({ storage: inner });
  let lost = false;
  const storage: SnapshotStorage = {
    load: () => inner.load(),
    save: async (text, revision) => {
      if (!lost) {
        lost = true;
        await other.add({ title: "Theirs" });
      }
      return inner.save(text, revision);
    },
  };
  const store = await openTasks({ storage, authorize: (operation) => asked.push((operation as { title?: string }).title) > 0 });
  await store.attempt(as<Parameters<typeof store.attempt>[0]>(shifty));
  assert.deepEqual(store.getSnapshot().map((task) => task.title), ["Theirs", ...asked]);
  await store.close();
  await other.close();
});
