// Hostile input: whatever is passed where, the answer is a TaskError with a sensible code (or success where the
// text is merely odd), nothing changes, and the list goes on working.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTaskGraph,
  isTaskError,
  openTasks,
  renderDetail,
  renderPanel,
  renderRows,
  taskTools,
  type TaskErrorCode,
  type TaskGraph,
} from "blockedby";
import { ids, plain, refused, rejected } from "./support/common.js";

const REFUSALS: ReadonlySet<TaskErrorCode> = new Set<TaskErrorCode>([
  "invalid_value", "missing_field", "unknown_field", "not_found", "unknown_blocker", "self_block", "cycle", "limit",
  "duplicate_id", "nothing_to_change", "invalid_transition", "not_holder", "corrupt",
]);

const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const throwing = Object.defineProperty({}, "title", { enumerable: true, get: () => { throw new Error("getter"); } });
const TEN_MB = "x".repeat(10 << 20);

/** Values that are text, though odd text. */
const TEXTS: Record<string, string> = {
  proto: "__proto__",
  constructor: "constructor",
  hasOwnProperty: "hasOwnProperty",
  empty: "",
  blank: " \t\n ",
  nul: "a\0b",
  loneHigh: "a\ud800b",
  loneLow: "\udc00",
  long: "y".repeat(20_000),
  huge: TEN_MB,
  html: "<img src=x onerror=alert(1)>",
  direction: "\u202eabc\u2066",
  path: "../../etc/passwd",
  json: '{"action":"undo"}',
};

/** Values of every other type. */
const VALUES: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  true: true,
  zero: 0,
  minus: -1,
  half: 0.5,
  nan: Number.NaN,
  infinity: Infinity,
  unsafe: 2 ** 60,
  bigint: 10n,
  symbol: Symbol("s"),
  function: () => "x",
  array: [],
  arrayOfNumbers: [1, 2],
  arrayOfNulls: [null],
  arrayOfHoles: new Array(3),
  arrayOfArrays: [["a"]],
  longArray: Array.from({ length: 20_000 }, (_, at) => `n${at}`),
  object: {},
  nullObject: Object.create(null),
  withProto: JSON.parse('{"__proto__":{"title":"X"}}'),
  cyclic,
  throwing,
  throwingToString: { toString() { throw new Error("toString"); } },
  throwingToJson: { toJSON() { throw new Error("toJSON"); } },
  proxy: new Proxy({}, { ownKeys() { throw new Error("ownKeys"); }, get() { throw new Error("get"); } }),
  revoked: (() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })(),
  date: new Date(0),
  invalidDate: new Date(Number.NaN),
  map: new Map([["a", 1]]),
  bytes: new Uint8Array(8),
  error: new Error("e"),
  deep63: deep(63),
  deep70: deep(70),
  deep5000: deep(5000),
  ...TEXTS,
};

function graph(): TaskGraph {
  const list = createTaskGraph();
  list.add({ id: "a", title: "A" });
  list.add({ id: "b", title: "B", blockedBy: ["a"] });
  return list;
}

/** Runs a call: it succeeds, or throws a TaskError that refuses and has changed nothing. */
function survives(list: TaskGraph, told: string, call: (list: TaskGraph) => unknown): void {
  const [text, rows] = [list.snapshot(), list.getSnapshot()];
  try {
    call(list);
  } catch (error) {
    assert.ok(isTaskError(error), `${told}: ${String((error as Error)?.stack ?? typeof error)}`);
    assert.ok(REFUSALS.has(error.code), `${told}: ${error.code} ${JSON.stringify(error.details)}`);
    assert.ok(error.message.length < 2000 && JSON.stringify(error.toJSON()).length < 4000, `${told}: the error is short`);
    assert.equal(list.snapshot(), text, told);
    assert.equal(list.getSnapshot(), rows, told);
  }
}

/** The list still works as lists do. */
function works(list: TaskGraph, told: string): void {
  const id = `check${list.revision}`;
  assert.equal(list.add({ id, title: "Check" }).task.readiness, "ready", told);
  assert.equal(list.complete(id).task?.status, "completed", told);
  const copy = createTaskGraph({ snapshot: list.snapshot() });
  assert.deepEqual(plain(copy.getSnapshot()), plain(list.getSnapshot()), told);
  copy.dispose();
}

const any = (value: unknown): never => value as never;

