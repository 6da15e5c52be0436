// The public API of TaskGraph, through the built package.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTaskGraph,
  isTaskError,
  TaskError,
  TaskGraph,
  renderDetail,
  renderPanel,
  renderRows,
  type AuthorizedOperation,
  type Change,
  type Operation,
  type Task,
} from "blockedby";
import { fixed, ids, plain, refused, turn } from "./support/common.js";

/** a ← b ← c, and d. */
function chain(options = fixed()): TaskGraph {
  const graph = createTaskGraph(options);
  graph.add({ id: "a", title: "A" });
  graph.add({ id: "b", title: "B", blockedBy: ["a"] });
  graph.add({ id: "c", title: "C", blockedBy: ["b"] });
  graph.add({ id: "d", title: "D" });
  return graph;
}

test("add: a minted id, every field, the change", () => {
  const options = fixed();
  const graph = createTaskGraph(options);
  const { task, revision, action, changed, nowReady, nowBlocked } = graph.add({ title: "Provision the dev DB" });
  assert.match(task.id, /^t_1720600000000_[a-z0-9]{8}$/);
  assert.deepEqual({ revision, action, changed }, { revision: 1, action: "add", changed: true });
  assert.deepEqual([ids(nowReady), nowBlocked], [[task.id], []]);
  graph.add({ id: "p", title: "P" });
  options.tick();
  const full = {
    id: "full",
    title: "Full",
    description: "Why",
    activeForm: "Filling",
    blockedBy: [task.id],
    parent: "p",
    children: "sequence",
    owner: "user:ann",
    status: "in_progress",
    metadata: { nested: { list: [1, "two", null] } },
  } as const;
  const second = graph.add(full);
  assert.deepEqual(plain(second.task), {
    ...full,
    seq: 3,
    readiness: "running",
    createdBy: "host",
    createdAt: 1_720_600_001_000,
    updatedAt: 1_720_600_001_000,
    startedAt: 1_720_600_001_000,
  });
  assert.equal(second.warning?.code, "blocked");
  assert.deepEqual(second.warning?.by, [task.id]);
  assert.equal(graph.revision, 3);
});

test("the verbs, each with what it changes", () => {
  const options = fixed();
  const graph = chain(options);
  options.tick();
  assert.equal(graph.start("a").task?.status, "in_progress");
  assert.equal(graph.get("a")?.startedAt, options.now());
  const done = graph.complete("a");
  assert.deepEqual(ids(done.nowReady), ["b"]);
  assert.equal(done.task?.completedAt, options.now());
  const reopened = graph.reopen("a");
  assert.deepEqual(ids(reopened.nowBlocked), ["b"]);
  assert.equal(reopened.task?.completedAt, undefined);
  assert.ok(!("completedAt" in (reopened.task as Task)));
  assert.equal(graph.cancel("a").task?.status, "cancelled");
  assert.equal(graph.update("b", { title: "B2", description: "x", status: "in_progress" }).task?.description, "x");
  assert.equal(graph.update("b", { description: null }).task?.description, undefined);
  assert.deepEqual(graph.update("d", { addBlockedBy: ["c", "a"] }).task?.blockedBy, ["c", "a"]);
  assert.deepEqual(graph.update("d", { removeBlockedBy: ["c"] }).task?.blockedBy, ["a"]);
  assert.deepEqual(graph.update("d", { blockedBy: null }).task?.blockedBy, []);
  assert.equal(graph.remove("d").task?.status, "deleted");
  assert.equal(graph.remove("d").changed, false);
  const stripped = graph.remove("b", { removal: "strip" });
  assert.equal(graph.get("b"), undefined);
  assert.deepEqual(graph.get("c")?.blockedBy, []);
  assert.deepEqual(ids(stripped.nowReady), ["c"]);
  assert.equal(graph.remove("c", { removal: "cancel" }).task?.status, "cancelled");
});

