// npm run build: makes pkg/dist (the npm package) and build/www (the site).
import { buildAll } from "./lib/build.mjs";
import { runMain, say } from "./lib/log.mjs";

await runMain(async () => {
  await buildAll();
  say("build is up to date");
});