/** Each place where a caller may put something. */
const PLACES: Record<string, (list: TaskGraph, value: never) => unknown> = {
  "add": (list, value) => list.add(value),
  "add title": (list, value) => list.add({ title: value }),
  "add id": (list, value) => list.add({ title: "T", id: value }),
  "add description": (list, value) => list.add({ id: `i${list.revision}`, title: "T", description: value }),
  "add activeForm": (list, value) => list.add({ title: "T", activeForm: value }),
  "add blockedBy": (list, value) => list.add({ id: `i${list.revision}`, title: "T", blockedBy: value }),
  "add a blocker": (list, value) => list.add({ id: `i${list.revision}`, title: "T", blockedBy: [value] }),
  "add parent": (list, value) => list.add({ title: "T", parent: value }),
  "add children": (list, value) => list.add({ title: "T", children: value }),
  "add owner": (list, value) => list.add({ title: "T", owner: value }),
  "add status": (list, value) => list.add({ title: "T", status: value }),
  "add metadata": (list, value) => list.add({ title: "T", metadata: value }),
  "add metadata within": (list, value) => list.add({ title: "T", metadata: { value } }),
  "add key": (list, value) => list.add(any({ title: "T", key: value })),
  "update id": (list, value) => list.update(value, { title: "X" }),
  "update id, blockers": (list, value) => list.update(value, { blockedBy: ["a"] }),
  "update patch": (list, value) => list.update("a", value),
  "update title": (list, value) => list.update("a", { title: value }),
  "update blockedBy": (list, value) => list.update("b", { blockedBy: value }),
  "update a blocker": (list, value) => list.update("b", { blockedBy: [value] }),
  "update addBlockedBy": (list, value) => list.update("b", { addBlockedBy: value }),
  "update removeBlockedBy": (list, value) => list.update("b", { removeBlockedBy: value }),
  "update status": (list, value) => list.update("a", { status: value }),
  "update parent": (list, value) => list.update("b", { parent: value }),
  "update metadata": (list, value) => list.update("b", { metadata: value }),
  "start": (list, value) => list.start(value),
  "complete": (list, value) => list.complete(value),
  "complete options": (list, value) => list.complete("a", value),
  "complete fence": (list, value) => list.complete("a", { fence: value }),
  "cancel": (list, value) => list.cancel(value),
  "reopen": (list, value) => list.reopen(value),
  "remove": (list, value) => list.remove(value),
  "remove options": (list, value) => list.remove("b", value),
  "remove removal": (list, value) => list.remove("b", { removal: value }),
  "claim": (list, value) => list.claim(value),
  "claim id": (list, value) => list.claim({ id: value }),
  "claim ids": (list, value) => list.claim({ ids: value }),
  "claim leaseMs": (list, value) => list.claim({ leaseMs: value }),
  "heartbeat": (list, value) => list.heartbeat(value, { fence: 1 }),
  "heartbeat options": (list, value) => list.heartbeat("a", value),
  "heartbeat fence": (list, value) => list.heartbeat("a", { fence: value }),
  "release": (list, value) => list.release(value),
  "release options": (list, value) => list.release("a", value),
  "hold": (list, value) => list.hold(value),
  "hold options": (list, value) => list.hold("a", value),
  "hold reason": (list, value) => list.hold("a", { reason: value }),
  "hold note": (list, value) => list.hold("a", { note: value }),
  "hold resume": (list, value) => list.hold("a", { resume: value }),
  "batch": (list, value) => list.batch(value),
  "batch entry": (list, value) => list.batch([{ action: "add", title: "T" }, value]),
  "batch in batch": (list, value) => list.batch([{ action: "batch", commands: value }]),
  "archive": (list, value) => list.archive(value),
  "archive time": (list, value) => list.archive({ settledBefore: value }),
  "recoverStale": (list, value) => list.recoverStale(value),
  "recoverStale age": (list, value) => list.recoverStale({ olderThan: value }),
  "replay": (list, value) => list.replay(value),
  "replay entry": (list, value) => list.replay([value]),
  "attempt": (list, value) => { const answer = list.attempt(value); if (!answer.ok) throw answer.error; },
  "attempt action": (list, value) => { const answer = list.attempt({ action: value }); if (!answer.ok) throw answer.error; },
  "attempt actor": (list, value) => { const answer = list.attempt({ action: "add", title: "T" }, { actor: value }); if (!answer.ok) throw answer.error; },
  "get": (list, value) => list.get(value),
  "list": (list, value) => list.list(value),
  "list status": (list, value) => list.list({ status: value }),
  "list limit": (list, value) => list.list({ limit: value }),
  "list cursor": (list, value) => list.list({ cursor: value }),
  "ready": (list, value) => list.ready(value),
  "ready limit": (list, value) => list.ready({ limit: value }),
  "blocked limit": (list, value) => list.blocked({ limit: value }),
  "search": (list, value) => list.search(value),
  "search limit": (list, value) => list.search("a", { limit: value }),
  "explain": (list, value) => list.explain(value),
  "blocks": (list, value) => list.blocks(value),
  "wouldCycle": (list, value) => list.wouldCycle(value, "a"),
  "wouldCycle blocker": (list, value) => list.wouldCycle("a", value),
  "renderDetail": (list, value) => renderDetail(list, value),
};

