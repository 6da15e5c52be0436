// Puts the publishable package together in pkg/.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { bundlePackage } from "./bundle.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { unlessFresh } from "./fresh.mjs";
import { timed } from "./log.mjs";
import { at, buildDir } from "./paths.mjs";

const papers = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/** Whoever reads `dist` meanwhile sees the old package or the new one, never half of each. */
/** @param {string} next */
function swapIn(next) {
  const dist = at("pkg/dist");
  const old = path.join(buildDir, "dist-old");
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
  rmSync(old, { recursive: true, force: true });
}

async function assemble() {
  const next = path.join(buildDir, "dist-next");
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  await bundlePackage(next);
  await writeDeclarations(next);
  for (const part of ["core", "files"]) copyFileSync(at(`js/generated/${part}_bg.wasm`), path.join(next, `${part}.wasm`));
  swapIn(next);
  for (const paper of papers) {
    if (existsSync(at(paper))) copyFileSync(at(paper), at("pkg", paper));
  }
}

export async function buildPackage() {
  await unlessFresh(
    {
      stamp: "build/stamps/package",
      inputs: ["js", "scripts/lib", "tsconfig.json", "tsconfig.build.json", "package-lock.json", ...papers],
      outputs: [at("pkg/dist/index.js"), at("pkg/dist/core.wasm"), at("pkg/dist/files.wasm"), at("pkg/dist/index.d.cts")],
    },
    () => timed("assembling the npm package", assemble),
  );
}
