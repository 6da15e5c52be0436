// The site: what lies in www/, with each top-level TypeScript file bundled beside it. The result
// in build/www needs no server of ours; any static host can carry it.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { copyIfThere, filesBelow } from "./files.mjs";
import { unlessFresh } from "./fresh.mjs";
import { timed } from "./log.mjs";
import { at, buildDir, root } from "./paths.mjs";

export const siteDir = path.join(buildDir, "www");

async function assemble() {
  rmSync(siteDir, { recursive: true, force: true });
  mkdirSync(siteDir, { recursive: true });
  copyIfThere(at("www"), siteDir, (file) => !file.endsWith(".ts"));
  const entryPoints = filesBelow(at("www")).filter((file) => /^[^/]+\.ts$/.test(file) && !file.endsWith(".d.ts"));
  if (entryPoints.length === 0) return;
  await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map((file) => at("www", file)),
    outdir: siteDir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    sourcemap: true,
    logLevel: "silent",
  });
}

/** Needs the package, which the pages import as any user would. */
export async function buildSite() {
  await unlessFresh(
    { stamp: "build/stamps/site", inputs: ["www", "pkg/dist", "scripts/lib/site.mjs"], outputs: [siteDir] },
    () => timed("bundling the site", assemble),
  );
}
