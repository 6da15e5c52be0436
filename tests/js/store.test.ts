// The storage algorithm (design §7), path by path, on both kinds of storage.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTaskGraph,
  openTasks,
  type AnyStorage,
  type Change,
  type Operation,
  type SnapshotStorage,
  type StorageTraits,
  type StoreOptions,
  type TaskStore,
} from "blockedby";
import { memoryRecordStorage, memoryStorage } from "blockedby/storage";
import { faultyStorage, type FaultPlan, type FaultyControls } from "blockedby/testing";
import { fixed, ids, plain, rejected, turn } from "./support/common.js";

type Inner = ReturnType<typeof memoryStorage> | ReturnType<typeof memoryRecordStorage>;

/** A faulty storage of either kind, and what it wraps. */
function make(kind: "snapshot" | "records", plan?: FaultPlan): { inner: Inner; storage: AnyStorage & FaultyControls } {
  const inner = kind === "snapshot" ? memoryStorage() : memoryRecordStorage();
  return { inner, storage: faultyStorage(inner as AnyStorage, plan) };
}

const saves = (storage: FaultyControls): number => storage.calls.filter(({ op }) => op === "save").length;
const loads = (storage: FaultyControls): number => storage.calls.filter(({ op }) => op === "load").length;

/** Ids in the storage, as another program reads them. */
async function stored(inner: Inner): Promise<string[]> {
  const other = await openTasks({ storage: inner.peer(), readOnly: true });
  const found = ids(other.getSnapshot());
  await other.close();
  return found;
}

