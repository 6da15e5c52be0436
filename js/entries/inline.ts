/** The default entry: carries the engine's bytes, so it loads anywhere and at once. */
import { base64 } from "../generated/bytes.js";
import { registerSource } from "../runtime.js";
import { decodeBase64 } from "./base64.js";

registerSource(() => decodeBase64(base64));

export * from "../index.js";
