// What the published package is made of. `pkg/package.json` names the same files in its exports.

import { existsSync } from "node:fs";
import { say } from "./log.mjs";
import { at } from "./paths.mjs";

/** ES modules by the name of their output; code they have in common goes into shared chunks. */
export const modules = {
  index: "js/entries/inline.ts",
  workerd: "js/entries/workerd.ts",
  slim: "js/entries/slim.ts",
  url: "js/entries/url.ts",
  storage: "js/storage/index.ts",
  node: "js/node/index.ts",
  tools: "js/tools.ts",
  files: "js/entries/files.ts",
  "files-workerd": "js/entries/files-workerd.ts",
  testing: "js/testing/index.ts",
};

/** The outputs that also exist for `require`. The rest need ES module syntax to make sense. */
export const commonjs = ["index", "storage", "node", "tools", "files", "testing"];

/** Commands. They import the built modules, so that a program holds one engine. */
export const programs = { cli: "js/cli/main.ts" };

/**
 * The entries whose sources exist. A subpath that is still being written does not keep the others
 * from being tried out; it cannot slip into a release, as the packaging tests miss it.
 *
 * @param {Record<string, string>} entries
 * @returns {Record<string, string>}
 */
export function present(entries) {
  const all = Object.entries(entries);
  const there = all.filter(([, source]) => existsSync(at(source)));
  for (const [name, source] of all) {
    if (!existsSync(at(source))) say(`  left out: ${name}, as there is no ${source}`);
  }
  return Object.fromEntries(there);
}