for (const kind of ["snapshot", "records"] as const) {
  const on = (name: string, run: () => Promise<void>): void => void test(`${kind}: ${name}`, run);

  on("a lone call saves at once, and resolves once it is stored", async () => {
    const { inner, storage } = make(kind, { save: ["hang"] });
    const store = await openTasks({ storage });
    assert.equal(inner.load(), null, "an empty list is not stored before the first change");
    const heard: Change[] = [];
    store.on("change", (change) => heard.push(change));
    let done = false;
    const call = store.add({ id: "a", title: "A" }).then(() => (done = true));
    assert.deepEqual(ids(store.getSnapshot()), ["a"], "reads show the newest");
    await turn();
    assert.deepEqual([saves(storage), store.unsaved, done, heard.length], [1, 1, false, 0]);
    storage.release();
    await call;
    assert.deepEqual([store.unsaved, heard.length], [0, 1]);
    assert.deepEqual(await stored(inner), ["a"]);
    await store.close();
  });

  on("calls during a save are covered by one more", async () => {
    const { inner, storage } = make(kind, { save: ["hang"] });
    const store = await openTasks({ storage });
    const order: string[] = [];
    store.on("change", (change) => order.push(change.task?.id ?? ""));
    const calls = ["a", "b", "c", "d"].map((id) => store.add({ id, title: id }));
    await turn();
    assert.deepEqual([saves(storage), store.unsaved], [1, 4]);
    storage.release();
    const changes = await Promise.all(calls);
    assert.equal(saves(storage), 2);
    assert.deepEqual(changes.map((change) => change.revision), [1, 2, 3, 4]);
    assert.deepEqual(order, ["a", "b", "c", "d"], "one change event each, in order");
    assert.deepEqual(await stored(inner), ["a", "b", "c", "d"]);
    await store.close();
  });

  on("a lost race: what the other stored is taken up, the call is carried out anew under the same id and time", async () => {
    const options = fixed();
    const { inner, storage } = make(kind);
    const store = await openTasks({ storage, ...options, random: (bytes) => new Uint8Array(bytes).fill(1) });
    const other = await openTasks({ storage: inner.peer() });
    const operations: Operation[] = [];
    store.on("operation", (operation) => operations.push(operation));
    storage.plan("save", { before: () => other.add({ id: "theirs", title: "Theirs" }) });
    const call = store.add({ title: "Mine" });
    const first = store.getSnapshot()[0];
    options.tick(60_000);
    const change = await call;
    assert.equal(change.task.id, first?.id, "the minted id is kept");
    assert.equal(change.task.createdAt, first?.createdAt, "the time is kept");
    assert.equal(change.revision, 2);
    assert.deepEqual(ids(store.getSnapshot()), ["theirs", change.task.id]);
    assert.deepEqual(await stored(inner), ["theirs", change.task.id]);
    assert.equal(operations.length, 1);
    assert.equal(operations[0]?.at, change.task.createdAt);
    await store.close();
    await other.close();
  });

  on("after a lost race the rules decide again: an accepted call may be refused now", async () => {
    const { inner, storage } = make(kind);
    const store = await openTasks({ storage });
    await store.add({ id: "a", title: "A" });
    await store.add({ id: "b", title: "B" });
    const other = await openTasks({ storage: inner.peer() });
    storage.plan("save", { before: () => other.update("b", { blockedBy: ["a"] }) });
    const mine = rejected("cycle", store.update("a", { blockedBy: ["b"] }));
    assert.deepEqual(store.get("a")?.blockedBy, ["b"], "provisionally");
    await mine;
    assert.deepEqual(store.get("a")?.blockedBy, []);
    assert.deepEqual(store.get("b")?.blockedBy, ["a"]);
    // And the other way round: a refusal that leaned on what was not stored may be accepted.
    storage.plan("save", { before: () => other.add({ id: "c", title: "C" }) });
    const group = [store.complete("a"), store.attempt({ action: "complete", id: "c" })] as const;
    await group[0];
    const late = await group[1];
    assert.ok(late.ok && late.change.task?.status === "completed");
    await store.close();
    await other.close();
  });

  on("a save that failed but landed is settled as saved, and not carried out twice", async () => {
    const { inner, storage } = make(kind, { save: ["failAfter", "failAfter"] });
    const store = await openTasks({ storage });
    const heard: string[] = [];
    store.on("change", (change) => heard.push(change.action));
    const change = await store.add({ id: "a", title: "A" });
    assert.equal(change.changed, true);
    assert.equal((await store.claim()).task?.claim?.fence, 1);
    assert.deepEqual(heard, ["add", "claim"]);
    assert.equal(store.revision, 2);
    assert.equal(saves(storage), 2);
    assert.deepEqual(await stored(inner), ["a"]);
    assert.equal(store.get("a")?.claim?.fence, 1);
    await store.close();
  });

  on("a save that failed rejects its group; what came during it is tried on its own", async () => {
    const boom = new Error("disk on fire");
    const { inner, storage } = make(kind, { save: ["pass", { delay: 5, then: { error: boom } }] });
    const store = await openTasks({ storage });
    await store.add({ id: "a", title: "A" });
    const heard: string[] = [];
    store.on("change", (change) => heard.push(change.task?.id ?? ""));
    const lost = rejected("storage_unknown", store.add({ id: "b", title: "B" }));
    const kept = store.add({ id: "c", title: "C" });
    const leaning = store.add({ id: "d", title: "D", blockedBy: ["b"] });
    await turn();
    assert.equal((await lost).cause, boom);
    assert.equal((await kept).task.id, "c");
    await rejected("unknown_blocker", leaning);
    assert.deepEqual(ids(store.getSnapshot()), ["a", "c"]);
    assert.deepEqual(heard, ["c"]);
    assert.deepEqual(await stored(inner), ["a", "c"]);
    await store.close();
  });

  on("a typed failure of the storage reaches the caller as it is", async () => {
    const { storage } = make(kind, { save: ["quota"] });
    const store = await openTasks({ storage });
    await rejected("storage_quota", store.add({ title: "A" }));
    assert.deepEqual(store.getSnapshot(), []);
    assert.equal(store.revision, 0);
    await store.add({ title: "B" });
    await store.close();
  });

  on("failed and unreadable: storage_unknown, then the next call reads first", async () => {
    for (const landed of [false, true]) {
      const { inner, storage } = make(kind);
      const store = await openTasks({ storage });
      await store.add({ id: "a", title: "A" });
      storage.plan("save", landed ? "failAfter" : "fail");
      storage.plan("load", "fail");
      await rejected("storage_unknown", store.add({ id: "b", title: "B" }));
      const before = [loads(storage), saves(storage)] as const;
      // Still unreadable: the same answer, nothing is written blindly.
      storage.plan("load", "fail");
      await rejected("storage_unknown", store.add({ id: "c", title: "C" }));
      assert.deepEqual([loads(storage) - before[0], saves(storage) - before[1]], [1, 0]);
      await store.add({ id: "d", title: "D" });
      assert.deepEqual([loads(storage) - before[0], saves(storage) - before[1]], [2, 1]);
      assert.deepEqual(ids(store.getSnapshot()), landed ? ["a", "b", "d"] : ["a", "d"]);
      assert.deepEqual(await stored(inner), ids(store.getSnapshot()));
      await store.close();
    }
  });

  on("refusals and no-ops that lean on what is not stored wait for it", async () => {
    const { storage } = make(kind, { save: ["hang"] });
    const store = await openTasks({ storage });
    assert.equal((await store.undo()).changed, false, "nothing unsaved: at once");
    await rejected("not_found", store.complete("x"));
    assert.equal(saves(storage), 0);
    const order: string[] = [];
    const note = (name: string) => (): void => void order.push(name);
    const add = store.add({ id: "a", title: "A" }).then(note("add"));
    const refusal = store.add({ id: "a", title: "A" }).catch(note("refusal"));
    const nothing = store.update("a", { title: "A" }).then(note("nothing"));
    await turn();
    assert.deepEqual(order, []);
    assert.equal(store.unsaved, 3);
    storage.release();
    await Promise.all([add, refusal, nothing]);
    assert.deepEqual(order, ["add", "refusal", "nothing"]);
    assert.equal(saves(storage), 1, "what changed nothing is not saved");
    await store.close();
  });

  on("eight lost races in a row: conflict, and the list is as the storage has it", async () => {
    const { inner, storage } = make(kind, { save: Array<"conflict">(8).fill("conflict") });
    const store = await openTasks({ storage });
    await rejected("conflict", store.add({ id: "a", title: "A" }));
    assert.equal(saves(storage), 8);
    assert.deepEqual([store.getSnapshot().length, store.revision, store.unsaved], [0, 0, 0]);
    await store.add({ id: "b", title: "B" });
    assert.deepEqual(await stored(inner), ["b"]);
    await store.close();
    const seven = make(kind, { save: Array<"conflict">(7).fill("conflict") });
    const lucky = await openTasks({ storage: seven.storage });
    await lucky.add({ id: "a", title: "A" });
    assert.deepEqual(await stored(seven.inner), ["a"]);
    await lucky.close();
  });

  on("what is stored turning unreadable fails the calls; it does not hang and does not overwrite", async () => {
    let text: string | undefined;
    const inner = memoryStorage();
    const storage = faultyStorage<SnapshotStorage>(
      { load: () => (text === undefined ? inner.load() : { text, revision: "x" }), save: (next, revision) => (text === undefined ? inner.save(next, revision) : false) },
    );
    const store = await openTasks({ storage });
    await store.add({ id: "a", title: "A" });
    text = "garbage";
    await rejected("corrupt", store.add({ id: "b", title: "B" }));
    await rejected("corrupt", store.add({ id: "c", title: "C" }));
    await rejected("corrupt", store.reload());
    text = undefined;
    await store.add({ id: "d", title: "D" });
    assert.deepEqual(ids(store.getSnapshot()), ["a", "d"]);
    await store.close();
  });

  on("flush, and close, wait for what is under way; afterwards everything is refused", async () => {
    const { inner, storage } = make(kind, { save: ["hang"] });
    const store = await openTasks({ storage });
    await store.flush();
    const call = store.add({ id: "a", title: "A" });
    let flushed = false;
    const flush = store.flush().then(() => (flushed = true));
    const closing = store.close();
    await turn();
    assert.equal(flushed, false);
    storage.release();
    await Promise.all([call, flush, closing]);
    assert.deepEqual(await stored(inner), ["a"]);
    await store.close();
    await rejected("disposed", store.add({ title: "B" }));
    await rejected("disposed", store.attempt({ action: "undo" }));
    await rejected("disposed", store.reload());
    assert.throws(() => store.getSnapshot(), { code: "disposed" });
    assert.throws(() => store.ready(), { code: "disposed" });
  });

  on("await using closes", async () => {
    const { storage } = make(kind);
    let kept: TaskStore;
    {
      await using store = await openTasks({ storage });
      await store.add({ title: "A" });
      kept = store;
    }
    await rejected("disposed", kept.add({ title: "B" }));
  });

  on("reload takes up what is stored, after what waits", async () => {
    const { inner, storage } = make(kind);
    // Without hints, as across machines.
    const deaf = { ...bare(storage) };
    const store = await openTasks({ storage: deaf });
    const other = await openTasks({ storage: inner.peer() });
    await other.add({ id: "a", title: "A" });
    assert.deepEqual(ids(store.getSnapshot()), []);
    const mine = store.add({ id: "b", title: "B" });
    await store.reload();
    await mine;
    assert.deepEqual(ids(store.getSnapshot()), ["a", "b"]);
    await other.reload();
    const row = other.get("a");
    await other.reload();
    assert.equal(other.get("a"), row, "what did not change keeps its identity");
    await store.close();
    await other.close();
  });

  on("reload, close and calls at the same moment: every promise that resolved is stored", async () => {
    for (let delay = 0; delay < 8; delay += 1) {
      const { inner, storage } = make(kind, ({ op }) => (op === "load" ? { delay: 1 } : undefined));
      const store = await openTasks({ storage: bare(storage) });
      const done: string[] = [];
      const add = async (id: string): Promise<void> => {
        await store.add({ id, title: id });
        done.push(id);
      };
      const work: Promise<unknown>[] = [add("a"), store.reload()];
      for (let tick = 0; tick < delay; tick += 1) await null;
      work.push(add("b"), store.flush(), store.reload(), add("c"));
      for (let tick = 0; tick < delay * 2; tick += 1) await null;
      work.push(add("d"), store.reload());
      await Promise.all(work);
      const last = add("e");
      for (let tick = 0; tick < delay; tick += 1) await null;
      const closing = store.close();
      const late = add("f").catch((error: { code: string }) => assert.equal(error.code, "disposed"));
      await Promise.all([last, closing, late, store.close()]);
      assert.deepEqual((await stored(inner)).sort(), done.sort(), `delay ${delay}`);
    }
  });

  on("a call right after an awaited one is seen at once", async () => {
    const { inner } = make(kind);
    const store = await openTasks({ storage: inner });
    await store.add({ id: "a", title: "A" });
    const second = store.add({ id: "b", title: "B" });
    assert.equal(store.get("b")?.title, "B");
    await second;
    await store.close();
  });

  on("a foreign change is taken up by itself: one event, subscribers told, rows kept", async () => {
    const { inner, storage } = make(kind);
    const store = await openTasks({ storage });
    await store.add({ id: "a", title: "A" });
    await store.add({ id: "b", title: "B" });
    const heard: string[] = [];
    let told = 0;
    store.on("change", (change) => heard.push(change.action));
    store.subscribe(() => (told += 1));
    const b = store.get("b");
    const other = await openTasks({ storage: inner.peer() });
    await other.complete("a");
    await turn();
    assert.equal(store.get("a")?.status, "completed");
    assert.equal(store.get("b"), b);
    assert.deepEqual(heard, ["reload"]);
    assert.equal(told, 1);
    assert.equal(store.revision, other.revision);
    // Its own saves are no foreign change.
    await store.start("b");
    await turn();
    assert.deepEqual(heard, ["reload", "start"]);
    await store.close();
    await other.close();
  });

  on("two stores on one storage lose no update", async () => {
    const { inner } = make(kind);
    const one = await openTasks({ storage: inner, actor: "user:one" });
    const two = await openTasks({ storage: inner, actor: "user:two" });
    const three = await openTasks({ storage: inner.peer(), actor: "user:three" });
    const rounds = 25;
    const work = [one, two, three].map(async (store, index) => {
      for (let at = 0; at < rounds; at += 1) await store.add({ id: `s${index}-${at}`, title: "T" });
    });
    await Promise.all(work);
    assert.equal((await stored(inner)).length, 3 * rounds);
    await Promise.all([one.reload(), two.reload(), three.reload()]);
    assert.deepEqual(plain(one.getSnapshot()), plain(three.getSnapshot()));
    assert.deepEqual(plain(two.getSnapshot()), plain(three.getSnapshot()));
    assert.equal(new Set(one.getSnapshot().map((task) => task.seq)).size, 3 * rounds);
    for (const store of [one, two, three]) await store.close();
  });

  on("of many claimants each task goes to exactly one", async () => {
    const { inner } = make(kind);
    const host = await openTasks({ storage: inner });
    await host.batch(Array.from({ length: 12 }, (_, at) => ({ action: "add", id: `t${at}`, title: "T" }) as const));
    const taken: string[] = [];
    const workers = await Promise.all(["a", "b", "c"].map((name) => openTasks({ storage: inner.peer(), actor: `agent:${name}` })));
    await Promise.all(
      workers.map(async (store) => {
        for (let task = (await store.claim()).task; task !== undefined; task = (await store.claim()).task) {
          taken.push(task.id);
          await store.complete(task.id, { fence: task.claim?.fence as number });
        }
      }),
    );
    assert.equal(taken.length, 12);
    assert.equal(new Set(taken).size, 12);
    for (const store of [host, ...workers]) await store.close();
  });

  on("undo and redo reach across a restart", async () => {
    const { inner } = make(kind);
    const first = await openTasks({ storage: inner });
    await first.add({ id: "a", title: "A" });
    await first.complete("a");
    await first.close();
    const second = await openTasks({ storage: inner });
    assert.equal((await second.undo()).changed, true);
    assert.equal(second.get("a")?.status, "pending");
    await second.close();
    const third = await openTasks({ storage: inner });
    assert.equal((await third.redo()).changed, true);
    assert.equal(third.get("a")?.status, "completed");
    await third.close();
  });

  on("recovery at open: the tasks preset only, for writing only, once", async () => {
    const options = fixed();
    const { inner } = make(kind);
    const open = (more: StoreOptions = {}): Promise<TaskStore> => openTasks({ storage: inner, ...options, ...more });
    const first = await open({ rules: "tasks" });
    await first.batch([{ action: "add", id: "old", title: "Old" }, { action: "add", id: "new", title: "New" }]);
    await first.start("old");
    options.tick(200_000);
    await first.start("new");
    await first.close();
    options.tick(200_000);
    const reader = await open({ readOnly: true });
    assert.equal(reader.get("old")?.status, "in_progress", "a reader recovers nothing");
    await reader.close();
    const revision = JSON.parse(inner.load() === null ? "{}" : JSON.stringify(inner.load())) as unknown;
    const writer = await open();
    assert.equal(writer.get("old")?.status, "pending");
    assert.equal(writer.get("new")?.status, "in_progress");
    assert.notDeepEqual(inner.load(), revision, "and is stored");
    options.tick(1_000_000);
    await writer.reload();
    assert.equal(writer.get("new")?.status, "in_progress", "a reload recovers nothing");
    const undo = await writer.undo();
    assert.equal(writer.get("old")?.status, "pending", "a recovery is not taken back");
    assert.ok(undo.changed && writer.get("new")?.status === "pending");
    await writer.close();

    const plainList = make(kind).inner;
    const started = await openTasks({ storage: plainList, ...options });
    await started.add({ id: "a", title: "A", status: "in_progress" });
    await started.close();
    options.tick(10_000_000);
    const again = await openTasks({ storage: plainList, ...options });
    assert.equal(again.get("a")?.status, "in_progress", "other rules recover nothing by themselves");
    await again.close();
  });

  on("readOnly: nothing is written, every verb is refused", async () => {
    const { inner, storage } = make(kind);
    const writer = await openTasks({ storage: inner });
    await writer.add({ id: "a", title: "A" });
    const reader = await openTasks({ storage, readOnly: true });
    const before = reader.snapshot();
    for (const call of [
      () => reader.add({ title: "B" }),
      () => reader.update("a", { title: "B" }),
      () => reader.complete("a"),
      () => reader.claim(),
      () => reader.undo(),
      () => reader.batch([]),
    ]) {
      await rejected("read_only", call());
    }
    const attempt = await reader.attempt({ action: "complete", id: "a" });
    assert.ok(!attempt.ok && attempt.error.code === "read_only");
    assert.equal(reader.snapshot(), before);
    assert.equal(saves(storage), 0);
    await writer.close();
    await reader.close();
  });
}

