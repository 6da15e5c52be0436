// Rust to WebAssembly to glue: cargo, then wasm-bindgen (in xtask), then wasm-opt.
import { mkdirSync, readFileSync, writeFileSync, copyFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { unlessFresh } from "./fresh.mjs";
import { timed } from "./log.mjs";
import { at, buildDir, root, targetDir, xtask } from "./paths.mjs";
import { run } from "./run.mjs";

const target = "wasm32-unknown-unknown";
const generated = at("js/generated");

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

async function compile() {
  await run(
    "cargo",
    // `--crate-type` here, not in Cargo.toml: beside `rlib` it would turn link-time optimisation off.
    ["rustc", "--package", "blockedby", "--lib", "--release", "--crate-type", "cdylib", "--target", target, "--features", "wasm"],
    { env: { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: remapPaths() } },
  );
  return path.join(targetDir, target, "release", "blockedby.wasm");
}

/** @param {string} wasm */
async function bind(wasm) {
  const out = path.join(buildDir, "bindgen");
  await run(xtask, [
    "bindgen", wasm,
    "--out-dir", out,
    "--out-name", "core",
    "--target", "web",
    // The entries in js/entries/ choose where the bytes come from; the glue must not guess.
    "--omit-default-module-path",
    // After a trap the instance is replaced; see js/runtime.ts.
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

/** The engine as text inside a module, for the entry that needs no second file. */
function writeBytesModule() {
  const base64 = readFileSync(path.join(generated, "core_bg.wasm")).toString("base64");
  writeFileSync(path.join(generated, "bytes.js"), `export const base64 = "${base64}";\n`);
  writeFileSync(path.join(generated, "bytes.d.ts"), "export declare const base64: string;\n");
}

/** Makes `js/generated/` from the Rust sources. */
export async function buildWasm() {
  const outputs = ["core.js", "core.d.ts", "core_bg.wasm", "bytes.js", "bytes.d.ts"];
  await unlessFresh(
    {
      stamp: "build/stamps/wasm",
      inputs: ["src", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "scripts/lib/wasm.mjs", "xtask"],
      outputs: outputs.map((name) => path.join(generated, name)),
    },
    async () => {
      mkdirSync(generated, { recursive: true });
      const wasm = await timed("compiling the engine to WebAssembly", compile);
      const out = await timed("writing the JavaScript glue", () => bind(wasm));
      await timed("optimising (wasm-opt)", () =>
        optimise(path.join(out, "core_bg.wasm"), path.join(generated, "core_bg.wasm")));
      copyFileSync(path.join(out, "core.js"), path.join(generated, "core.js"));
      copyFileSync(path.join(out, "core.d.ts"), path.join(generated, "core.d.ts"));
      writeBytesModule();
    },
  );
}
