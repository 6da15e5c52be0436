// The rows that JavaScript holds are those of the engine, whatever happened: quick and general ways, refusals,
// undo, batches, removals (which renumber slots), reloads, failing saves, foreign writers, traps.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, Command, Task } from "blockedby";
import {
  createTaskGraph,
  currentGeneration,
  faultyStorage,
  guard,
  isTaskError,
  memoryRecordStorage,
  memoryStorage,
  openTasks,
  plain,
  replaceInstance,
  sessionOf,
  taskTools,
  trap,
  truth,
  type TaskGraph,
  type TaskStore,
} from "./support/internal.js";
import { Random, randomCommand } from "./support/random.js";

const soak = process.env["BLOCKEDBY_SOAK"] === "1";
const STEPS = soak ? 10_000 : 500;
const SEEDS = [1, 2, 3];

const slotsOf = (list: TaskGraph | TaskStore): number => {
  const { quickHandle } = list[sessionOf];
  return guard((core) => core.slots(quickHandle));
};

/** Everything that the mirror says is what the engine says. */
function checkMirror(list: TaskGraph | TaskStore, told: string): void {
  const rows = list.getSnapshot();
  assert.deepEqual(plain(rows), truth(list), told);
  for (const row of rows) {
    assert.equal(list.get(row.id), row, told);
    assert.ok(Object.isFrozen(row) && Object.isFrozen(row.blockedBy), told);
  }
  const ids = (tasks: readonly Task[]): string[] => tasks.map((task) => task.id);
  assert.deepEqual(ids(list.ready()), ids(rows.filter((row) => row.readiness === "ready")), told);
  const { ready, blocked } = list.progress();
  assert.deepEqual([list.readyCount, list.blockedCount], [ready, blocked], told);
  assert.equal(list.blocked().length, blocked, told);
}

/** The text opens to the same rows and the same text. */
function checkText(list: TaskGraph | TaskStore, told: string): void {
  const text = list.snapshot();
  const copy = createTaskGraph({ snapshot: text });
  assert.deepEqual(plain(copy.getSnapshot()), plain(list.getSnapshot()), told);
  assert.equal(copy.snapshot(), text, told);
  assert.equal(copy.revision, list.revision, told);
  copy.dispose();
}

/** Calls the verb of a command, which takes the quick way where there is one. */
function byVerb(graph: TaskGraph, given: Command): Change {
  const { action, id, ...fields } = given as { action: Command["action"]; id: string };
  switch (given.action) {
    case "add":
      return graph.add({ ...fields, ...(id === undefined ? {} : { id }) } as never);
    case "update":
      return graph.update(id, fields);
    case "start":
      return graph.start(id);
    case "complete":
      return graph.complete(id);
    default: {
      const answer = graph.attempt(given);
      if (answer.ok) return answer.change;
      throw answer.error;
    }
  }
}

for (const seed of SEEDS) {
  test(`graph: the mirror is the engine's rows after each of ${STEPS} random steps (seed ${seed})`, () => {
    const random = new Random(seed);
    let now = 1_720_600_000_000;
    let graph = createTaskGraph({ now: () => now });
    for (let step = 0; step < STEPS; step += 1) {
      now += random.below(3000) - 200;
      const roll = random.next();
      let told = `seed ${seed}, step ${step}: `;
      const before = graph.getSnapshot();
      let changed: boolean | undefined;
      if (roll < 0.02) {
        told += "trap";
        const { revision } = graph;
        assert.ok(isTaskError(trap()));
        assert.deepEqual(plain(graph.getSnapshot()), plain(before), told);
        assert.equal(graph.revision, revision, told);
      } else if (roll < 0.05) {
        told += "reload";
        const next = createTaskGraph({ snapshot: graph.snapshot(), now: () => now });
        graph.dispose();
        graph = next;
        // Counts are there before any row was read.
        assert.deepEqual([graph.readyCount, graph.blockedCount], [graph.progress().ready, graph.progress().blocked], told);
      } else if (roll < 0.1) {
        const [tool] = taskTools(graph, { dialect: "tasks", actor: "agent:one" });
        told += "tool";
        void tool?.run({ action: "add", content: `Tool ${step}`, blockedBy: before.slice(0, 1).map((task) => task.id) });
      } else {
        const command = randomCommand(random, before, now);
        told += JSON.stringify(command);
        try {
          const change = byVerb(graph, command);
          changed = change.changed;
          for (const task of [...change.nowReady, ...change.nowBlocked, ...(change.tasks ?? []), ...(change.task ? [change.task] : [])]) {
            if (graph.get(task.id) !== undefined) assert.equal(graph.get(task.id), task, `${told}: the change tells of rows that the list shows`);
          }
        } catch (error) {
          assert.ok(isTaskError(error) && error.code !== "poisoned", `${told}: ${String(error)} ${JSON.stringify((error as { details?: unknown }).details)}`);
          changed = false;
        }
        if (changed === false) assert.equal(graph.getSnapshot(), before, `${told}: nothing changed, so the array is the same`);
      }
      checkMirror(graph, told);
      if (step % 10 === 0) checkText(graph, told);
    }
    graph.dispose();
  });
}