/** A storage without `subscribe`. */
function bare(storage: AnyStorage): AnyStorage {
  return "commit" in storage
    ? { load: () => storage.load(), commit: (c) => storage.commit(c) }
    : { load: () => storage.load(), save: (text, revision) => storage.save(text, revision) };
}

test("records: what is written follows the change, not the list", async () => {
  const inner = memoryRecordStorage();
  const storage = faultyStorage(inner);
  const store = await openTasks({ storage });
  const commits = (): { upserts: { id: string; text: string }[]; deletes: string[]; head: string }[] =>
    storage.calls.filter(({ op }) => op === "save").map(({ args }) => args[0] as never);
  await store.batch(Array.from({ length: 200 }, (_, at) => ({ action: "add", id: `t${at}`, title: "T", ...(at === 0 ? {} : { blockedBy: ["t0"] }) }) as const));
  assert.equal(commits()[0]?.upserts.length, 200);
  await store.update("t5", { title: "New" });
  assert.deepEqual(commits()[1]?.upserts.map((row) => row.id), ["t5"]);
  await store.complete("t0");
  assert.ok((commits()[2]?.upserts.length ?? 0) <= 200);
  assert.ok(commits()[2]?.upserts.some((row) => row.id === "t0"));
  await store.remove("t9", { removal: "strip" });
  assert.deepEqual(commits()[3]?.deletes, ["t9"]);
  await store.undo();
  assert.deepEqual(commits()[4]?.deletes, []);
  assert.ok(commits()[4]?.upserts.some((row) => row.id === "t9"));
  assert.equal(JSON.parse(commits()[4]?.upserts.find((row) => row.id === "t9")?.text ?? "{}").title, "T");
  // Enough removals that the engine renumbers its slots.
  for (let at = 10; at < 190; at += 1) await store.remove(`t${at}`, { removal: "strip" });
  await store.update("t195", { title: "Last" });
  assert.deepEqual(commits().at(-1)?.upserts.map((row) => row.id), ["t195"]);
  const fresh = await openTasks({ storage: inner.peer() });
  assert.deepEqual(plain(fresh.getSnapshot()), plain(store.getSnapshot()));
  assert.equal(fresh.edited, false, "head and rows fit together");
  await store.close();
  await fresh.close();
});

