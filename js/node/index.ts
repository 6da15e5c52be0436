/** What needs Node (or Bun, Deno): `blockedby/node`. */
export { sidecarStorage } from "./sidecar.js";
export type { SidecarOptions, SidecarSettings, SidecarStorage } from "./sidecar.js";
export type { SidecarPlace } from "./paths.js";
export { readTaskFiles } from "./read-task-files.js";
export type { ReadTaskFile, ReadTaskFilesOptions } from "./read-task-files.js";
export { writeTaskFiles } from "./write-task-files.js";
export type { TaskFilesPlace, WriteTaskFilesOptions } from "./write-task-files.js";
