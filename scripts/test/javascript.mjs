// Checks and tests of the TypeScript sources.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { ensureBrowser } from "../lib/browser.mjs";
import { filesBelow } from "../lib/files.mjs";
import { at, buildDir, root } from "../lib/paths.mjs";
import { capture } from "../lib/run.mjs";
import { tallyOfNode, withExitCode } from "./tally.mjs";

/** @typedef {import("./steps.mjs").Outcome} Outcome @typedef {import("./steps.mjs").Options} Options */

/** @returns {Promise<Outcome>} */
export async function typecheck() {
  const { code, text } = await capture(process.execPath, [
    at("node_modules/typescript/bin/tsc"), "--project", root, "--pretty", "false",
  ]);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, text };
}

/**
 * Bundles each test file into one module.
 *
 * @param {string} folder relative to the root
 * @param {string} outdir
 * @param {readonly string[]} words only files whose path contains one of these
 */
async function bundleTests(folder, outdir, words) {
  // Not at the top: npm packages may not be installed yet when this file is read.
  const { bundleForNode } = await import("../lib/bundle-for-node.mjs");
  const files = filesBelow(at(folder))
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  await bundleForNode({
    entryPoints: files.map((file) => `${folder}/${file}`),
    outbase: folder,
    outdir,
  });
  return files.map((file) => path.join(outdir, file.replace(/\.ts$/, ".mjs")));
}

/**
 * Runs the `*.test.ts` files below a folder, each in a process of its own whose working folder is
 * the repository's root.
 *
 * @param {string} folder
 * @param {Options} options
 * @param {{ concurrency?: number, env?: Record<string, string> }} [how]
 * @returns {Promise<Outcome>}
 */
async function runTests(folder, { words }, { concurrency, env = {} } = {}) {
  mkdirSync(buildDir, { recursive: true });
  // A folder per run, so that two runs at a time do not sweep away each other's files.
  const outdir = mkdtempSync(path.join(buildDir, "tests-"));
  try {
    const files = await bundleTests(folder, outdir, words);
    if (files.length === 0) return { passed: 0, failed: 0, note: "no test files" };
    const parallel = concurrency === undefined ? [] : [`--test-concurrency=${concurrency}`];
    const { code, text } = await capture(
      process.execPath,
      // Memory tests collect garbage on purpose.
      ["--expose-gc", "--enable-source-maps", "--test", "--test-reporter=spec", ...parallel, ...files],
      { env },
    );
    return { ...withExitCode(tallyOfNode(text), code), text };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** @returns {Promise<Outcome>} */
export async function layers() {
  const { code, text } = await capture(process.execPath, [
    "--test", "--test-reporter=spec", at("tests/layers/layers.test.mjs"),
  ]);
  return { ...withExitCode(tallyOfNode(text), code), text };
}

/** @param {Options} options */
export const unit = (options) => runTests("tests/js", options);

/**
 * @param {string} folder
 * @param {Options} options
 * @returns {Promise<Outcome>}
 */
async function runInBrowser(folder, options) {
  const browser = await ensureBrowser();
  if ("missing" in browser) return { passed: 0, failed: 0, missing: browser.missing };
  // One browser at a time: two cores serve one well and two badly.
  return runTests(folder, options, { concurrency: 1, env: { BLOCKEDBY_CHROMIUM: browser.chromium } });
}

/** @param {Options} options */
export const browser = (options) => runInBrowser("tests/browser", options);

/** @param {Options} options */
export const packaging = (options) => runInBrowser("tests/packaging", options);
