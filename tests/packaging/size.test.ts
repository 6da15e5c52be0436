// How much a user downloads, against a budget. The figures are printed even when all is well.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const dist = path.resolve("pkg/dist");

/** Bytes after brotli. The engine is to come down to 50 KB; until then it may not grow. */
const budget = { wasm: 98 * 1024, wrapper: 14 * 1024, files: 150 * 1024 };

function report(name: string, bytes: Uint8Array): number {
  const brotli = brotliCompressSync(bytes).length;
  console.log(`${name}: ${bytes.length} raw, ${gzipSync(bytes, { level: 9 }).length} gzip, ${brotli} brotli`);
  return brotli;
}

async function minified(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [path.join(dist, entry)],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  assert.ok(outputFiles[0]);
  return outputFiles[0].contents;
}

test("the engine fits its budget", () => {
  const brotli = report("core.wasm", readFileSync(path.join(dist, "core.wasm")));
  assert.ok(brotli <= budget.wasm, `${brotli} bytes are more than ${budget.wasm}`);
});

test("the reader of task files fits its budget", () => {
  const brotli = report("files.wasm", readFileSync(path.join(dist, "files.wasm")));
  assert.ok(brotli <= budget.files, `${brotli} bytes are more than ${budget.files}`);
});

test("the reader of task files is downloaded by no entry, only by its first use", async () => {
  const reader = readFileSync(path.join(dist, "files.wasm")).toString("base64").slice(0, 400);
  const entries = ["index", "slim", "storage", "node", "tools", "files", "testing"];
  const { metafile, outputFiles } = await build({
    entryPoints: entries.map((entry) => path.join(dist, `${entry}.js`)),
    outdir: "out",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  // What a program loads with the entries: all but what is behind an import().
  const loaded = new Set(entries.map((entry) => `out/${entry}.js`));
  for (const file of loaded) {
    for (const { path: next, kind } of metafile.outputs[file]?.imports ?? []) if (kind === "import-statement") loaded.add(next);
  }
  const carriers = outputFiles.filter(({ text }) => text.includes(reader)).map(({ path: file }) => path.relative("", file));
  assert.equal(carriers.length, 1, "there is one copy of it");
  assert.ok(!loaded.has(carriers[0] as string), `${carriers[0]} is loaded at once`);
});

test("glue and wrapper fit their budget", async () => {
  const brotli = report("slim (glue and wrapper, no engine)", await minified("slim.js"));
  assert.ok(brotli <= budget.wrapper, `${brotli} bytes are more than ${budget.wrapper}`);
  report("index (all in one)", await minified("index.js"));
});

test("only the default entry carries the engine's bytes", async () => {
  const engine = readFileSync(path.join(dist, "core.wasm")).toString("base64").slice(0, 400);
  for (const entry of ["slim.js", "storage.js", "tools.js", "testing.js"]) {
    assert.ok(!Buffer.from(await build({
      entryPoints: [path.join(dist, entry)], bundle: true, format: "esm", write: false, platform: "node", logLevel: "silent",
    }).then(({ outputFiles }) => outputFiles[0]?.contents ?? new Uint8Array())).includes(engine), entry);
  }
});
