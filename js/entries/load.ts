import { TaskError } from "../errors.js";
import { registerSource } from "../runtime.js";

/** Where the engine can come from. A URL or a response is compiled while it arrives. */
export type EngineSource =
  | string
  | URL
  | Response
  | BufferSource
  | WebAssembly.Module
  | PromiseLike<Response | BufferSource | WebAssembly.Module>;

/** Some hosts of WebAssembly know no `Response`. */
function isResponse(source: object): source is Response {
  return typeof Response !== "undefined" && source instanceof Response;
}

async function compile(given: EngineSource): Promise<WebAssembly.Module> {
  const source = await (typeof given === "string" || given instanceof URL ? fetch(given) : given);
  if (!isResponse(source)) {
    return source instanceof WebAssembly.Module ? source : WebAssembly.compile(source);
  }
  if (!source.ok) throw new Error(`the engine could not be fetched: HTTP ${source.status}`);
  // Streaming insists on this type; a server that sends another one still gets a working page.
  const isWasm = source.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm ? WebAssembly.compileStreaming(source) : WebAssembly.compile(await source.arrayBuffer());
}

let loading: Promise<void> | undefined;

/**
 * Loads the engine. Calls share one load; after a failure the next call tries again.
 *
 * @example
 * ```ts
 * import { load, createTaskGraph } from "blockedby/slim";
 * import { wasmUrl } from "blockedby/url";
 * await load(wasmUrl);
 * ```
 */
export function load(source: EngineSource): Promise<void> {
  loading ??= compile(source).then(
    (module) => registerSource(() => module),
    (cause: unknown) => {
      loading = undefined;
      throw new TaskError({
        code: "wasm_load_failed",
        message: "The engine could not be fetched or compiled.",
        hint: "See `cause`; check the address and the content security policy.",
        cause,
      });
    },
  );
  return loading;
}
