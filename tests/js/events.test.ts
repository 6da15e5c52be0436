// Listeners: order, calling back in, throwing, leaving during delivery; on a graph and on a store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskGraph, openTasks, type Change, type Operation, type TaskGraph } from "blockedby";
import { ids, turn } from "./support/common.js";
import { Emitter } from "./support/internal.js";

/** What `reportError` is told while `run` works. */
async function reports(run: () => unknown): Promise<unknown[]> {
  const place = globalThis as { reportError?: (error: unknown) => void };
  const before = place.reportError;
  const told: unknown[] = [];
  place.reportError = (error) => told.push(error);
  try {
    await run();
    await turn();
  } finally {
    if (before === undefined) delete place.reportError;
    else place.reportError = before;
  }
  return told;
}

/** What reaches `uncaughtException` while `run` works, where there is no `reportError`. */
async function uncaught(run: () => unknown): Promise<unknown[]> {
  const told: unknown[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => told.push(error));
  try {
    await run();
    await turn();
    await turn();
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  }
  return told;
}

const fresh = (): TaskGraph => {
  const graph = createTaskGraph();
  graph.add({ id: "a", title: "A" });
  graph.add({ id: "b", title: "B", blockedBy: ["a"] });
  return graph;
};

test("subscribers first, then operation, then change; the state is the new one for all of them", () => {
  const graph = fresh();
  const order: string[] = [];
  graph.on("change", (change) => order.push(`change ${change.action} ${graph.get("a")?.status}`));
  graph.on("operation", (operation) => order.push(`operation ${operation.action} ${graph.get("a")?.status}`));
  graph.subscribe(() => order.push(`subscriber ${graph.get("a")?.status}`));
  graph.complete("a");
  assert.deepEqual(order, ["subscriber completed", "operation complete completed", "change complete completed"]);
});

test("listeners are called in the order they came; the same function twice is one", () => {
  const graph = fresh();
  const order: number[] = [];
  const twice = (): void => void order.push(2);
  graph.on("change", () => order.push(1));
  const off = graph.on("change", twice);
  graph.on("change", twice);
  graph.on("change", () => order.push(3));
  graph.start("a");
  assert.deepEqual(order, [1, 2, 3]);
  off();
  off();
  graph.complete("a");
  assert.deepEqual(order, [1, 2, 3, 1, 3]);
});

test("a listener that calls back in: its own call is done at once, its event comes after the present one", () => {
  const graph = fresh();
  const heard: string[] = [];
  graph.on("change", (change) => {
    heard.push(`first ${change.action}`);
    if (change.action === "start") {
      const inner = graph.complete("a");
      assert.deepEqual(ids(inner.nowReady), ["b"]);
      assert.equal(graph.get("a")?.status, "completed");
      heard.push("first goes on");
    }
  });
  graph.on("change", (change) => heard.push(`second ${change.action} at ${change.revision}`));
  const change = graph.start("a");
  assert.equal(change.task?.status, "in_progress", "the outer call tells of itself");
  assert.deepEqual(heard, ["first start", "first goes on", "second start at 3", "first complete", "second complete at 4"]);
});

test("calls back in, many deep, and in the middle of a batch of subscribers", () => {
  const graph = createTaskGraph();
  let most = 0;
  graph.on("change", (change) => {
    most = Math.max(most, change.revision);
    if (graph.getSnapshot().length < 300) graph.add({ title: `After ${change.revision}` });
  });
  graph.subscribe(() => void graph.ready());
  graph.add({ title: "First" });
  assert.equal(graph.getSnapshot().length, 300);
  assert.equal(most, 300);
});

test("a refused call within a listener changes nothing and reaches only that listener", async () => {
  const graph = fresh();
  let after = 0;
  graph.on("change", () => {
    assert.throws(() => graph.complete("nobody"), { code: "not_found" });
  });
  graph.on("change", () => (after += 1));
  assert.deepEqual(await reports(() => graph.start("a")), []);
  assert.equal(after, 1);
});

test("a listener that throws disturbs nobody: the call, the other listeners, the next event", async () => {
  const graph = fresh();
  const boom = new Error("listener");
  const heard: string[] = [];
  graph.on("operation", () => {
    throw boom;
  });
  graph.on("change", () => {
    throw boom;
  });
  graph.on("change", (change) => heard.push(change.action));
  let change: Change | undefined;
  const told = await reports(() => (change = graph.start("a")));
  assert.deepEqual(told, [boom, boom]);
  assert.equal(change?.changed, true);
  await reports(() => graph.complete("a"));
  assert.deepEqual(heard, ["start", "complete"]);
  // Where there is no reportError, the error surfaces as an uncaught one.
  assert.deepEqual(await uncaught(() => graph.reopen("a")), [boom, boom]);
});

