// Listeners: order, calling back in, throwing, leaving during delivery; on a graph and on a store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskGraph, openTasks, type Change, type TaskGraph } from "blockedby";
import { ids, turn } from "./support/common.js";

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