for (const [place, call] of Object.entries(PLACES)) {
  test(`${place}: anything`, () => {
    let list = graph();
    for (const [name, value] of Object.entries(VALUES)) {
      const told = `${place}(${name})`;
      survives(list, told, (target) => call(target, any(value)));
      // What went through may have changed much; start anew when it did.
      works(list, told);
      if (list.getSnapshot().length > 30 || list.get("a")?.status !== "pending" || list.get("b") === undefined) {
        list.dispose();
        list = graph();
      }
    }
    list.dispose();
  });
}

test("odd ids are plain keys", () => {
  const list = createTaskGraph();
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "0", "-1", "1e3", "\u202e", "a b", "👍"];
  for (const id of odd) list.add({ id, title: id });
  list.batch(odd.slice(1).map((id, at) => ({ action: "update", id, blockedBy: [odd[at] as string] }) as const));
  assert.deepEqual(ids(list.getSnapshot()), odd);
  for (const id of odd) assert.equal(list.get(id)?.id, id);
  assert.deepEqual(list.explain("constructor").blockers.map((blocker) => blocker.id), ["__proto__"]);
  const keyed = createTaskGraph().batch([{ action: "add", title: "T", key: "__proto__" }]);
  assert.deepEqual(Object.keys(keyed.keys ?? {}), ["__proto__"]);
  assert.equal(({} as { title?: string }).title, undefined, "no prototype was touched");
  assert.deepEqual(plain(createTaskGraph({ snapshot: list.snapshot() }).getSnapshot()), plain(list.getSnapshot()));
  renderPanel(list);
  assert.equal(renderRows(list).length, odd.length);
});

test("metadata with hostile keys is kept as data", () => {
  const list = createTaskGraph();
  const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"id":"x","title":7}') as Record<string, unknown>;
  list.add({ id: "a", title: "A", metadata });
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  const row = list.get("a");
  assert.equal(row?.title, "A");
  assert.equal(JSON.stringify(row?.metadata), JSON.stringify(metadata));
  const copy = createTaskGraph({ snapshot: list.snapshot() });
  assert.equal(JSON.stringify(copy.get("a")?.metadata), JSON.stringify(metadata));
});

test("options: anything, refused when the list is made", () => {
  for (const [name, value] of Object.entries(VALUES)) {
    for (const option of ["snapshot", "rules", "actor", "onCycle", "adopt"]) {
      try {
        createTaskGraph({ [option]: value }).dispose();
      } catch (error) {
        assert.ok(isTaskError(error), `${option}: ${name}: ${String((error as Error)?.stack)}`);
        assert.ok(["invalid_value", "unknown_field", "corrupt", "unsupported_version"].includes(error.code), `${option}: ${name}: ${error.code}`);
      }
    }
    try {
      createTaskGraph({ random: () => any(value) }).dispose();
    } catch (error) {
      assert.ok(isTaskError(error), `random: ${name}: ${String((error as Error)?.stack)}`);
      assert.equal(error.code, "invalid_value");
    }
    if (value === undefined) continue;
    const clock = createTaskGraph({ now: () => any(value) });
    survives(clock, `now: ${name}`, (list) => list.add({ title: "T" }));
    clock.dispose();
  }
});

