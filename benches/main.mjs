// Bundles benches/ for Node and runs it; `npm run bench` ends here.
// Packages stay outside the bundle, so that each is loaded as its users load it.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("..", import.meta.url);
const outdir = new URL("build/bench/", root);

await build({
  entryPoints: [fileURLToPath(new URL("benches/run.ts", root))],
  outdir: fileURLToPath(outdir),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // One chunk per engine: a process loads only the one it measures.
  splitting: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
});
await import(new URL("run.mjs", outdir).href);
