// Rust to WebAssembly to glue: cargo, then wasm-bindgen (in xtask), then wasm-opt.
import { mkdirSync, readdirSync, readFileSync, writeFileSync, copyFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { unlessFresh } from "./fresh.mjs";
import { timed } from "./log.mjs";
import { at, buildDir, root, targetDir, xtask } from "./paths.mjs";
import { run } from "./run.mjs";

const target = "wasm32-unknown-unknown";
const generated = at("js/generated");

/**
 * A WebAssembly file of the package; the feature of the crate has its name.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {string} title
 * @property {readonly string[]} [flags] of rustc
 * @property {string} bytes the module that carries it as text
 */

/** @type {readonly Part[]} */
const parts = [
  // Less inlining than the level for size does by itself: 1.6 KB less, and calls a twentieth slower.
  { name: "core", flags: ["-Cllvm-args=-inline-threshold=25"], title: "the engine", bytes: "bytes" },
  { name: "files", title: "the file formats", bytes: "files-bytes" },
];

// Exactly what rustc emits by default. "All features" makes wasm-opt write encodings that
// Node 20 cannot read.
const features = [
  "bulk-memory",
  "bulk-memory-opt",
  "nontrapping-float-to-int",
  "sign-ext",
  "mutable-globals",
  "reference-types",
  "multivalue",
];

/** Panic messages carry file names: without this they would name the builder's home folder. */
function remapPaths() {
  const cargoHome = process.env["CARGO_HOME"] ?? path.join(os.homedir(), ".cargo");
  return [
    `--remap-path-prefix=${path.join(cargoHome, "registry", "src")}=crates`,
    `--remap-path-prefix=${root.replace(/[\\/]$/, "")}=blockedby`,
  ].join(" ");
}

/** @param {Part} part */
async function compile({ name, flags }) {
  await run(
    "cargo",
    // `--crate-type` here, not in Cargo.toml: beside `rlib` it would turn link-time optimisation off.
    ["rustc", "--package", "blockedby", "--lib", "--release", "--crate-type", "cdylib", "--target", target, "--features", name],
    { env: { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: [remapPaths(), ...(flags ?? [])].join(" ") } },
  );
  // The next part's compilation puts its own file here.
  return path.join(targetDir, target, "release", "blockedby.wasm");
}

/** @param {Part} part @param {string} wasm */
async function bind({ name }, wasm) {
  const out = path.join(buildDir, "bindgen");
  await run(xtask, [
    "bindgen", wasm,
    "--out-dir", out,
    "--out-name", name,
    "--target", "web",
    // The entries in js/entries/ choose where the bytes come from; the glue must not guess.
    "--omit-default-module-path",
    // After a trap the instance is replaced, that of `files` after each use; see js/runtime.ts and js/files/reader.ts.
    "--experimental-reset-state-function",
    "--remove-producers-section",
  ]);
  return out;
}

/**
 * @param {string} from
 * @param {string} to
 */
async function optimise(from, to) {
  await run(process.execPath, [
    at("node_modules/binaryen/bin/wasm-opt"),
    from,
    "-Oz",
    "--converge",
    "--mvp-features",
    ...features.map((feature) => `--enable-${feature}`),
    "--strip-producers",
    "--strip-target-features",
    "--output", to,
  ]);
}

/** A WebAssembly file as text inside a module, for entries that need no second file. @param {Part} part */
function writeBytesModule({ name, bytes }) {
  const base64 = readFileSync(path.join(generated, `${name}_bg.wasm`)).toString("base64");
  writeFileSync(path.join(generated, `${bytes}.js`), `export const base64 = "${base64}";\n`);
  writeFileSync(path.join(generated, `${bytes}.d.ts`), "export declare const base64: string;\n");
}

/**
 * The sources that a part is made of: all but `interchange` for the engine, so that work on a format leaves it alone.
 *
 * @param {Part} part
 */
function sourcesOf({ name }) {
  const all = readdirSync(at("src")).sort();
  return all.filter((entry) => name !== "core" || entry !== "interchange").map((entry) => `src/${entry}`);
}

/** @param {Part} part */
async function buildPart(part) {
  const { name, title, bytes } = part;
  const outputs = [`${name}.js`, `${name}.d.ts`, `${name}_bg.wasm`, `${bytes}.js`, `${bytes}.d.ts`];
  await unlessFresh(
    {
      stamp: `build/stamps/wasm-${name}`,
      inputs: [...sourcesOf(part), "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "scripts/lib/wasm.mjs", "xtask"],
      outputs: outputs.map((file) => path.join(generated, file)),
    },
    async () => {
      mkdirSync(generated, { recursive: true });
      const wasm = await timed(`compiling ${title} to WebAssembly`, () => compile(part));
      const out = await timed("writing the JavaScript glue", () => bind(part, wasm));
      await timed("optimising (wasm-opt)", () =>
        optimise(path.join(out, `${name}_bg.wasm`), path.join(generated, `${name}_bg.wasm`)));
      for (const file of [`${name}.js`, `${name}.d.ts`]) copyFileSync(path.join(out, file), path.join(generated, file));
      writeBytesModule(part);
    },
  );
}

/** Makes `js/generated/` from the Rust sources. */
export async function buildWasm() {
  for (const part of parts) await buildPart(part);
}