test("records: a status change of one task of many writes one row", async () => {
  const inner = memoryRecordStorage();
  const storage = faultyStorage(inner);
  const store = await openTasks({ storage });
  await store.batch(Array.from({ length: 100 }, (_, at) => ({ action: "add", id: `t${at}`, title: "T", ...(at === 0 ? {} : { blockedBy: ["t0"] }) }) as const));
  await store.start("t50");
  const commit = storage.calls.at(-1)?.args[0] as { upserts: { id: string }[] };
  assert.deepEqual(ids(commit.upserts), ["t50"]);
  await store.close();
});

test("a storage without compare-and-swap: a bare pair of load and save", async () => {
  let text: string | null = null;
  const storage: SnapshotStorage = { load: () => text, save: (next) => void (text = next) };
  const store = await openTasks({ storage });
  await store.add({ id: "a", title: "A" });
  await store.close();
  const again = await openTasks({ storage });
  assert.deepEqual(ids(again.getSnapshot()), ["a"]);
  assert.equal(again.durable, true);
  await again.close();
  const memory = await openTasks();
  assert.equal(memory.durable, false);
  await memory.close();
});

test("what is stored and no list: corrupt, the bytes stay; every kind of damage", async () => {
  const good = createTaskGraph();
  good.add({ title: "A" });
  const whole = good.snapshot();
  for (const text of ["", "  \n", "\0\0\0\0", "null", "[]", "42", "{}", "{\"tasks\":7}", whole.slice(0, -20), whole.slice(20), `${whole}x`, '{"format":"other","version":1,"tasks":[]}', "PK\u0003\u0004"]) {
    let writes = 0;
    const storage: SnapshotStorage = { load: () => ({ text, revision: "1" }), save: () => void (writes += 1) };
    const error = await rejected("corrupt", openTasks({ storage }));
    assert.equal(typeof (error.details as { at?: number }).at, "number", JSON.stringify(text));
    await rejected("corrupt", openTasks({ storage, readOnly: true }));
    await rejected("corrupt", openTasks({ storage, onCorrupt: "quarantine" }));
    assert.equal(writes, 0);
  }
  const bom = await openTasks({ storage: memoryStorage(`\ufeff${whole}`) });
  assert.equal(bom.getSnapshot().length, 1);
  await bom.close();
});

