// Doing work only when its inputs changed. Contents are compared, not times: switching branches
// and fresh checkouts change every time stamp and no content.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { filesBelow } from "./files.mjs";
import { root } from "./paths.mjs";

/**
 * @param {readonly string[]} inputs files or folders, relative to the root; missing ones count as missing
 */
function digest(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    const full = path.join(root, input);
    if (!existsSync(full)) {
      hash.update(`missing ${input}\n`);
    } else if (statSync(full).isDirectory()) {
      for (const file of filesBelow(full)) {
        hash.update(`file ${input}/${file}\n`).update(readFileSync(path.join(full, file)));
      }
    } else {
      hash.update(`file ${input}\n`).update(readFileSync(full));
    }
  }
  return hash.digest("hex");
}

/**
 * Runs `work` unless the same inputs already produced the outputs.
 *
 * @param {object} task
 * @param {string} task.stamp where to note what the outputs were made from, relative to the root
 * @param {readonly string[]} task.inputs relative to the root
 * @param {readonly string[]} task.outputs full paths that must exist
 * @param {() => Promise<void>} work
 * @returns {Promise<boolean>} whether anything was done
 */
export async function unlessFresh({ stamp, inputs, outputs }, work) {
  const file = path.join(root, stamp);
  // Taken before the work: an edit made while it runs must make the result stale.
  const now = `${process.version}\n${digest(inputs)}\n`;
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before === now && outputs.every((output) => existsSync(output))) return false;
  rmSync(file, { force: true });
  await work();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, now);
  return true;
}
