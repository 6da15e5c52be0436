// TypeScript of this repository that Node runs: tests and benchmarks. npm packages stay outside,
// so that it meets `blockedby` exactly as a user does: through the exports of the built package.
import { build } from "esbuild";
import { root } from "./paths.mjs";

/** @param {Pick<import("esbuild").BuildOptions, "entryPoints" | "outdir" | "outbase">} what */
export async function bundleForNode(what) {
  await build({
    ...what,
    absWorkingDir: root,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "silent",
  });
}
