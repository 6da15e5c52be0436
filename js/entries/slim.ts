/** The same API without the engine's bytes: `await load(source)` once, before anything else. */
export { load, type EngineSource } from "./load.js";
export * from "../index.js";