test("a call that finds everything as asked changes nothing, and says so", () => {
  const graph = chain();
  graph.complete("d");
  const [rows, text, revision] = [graph.getSnapshot(), graph.snapshot(), graph.revision];
  let heard = 0;
  graph.on("change", () => (heard += 1));
  for (const change of [graph.complete("d"), graph.update("a", { title: "A" }), graph.update("b", { blockedBy: ["a"] }), graph.redo(), graph.batch([])]) {
    assert.equal(change.changed, false);
    assert.equal(change.revision, revision);
    assert.deepEqual([...change.nowReady, ...change.nowBlocked], []);
  }
  assert.equal(graph.getSnapshot(), rows);
  assert.equal(graph.snapshot(), text);
  assert.equal(heard, 0);
});

test("refusals: code, message, hint, details, stack of the caller, nothing changed", () => {
  const graph = chain();
  graph.remove("d");
  const [rows, text] = [graph.getSnapshot(), graph.snapshot()];
  const cycle = refused("cycle", () => graph.update("a", { blockedBy: ["c"] }));
  assert.deepEqual((cycle as TaskError<"cycle">).details.path, ["a", "c", "b", "a"]);
  assert.deepEqual((cycle as TaskError<"cycle">).details.titles, ["A", "C", "B", "A"]);
  assert.ok(cycle instanceof TaskError && cycle.name === "TaskError" && cycle.hint.length > 5);
  assert.match(cycle.stack ?? "", /graph\.test/);
  assert.deepEqual(Object.keys(cycle.toJSON()), ["code", "message", "hint", "details"]);
  assert.equal((refused("unknown_blocker", () => graph.add({ title: "X", blockedBy: ["aa"] })) as TaskError<"unknown_blocker">).details.blocker, "aa");
  refused("self_block", () => graph.update("a", { blockedBy: ["a"] }));
  refused("duplicate_id", () => graph.add({ id: "a", title: "X" }));
  refused("missing_field", () => graph.add({ title: "  " }));
  refused("not_found", () => graph.complete("nobody"));
  refused("nothing_to_change", () => graph.update("a", {}));
  refused("unknown_field", () => graph.add({ title: "X", blocked_byy: ["a"] } as never));
  refused("invalid_value", () => graph.update("a", { status: "done" as never }));
  refused("invalid_transition", () => graph.complete("d"));
  assert.equal(graph.getSnapshot(), rows);
  assert.equal(graph.snapshot(), text);
});

test("every read", () => {
  const graph = chain();
  graph.hold("a", { reason: "gate", note: "ask Ann" });
  assert.equal(graph.get("b")?.title, "B");
  assert.equal(graph.get("nobody"), undefined);
  assert.deepEqual(ids(graph.ready()), ["d"]);
  assert.deepEqual(ids(graph.blocked()), ["b", "c"]);
  assert.deepEqual(ids(graph.blocked({ limit: 1 })), ["b"]);
  assert.deepEqual(ids(graph.ready({ limit: 0 })), []);
  assert.deepEqual(ids(graph.stalled()), ["b", "c"]);
  assert.deepEqual(ids(graph.criticalPath()), ["a", "b", "c"]);
  assert.deepEqual(graph.layers(), [["a", "d"], ["b"], ["c"]]);
  assert.deepEqual(ids(graph.search("b")), ["b"]);
  assert.deepEqual(ids(graph.search("", { limit: 2 })), ["a", "b"]);
  assert.deepEqual(graph.blocks("a"), ["b"]);
  assert.deepEqual(graph.wouldCycle("a", "c"), { cycle: true, path: ["a", "c", "b", "a"] });
  assert.deepEqual(graph.wouldCycle("d", "c"), { cycle: false });
  assert.deepEqual([graph.readyCount, graph.blockedCount], [1, 2]);
  const { sentence, ...explained } = graph.explain("c");
  assert.deepEqual(explained, {
    id: "c",
    title: "C",
    status: "pending",
    readiness: "blocked",
    stalled: true,
    blockers: [{ id: "b", title: "B", kind: "edge", status: "pending", readiness: "blocked" }],
    rootCauses: ["a"],
    chains: [["c", "b", "a"]],
    openChildren: [],
    waiting: 0,
  });
  assert.match(sentence, /c/);
  assert.deepEqual(graph.progress(), {
    total: 4, ready: 1, blocked: 2, pending: 3, running: 0, held: 1, completed: 0, cancelled: 0, deleted: 0, done: 0,
  });
  for (const read of [() => graph.explain("x"), () => graph.blocks("x"), () => graph.wouldCycle("x", "a"), () => graph.wouldCycle("a", "x"), () => renderDetail(graph, "x")]) {
    refused("not_found", read);
  }
  assert.deepEqual(renderPanel(graph), {
    hidden: false,
    entries: [
      { id: "a", label: "A", status: "held", blocked: false, hold: "gate" },
      { id: "b", label: "B", status: "pending", blocked: true },
      { id: "c", label: "C", status: "pending", blocked: true },
      { id: "d", label: "D", status: "pending", blocked: false },
    ],
    more: 0, completed: 0, total: 4,
  });
  assert.deepEqual(renderRows(graph).map((row) => row.line), ["a · held · A", "b · pending (blocked) · B", "c · pending (blocked) · C", "d · pending · D"]);
  assert.deepEqual(renderDetail(graph, "b").blocks, [{ id: "c", title: "C", status: "pending", active: true }]);
});

