import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** What one part of the package weighs. */
export interface SizeOf {
  readonly what: string;
  readonly raw: number;
  readonly brotli: number;
  /** The most that it may weigh in brotli. */
  readonly limit?: number;
}

/** The wasm files, and the JavaScript that a bundler makes of the entries. */
export async function measureSizes(): Promise<SizeOf[]> {
  const { build } = await import("esbuild");
  const folder = dirname(createRequire(join(process.cwd(), "package.json")).resolve("blockedby/package.json"));
  const sizes: SizeOf[] = [];
  const dist = join(folder, "dist");
  for (const file of readdirSync(existsSync(dist) ? dist : folder).filter((name) => name.endsWith(".wasm")).sort()) {
    const limit = file.startsWith("core") ? 50_000 : undefined;
    sizes.push(sizeOf(file, readFileSync(join(existsSync(dist) ? dist : folder, file)), limit));
  }
  const bundle = async (entry: string): Promise<Uint8Array> => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: process.cwd() },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
      target: "es2022",
      loader: { ".wasm": "empty" },
      external: ["node:*"],
      logLevel: "error",
    });
    return outputFiles[0]!.contents;
  };
  // `slim` has everything but the bytes of the wasm: it is the glue and the wrapper.
  sizes.push(sizeOf("glue and wrapper (blockedby/slim, minified)", await bundle("blockedby/slim"), 14_000));
  sizes.push(sizeOf("default entry, wasm inlined, minified", await bundle("blockedby")));
  return sizes;
}

function sizeOf(what: string, bytes: Uint8Array, limit?: number): SizeOf {
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  return { what, raw: bytes.length, brotli, ...(limit === undefined ? {} : { limit }) };
}