test("the quick ways and the general way give the same rows and the same changes", () => {
  const random = new Random(7);
  let now = 1_720_600_000_000;
  const options = { now: () => now };
  const quick = createTaskGraph(options);
  const general = createTaskGraph(options);
  let taken = 0;
  const session = quick[sessionOf];
  for (const name of ["quickAdd", "quickBlockers", "quickStatus"] as const) {
    const original = session[name].bind(session) as (...args: unknown[]) => unknown;
    (session as unknown as Record<string, unknown>)[name] = (...args: unknown[]): unknown => {
      const outcome = original(...args);
      if (outcome !== undefined) taken += 1;
      return outcome;
    };
  }
  for (let step = 0; step < STEPS * 2; step += 1) {
    now += 10;
    const made = randomCommand(random, quick.getSnapshot(), now, 60);
    // Minted ids depend on the number of calls, which differ.
    const command = made.action === "add" ? { ...made, id: made.id ?? `n${step}` } : made;
    if (command.action === "batch") continue;
    const told = `step ${step}: ${JSON.stringify(command)}`;
    const answer = general.attempt(command);
    let outcome: unknown;
    try {
      outcome = byVerb(quick, command);
    } catch (error) {
      assert.ok(isTaskError(error), `${told}: ${String(error)}`);
      outcome = error;
    }
    // Messages may name a byte of the call, which is written differently.
    const comparable = (given: unknown): unknown => (isTaskError(given) ? given.code : plain(given));
    assert.deepEqual(comparable(outcome), comparable(answer.ok ? answer.change : answer.error), told);
    assert.deepEqual(plain(quick.getSnapshot()), plain(general.getSnapshot()), told);
  }
  assert.ok(taken > STEPS / 3, `the quick ways were taken only ${taken} times`);
});

for (const seed of SEEDS) {
  for (const kind of ["snapshot", "records"] as const) {
    test(`store on ${kind}: the mirror is the engine's rows, and the storage's (seed ${seed})`, async () => {
      const random = new Random(seed + (kind === "records" ? 100 : 0));
      let now = 1_720_600_000_000;
      const inner = kind === "records" ? memoryRecordStorage() : memoryStorage();
      const fault = (): "pass" | "fail" | "failAfter" | "conflict" | "quota" =>
        random.chance(0.75) ? "pass" : random.pick(["fail", "failAfter", "conflict", "quota"] as const);
      let faulty = true;
      const storage = faultyStorage(inner, ({ op }) => (!faulty ? "pass" : op === "load" ? (random.chance(0.15) ? "fail" : "pass") : fault()));
      const other = await openTasks({ storage: inner.peer(), actor: "user:other" });
      let store = await openQuietly();
      async function openQuietly(): Promise<TaskStore> {
        faulty = false;
        const opened = await openTasks({ storage, now: () => now });
        faulty = true;
        return opened;
      }
      const rounds = Math.ceil(STEPS / 4);
      for (let round = 0; round < rounds; round += 1) {
        now += 1000;
        const calls: Promise<unknown>[] = [];
        const told = [`seed ${seed}, round ${round}`];
        for (let count = 1 + random.below(4); count > 0; count -= 1) {
          const command = randomCommand(random, store.getSnapshot(), now);
          told.push(JSON.stringify(command));
          calls.push(store.attempt(command));
          checkMirror(store, told.join("\n"));
        }
        if (random.chance(0.2)) {
          told.push("foreign");
          calls.push(other.attempt(randomCommand(random, other.getSnapshot(), now)));
        }
        if (random.chance(0.05)) {
          told.push("trap");
          trap();
        }
        if (random.chance(0.1)) {
          told.push("reload");
          calls.push(store.reload());
        }
        for (const result of await Promise.allSettled(calls)) {
          if (result.status === "fulfilled") continue;
          const { code } = result.reason as { code?: string };
          const fine = isTaskError(result.reason) || String(result.reason).includes("injected failure");
          assert.ok(fine && code !== "poisoned" && code !== "disposed", `${told.join("\n")}\n${String(result.reason)}\n${(result.reason as Error).stack}`);
        }
        await store.flush();
        assert.equal(store.unsaved, 0);
        checkMirror(store, told.join("\n"));
        checkMirror(other, told.join("\n"));
        if (round % 5 === 0) {
          faulty = false;
          // Whatever failed before: what is stored, what this store and what another one shows is one and the same.
          await store.reload();
          await other.reload();
          faulty = true;
          checkMirror(store, told.join("\n"));
          checkText(store, told.join("\n"));
          assert.deepEqual(plain(other.getSnapshot()), plain(store.getSnapshot()), told.join("\n"));
        }
        if (random.chance(0.02)) {
          await store.close();
          store = await openQuietly();
        }
      }
      await store.close();
      await other.close();
    });
  }
}

