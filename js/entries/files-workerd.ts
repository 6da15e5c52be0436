/** `blockedby/files` for Cloudflare's runtime, which compiles no bytes at run time: the reader comes as a module. */
import module from "./files.wasm";
import { registerReader } from "../files/reader.js";

registerReader(async () => ({ glue: await import("../generated/files.js"), module }));

export * from "../files/index.js";
