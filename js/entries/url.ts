/** Where the engine's file is. Kept literal: bundlers look for exactly this expression. */
export const wasmUrl: URL = new URL("./core.wasm", import.meta.url);
