/** The reader of task files with its bytes: loaded by `import()` alone, so that nobody else pays for it. */
import * as glue from "../generated/files.js";
import { base64 } from "../generated/files-bytes.js";
import type { Loaded } from "../files/reader.js";
import { decodeBase64 } from "./base64.js";

/** Compiles the reader. */
export async function compile(): Promise<Loaded> {
  return { glue, module: await WebAssembly.compile(decodeBase64(base64)) };
}