test("a trap breaks one call; every list stands as it stood and goes on", () => {
  const one = createTaskGraph({ rules: "strict" });
  const two = createTaskGraph();
  one.add({ id: "a", title: "A" });
  one.add({ id: "b", title: "B", blockedBy: ["a"] });
  two.add({ id: "x", title: "X", metadata: { kept: [1, 2] } });
  two.add({ id: "y", title: "Y", parent: "x" });
  two.hold("x", { reason: "gate", note: "ask" });
  const rows = [plain(one.getSnapshot()), plain(two.getSnapshot())];
  const [revision, list] = [one.revision, one.listId];
  const error = trap() as { code: string; details: { panic?: string } };
  assert.equal(error.code, "poisoned");
  assert.match(error.details.panic ?? "", /index out of bounds|src\/wasm/);
  assert.deepEqual([plain(one.getSnapshot()), plain(two.getSnapshot())], rows);
  assert.deepEqual([one.revision, one.listId], [revision, list]);
  assert.throws(() => one.start("b"), { code: "blocked" }, "the rules are kept");
  assert.equal(one.complete("a").nowReady[0]?.id, "b");
  assert.equal(two.release("x").task?.status, "pending");
  assert.equal(two.get("y")?.parent, "x");
  const minted = new Set([one.add({ title: "n" }).task.id, one.add({ title: "m" }).task.id]);
  assert.equal(minted.size, 2);
  checkMirror(one, "one");
  checkText(two, "two");
});

test("a trap before any row of an opened list was read loses nothing", () => {
  const made = createTaskGraph({ rules: { strict: true, maxTasks: 3 } });
  made.add({ id: "a", title: "A" });
  made.add({ id: "b", title: "B", blockedBy: ["a"] });
  made.claim();
  made.release("a");
  made.add({ id: "c", title: "C" });
  made.remove("c", { removal: "strip" });
  const [text, rows] = [made.snapshot(), plain(made.getSnapshot())];
  const open = createTaskGraph({ snapshot: text });
  trap();
  assert.deepEqual(plain(open.getSnapshot()), rows);
  assert.equal(open.revision, made.revision);
  const envelope = (list: TaskGraph): unknown => {
    const { rules, counters, revision, list: id } = JSON.parse(list.snapshot()) as Record<string, unknown>;
    return { rules, counters, revision, id };
  };
  assert.deepEqual(envelope(open), envelope(made), "rules and counters are those of the text");
  assert.throws(() => open.start("b"), { code: "blocked" });
  assert.equal(open.claim().task?.claim?.fence, 2, "fences are never reused");
  assert.equal(open.add({ title: "D" }).task.seq, 4, "numbers are never reused");
});

test("a trap keeps the counters of a list made here", () => {
  const list = createTaskGraph();
  list.add({ id: "a", title: "A" });
  list.claim();
  list.release("a");
  list.add({ id: "b", title: "B" });
  list.remove("b", { removal: "strip" });
  trap();
  assert.equal(list.claim().task?.claim?.fence, 2);
  assert.equal(list.add({ title: "C" }).task.seq, 3);
});

test("a trap with quickly added words that the engine has not seen", () => {
  const list = createTaskGraph();
  for (let at = 0; at < 50; at += 1) list.add({ id: `t${at}`, title: `Title ${at}`, description: `Text ${at}` });
  const before = currentGeneration();
  replaceInstance();
  assert.equal(currentGeneration(), before + 1);
  assert.equal(list.search("title 49")[0]?.id, "t49");
  checkMirror(list, "after");
});

