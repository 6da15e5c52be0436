/** What needs Node (or Bun, Deno): `blockedby/node`. */
export { sidecarStorage } from "./sidecar.js";
export type { SidecarOptions, SidecarSettings, SidecarStorage } from "./sidecar.js";
export type { SidecarPlace } from "./paths.js";
