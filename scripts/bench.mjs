// npm run bench: compares with other libraries (benches/). Arguments are handed on.
import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { buildAll } from "./lib/build.mjs";
import { Foreseen, runMain } from "./lib/log.mjs";
import { at, buildDir, root } from "./lib/paths.mjs";

const source = at("benches/main.ts");

await runMain(async () => {
  if (!existsSync(source)) throw new Foreseen("There is no benches/main.ts.");
  await buildAll();
  const { bundleForNode } = await import("./lib/bundle-for-node.mjs");
  const outdir = path.join(buildDir, "benches");
  await bundleForNode({ entryPoints: [source], outdir });
  const { status } = spawnSync(
    process.execPath,
    ["--expose-gc", "--enable-source-maps", path.join(outdir, "main.mjs"), ...process.argv.slice(2)],
    { stdio: "inherit", cwd: root },
  );
  process.exitCode = status ?? 1;
});