test("a subscriber that throws disturbs nobody and is reported the same way", async () => {
  const graph = fresh();
  const boom = new Error("subscriber");
  let calls = 0;
  graph.subscribe(() => {
    throw boom;
  });
  graph.subscribe(() => (calls += 1));
  const told = await reports(() => graph.start("a"));
  assert.equal(calls, 1);
  assert.equal(graph.get("a")?.status, "in_progress");
  assert.deepEqual(told, [boom]);
});

test("leaving during delivery: who is taken off hears no more, who joins hears the next", () => {
  const graph = fresh();
  const heard: string[] = [];
  const offs: (() => void)[] = [];
  offs.push(graph.on("change", () => {
    heard.push("one");
    offs[0]?.();
    offs[1]?.();
    graph.on("change", () => heard.push("joined"));
  }));
  offs.push(graph.on("change", () => heard.push("two")));
  graph.on("change", () => heard.push("three"));
  graph.start("a");
  assert.deepEqual(heard, ["one", "three"]);
  graph.complete("a");
  assert.deepEqual(heard, ["one", "three", "three", "joined"]);
});

test("subscribers may leave and join during delivery", () => {
  const graph = fresh();
  const heard: string[] = [];
  const offs: (() => void)[] = [];
  offs.push(graph.subscribe(() => {
    heard.push("one");
    offs[1]?.();
    graph.subscribe(() => heard.push("joined"));
  }));
  offs.push(graph.subscribe(() => heard.push("two")));
  graph.start("a");
  assert.deepEqual(heard, ["one"]);
});

test("the same watcher subscribed twice is told twice, and each leaves on its own", () => {
  const graph = fresh();
  let calls = 0;
  const watcher = (): void => void (calls += 1);
  const one = graph.subscribe(watcher);
  graph.subscribe(watcher);
  graph.start("a");
  assert.equal(calls, 2);
  one();
  graph.complete("a");
  assert.equal(calls, 3);
});

test("disposing during delivery: the rest hears nothing, the call returns", async () => {
  const graph = fresh();
  const heard: string[] = [];
  graph.on("change", () => {
    heard.push("one");
    graph.dispose();
  });
  graph.on("change", () => heard.push("two"));
  const told = await reports(() => assert.equal(graph.start("a").task?.status, "in_progress"));
  assert.deepEqual(told, []);
  assert.deepEqual(heard, ["one"]);
  assert.throws(() => graph.ready(), { code: "disposed" });
});

test("disposing in a subscriber: the call itself still answers", async () => {
  const graph = fresh();
  graph.subscribe(() => graph.dispose());
  graph.on("operation", () => assert.fail("no operation can be read any more"));
  assert.deepEqual(await reports(() => assert.equal(graph.start("a").task?.status, "in_progress")), []);
});

test("whenReady and whenSettled may end others and be ended during delivery", async () => {
  const graph = fresh();
  const controller = new AbortController();
  const ready = graph.whenReady("b").then(() => controller.abort(new Error("found")));
  const settled = graph.whenSettled("b", { signal: controller.signal });
  graph.complete("a");
  await ready;
  await assert.rejects(settled, /found/);
});

test("a store: a listener that throws, calls in, leaves", async () => {
  const store = await openTasks();
  const boom = new Error("listener");
  const heard: string[] = [];
  const calls: Promise<unknown>[] = [];
  const off = store.on("change", () => {
    throw boom;
  });
  store.on("change", (change) => {
    heard.push(change.action);
    if (change.action === "add") {
      off();
      calls.push(store.start("a"), store.complete("a"));
    }
  });
  const told = await reports(async () => {
    await store.add({ id: "a", title: "A" });
    await Promise.all(calls);
  });
  assert.deepEqual(told, [boom]);
  assert.deepEqual(heard, ["add", "start", "complete"]);
  await store.close();
});

test("a store: closing in a listener lets the call resolve", async () => {
  const store = await openTasks();
  let closing: Promise<void> | undefined;
  store.on("change", () => (closing = store.close()));
  const change = await store.add({ id: "a", title: "A" });
  assert.equal(change.task.id, "a");
  await closing;
  await assert.rejects(store.add({ title: "B" }), { code: "disposed" });
});

