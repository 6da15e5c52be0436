// The whole build: the engine, the package, the site. Each part skips itself when up to date.
import { withLock } from "./lock.mjs";
import { setup } from "./setup.mjs";

export async function buildAll() {
  await setup();
  // Only now: these modules import npm packages, which `setup` may just have installed.
  const [{ buildWasm }, { buildPackage }, { buildSite }] = await Promise.all([
    import("./wasm.mjs"),
    import("./package.mjs"),
    import("./site.mjs"),
  ]);
  await withLock(async () => {
    await buildWasm();
    await buildPackage();
    await buildSite();
  });
}