test("quarantine: a copy is kept, then an empty list takes the place", async () => {
  const kept: string[] = [];
  const inner = memoryStorage("torn {");
  const storage: SnapshotStorage & StorageTraits = {
    load: () => inner.load(),
    save: (text, revision) => inner.save(text, revision ?? inner.load()?.revision ?? null),
    quarantine: () => {
      kept.push(inner.load()?.text ?? "");
      return "copy";
    },
  };
  await rejected("corrupt", openTasks({ storage }));
  await rejected("corrupt", openTasks({ storage, onCorrupt: "quarantine", readOnly: true }));
  assert.deepEqual(kept, []);
  const store = await openTasks({ storage, onCorrupt: "quarantine" });
  assert.deepEqual(kept, ["torn {"]);
  assert.equal(inner.load()?.text, "torn {", "nothing is written before the first change");
  await store.add({ id: "a", title: "A" });
  await store.close();
  const again = await openTasks({ storage });
  assert.deepEqual(ids(again.getSnapshot()), ["a"]);
  await again.close();
});

test("edited by hand: accepted, said, history dropped; a merge is an edit", async () => {
  const inner = memoryStorage();
  const first = await openTasks({ storage: inner });
  await first.add({ id: "a", title: "Before" });
  await first.close();
  const text = inner.load()?.text as string;
  const edited = await openTasks({ storage: memoryStorage(text.replace("Before", "After")) });
  assert.equal(edited.edited, true);
  assert.equal(edited.get("a")?.title, "After");
  assert.equal((await edited.undo()).changed, false);
  await edited.add({ id: "b", title: "B" });
  await edited.close();
  const untouched = await openTasks({ storage: memoryStorage(text) });
  assert.equal(untouched.edited, false);
  await untouched.close();
});