test("a subscriber or a listener that calls back in: every event once, in the order of the calls, and it replays", () => {
  const start = createTaskGraph();
  const before = start.snapshot();
  for (const where of ["subscribe", "operation", "change"] as const) {
    const graph = createTaskGraph({ snapshot: before });
    const operations: Operation[] = [];
    const revisions: number[] = [];
    let calls = 0;
    const callBack = (): void => {
      if ((calls += 1) <= 3) graph.add({ id: `n${calls}`, title: "N" });
    };
    if (where === "subscribe") graph.subscribe(callBack);
    else graph.on(where, callBack);
    graph.on("operation", (operation) => operations.push(operation));
    graph.on("change", (change) => revisions.push(change.revision));
    graph.add({ id: "a", title: "A" });
    assert.deepEqual(revisions, [1, 2, 3, 4], where);
    assert.equal(new Set(operations.map(({ id }) => id)).size, 4, where);
    const copy = createTaskGraph({ snapshot: before });
    copy.replay(operations);
    assert.deepEqual(ids(copy.getSnapshot()), ["a", "n1", "n2", "n3"], where);
  }
});

test("a listener for operations that comes in the middle of a delivery is not told what was before it", () => {
  const graph = fresh();
  const told: string[] = [];
  const off = graph.subscribe(() => {
    off();
    graph.on("operation", (operation) => told.push(operation.action));
  });
  graph.complete("a");
  assert.deepEqual(told, []);
  graph.complete("b");
  assert.deepEqual(told, ["complete"]);
});

test("a clock that calls back in disturbs neither the call nor its numbers", () => {
  let depth = 0;
  const graph: TaskGraph = createTaskGraph({
    now: () => {
      if (depth === 1) {
        depth = 2;
        graph.add({ id: `in${graph.getSnapshot().length}`, title: "In", blockedBy: ["a"] });
        graph.attempt({ action: "add", id: `by${graph.getSnapshot().length}`, title: "By" }, { actor: "agent:other" });
      }
      return 1000;
    },
  });
  graph.add({ id: "a", title: "A" });
  graph.add({ id: "b", title: "B" });
  const operations: string[] = [];
  graph.on("operation", (operation) => operations.push(operation.id));
  for (const run of [
    () => graph.add({ id: "c", title: "C", blockedBy: ["b"] }),
    () => graph.update("c", { blockedBy: ["a", "b"] }),
    () => graph.complete("a"),
    () => graph.update("b", { title: "B2" }),
  ]) {
    depth = 1;
    const { task } = run();
    assert.equal(task?.createdBy, "host");
    depth = 0;
  }
  assert.deepEqual(graph.get("c")?.blockedBy, ["a", "b"]);
  assert.equal(new Set(operations).size, operations.length);
  depth = 0;
  assert.deepEqual(createTaskGraph({ snapshot: graph.snapshot() }).getSnapshot().length, graph.getSnapshot().length);
});

test("a list that is let go lets everybody go who waits", async () => {
  const graph = fresh();
  const waits = [graph.whenReady("b"), graph.whenSettled("a")];
  const changes = graph.changes();
  const next = changes.next();
  graph.dispose();
  for (const wait of waits) await assert.rejects(wait, { code: "disposed" });
  assert.deepEqual(await next, { done: true, value: undefined });
  assert.deepEqual(await changes.next(), { done: true, value: undefined });
});

test("changes: those of before the first question are kept; `return` ends a question under way", async () => {
  const graph = fresh();
  const changes = graph.changes();
  graph.complete("a");
  assert.equal((await changes.next()).value?.action, "complete");
  const next = changes.next();
  await changes.return?.();
  assert.deepEqual(await next, { done: true, value: undefined });
});

test("listeners that are none, kinds that are none", () => {
  const graph = fresh();
  for (const given of [undefined, null, 5, {}]) {
    assert.throws(() => graph.on("change", given as never), { code: "invalid_value" });
    assert.throws(() => graph.subscribe(given as never), { code: "invalid_value" });
  }
  assert.throws(() => graph.on("nonsense" as never, () => undefined), { code: "invalid_value" });
  assert.throws(() => graph.changes({ signal: {} as never }), { code: "invalid_value" });
});

test("very many calls at once are told of one by one, without the stack", async () => {
  const count = 150_000;
  const emitter = new Emitter<{ change: number }>();
  let told = 0;
  emitter.on("change", () => (told += 1));
  emitter.deliver(Array.from({ length: count }, (_, at) => () => emitter.call("change", at)));
  assert.equal(told, count);
});