test("a trap in a store's own call: the call fails, what came before and after is stored once", async () => {
  const inner = memoryStorage();
  const storage = faultyStorage(inner, { save: ["hang"] });
  const store = await openTasks({ storage });
  const first = store.add({ id: "a", title: "A" });
  const second = store.add({ id: "b", title: "B" });
  const session = store[sessionOf];
  const run = session.run.bind(session);
  session.run = () => guard((core) => core.mark(0x7fff_ffff)) as never;
  const broken = assert.rejects(store.add({ id: "c", title: "C" }), { code: "poisoned" });
  session.run = run;
  const last = store.add({ id: "d", title: "D", blockedBy: ["a"] });
  storage.release();
  await Promise.all([first, second, broken, last]);
  assert.deepEqual(store.getSnapshot().map((task) => task.id), ["a", "b", "d"]);
  const fresh = await openTasks({ storage: inner.peer() });
  assert.deepEqual(plain(fresh.getSnapshot()), plain(store.getSnapshot()));
  checkMirror(store, "store");
});

test("the engine renumbers its slots during a quick add, with words that it has not seen", () => {
  const random = new Random(5);
  const list = createTaskGraph();
  let renumbered = 0;
  let before = 0;
  for (let round = 0; round < 4000; round += 1) {
    const rows = list.getSnapshot();
    list.add({ id: `t${round}`, title: `Title ${round}`, ...(rows.length > 0 ? { blockedBy: [random.pick(rows).id] } : {}) });
    const slots = slotsOf(list);
    if (slots < before) renumbered += 1;
    before = slots;
    if (rows.length > 30) for (let count = 1 + random.below(4); count > 0; count -= 1) {
      list.remove(random.pick(list.getSnapshot()).id, { removal: "strip" });
      before = slotsOf(list);
    }
    // The next call that sends words removes a row whose words came late, so an index entry left behind would show.
    if (list.get(`t${round}`) === undefined) assert.throws(() => list.remove(`t${round}`), { code: "not_found" });
    const seqs = list.getSnapshot().map((row) => row.seq);
    assert.ok(seqs.every((seq, at) => at === 0 || (seqs[at - 1] as number) < seq), `round ${round}: creation order`);
    if (round % 100 === 0) checkMirror(list, `round ${round}`);
  }
  checkMirror(list, "at the end");
  checkText(list, "at the end");
  assert.ok(renumbered > 0, "no add renumbered the slots");
});

test("a quick call with words that the engine has not seen is refused and warned with them all the same", () => {
  const make = (rules: "lenient" | "strict"): TaskGraph => {
    const list = createTaskGraph({ rules: { strict: rules === "strict" } });
    list.add({ id: "one", title: "One" });
    list.add({ id: "two", title: "Two", blockedBy: ["one"] });
    return list;
  };
  const refusal = (work: () => unknown): { code: string; message: string; details: Record<string, unknown> } => {
    try {
      work();
    } catch (error) {
      return error as ReturnType<typeof refusal>;
    }
    throw new Error("it was accepted");
  };
  const cycle = refusal(() => make("lenient").update("one", { blockedBy: ["two"] }));
  assert.equal(cycle.code, "cycle");
  assert.match(cycle.message, /`one` → `two` → `one`/);
  assert.deepEqual([cycle.details["path"], cycle.details["titles"]], [["one", "two", "one"], ["One", "Two", "One"]]);
  const blocked = refusal(() => make("strict").start("two"));
  assert.deepEqual([blocked.code, blocked.details["by"]], ["blocked", ["one"]]);
  assert.match(blocked.message, /`two` still waits for `one`/);
  const { warning } = make("lenient").start("two");
  assert.deepEqual(warning?.by, ["one"]);
  assert.match(warning?.message ?? "", /`two` still waits for `one`/);
  const settled = make("lenient");
  settled.complete("one");
  settled.add({ id: "three", title: "Three" });
  const again = refusal(() => settled.start("one"));
  assert.equal(again.code, "invalid_transition");
  assert.match(again.message, /`one`/);
  checkMirror(settled, "after a refusal");
});

test("untouched rows keep their identity through every kind of change", () => {
  const list = createTaskGraph();
  for (let at = 0; at < 40; at += 1) list.add({ id: `t${at}`, title: "T", ...(at > 0 ? { blockedBy: [`t${at - 1}`] } : {}) });
  const kept = (work: () => unknown): number => {
    const before = new Set(list.getSnapshot());
    work();
    return list.getSnapshot().filter((row) => before.has(row)).length;
  };
  assert.equal(kept(() => list.complete("t0")), 38, "the task and the one that it released");
  assert.equal(kept(() => list.undo()), 38);
  assert.equal(kept(() => list.update("t20", { title: "New" })), 39);
  assert.equal(kept(() => list.update("t20", { blockedBy: ["t3"] })), 39);
  assert.equal(kept(() => list.batch([{ action: "start", id: "t0" }, { action: "hold", id: "t9" }])), 38);
  assert.equal(kept(() => list.remove("t39", { removal: "strip" })), 39);
});
