/** For Cloudflare's runtime, which compiles no bytes at run time: the engine comes as a module. */
import core from "./core.wasm";
import { registerSource } from "../runtime.js";

registerSource(() => core);

export * from "../index.js";
