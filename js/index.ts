/** The public surface of `blockedby`. */

export { isTaskError, TaskError, type TaskErrorInit } from "./errors.js";
export type { Unsubscribe } from "./emitter.js";
export { createTaskGraph, TaskGraph, type GraphOptions } from "./graph.js";
export { renderDetail, renderPanel, renderRows, type ListEvents, type TaskReads } from "./reads.js";
export { openTasks } from "./open.js";
export { TaskStore, type StoreOptions } from "./store.js";
export type { AnyStorage, MaybePromise, RecordStorage, SnapshotStorage, StorageTraits } from "./storage/types.js";
export {
  taskTools,
  tasksChanged,
  type Dialect,
  type ToolCallOptions,
  type ToolEvent,
  type ToolOptions,
  type ToolRecord,
  type ToolSchema,
} from "./tools.js";
export type * from "./types.js";
