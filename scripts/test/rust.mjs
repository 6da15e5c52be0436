// Checks and tests of the Rust sources.
import { existsSync } from "node:fs";
import { at, xtask } from "../lib/paths.mjs";
import { capture } from "../lib/run.mjs";
import { ensureBrowser } from "../lib/browser.mjs";
import { tallyOfCargo, withExitCode } from "./tally.mjs";

/** @typedef {import("./steps.mjs").Outcome} Outcome @typedef {import("./steps.mjs").Options} Options */

const target = "wasm32-unknown-unknown";

/**
 * A check that passes or fails as a whole.
 *
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<Outcome>}
 */
async function check(args, env = {}) {
  const { code, text } = await capture("cargo", args, { env });
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, text };
}

export const format = () => check(["fmt", "--all", "--", "--check", "--color=never"]);

export const clippy = () =>
  check(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);

export const clippyWasm = () =>
  check(["clippy", "--package", "blockedby", "--lib", "--tests", "--target", target, "--features", "core,files", "--", "-D", "warnings"]);

export const documentation = () =>
  check(["doc", "--workspace", "--no-deps", "--document-private-items"], { RUSTDOCFLAGS: "-D warnings" });

/** @param {Options} options @returns {Promise<Outcome>} */
export async function tests({ words }) {
  // One word only: cargo takes a single filter.
  const { code, text } = await capture("cargo", ["test", "--no-fail-fast", ...words.slice(0, 1)]);
  return { ...withExitCode(tallyOfCargo(text), code), text };
}

/**
 * `tests/wasm.rs` on its real target, in Node or in a browser.
 *
 * @param {Record<string, string>} env
 * @returns {Promise<Outcome>}
 */
async function wasmTests(env) {
  const { code, text } = await capture(
    "cargo",
    ["test", "--package", "blockedby", "--target", target, "--features", "wasm", "--test", "wasm"],
    { env: { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: `${xtask} test-runner`, ...env } },
  );
  return { ...withExitCode(tallyOfCargo(text), code), text };
}

const hasWasmTests = () => existsSync(at("tests/wasm.rs"));

/** @returns {Promise<Outcome>} */
export async function wasmInNode() {
  return hasWasmTests() ? wasmTests({}) : { passed: 0, failed: 0, note: "no tests/wasm.rs" };
}

/** @returns {Promise<Outcome>} */
export async function wasmInBrowser() {
  if (!hasWasmTests()) return { passed: 0, failed: 0, note: "no tests/wasm.rs" };
  const browser = await ensureBrowser();
  if ("missing" in browser) return { passed: 0, failed: 0, missing: browser.missing };
  return wasmTests({
    WASM_BINDGEN_USE_BROWSER: "1",
    WASM_BINDGEN_TEST_TIMEOUT: "120",
    WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "30",
    WASM_BINDGEN_TEST_WEBDRIVER_JSON: at("tests/browser/webdriver.json"),
    CHROMEDRIVER: browser.driver,
  });
}
