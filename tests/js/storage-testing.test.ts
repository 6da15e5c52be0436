// The test aids themselves: the clock, the faults, and that the contract suite finds bad storages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRecordStorage, memoryStorage, type SnapshotStorage } from "blockedby/storage";
import { type ContractContext, faultyStorage, simulatedClock, storageContract } from "blockedby/testing";
import { fails } from "./storage-support.js";

test("simulatedClock: timers run at their time, in order, with promises settled in between", async () => {
  const clock = simulatedClock(1_000);
  const log: string[] = [];
  const note = (what: string): void => void log.push(`${what}@${clock.now()}`);
  clock.setTimeout(() => note("late"), 50);
  clock.setTimeout(() => {
    note("early");
    clock.setTimeout(() => note("nested"), 5);
  }, 10);
  clock.setTimeout(() => note("early too"), 10);
  clock.clearTimeout(clock.setTimeout(() => note("never"), 20));
  clock.clearTimeout(undefined);
  void clock.sleep(12).then(() => note("slept"));
  await clock.advance(9);
  assert.deepEqual(log, []);
  await clock.advance(11);
  assert.deepEqual(log, ["early@1010", "early too@1010", "slept@1012", "nested@1015"]);
  assert.equal(clock.now(), 1_020);
  assert.equal(clock.pending, 1);
  clock.set(500);
  assert.equal(clock.now(), 500);
  await clock.advance(1_000);
  assert.equal(log.at(-1), "late@1050");
});

test("faultyStorage: each fault does what it says, in order, and stays synchronous where it can", async () => {
  const inner = memoryStorage();
  const storage = faultyStorage(inner, { save: ["pass", "fail", "failAfter", "conflict", "quota"], load: ["pass", "fail"] });
  assert.equal(storage.save("1", null), "1");
  assert.throws(() => storage.save("2", "1"), /injected failure of save 1/);
  assert.equal(inner.load()?.text, "1");
  assert.throws(() => storage.save("3", "1"), /injected failure of save 2/);
  assert.equal(inner.load()?.text, "3", "it landed all the same");
  assert.equal(storage.save("4", "2"), false);
  await fails("storage_quota", () => storage.save("5", "2"));
  assert.equal(storage.save("6", "2"), "3", "after the plan all pass");
  assert.equal(storage.load()?.text, "6");
  assert.throws(() => storage.load());
  assert.deepEqual(storage.calls.map(({ op, index }) => `${op} ${index}`), [
    "save 0", "save 1", "save 2", "save 3", "save 4", "save 5", "load 0", "load 1",
  ]);
  assert.deepEqual(storage.calls[5]?.args, ["6", "2"]);
  assert.equal(storage.durable, false, "traits shine through");
  assert.equal(typeof storage.subscribe, "function");
  assert.ok(!("commit" in storage) && "calls" in storage);
});

test("faultyStorage: hanging, late and scripted calls, for records too", async () => {
  const inner = memoryRecordStorage();
  const clock = simulatedClock();
  const storage = faultyStorage(inner, {}, clock);
  const commit = (head: string, ifRevision: string | null): Promise<string | false> =>
    Promise.resolve(storage.commit({ ifRevision, head, upserts: [], deletes: [] }));

  storage.plan("save", "hang", "hangAfter", { delay: 100, then: "conflict" });
  const first = commit("1", null);
  assert.deepEqual([storage.hanging, inner.load()], [1, null]);
  storage.release();
  assert.equal(await first, "1");
  const second = commit("2", "1");
  assert.equal(inner.load()?.head, "2", "landed, not yet said");
  storage.release();
  assert.equal(await second, "2");

  let answer: unknown = "none";
  void commit("3", "2").then((value) => (answer = value));
  await clock.advance(99);
  assert.equal(answer, "none");
  await clock.advance(1);
  assert.equal(answer, false);

  const error = new Error("mine");
  storage.plan("save", { error }, { error, landed: true }, { before: () => inner.commit({ ifRevision: "3", head: "theirs", upserts: [], deletes: [] }) });
  assert.throws(() => storage.commit({ ifRevision: "2", head: "x", upserts: [], deletes: [] }), error);
  assert.throws(() => storage.commit({ ifRevision: "2", head: "3", upserts: [], deletes: [] }), error);
  assert.equal(inner.load()?.head, "3");
  assert.equal(await commit("mine", "3"), false, "another writer was faster");
  const scripted = faultyStorage(inner, ({ op, index }) => (op === "load" && index === 1 ? "fail" : undefined));
  assert.equal(scripted.load()?.head, "theirs");
  assert.throws(() => scripted.load());
  assert.equal(scripted.load()?.head, "theirs");
});

/** Titles of the contract's cases that a storage fails, and of those that it skips. */
async function judged(make: () => SnapshotStorage): Promise<{ failed: string[]; skipped: string[] }> {
  const places = new Map<string, SnapshotStorage>();
  const runs: [string, (context?: ContractContext) => Promise<void>][] = [];
  storageContract(
    (place) => {
      const found = places.get(place) ?? make();
      places.set(place, found);
      return found;
    },
    { test: (name, run) => runs.push([name, run]), hintMs: 50 },
  );
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const [name, run] of runs) {
    await run({ skip: () => skipped.push(name) }).catch(() => failed.push(name));
  }
  return { failed, skipped };
}

test("the contract suite finds what is wrong with a storage", async () => {
  const good = await judged(() => memoryStorage());
  assert.deepEqual(good.failed.filter((title) => !title.includes("subscriber")), []);

  // Saves whatever the revision: the lost update of every naive storage.
  let count = 0;
  const blind = await judged(() => {
    let text: string | null = null;
    return {
      load: () => (text === null ? null : { text, revision: String(count) }),
      save: (next) => {
        text = next;
        return String(++count);
      },
    };
  });
  assert.equal(blind.failed.filter((title) => title.startsWith("compare-and-swap")).length, 4);

  const noCas = await judged(() => {
    let text: string | null = null;
    return { compareAndSwap: false, load: () => text, save: (next: string) => void (text = next) };
  });
  assert.deepEqual(noCas.failed, []);
  assert.equal(noCas.skipped.filter((title) => title.startsWith("compare-and-swap")).length, 4);

  const trimming = await judged(() => {
    const inner = memoryStorage();
    return { load: () => inner.load(), save: (text, ifRevision) => inner.save(text.trim().normalize(), ifRevision) };
  });
  assert.deepEqual(trimming.failed, ["text is kept to the letter"]);

  const empty = await judged(() => ({ load: () => "", save: () => undefined }));
  assert.ok(empty.failed.includes("an empty place loads null"));
});