test("unsupported version, other rules, a ring: refused at open, adopt and setAside", async () => {
  const version = await rejected("unsupported_version", openTasks({ storage: memoryStorage('{"format":"blockedby","version":9,"tasks":[]}') }));
  assert.deepEqual(version.details, { found: 9, supported: 1 });
  const inner = memoryStorage();
  const first = await openTasks({ storage: inner });
  await first.add({ id: "a", title: "A" });
  await first.close();
  const before = inner.load();
  const differ = await rejected("rules_differ", openTasks({ storage: inner, rules: "strict" }));
  assert.deepEqual(differ.details, { field: "strict", stored: false, asked: true });
  assert.deepEqual(inner.load(), before);
  const adopted = await openTasks({ storage: inner, rules: "strict", adopt: true });
  await adopted.add({ id: "b", title: "B", blockedBy: ["a"] });
  await rejected("blocked", adopted.start("b"));
  // Reloads and lost races keep to the rules that were adopted.
  await adopted.reload();
  await rejected("blocked", adopted.start("b"));
  await adopted.close();
  const later = await openTasks({ storage: inner });
  await rejected("blocked", later.start("b"));
  await later.close();
  const ring = JSON.stringify({ tasks: [{ id: "a", title: "A", blockedBy: ["b"] }, { id: "b", title: "B", blockedBy: ["a"] }] });
  await rejected("cycle", openTasks({ storage: memoryStorage(ring) }));
  const aside = await openTasks({ storage: memoryStorage(ring), onCycle: "setAside" });
  assert.equal(aside.getSnapshot().filter((task) => task.asideBlockedBy !== undefined).length, 1);
  await aside.reload();
  await aside.close();
});

