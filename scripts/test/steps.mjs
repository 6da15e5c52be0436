// Everything `npm test` does, cheapest first.
import { buildAll } from "../lib/build.mjs";
import * as javascript from "./javascript.mjs";
import * as rust from "./rust.mjs";

/**
 * @typedef {object} Options
 * @property {string[]} words what to narrow the tests down to; empty means all
 *
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {number} failed
 * @property {string} [text] what was printed; shown when something failed
 * @property {string} [note] why there was nothing to do
 * @property {string} [missing] what this machine lacks; a failure in CI
 *
 * @typedef {object} Step
 * @property {string} name for `--only`
 * @property {string} title
 * @property {"build"} [needs] a step without which this one makes no sense
 * @property {(options: Options) => Promise<Outcome>} run
 */

/** @returns {Promise<Outcome>} */
async function build() {
  await buildAll();
  return { passed: 1, failed: 0 };
}

/** @type {readonly Step[]} */
export const steps = [
  { name: "layers", title: "imports go down only", run: javascript.layers },
  { name: "fmt", title: "cargo fmt", run: rust.format },
  { name: "clippy", title: "clippy, native", run: rust.clippy },
  { name: "clippy-wasm", title: "clippy, wasm32", run: rust.clippyWasm },
  { name: "rust", title: "cargo test", run: rust.tests },
  { name: "doc", title: "cargo doc", run: rust.documentation },
  { name: "build", title: "build the package and the site", run: build },
  { name: "types", title: "tsc", needs: "build", run: javascript.typecheck },
  { name: "js", title: "wrapper and conformance, in Node", needs: "build", run: javascript.unit },
  { name: "wasm-node", title: "the binding, in Node", run: rust.wasmInNode },
  { name: "wasm-browser", title: "the binding, in Chromium", run: rust.wasmInBrowser },
  { name: "browser", title: "the package, in Chromium", needs: "build", run: javascript.browser },
  { name: "packaging", title: "the packed tarball", needs: "build", run: javascript.packaging },
];
