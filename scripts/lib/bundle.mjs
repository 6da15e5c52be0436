// TypeScript to the JavaScript files of the package.
import { chmodSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { commonjs, modules, present, programs } from "./entries.mjs";
import { Foreseen } from "./log.mjs";
import { at, root } from "./paths.mjs";

/** @type {import("esbuild").BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "neutral",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "silent",
  external: ["node:*", "./core.wasm", "./files.wasm"],
};

/**
 * ES modules with shared chunks: however many subpaths a program imports, it holds one engine.
 *
 * @param {string} outdir
 */
async function bundleModules(outdir) {
  const { metafile } = await build({
    ...shared,
    entryPoints: present(modules),
    outdir,
    format: "esm",
    splitting: true,
    chunkNames: "chunk-[hash]",
    metafile: true,
  });
  // The bytes must sit in the entry that registers them: in a chunk, a bundler that trusts
  // `sideEffects` would drop the registration, and other subpaths would carry the weight.
  for (const [file, output] of Object.entries(metafile.outputs)) {
    const carries = Object.keys(output.inputs).some((input) => input.endsWith("generated/bytes.js"));
    if (carries && path.basename(file) !== "index.js") {
      throw new Foreseen(`The engine's bytes ended up in ${file}; only js/entries/inline.ts may import them.`);
    }
  }
  // The reader of task files is for those who import or export; nobody else is to download or parse it.
  const entries = Object.keys(present(modules)).map((name) => path.posix.join(path.relative(root, outdir), `${name}.js`));
  for (const file of loadedWith(metafile.outputs, entries)) {
    if (Object.keys(metafile.outputs[file]?.inputs ?? {}).some((input) => input.includes("generated/files"))) {
      throw new Foreseen(`The reader of task files ended up in ${file}, which is loaded at once; reach it by import() alone.`);
    }
  }
}

/**
 * The outputs that are loaded with some of them: the same, and what they import other than by `import()`.
 *
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {readonly string[]} from
 */
function loadedWith(outputs, from) {
  const found = new Set(from);
  for (const file of found) {
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) if (kind !== "dynamic-import") found.add(imported);
  }
  return found;
}

/**
 * The same files for `require`, one by one, so that the chunks stay shared there too.
 *
 * @param {string} outdir
 */
async function convertToCommonjs(outdir) {
  const names = readdirSync(outdir).filter(
    (name) => name.startsWith("chunk-") || commonjs.includes(path.basename(name, ".js")),
  );
  await build({
    ...shared,
    entryPoints: names.map((name) => path.join(outdir, name)),
    outdir,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    // As `require` in a promise: named exports are told for sure, and test runners that know no `import()` get along.
    supported: { "dynamic-import": false },
    plugins: [
      {
        name: "keep-chunks-apart",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\// }, ({ path: file }) => ({
            path: file.replace(/\.js$/, ".cjs"),
            external: true,
          }));
        },
      },
    ],
  });
}

/**
 * Commands use the built modules next to them instead of a second copy of the engine.
 *
 * @param {string} outdir
 */
async function bundlePrograms(outdir) {
  const entryPoints = present(programs);
  const built = new Map(Object.entries(modules).map(([name, file]) => [at(file), `./${name}.js`]));
  built.set(at("js/index.ts"), "./index.js");
  const { metafile } = await build({
    ...shared,
    entryPoints,
    outdir,
    format: "esm",
    metafile: true,
    plugins: [
      {
        name: "use-built-modules",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\.?\// }, ({ path: file, resolveDir }) => {
            const module = built.get(path.resolve(resolveDir, file).replace(/\.js$/, ".ts"));
            return module === undefined ? undefined : { path: module, external: true };
          });
        },
      },
    ],
  });
  const twice = Object.keys(metafile.inputs).filter((file) => /^js\/(runtime\.ts|generated\/)/.test(file));
  if (twice.length > 0) {
    throw new Foreseen(`A command pulls in ${twice.join(", ")}: import the engine from ../index.js only.`);
  }
  for (const name of Object.keys(entryPoints)) chmodSync(path.join(outdir, `${name}.js`), 0o755);
}

/** @param {string} outdir */
export async function bundlePackage(outdir) {
  await bundleModules(outdir);
  await convertToCommonjs(outdir);
  await bundlePrograms(outdir);
}