test("adopted rules hold before anything was saved, through a lost race", async () => {
  const inner = memoryStorage();
  const host = await openTasks({ storage: inner });
  await host.batch([{ action: "add", id: "a", title: "A" }, { action: "add", id: "b", title: "B", blockedBy: ["a"] }]);
  const storage = faultyStorage(inner.peer());
  const strict = await openTasks({ storage: bare(storage), rules: "strict", adopt: true });
  storage.plan("save", { before: () => host.add({ id: "c", title: "C" }) });
  await strict.add({ id: "d", title: "D" });
  await rejected("blocked", strict.start("b"));
  await strict.close();
  await host.close();
});

test("a change of a change listener is saved as well, in order", async () => {
  const inner = memoryStorage();
  const store = await openTasks({ storage: inner });
  const later: Promise<unknown>[] = [];
  store.on("change", (change) => {
    if (change.action === "add") later.push(store.complete(change.task?.id as string));
  });
  await store.add({ id: "a", title: "A" });
  await store.flush();
  await Promise.all(later);
  assert.equal(store.get("a")?.status, "completed");
  assert.deepEqual(await stored(inner), ["a"]);
  await store.close();
});

test("authorize and actor hold on a store", async () => {
  const store = await openTasks({ actor: "agent:one", authorize: (operation, actor) => operation.action !== "remove" || actor === "user:ann" });
  const { task } = await store.add({ title: "A" });
  assert.equal(task.createdBy, "agent:one");
  await rejected("not_allowed", store.remove(task.id));
  const allowed = await store.attempt({ action: "remove", id: task.id }, { actor: "user:ann" });
  assert.equal(allowed.ok, true);
  const refusal = await store.attempt({ action: "complete", id: task.id });
  assert.ok(!refusal.ok && refusal.error.code === "invalid_transition");
  await store.close();
});
