// The wrapper from its sources, for tests that look behind the public API: a copy of its own, beside the built
// package, with an engine instance of its own.
import "../../../js/entries/inline.js";
import { guard, takeNumbers } from "../../../js/boundary.js";
import { sessionOf, type TaskReads } from "../../../js/reads.js";
import { renderRows } from "../../../js/reads.js";
import type { Task } from "../../../js/types.js";

export { createTaskGraph, TaskGraph } from "../../../js/graph.js";
export { openTasks } from "../../../js/open.js";
export { TaskStore } from "../../../js/store.js";
export { memoryRecordStorage, memoryStorage } from "../../../js/storage/memory.js";
export { faultyStorage } from "../../../js/testing/faulty.js";
export { taskTools } from "../../../js/tools.js";
export { Emitter } from "../../../js/emitter.js";
export { isTaskError } from "../../../js/errors.js";
export { currentGeneration, replaceInstance } from "../../../js/runtime.js";
export { guard, sessionOf };

/** Breaks the engine off for real: it looks for a list that was never made, and panics. Gives the `poisoned` error. */
export function trap(): unknown {
  try {
    guard((core) => core.mark(0x7fff_ffff));
  } catch (error) {
    return error;
  }
  throw new Error("the engine did not break off");
}

/** The rows as the engine has them, past every cache of the wrapper. */
export function truth(list: TaskReads): Task[] {
  const session = list[sessionOf];
  const { handle } = session;
  const slots = [...takeNumbers(guard((core) => core.order(handle)))];
  const lines = renderRows(list);
  return session.rowTexts(slots).map((text, at) => {
    const row = JSON.parse(text) as Omit<Task, "readiness">;
    return { ...row, readiness: lines[at]?.readiness } as Task;
  });
}

/** A value as the JSON that it stands for. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
