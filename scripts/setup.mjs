// npm run setup: installs what the build needs. The other scripts call this by themselves.
import { runMain, say } from "./lib/log.mjs";
import { setup } from "./lib/setup.mjs";

await runMain(async () => {
  await setup();
  say("setup is up to date");
});
