// Looking at and copying files.
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * All files below a folder, as paths relative to it, in a stable order. A missing folder is empty.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => !file.split("/").includes("node_modules"))
    .sort();
}

/**
 * Copies a file or folder when it exists.
 *
 * @param {string} from
 * @param {string} to
 * @param {(file: string) => boolean} [accept]
 */
export function copyIfThere(from, to, accept = () => true) {
  if (!existsSync(from)) return;
  cpSync(from, to, {
    recursive: true,
    filter: (file) => statSync(file).isDirectory() || accept(file),
  });
}
