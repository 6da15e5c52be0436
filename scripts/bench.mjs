// npm run bench: compares with other libraries (benches/). Arguments are handed on.
import { spawnSync } from "node:child_process";
import { buildAll } from "./lib/build.mjs";
import { runMain } from "./lib/log.mjs";
import { at, root } from "./lib/paths.mjs";

await runMain(async () => {
  await buildAll();
  const { status } = spawnSync(
    process.execPath,
    ["--expose-gc", "--enable-source-maps", at("benches/main.mjs"), ...process.argv.slice(2)],
    { stdio: "inherit", cwd: root },
  );
  process.exitCode = status ?? 1;
});
