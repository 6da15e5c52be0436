import { TaskError } from "../errors.js";
import { takePanic } from "../panic.js";

/** What `wasm-bindgen` made for the WebAssembly file `files`. */
export type Glue = typeof import("../generated/files.js");

/** The glue and its module, compiled. */
export interface Loaded {
  readonly glue: Glue;
  readonly module: WebAssembly.Module;
}

let loader: (() => Promise<Loaded>) | undefined;
let loading: Promise<Glue> | undefined;
/** Whether the instance has done nothing yet. */
let isFresh = true;

/** Says where the reader comes from. Nothing is loaded before the first import or export. */
export function registerReader(next: () => Promise<Loaded>): void {
  loader ??= next;
}

/**
 * Loads the reader at the first call, lets `work` use it, and lets go of its memory, which would never shrink: a
 * large import leaves nothing behind. `work` is synchronous, so calls do not meet in one instance.
 *
 * Rejects with `wasm_unsupported`, `wasm_load_failed`; `poisoned` when the reader breaks off.
 */
export async function withReader<T>(work: (glue: Glue) => T): Promise<T> {
  const glue = await load();
  try {
    if (!isFresh) glue.__wbg_reset_state();
    isFresh = false;
    return work(glue);
  } catch (cause) {
    throw brokenOff(cause);
  } finally {
    letGo(glue);
  }
}

/** A fresh instance takes the place of the one that was used. */
function letGo(glue: Glue): void {
  try {
    glue.__wbg_reset_state();
    isFresh = true;
  } catch {
    // No memory for it now; the next use tries again.
  }
}

function load(): Promise<Glue> {
  loading ??= start().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function start(): Promise<Glue> {
  if (typeof WebAssembly === "undefined") {
    throw new TaskError({
      code: "wasm_unsupported",
      message: "This environment has no WebAssembly.",
      hint: "Use a browser, Node 20 or later, Bun or Deno.",
    });
  }
  try {
    if (loader === undefined) throw new Error("no entry of the package said where the reader is");
    const { glue, module } = await loader();
    glue.initSync({ module });
    return glue;
  } catch (cause) {
    throw new TaskError({
      code: "wasm_load_failed",
      message: "The reader of task files could not be loaded or compiled.",
      hint: "See `cause`. A content security policy needs 'wasm-unsafe-eval' in script-src.",
      cause,
    });
  }
}

function brokenOff(cause: unknown): TaskError {
  const panic = takePanic();
  return new TaskError({
    code: "poisoned",
    message: "The reader of task files broke off in the middle of this call.",
    hint: "No list and no file was touched. The files may be too large for the memory here; else please report `details.panic`.",
    details: panic === undefined ? {} : { panic },
    cause,
  });
}
