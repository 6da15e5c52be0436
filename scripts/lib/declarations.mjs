// The package's type declarations, for `import` and for `require`.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commonjs, modules, present } from "./entries.mjs";
import { Foreseen } from "./log.mjs";
import { at, buildDir } from "./paths.mjs";
import { run } from "./run.mjs";

// Matches `from "./x.js"` and `import("./x.js")` as tsc prints them.
const specifier = /((?:\bfrom|\bimport)\s*\(?\s*")(\.{1,2}\/[^"]+)\.js(")/g;

/** @param {string} source @param {string} folder */
async function emit(source, folder) {
  rmSync(folder, { recursive: true, force: true });
  // Types are checked by `npm test`; here they are only printed, which takes a fraction of the time.
  await run(process.execPath, [
    at("node_modules/typescript/bin/tsc"), "--project", source, "--outDir", folder, "--noCheck",
  ]);
}

/**
 * The declaration files that an entry reaches; the others are internal and stay out of the package.
 *
 * @param {string} folder
 * @param {readonly string[]} entries
 */
function reachable(folder, entries) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue;
    const full = path.join(folder, file);
    if (!existsSync(full)) throw new Foreseen(`${file} is part of the public types but was not emitted.`);
    const text = readFileSync(full, "utf8");
    found.set(file, text);
    for (const [, , relative] of text.matchAll(specifier)) {
      queue.push(path.posix.join(path.posix.dirname(file), `${relative}.d.ts`));
    }
  }
  return found;
}

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** @param {string} source `js/storage/index.ts` becomes `storage/index` */
const stem = (source) => source.replace(/^js\//, "").replace(/\.ts$/, "");

/** @param {string} source */
const declarationOf = (source) => `${stem(source)}.d.ts`;

/** @param {string} outdir */
export async function writeDeclarations(outdir) {
  const folder = path.join(buildDir, "types");
  await emit(at("tsconfig.build.json"), folder);
  const entries = Object.entries(present(modules));
  for (const [file, text] of reachable(folder, entries.map(([, source]) => declarationOf(source)))) {
    write(path.join(outdir, "types", file), text);
  }
  for (const [name, source] of entries) {
    write(path.join(outdir, `${name}.d.ts`), `export * from "./types/${stem(source)}.js";\n`);
  }
  // Once more for `require`: TypeScript tells the two kinds of module apart by the file's ending,
  // all the way down.
  const required = entries.filter(([name]) => commonjs.includes(name));
  for (const [file, text] of reachable(folder, required.map(([, source]) => declarationOf(source)))) {
    const out = path.join(outdir, "types", file.replace(/\.d\.ts$/, ".d.cts"));
    write(out, text.replace(specifier, "$1$2.cjs$3"));
  }
  for (const [name, source] of required) {
    write(path.join(outdir, `${name}.d.cts`), `export * from "./types/${stem(source)}.cjs";\n`);
  }
}
