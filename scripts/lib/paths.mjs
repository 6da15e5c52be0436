// Where things are. Every script works from the repository's root, whatever folder it was called in.
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** @param {string[]} parts */
export const at = (...parts) => path.join(root, ...parts);

/** Everything the scripts make for themselves: stamps, bundled tests, the site. Safe to delete. */
export const buildDir = at("build");

/** Cargo's own output, which a developer may have moved. */
export const targetDir = path.resolve(root, process.env["CARGO_TARGET_DIR"] ?? "target");

/** The host-only helper (binding generator and WebAssembly test runner). */
export const xtask = path.join(
  targetDir,
  "debug",
  process.platform === "win32" ? "xtask.exe" : "xtask",
);
