// The layers of design: imports go down only. Plain text is enough to see that, and unlike a
// compiler it also sees through `#[cfg]`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { filesBelow } from "../../scripts/lib/files.mjs";
import { at } from "../../scripts/lib/paths.mjs";
import { foreignNames, topLevelNames, withoutCommentsAndText } from "./rust-source.mjs";

const ground = ["task", "graph", "json"];
const engine = ["engine", ...ground];

/** What each folder of `src/` may use, beside itself. */
/** @type {Record<string, readonly string[]>} */
const mayUse = {
  json: [],
  graph: [],
  task: ["json", "graph"],
  engine: ground,
  run: engine,
  view: engine,
  interchange: engine,
  dialect: ["view", "run", ...engine],
  wasm: ["dialect", "view", "interchange", "run", ...engine],
};

/** Only these two dialects drive a plan; the others must do without `run`. */
const dialectsThatRun = /^dialect\/(taskgraph|update_tasks)\b/;

/** Crates that know JavaScript, and parts of `std` that do input and output. */
const onlyInWasm = ["wasm_bindgen", "wasm_bindgen_test", "js_sys", "serde_wasm_bindgen", "getrandom"];
const nowhere = ["std::fs", "std::net", "std::process", "std::thread", "std::time", "std::env", "std::io"];

const rustFiles = filesBelow(at("src")).filter((file) => file.endsWith(".rs"));

/** @param {string} file */
const layerOf = (file) => file.split("/")[0]?.replace(/\.rs$/, "") ?? "";

/** @param {string} file */
const read = (file) => withoutCommentsAndText(readFileSync(at("src", file), "utf8"));

test("every module of the crate has its place in the table", () => {
  const unknown = rustFiles.map(layerOf).filter((layer) => layer !== "lib" && !(layer in mayUse));
  assert.deepEqual([...new Set(unknown)], []);
});

test("modules use only what lies below them", () => {
  const wrong = [];
  for (const file of rustFiles) {
    const layer = layerOf(file);
    const allowed = mayUse[layer];
    if (allowed === undefined) continue;
    for (const used of topLevelNames(read(file), file)) {
      if (!(used in mayUse) || used === layer) continue;
      const tooHigh = used === "run" && layer === "dialect" && !dialectsThatRun.test(file);
      if (tooHigh || !allowed.includes(used)) wrong.push(`src/${file} uses ${used}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("only src/wasm knows JavaScript", () => {
  const wrong = rustFiles
    .filter((file) => !file.startsWith("wasm/"))
    .flatMap((file) => foreignNames(read(file), onlyInWasm).map((name) => `src/${file} uses ${name}`));
  assert.deepEqual(wrong, []);
});

test("the crate does no input or output", () => {
  const wrong = rustFiles.flatMap((file) =>
    foreignNames(read(file), nowhere).map((name) => `src/${file} uses ${name}`));
  assert.deepEqual(wrong, []);
});

test("only js/node, js/cli and js/mcp know Node", () => {
  const wrong = filesBelow(at("js"))
    .filter((file) => file.endsWith(".ts") && !/^(node|cli|mcp)\//.test(file))
    .filter((file) => /^\s*(import|export)\b[^;]*"node:/m.test(readFileSync(at("js", file), "utf8")));
  assert.deepEqual(wrong, []);
});