test("the tasks tool: anything is a result, never a rejection", async () => {
  const list = graph();
  const [tool] = taskTools(list, { dialect: "tasks", actor: "agent:main" });
  assert.ok(tool);
  const fields = ["action", "id", "content", "blockedBy", "active_form", "status", "status_filter", "unknown"];
  for (const [name, value] of Object.entries(VALUES)) {
    const given: unknown[] = [value];
    for (const action of ["add", "update", "complete", "remove", "list", "blocked"]) {
      for (const field of fields) given.push({ action, id: "b", content: "T", [field]: value });
    }
    for (const args of given) {
      const before = list.snapshot();
      const result = await tool.run(args);
      const error = result["error"] as { code: TaskErrorCode } | undefined;
      if (error === undefined) continue;
      assert.ok(REFUSALS.has(error.code), `${name}: ${error.code}`);
      assert.deepEqual(Object.keys(result), ["action", "error"]);
      assert.equal(list.snapshot(), before, name);
    }
    works(list, name);
    list.batch(list.getSnapshot().filter((task) => task.id !== "a" && task.id !== "b").map(({ id }) => ({ action: "remove", id, removal: "strip" }) as const));
    if (list.get("b") === undefined) list.add({ id: "b", title: "B" });
    const schema = tool.schema["~standard"].validate(value);
    assert.ok("value" in schema || schema.issues.length > 0);
  }
  assert.throws(() => taskTools(list, { dialect: any("nope"), actor: "host" }), { code: "invalid_value" });
  for (const actor of ["", "robot", "agent:", "user:", undefined, null, 5, {}, "agent:\ud800", `agent:${TEN_MB}`]) {
    refused("invalid_value", () => taskTools(list, { dialect: "tasks", actor: any(actor) }));
  }
  works(list, "after odd actors");
});

test("a store: anything", async () => {
  const store = await openTasks();
  await store.add({ id: "a", title: "A" });
  for (const [name, value] of Object.entries(VALUES)) {
    for (const call of [
      () => store.add(any(value)),
      () => store.add({ title: any(value) }),
      () => store.update(any(value), { title: "T" }),
      () => store.update("a", any(value)),
      () => store.complete(any(value)),
      () => store.batch(any(value)),
      () => store.claim(any(value)),
      () => store.attempt(any(value)),
    ]) {
      try {
        await call();
      } catch (error) {
        assert.ok(isTaskError(error), `${name}: ${String((error as Error)?.stack)}`);
        assert.ok(REFUSALS.has(error.code), `${name}: ${error.code}`);
      }
      assert.equal(store.unsaved, 0);
    }
    await store.update("a", { status: "pending", title: "A" });
  }
  await rejected("not_found", store.complete("nobody"));
  await store.close();
});

test("storages that answer nonsense are refused, and nothing is written to them", async () => {
  for (const [name, value] of Object.entries(VALUES)) {
    if (value === undefined || value === null) continue;
    let writes = 0;
    for (const storage of [
      { load: () => value, save: () => void (writes += 1) },
      { load: () => ({ text: value, revision: "1" }), save: () => void (writes += 1) },
      { load: () => ({ head: value, revision: "1", rows: [] }), commit: () => void (writes += 1) },
      { load: () => ({ head: "{}", revision: "1", rows: value }), commit: () => void (writes += 1) },
      { load: () => ({ head: '{"format":"blockedby","version":1}', revision: "1", rows: [{ id: "a", text: value }] }), commit: () => void (writes += 1) },
    ]) {
      try {
        await (await openTasks({ storage: any(storage) })).close();
      } catch (error) {
        assert.ok(error instanceof Error, name);
      }
    }
    assert.equal(writes, 0, name);
  }
});

test("a call at every depth of the stack, until it runs out: refused or done, never half", () => {
  const list = graph();
  let done = 0;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // Near the end of the stack: every call may break off, in JavaScript or in the engine.
    }
    if (done > 200) return;
    done += 1;
    try {
      list.add({ title: `At ${done}` });
    } catch {
      // The next one, with a little more room.
    }
  };
  dive();
  try {
    list.snapshot();
  } catch (error) {
    // Where the stack ended inside the engine before anybody could tell, the next call finds out.
    assert.ok(isTaskError(error) && error.code === "poisoned", String(error));
  }
  const rows = plain(list.getSnapshot());
  assert.ok(rows.length >= 2);
  const copy = createTaskGraph({ snapshot: list.snapshot() });
  assert.deepEqual(plain(copy.getSnapshot()), rows);
  works(list, "after running out of stack");
  assert.equal(list.progress().total, list.getSnapshot().length);
});

