// README.md tells the truth: every recipe is type-checked and run, and gives what its comments say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { transform } from "esbuild";
import ts from "typescript";
import { program } from "./cli-support.js";

/** A fenced block of README.md: the words behind its fence, the heading above it, its lines. */
interface Block {
  readonly words: readonly string[];
  readonly heading: string;
  readonly code: string;
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let open: { words: readonly string[]; lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) {
      if (open === undefined) open = { words: line.slice(3).split(" "), lines: [] };
      else {
        blocks.push({ words: open.words, heading, code: open.lines.join("\n") });
        open = undefined;
      }
    } else if (open !== undefined) open.lines.push(line);
    else heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

const blocks = blocksOf(readFileSync("README.md", "utf8"));
const recipes = blocks.filter(({ words }) => words.includes("recipe"));

// Within the repository, so that `blockedby` is found as a user's program finds it.
mkdirSync("build", { recursive: true });
const folder = mkdtempSync(resolve("build/readme-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Turns `… // → value` into checks. A line that says so and is not understood is an error. */
function withChecks(code: string): { code: string; checks: number } {
  let checks = 0;
  const lines = code.split("\n").map((line, at) => {
    if (!line.includes("// →")) return line;
    checks += 1;
    const found = /^(?:const (\w+) = )?(.*?);? \/\/ → (?:throws "(\w+)"|(.*))$/.exec(line);
    assert.ok(found !== null && !line.startsWith(" "), `line ${at + 1} is a statement of one line: ${line}`);
    const [, name, expression, refusal, value] = found;
    if (refusal !== undefined) return `await __refused(${at + 1}, async () => ${expression}, "${refusal}");`;
    if (name !== undefined) return `const ${name} = ${expression}; __same(${at + 1}, ${name}, ${value});`;
    return `__same(${at + 1}, ${expression}, ${value});`;
  });
  return { code: lines.join("\n"), checks };
}

const support = `
import { deepEqual as __deepEqual } from "node:assert/strict";
let __done = 0;
const __plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const __same = (line, got, expected) => {
  __deepEqual(__plain(got), expected, "line " + line + " gives " + JSON.stringify(got));
  __done += 1;
};
const __refused = async (line, run, code) => {
  const got = await run().then(() => "nothing", (error) => error.code ?? String(error));
  __deepEqual(got, code, "line " + line + " throws " + got);
  __done += 1;
};
process.on("exit", () => console.log("checks done: " + __done));
`;

/** What a browser has and Node has not. */
const browser = `
import "fake-indexeddb/auto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith("file:")) return fetch(url, init);
  return new Response(await readFile(fileURLToPath(url)), { headers: { "content-type": "application/wasm" } });
};
`;

/** As much of React as the recipe needs: one render. */
const react = {
  "package.json": '{"name":"react","version":"0.0.0","type":"module","main":"index.js","types":"index.d.ts"}',
  "index.js": "export const useSyncExternalStore = (subscribe, getSnapshot) => (subscribe(() => undefined)(), getSnapshot());",
  "index.d.ts":
    "export declare function useSyncExternalStore<T>(subscribe: (watcher: () => void) => () => void, getSnapshot: () => T, getServerSnapshot?: () => T): T;",
};

mkdirSync(join(folder, "node_modules/react"), { recursive: true });
for (const [file, text] of Object.entries(react)) writeFileSync(join(folder, "node_modules/react", file), text);
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
writeFileSync(join(folder, "browser.mjs"), browser);

test("there are recipes", () => {
  assert.ok(recipes.length >= 12, `${recipes.length} recipes`);
});

test("blocks of code are either recipes or shell", () => {
  const others = blocks.filter(({ words }) => ["ts", "js"].includes(words[0] ?? "") && !words.includes("recipe"));
  assert.deepEqual(others.map(({ heading }) => heading), []);
});

test("every recipe is sound TypeScript", () => {
  const files = recipes.map(({ code }, at) => {
    const file = join(folder, `types-${at}.ts`);
    writeFileSync(file, code);
    return file;
  });
  const made = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: true,
    noEmit: true,
  });
  const wrong = ts.getPreEmitDiagnostics(made).map(({ file, start, messageText }) => {
    const recipe = recipes[Number(/types-(\d+)\.ts$/.exec(file?.fileName ?? "")?.[1] ?? -1)];
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${recipe?.heading ?? file?.fileName}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
  assert.deepEqual(wrong, []);
});

for (const [at, { heading, words, code }] of recipes.entries()) {
  test(`recipe: ${heading}`, async () => {
    const checked = withChecks(code);
    assert.ok(checked.checks > 0, "it shows what it gives");
    const { code: script } = await transform(checked.code, { loader: "ts", target: "node20", format: "esm" });
    const place = join(folder, `recipe-${at}`);
    mkdirSync(place);
    writeFileSync(join(place, "recipe.mjs"), support + script);
    const inBrowser = words.includes("browser") ? ["--import", "../browser.mjs"] : [];
    const { KIN_SESSION_DIR: _folder, ...env } = process.env;
    const ran = spawnSync(process.execPath, [...inBrowser, "recipe.mjs"], { cwd: place, env, encoding: "utf8", timeout: 60_000 });
    assert.equal(ran.status, 0, ran.stderr);
    assert.equal(ran.stdout.trim(), `checks done: ${checked.checks}`);
  });
}

/** Whether a line fits what the README shows; `…` stands for anything. */
function fits(line: string, shown: string): boolean {
  const parts = shown.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(line);
}

test("the command line says what is shown", () => {
  const sessions = blocks.filter(({ words }) => words.includes("cli"));
  assert.equal(sessions.length, 1);
  const place = join(folder, "cli");
  mkdirSync(join(place, "bin"), { recursive: true });
  symlinkSync(program, join(place, "bin/blockedby"));
  const steps = (sessions[0] as Block).code.split(/^\$ /m).slice(1).map((step) => {
    const [command, ...shown] = step.trimEnd().split("\n");
    return { command: command as string, shown };
  });
  // One shell for all, so that `$?` is that of the command before.
  const end = "\u0001";
  const script = steps.map(({ command }) => `${command}\n__code=$?; printf '${end}'; (exit $__code)`).join("\n");
  const { KIN_SESSION_DIR: _folder, FORCE_COLOR: _colour, ...env } = process.env;
  const { stdout } = spawnSync("sh", ["-c", `exec 2>&1\n${script}`], {
    cwd: place,
    env: { ...env, PATH: `${join(place, "bin")}:${env["PATH"] ?? ""}` },
    encoding: "utf8",
    timeout: 60_000,
  });
  const said = stdout.split(end).map((text) => text.split("\n").filter((line) => line !== ""));
  for (const [at, { command, shown }] of steps.entries()) {
    const lines = said[at] ?? [];
    const same = lines.length === shown.length && lines.every((line, row) => fits(line, shown[row] as string));
    assert.ok(same, `${command}\nsays:\n${lines.join("\n")}\nthe README shows:\n${shown.join("\n")}`);
  }
});
