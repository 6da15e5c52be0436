// npm start: builds what is stale and serves the site on the loopback address.
// PORT chooses the port; when it is taken, any free one is used.
import { buildAll } from "./lib/build.mjs";
import { runMain, say } from "./lib/log.mjs";
import { at } from "./lib/paths.mjs";
import { serve, strictPolicy } from "./lib/serve.mjs";

const preferredPort = Number(process.env["PORT"] ?? 4747);

await runMain(async () => {
  await buildAll();
  const site = {
    folders: { "/": at("build/www"), "/pkg/": at("pkg/dist") },
    policy: strictPolicy,
  };
  const server = await serve(site, preferredPort).catch((error) => {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    return serve(site);
  });
  say(`\nblockedby is at ${server.url}  (Ctrl+C ends it)`);
});