test("list: filters and pages", () => {
  const graph = createTaskGraph();
  for (let at = 0; at < 10; at += 1) graph.add({ id: `t${at}`, title: "T", ...(at % 2 === 0 ? { owner: "agent:a" } : { parent: "t0" }) });
  graph.complete("t4");
  assert.equal(graph.list().tasks.length, 10);
  assert.equal(graph.list().nextCursor, undefined);
  assert.deepEqual(ids(graph.list({ status: "completed" }).tasks), ["t4"]);
  assert.equal(graph.list({ status: ["completed", "pending"] }).total, 10);
  assert.equal(graph.list({ readiness: "ready" }).total, 9);
  assert.deepEqual(ids(graph.list({ owner: "agent:a", readiness: ["settled"] }).tasks), ["t4"]);
  assert.equal(graph.list({ parent: "t0" }).total, 5);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = graph.list({ owner: "agent:a", limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    assert.equal(page.total, 5);
    pages.push(ids(page.tasks));
    cursor = page.nextCursor;
    // What comes in between moves no page.
    if (pages.length === 1) graph.remove("t0", { removal: "tombstone" });
  } while (cursor !== undefined);
  assert.deepEqual(pages, [["t0", "t2"], ["t4", "t6"], ["t8"]]);
  assert.equal(graph.list({ limit: 5, owner: "agent:a" }).nextCursor, undefined);
});

test("claim, heartbeat, release: fences and leases", () => {
  const options = fixed();
  const graph = createTaskGraph({ ...options, actor: "agent:one" });
  graph.add({ id: "a", title: "A" });
  graph.add({ id: "b", title: "B", blockedBy: ["a"] });
  const claimed = graph.claim({ leaseMs: 1000 });
  assert.deepEqual(claimed.task?.claim, { fence: 1, leaseUntil: options.now() + 1000 });
  assert.deepEqual([claimed.task?.status, claimed.task?.owner], ["in_progress", "agent:one"]);
  const none = graph.claim();
  assert.deepEqual([none.changed, none.task], [false, undefined]);
  options.tick(500);
  assert.equal(graph.heartbeat("a", { fence: 1, leaseMs: 1000 }).task?.claim?.leaseUntil, options.now() + 1000);
  refused("not_holder", () => graph.heartbeat("a", { fence: 2 }));
  refused("not_holder", () => graph.complete("a", { fence: 9 }));
  refused("not_holder", () => graph.release("a", { fence: 9 }));
  assert.equal(graph.release("a", { fence: 1 }).task?.owner, undefined);
  assert.equal(graph.claim({ ids: ["b", "a"] }).task?.claim?.fence, 2, "fences are never reused");
  assert.deepEqual(ids(graph.complete("a", { fence: 2 }).nowReady), ["b"]);
  assert.equal(graph.get("a")?.claim, undefined);
  assert.equal(graph.claim({ id: "b" }).task?.id, "b");
});

test("hold and release", () => {
  const options = fixed();
  const graph = chain(options);
  const held = graph.hold("a", { reason: "gate", note: "ask", resume: "completed" });
  assert.deepEqual(held.task?.hold, { reason: "gate", note: "ask", at: options.now(), resume: "completed" });
  assert.equal(held.task?.readiness, "held");
  assert.deepEqual(ids(graph.release("a").nowReady), ["b"]);
  assert.equal(graph.get("a")?.hold, undefined);
  assert.equal(graph.hold("d").task?.hold?.reason, "manual");
});

test("undo and redo, one step per call, a batch as one", () => {
  const graph = chain();
  const rows = plain(graph.getSnapshot());
  graph.batch([{ action: "complete", id: "a" }, { action: "update", id: "d", title: "D2" }]);
  const after = plain(graph.getSnapshot());
  const undone = graph.undo();
  assert.deepEqual(ids(undone.nowBlocked), ["b"]);
  const settled = (tasks: Task[]): unknown => tasks.map(({ updatedAt: _, ...rest }) => rest);
  assert.deepEqual(settled(plain(graph.getSnapshot()) as Task[]), settled(rows as Task[]));
  graph.redo();
  assert.deepEqual(settled(plain(graph.getSnapshot()) as Task[]), settled(after as Task[]));
  assert.equal(graph.redo().changed, false);
  for (let count = 0; count < 5; count += 1) assert.equal(graph.undo().changed, true);
  assert.equal(graph.undo().changed, false);
  assert.deepEqual(graph.getSnapshot(), []);
});

test("batch: local keys, tasks and keys in the change, all or nothing", () => {
  const graph = createTaskGraph();
  const change = graph.batch([
    { action: "add", title: "Seed", key: "seed", blockedBy: ["db"] },
    { action: "add", title: "DB", key: "db" },
    { action: "start", id: "db" },
  ]);
  const { db, seed } = change.keys as { db: string; seed: string };
  assert.deepEqual(ids(change.tasks ?? []), [seed, db, db]);
  assert.deepEqual(graph.get(seed)?.blockedBy, [db]);
  assert.equal(change.revision, 1);
  assert.deepEqual([ids(change.nowReady), ids(change.nowBlocked)], [[], [seed]]);
  const text = graph.snapshot();
  refused("not_found", () => graph.batch([{ action: "add", title: "X" }, { action: "complete", id: "nobody" }]));
  assert.equal(graph.snapshot(), text);
});

test("archive and recoverStale", () => {
  const options = fixed();
  const graph = chain(options);
  graph.complete("a");
  graph.complete("d");
  graph.start("b");
  options.tick(10_000);
  assert.equal(graph.recoverStale({ olderThan: 20_000 }).changed, false);
  assert.equal(graph.recoverStale({ olderThan: 5_000 }).changed, true);
  assert.equal(graph.get("b")?.status, "pending");
  graph.archive({ settledBefore: options.now() });
  assert.deepEqual(ids(graph.getSnapshot()), ["a", "b", "c"], "a is still named by an open task");
});

test("attempt answers; only what is broken is thrown", () => {
  const graph = chain();
  const good = graph.attempt({ action: "complete", id: "a" });
  assert.ok(good.ok && good.change.nowReady[0]?.id === "b");
  const bad = graph.attempt({ action: "complete", id: "nobody" });
  assert.ok(!bad.ok && bad.error.code === "not_found" && isTaskError(bad.error));
  const other = graph.attempt({ action: "add", id: "u", title: "U" }, { actor: "user:ann" });
  assert.ok(other.ok && other.change.task?.createdBy === "user:ann");
  assert.equal(graph.add({ id: "v", title: "V" }).task.createdBy, "host");
  const wrong = graph.attempt({ action: "add", title: "U" }, { actor: "robot" as never });
  assert.ok(!wrong.ok && wrong.error.code === "invalid_value");
  assert.equal(graph.add({ title: "W" }).task.createdBy, "host");
  graph.dispose();
  refused("disposed", () => graph.attempt({ action: "undo" }));
});

test("authorize: the host's veto on verbs, attempt and tools", () => {
  const asked: [AuthorizedOperation["action"], string][] = [];
  const graph = createTaskGraph({
    actor: "agent:one",
    authorize: (operation, actor) => {
      asked.push([operation.action, actor]);
      return operation.action !== "remove";
    },
  });
  graph.add({ id: "a", title: "A" });
  graph.start("a");
  const text = graph.snapshot();
  const error = refused("not_allowed", () => graph.remove("a"));
  assert.match(error.message, /agent:one/);
  assert.equal(graph.snapshot(), text);
  const attempt = graph.attempt({ action: "remove", id: "a" }, { actor: "user:bob" });
  assert.ok(!attempt.ok && attempt.error.code === "not_allowed");
  assert.deepEqual(asked, [["add", "agent:one"], ["start", "agent:one"], ["remove", "agent:one"], ["remove", "user:bob"]]);
  const thrower = createTaskGraph({ authorize: () => { throw new Error("the host's own"); } });
  assert.throws(() => thrower.add({ title: "A" }), /the host's own/);
  assert.equal(thrower.getSnapshot().length, 0);
});

test("operations replay to the same text, byte for byte", () => {
  const options = fixed({ rules: "strict" });
  const graph = createTaskGraph(options);
  const operations: Operation[] = [];
  graph.on("operation", (operation) => operations.push(plain(operation)));
  const start = graph.snapshot();
  graph.add({ title: "minted" });
  graph.add({ id: "a", title: "A", metadata: { "2": 1, "1": "ö" } });
  options.tick();
  graph.batch([{ action: "add", key: "k", title: "K" }, { action: "add", id: "l", title: "L", blockedBy: ["k"] }]);
  graph.claim({ leaseMs: 5 });
  graph.complete("a");
  graph.undo();
  graph.redo();
  graph.hold("l", { reason: "failed" });
  graph.release("l");
  graph.remove("a", { removal: "strip" });
  options.tick(100_000);
  graph.recoverStale({ olderThan: 1 });
  assert.equal(operations.length, 11);
  assert.ok(operations.every((operation) => operation.id.includes(".") && operation.actor === "host"));
  const copy = createTaskGraph({ snapshot: start });
  const heard: Change[] = [];
  copy.on("change", (change) => heard.push(change));
  const change = copy.replay(operations);
  assert.equal(copy.snapshot(), graph.snapshot());
  assert.deepEqual(plain(copy.getSnapshot()), plain(graph.getSnapshot()));
  assert.equal(change.changed, true);
  assert.equal(heard.length, 1);
});

test("operations that do not fit are refused whole", () => {
  const graph = createTaskGraph();
  const start = graph.snapshot();
  const operations: Operation[] = [];
  graph.on("operation", (operation) => operations.push(plain(operation)));
  graph.add({ id: "a", title: "A" });
  graph.complete("a");
  const [first, second] = operations as [Operation, Operation];
  for (const bad of [
    null,
    "x",
    5,
    {},
    [null],
    [[]],
    [{ ...first, id: "no number" }],
    [{ ...first, role: "king" }],
    [{ ...first, events: [{ nonsense: 1 }] }],
    // What it is about is not there yet.
    [second],
    [{}],
    [first, { ...second, events: [{ nonsense: 1 }] }],
  ]) {
    const copy = createTaskGraph({ snapshot: start });
    refused("corrupt", () => copy.replay(bad as never));
    assert.equal(copy.snapshot(), start, JSON.stringify(bad));
    assert.deepEqual(copy.getSnapshot(), []);
    assert.equal(copy.progress().total, 0);
  }
  refused("invalid_value", () => graph.replay(undefined as never));
});

test("now and random: the same again; a bad clock is refused", () => {
  const build = (): string => {
    const graph = createTaskGraph(fixed());
    graph.add({ title: "One" });
    graph.add({ title: "Two" });
    return graph.snapshot();
  };
  assert.equal(build(), build());
  const minted = new Set(Array.from({ length: 500 }, () => createTaskGraph().add({ title: "T" }).task.id));
  assert.equal(minted.size, 500, "without `random` ids differ from list to list");
  assert.equal(createTaskGraph({ now: () => 1234.9 }).add({ title: "T" }).task.createdAt, 1234);
  for (const now of [Number.NaN, -1, Infinity, 2 ** 60, "soon", undefined, 10n]) {
    const graph = createTaskGraph({ now: () => now as never });
    if (now === undefined) assert.ok(graph.add({ title: "T" }).task.createdAt > 1e12);
    else refused("invalid_value", () => graph.add({ title: "T" }));
    assert.equal(graph.getSnapshot().length, now === undefined ? 1 : 0);
  }
  const backwards = fixed();
  const graph = createTaskGraph(backwards);
  graph.add({ id: "a", title: "A" });
  backwards.tick(-5000);
  graph.update("a", { title: "B" });
  assert.equal(graph.get("a")?.updatedAt, 1_720_600_000_000, "updatedAt never goes backwards");
});

test("rules: presets, objects, those of a text", () => {
  const strict = createTaskGraph({ rules: "strict" });
  strict.add({ id: "a", title: "A" });
  strict.add({ id: "b", title: "B", blockedBy: ["a"] });
  refused("blocked", () => strict.start("b"));
  const text = strict.snapshot();
  const again = createTaskGraph({ snapshot: text });
  refused("blocked", () => again.start("b"));
  const error = refused("rules_differ", () => createTaskGraph({ snapshot: text, rules: "default" }));
  assert.equal((error as TaskError<"rules_differ">).details.field, "strict");
  assert.equal(createTaskGraph({ snapshot: text, rules: "default", adopt: true }).start("b").changed, true);
  const capped = createTaskGraph({ rules: { maxTasks: 1 } });
  capped.add({ title: "A" });
  refused("limit", () => capped.add({ title: "B" }));
  refused("invalid_value", () => createTaskGraph({ rules: "lax" as never }));
  refused("unknown_field", () => createTaskGraph({ rules: { strictt: true } as never }));
});

test("onCycle and missing tasks in a text", () => {
  const text = JSON.stringify({ tasks: [{ id: "a", title: "A", blockedBy: ["b"] }, { id: "b", title: "B", blockedBy: ["a", "ghost"] }] });
  refused("cycle", () => createTaskGraph({ snapshot: text }));
  const graph = createTaskGraph({ snapshot: text, onCycle: "setAside" });
  const aside = graph.getSnapshot().flatMap((task) => task.asideBlockedBy ?? []);
  assert.equal(aside.length, 1);
  const missing = graph.explain("b").blockers.find((blocker) => blocker.kind === "missing");
  assert.deepEqual(missing, { id: "ghost", kind: "missing" });
  graph.add({ id: "ghost", title: "There" });
  assert.equal(graph.explain("b").blockers.some((blocker) => blocker.kind === "missing"), false);
});

test("dispose and using: every later call throws `disposed`, twice is fine", () => {
  const graph = chain();
  let heard = 0;
  graph.on("change", () => (heard += 1));
  graph.subscribe(() => (heard += 1));
  graph.dispose();
  graph.dispose();
  for (const call of [
    () => graph.add({ title: "X" }),
    () => graph.update("a", { title: "X" }),
    () => graph.update("a", { blockedBy: [] }),
    () => graph.start("a"),
    () => graph.complete("a"),
    () => graph.undo(),
    () => graph.batch([]),
    () => graph.get("a"),
    () => graph.list(),
    () => graph.getSnapshot(),
    () => graph.ready(),
    () => graph.blocked(),
    () => graph.stalled(),
    () => graph.criticalPath(),
    () => graph.layers(),
    () => graph.search("a"),
    () => graph.explain("a"),
    () => graph.blocks("a"),
    () => graph.wouldCycle("a", "b"),
    () => graph.progress(),
    () => graph.snapshot(),
    () => graph.replay([]),
    () => renderPanel(graph),
    () => renderRows(graph),
    () => renderDetail(graph, "a"),
  ]) {
    refused("disposed", call);
  }
  assert.equal(heard, 0);
  let kept: TaskGraph;
  {
    using scoped = createTaskGraph();
    scoped.add({ title: "A" });
    kept = scoped;
  }
  refused("disposed", () => kept.ready());
});

test("whenReady and whenSettled: at once, later, never, aborted", async () => {
  const graph = chain();
  assert.equal((await graph.whenReady("a")).id, "a");
  const waiting = graph.whenReady("b");
  const settled = graph.whenSettled("a");
  graph.complete("a");
  assert.equal((await waiting).readiness, "ready");
  assert.equal((await settled).status, "completed");
  const gone = graph.whenSettled("c");
  graph.remove("c", { removal: "strip" });
  await assert.rejects(gone, { code: "not_found" });
  await assert.rejects(graph.whenReady("nobody"), { code: "not_found" });
  graph.cancel("b");
  await assert.rejects(graph.whenReady("b"), { code: "invalid_transition" });
  const controller = new AbortController();
  const aborted = graph.whenSettled("d", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(aborted, /enough/);
  await assert.rejects(graph.whenSettled("d", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("changes: every change in order, until the signal or a break", async () => {
  const graph = createTaskGraph();
  const controller = new AbortController();
  const seen: string[] = [];
  const reader = (async () => {
    for await (const change of graph.changes({ signal: controller.signal })) seen.push(change.action);
  })();
  await turn();
  graph.add({ id: "a", title: "A" });
  graph.start("a");
  await turn();
  graph.complete("a");
  graph.complete("a");
  await turn();
  assert.deepEqual(seen, ["add", "start", "complete"]);
  controller.abort();
  await reader;
  graph.reopen("a");
  assert.equal(seen.length, 3);
  const first = (async () => {
    for await (const change of graph.changes()) return change.action;
    return "";
  })();
  await turn();
  graph.cancel("a");
  assert.equal(await first, "cancel");
  for await (const _ of graph.changes({ signal: AbortSignal.abort() })) assert.fail("nothing comes");
});

test("changes: a reader that was created hears what comes before it is first asked", async () => {
  const graph = createTaskGraph();
  const changes = graph.changes();
  const next = changes.next();
  graph.add({ title: "A" });
  assert.equal((await next).value?.action, "add");
  await changes.return();
});

test("the shape of useSyncExternalStore: same array until a change, bound, untouched rows kept, all frozen", () => {
  const graph = chain();
  const { subscribe, getSnapshot } = graph;
  const before = getSnapshot();
  assert.equal(getSnapshot(), before);
  assert.ok(Object.isFrozen(before) && before.every((row) => Object.isFrozen(row) && Object.isFrozen(row.blockedBy)));
  let calls = 0;
  const seen: (readonly Task[])[] = [];
  const off = subscribe(() => {
    calls += 1;
    seen.push(getSnapshot());
  });
  graph.complete("a");
  assert.equal(calls, 1);
  const after = getSnapshot();
  assert.equal(seen[0], after, "a subscriber reads the new state");
  assert.notEqual(after, before);
  assert.equal(before[0]?.status, "pending", "old rows never change");
  assert.notEqual(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  assert.deepEqual([after[2], after[3]], [before[2], before[3]]);
  assert.ok(after[2] === before[2] && after[3] === before[3]);
  assert.throws(() => ((after as Task[])[0] = before[0] as Task), TypeError);
  assert.throws(() => ((after[0] as { title: string }).title = "x"), TypeError);
  graph.attempt({ action: "complete", id: "nobody" });
  graph.complete("a");
  assert.equal(calls, 1);
  off();
  off();
  graph.reopen("a");
  assert.equal(calls, 1);
});

test("metadata: given as is, frozen deep, no alias of what the caller holds", () => {
  const graph = createTaskGraph();
  const metadata = { list: [1, { deep: true }] };
  const { task } = graph.add({ id: "a", title: "A", metadata });
  assert.deepEqual(plain(task.metadata), metadata);
  assert.ok(Object.isFrozen(task.metadata) && Object.isFrozen((task.metadata as typeof metadata).list[1]));
  (metadata.list[1] as { deep: boolean }).deep = false;
  assert.deepEqual(plain(graph.get("a")?.metadata), { list: [1, { deep: true }] });
  const blockers = ["a"];
  const second = graph.add({ id: "b", title: "B", blockedBy: blockers });
  blockers.push("zz");
  assert.deepEqual(second.task.blockedBy, ["a"]);
});

test("snapshot: only valid JSON of the documented envelope, and an unknown field survives", () => {
  const graph = chain();
  const envelope = JSON.parse(graph.snapshot()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(envelope), ["format", "version", "revision", "list", "checksum", "rules", "counters", "tasks", "journal"]);
  const text = JSON.stringify({ tasks: [{ id: "a", title: "A", custom: { kept: [1] } }] });
  const row = createTaskGraph({ snapshot: text }).get("a") as Task;
  assert.deepEqual(plain(row.metadata ?? row["custom"]), plain((row.metadata !== undefined ? { custom: { kept: [1] } } : { kept: [1] }) as never));
});
