import * as glue from "./generated/core.js";
import type { InitOutput } from "./generated/core.js";
import { TaskError } from "./errors.js";
import { takePanic } from "./panic.js";

/** Where the engine comes from: its bytes, or a compiled module where bytes may not be compiled. */
export type Source = () => BufferSource | WebAssembly.Module;

/**
 * The exports of the engine as WebAssembly has them: numbers in, numbers out. Most calls need no glue, so bundlers
 * leave its wrappers out; calls that answer with objects take the glue's functions by name.
 */
export type Core = InitOutput;

let source: Source | undefined;
/** Unset until the engine is started, and after it broke off. */
let engine: Core | undefined;
let started = false;
/** Grows when the instance is replaced after a trap: whoever holds a handle of an older one must make a new one. */
let generation = 0;

/** Says where the engine comes from. Nothing is compiled before the first list is made. */
export function registerSource(next: Source): void {
  source ??= next;
}

/** The number of the present instance; handles of another one are void. */
export function currentGeneration(): number {
  return generation;
}

/**
 * The engine, compiled and started at the first call. One instance serves every list of this realm.
 *
 * Throws `wasm_unsupported` where there is no WebAssembly, `wasm_load_failed` where it cannot be compiled.
 */
export function core(): Core {
  return engine ?? start();
}

/** Whether a call into the engine is under way. Rust never calls back, so at the start of another one it is not. */
let inside = false;

/** Begins a call into the engine, which {@link leave} ends. */
export function enter(): Core {
  const present = core();
  inside = true;
  return present;
}

/** Ends a call into the engine. */
export function leave(): void {
  inside = false;
}

/**
 * Replaces the instance when the last call into it never came back: its caller had run out of stack, so that
 * not even the handling of that could run. To be asked before a handle is used.
 */
export function checkInstance(): void {
  if (!inside) return;
  inside = false;
  replaceInstance();
}

/** The memory of the present instance. */
export function coreMemory(): WebAssembly.Memory {
  return core().memory;
}

function start(): Core {
  if (typeof WebAssembly === "undefined") {
    throw new TaskError({
      code: "wasm_unsupported",
      message: "This environment has no WebAssembly.",
      hint: "Use a browser, Node 20 or later, Bun or Deno.",
    });
  }
  if (source === undefined) {
    throw new TaskError({
      code: "wasm_load_failed",
      message: "The engine has not been loaded.",
      hint: "With `blockedby/slim`, call `await load(source)` before anything else.",
    });
  }
  try {
    // Once started, a reset makes a fresh instance of the same module.
    if (started) (glue as { __wbg_reset_state?: () => void }).__wbg_reset_state?.();
    engine = glue.initSync({ module: source() });
    started = true;
    return engine;
  } catch (cause) {
    throw new TaskError({
      code: "wasm_load_failed",
      message: "The engine could not be compiled.",
      hint: "A content security policy needs 'wasm-unsafe-eval' in script-src; where no bytes may be compiled, use `blockedby/slim`.",
      cause,
    });
  }
}

/** Whether an error says that the engine itself broke off, so that its state cannot be trusted. */
function isTrap(error: unknown): boolean {
  // Running out of stack inside the engine comes as a RangeError.
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/**
 * Turns what a call into the engine threw into what its caller should see. After a trap the instance is
 * replaced by a fresh one, and every list is made anew from its mirror at its next use.
 */
export function afterThrow(error: unknown): unknown {
  if (!isTrap(error)) {
    leave();
    return error;
  }
  const panic = takePanic();
  replaceInstance();
  leave();
  return new TaskError({
    code: "poisoned",
    message: "The engine broke off in the middle of this call and was started anew.",
    hint: "The list stands as before the call; what undo knew is gone. Please report `details.panic`.",
    details: panic === undefined ? {} : { panic },
    cause: error,
  });
}

/** Gives the instance up: every handle is void, and the next call starts a fresh one, with all of the stack before it. */
export function replaceInstance(): void {
  generation += 1;
  engine = undefined;
}
