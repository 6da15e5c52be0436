// The same scenario through the package gives what tests/golden.rs wrote from the engine. That the written values
// fit the types of js/types.ts is checked by tsc, in tests/golden/golden.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  createTaskGraph,
  renderDetail,
  renderPanel,
  renderRows,
  TaskError,
  type Change,
  type Command,
  type Operation,
  type TaskErrorCode,
  type TaskGraph,
} from "blockedby";
import * as golden from "../golden/golden.js";
import { plain, refused } from "./support/common.js";

/** The seed [1, 2] of the Rust test, as bytes. */
const random = (): Uint8Array => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2);

function run(): { graph: TaskGraph; changes: Change[]; operations: Operation[] } {
  let now = 0;
  const graph = createTaskGraph({ random, now: () => now });
  const [changes, operations]: [Change[], Operation[]] = [[], []];
  graph.on("operation", (operation) => operations.push(operation));
  for (const { actor, now: time, command } of golden.scenario) {
    now = time;
    const answer = graph.attempt(command as Command, { actor });
    assert.ok(answer.ok, JSON.stringify(answer));
    changes.push(answer.change);
  }
  return { graph, changes, operations };
}

test("rows, changes and operations are the engine's", () => {
  const { graph, changes, operations } = run();
  assert.deepEqual(plain(graph.getSnapshot()), golden.rows);
  assert.equal(changes.length, golden.changes.length);
  changes.forEach((change, at) => assert.deepEqual(plain(change), golden.changes[at], `change ${at}`));
  // A call that changed nothing is no operation.
  assert.deepEqual(plain(operations), golden.operations);
});

test("the text is the engine's, byte for byte, and opens again", () => {
  const text = readFileSync("tests/golden/snapshot.json", "utf8");
  assert.equal(run().graph.snapshot(), text);
  const opened = createTaskGraph({ snapshot: text });
  assert.equal(opened.snapshot(), text);
  assert.deepEqual(plain(opened.getSnapshot()), golden.rows);
});

test("questions and views are the engine's", () => {
  const { graph } = run();
  assert.deepEqual(graph.progress(), golden.progress);
  assert.deepEqual(graph.getSnapshot().map((task) => graph.explain(task.id)), golden.explanations);
  assert.deepEqual([graph.wouldCycle("docs", "late"), graph.wouldCycle("old", "late")], golden.wouldCycle);
  assert.deepEqual(renderPanel(graph), golden.panel);
  assert.deepEqual(renderRows(graph), golden.rowLines);
  assert.deepEqual([renderDetail(graph, "docs"), renderDetail(graph, "db")], golden.details);
  assert.deepEqual((JSON.parse(graph.snapshot()) as { rules: unknown }).rules, golden.rules);
});

test("the engine's refusals: every code it gives, with the details that the types promise", () => {
  for (const [code, refusal] of Object.entries(golden.refusals)) {
    assert.equal(refusal.code, code);
    assert.ok(/[.?]$/.test(refusal.message) && /[.?]$/.test(refusal.hint), `${code} speaks in sentences`);
    const error = new TaskError({ ...refusal, code: code as TaskErrorCode });
    assert.deepEqual(error.toJSON(), refusal);
  }
  const corrupt = refused("corrupt", () => createTaskGraph({ snapshot: '{"tasks":7}' }));
  assert.deepEqual(corrupt.toJSON(), golden.refusals.corrupt);
  const graph = createTaskGraph();
  graph.add({ id: "task", title: "task" });
  assert.deepEqual(refused("not_found", () => graph.complete("tsk")).toJSON(), golden.refusals.not_found);
});

test("rows have no field that the types do not name", () => {
  const known = new Set([
    "id", "seq", "title", "description", "activeForm", "status", "readiness", "hold", "blockedBy", "asideBlockedBy", "parent", "children",
    "owner", "claim", "createdBy", "createdAt", "updatedAt", "startedAt", "completedAt", "metadata",
  ]);
  for (const row of golden.rows) for (const key of Object.keys(row)) assert.ok(known.has(key), key);
});