test("a long chain and a wide fan need no stack", () => {
  const list = createTaskGraph();
  const chain = Array.from({ length: 20_000 }, (_, at) => ({ action: "add", id: `c${at}`, title: "C", ...(at === 0 ? {} : { blockedBy: [`c${at - 1}`] }) }) as const);
  list.batch(chain);
  assert.equal(list.criticalPath().length, 20_000);
  refused("cycle", () => list.update("c0", { blockedBy: ["c19999"] }));
  assert.equal(list.explain("c19999").rootCauses[0], "c0");
  assert.equal(createTaskGraph({ snapshot: list.snapshot() }).blockedCount, 19_999);
  assert.equal(renderDetail(list, "c1").why.waiting, 19_998);
});

test("who calls is who the call says, and nobody after it", () => {
  const graph = createTaskGraph({ actor: "agent:x" });
  graph.add({ id: "a", title: "A" });
  graph.hold("a", { reason: "gate" });
  for (const run of [() => graph.complete("a"), () => graph.start("a")]) {
    graph.attempt({ action: "add", title: "z" }, { actor: "host" });
    assert.throws(run, { code: "held" });
  }
});

test("what JSON would drop is refused: numbers that are none, symbols, functions, things that are no plain object", () => {
  const graph = createTaskGraph();
  graph.add({ id: "a", title: "A" });
  const { task } = graph.claim();
  const before = graph.snapshot();
  for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, Symbol("s"), () => 1]) {
    for (const run of [
      () => graph.complete("a", { fence: odd as never }),
      () => graph.release("a", { fence: odd as never }),
      () => graph.remove("a", { removal: odd as never }),
      () => graph.hold("a", { reason: odd as never }),
      () => graph.batch([{ action: "complete", id: "a", fence: odd as never }]),
    ]) {
      assert.throws(run, { code: "invalid_value" });
    }
  }
  for (const odd of [Promise.resolve(), new Map(), new Date(Number.NaN), [], "text", 5]) {
    assert.throws(() => graph.complete("a", odd as never), { code: "invalid_value" });
  }
  assert.equal(graph.snapshot(), before);
  graph.complete("a", { fence: task?.claim?.fence as number });
});

test("authorize sees what will be carried out, and only `true` lets it", () => {
  const seen: unknown[] = [];
  const graph = createTaskGraph({
    authorize: (operation) => {
      seen.push(operation);
      return operation.action !== "remove";
    },
  });
  graph.add({ id: "a", title: "A" });
  let reads = 0;
  const command = { get action() { return (reads += 1) === 1 ? "undo" : "remove"; }, id: "a" };
  assert.equal(graph.attempt(command as never).ok, false);
  assert.equal(graph.get("a")?.status, "pending");
  const promised = createTaskGraph({ authorize: (async () => true) as never });
  assert.throws(() => promised.add({ title: "A" }), { code: "not_allowed" });
});

test("options that are none", () => {
  for (const given of [null, 5, "x"]) assert.throws(() => createTaskGraph(given as never), { code: "invalid_value" });
  for (const name of ["now", "random", "authorize"]) {
    assert.throws(() => createTaskGraph({ [name]: 5 } as never), { code: "invalid_value" });
  }
  const graph = createTaskGraph();
  assert.throws(() => graph.list({ nope: 1 } as never), { code: "unknown_field" });
  assert.throws(() => graph.ready({ limt: 1 } as never), { code: "unknown_field" });
  assert.equal(graph.attempt({ action: "add", title: "A" }, null as never).ok, true);
});

test("a program that runs out of stack: other lists go on, and nothing is lost", () => {
  const graph = createTaskGraph();
  const other = createTaskGraph();
  other.add({ id: "k", title: "K" });
  for (let round = 0; round < 4; round += 1) {
    const recurse = (depth: number): void => {
      graph.add({ title: "x" });
      if (depth % 7 === round) graph.ready({ limit: 1 });
      recurse(depth + 1);
    };
    assert.throws(() => recurse(0));
    other.add({ id: `l${round}`, title: "L" });
  }
  assert.equal(other.getSnapshot().length, 5);
  const { length } = graph.getSnapshot();
  graph.add({ title: "y" });
  assert.equal(graph.getSnapshot().length, length + 1);
  assert.equal(createTaskGraph({ snapshot: graph.snapshot() }).getSnapshot().length, length + 1);
});
