// The documents name what the code has: codes, presets, commands, limits; and their links lead somewhere.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createTaskGraph, TaskGraph, TaskStore, taskTools, type Preset, type Rules } from "blockedby";
import { commands } from "../../js/cli/spec.js";

const read = (file: string): string => readFileSync(file, "utf8");
const readme = read("README.md");
const types = read("js/types.ts");

/** The text below a heading, down to the next of the same rank. */
function section(heading: string): string {
  const [, text] = readme.split(`\n## ${heading}\n`);
  assert.ok(text !== undefined, `README.md has a section "${heading}"`);
  return text.split("\n## ")[0] as string;
}

/** The rows of all tables of a text, cells trimmed, without headings. */
function rowsOf(text: string): string[][] {
  const lines = text.split("\n");
  return lines
    .filter((line, at) => line.startsWith("|") && !line.startsWith("|-") && !lines[at + 1]?.startsWith("|-"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);

/** The words of a union of string literals in js/types.ts. */
function unionOf(name: string): string[] {
  const [, text] = new RegExp(`export type ${name} =([^;]*);`).exec(types) ?? [];
  assert.ok(text !== undefined, `js/types.ts has a type ${name}`);
  return [...text.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word as string);
}

const errorRows = rowsOf(section("Error codes"));

test("every error code has one row, and every row a code", () => {
  assert.deepEqual(errorRows.map(([code]) => code).sort(), unionOf("TaskErrorCode").map((code) => `\`${code}\``).sort());
  for (const [code, when] of errorRows) assert.notEqual(when, "", `${code}: when`);
});

test("the rows name the details that the types promise", () => {
  const [, text] = /export interface TaskErrorDetailsByCode \{([\s\S]*?)\n\}/.exec(types) ?? [];
  const shapes = [...(text ?? "").matchAll(/^ {2}(\w+): \{ (.*) \};$/gm)];
  assert.ok(shapes.length > 15, `${shapes.length} shapes were read`);
  for (const [, code, fields] of shapes) {
    const promised = [...(fields as string).matchAll(/(\w+\??):/g)].map(([, name]) => name);
    const [, , details] = errorRows.find(([name]) => name === `\`${code}\``) as string[];
    assert.deepEqual(namesIn(details as string).slice(0, promised.length), promised, code);
  }
});

test("the table of presets is the engine's", () => {
  const [heading] = section("Rules and presets").split("\n").filter((line) => line.startsWith("| rule "));
  const presets = namesIn(heading as string);
  assert.deepEqual(presets, unionOf("Preset"));
  const rules = presets.map((preset) => {
    const { rules } = JSON.parse(createTaskGraph({ rules: preset as Preset }).snapshot()) as { rules: Rules };
    return rules;
  });
  const rows = rowsOf(section("Rules and presets")).filter((row) => row.length === 2 + presets.length);
  assert.deepEqual(rows.map(([name]) => name).sort(), Object.keys(rules[0] as Rules).map((name) => `\`${name}\``).sort());
  for (const [name, , ...values] of rows) {
    const field = namesIn(name as string)[0] as keyof Rules;
    assert.deepEqual(values, rules.map((stored) => `\`${JSON.stringify(stored[field])}\``), field);
  }
});

test("ids and removal are as the table of faces says", async () => {
  const tasks = createTaskGraph();
  assert.equal(tasks.add({ id: "mine", title: "Authored" }).task.id, "mine");
  const minted = /^t_\d+_[a-z0-9]{8}$/;
  assert.match(tasks.add({ title: "Minted" }).task.id, minted);
  assert.equal(tasks.remove("mine").task?.status, "deleted");
  for (const tool of taskTools(tasks, { dialect: "tasks", actor: "agent:main" })) {
    const { task } = (await tool.run({ action: "add", content: "Minted" })) as { task: { id: string } };
    assert.match(task.id, minted);
    await tool.run({ action: "remove", id: task.id });
    assert.equal(tasks.get(task.id)?.status, "deleted");
  }
});

test("every member of the classes is named, and every command", () => {
  const text = readme.replace(/^```[\s\S]*?^```/gm, "");
  const named = new Set(namesIn(text).flatMap((name) => name.split(/\W+/)));
  const internal = ["constructor", "callTool", "notify", "announce", "forgetListeners"];
  const missing = new Set<string>();
  for (const { prototype } of [TaskGraph, TaskStore]) {
    for (let level: object = prototype; level !== Object.prototype; level = Object.getPrototypeOf(level) as object) {
      for (const name of Object.getOwnPropertyNames(level)) if (!internal.includes(name) && !named.has(name)) missing.add(name);
    }
  }
  assert.deepEqual([...missing], []);
  for (const name of Object.keys(commands)) assert.ok(named.has(name), `the command ${name}`);
});

test("every limit is the engine's", () => {
  const limits = read("src/engine/limits.rs");
  const limit = (name: string): string => {
    const [, value] = new RegExp(`const ${name}: \\w+ = ([\\d_]+)`).exec(limits) ?? [];
    assert.ok(value !== undefined, name);
    return Number(value.replaceAll("_", "")).toLocaleString("en-US");
  };
  const said = section("Limits");
  for (const name of ["TASKS", "TITLE_CHARACTERS", "DESCRIPTION_CHARACTERS", "METADATA_BYTES", "BLOCKERS", "BATCH", "JOURNAL_OPERATIONS"]) {
    assert.ok(said.includes(limit(name)), `${name} is ${limit(name)}`);
  }
  assert.match(limits, /JOURNAL_BYTES: usize = 64 << 10/);
  assert.ok(said.includes("64 KiB"));
});

const papers = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ARCHITECTURE.md", "benches/README.md", "tests/conformance/README.md"];
const withoutCode = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "code");

/** What the site that shows a heading makes its anchor of. */
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-");

test("links lead to files and headings that exist", () => {
  const broken: string[] = [];
  for (const paper of papers.filter(existsSync)) {
    // Text within backquotes in a link is still the link's text.
    for (const [, target] of withoutCode(read(paper)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target as string)) continue;
      const [path, anchor] = (target as string).split("#") as [string, string | undefined];
      const file = path === "" ? paper : join(dirname(paper), path);
      const headings = (): string[] => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text]) => anchorOf(text as string));
      if (!existsSync(file) || (anchor !== undefined && !headings().includes(anchor))) broken.push(`${paper}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test("folders and scripts that CONTRIBUTING.md names exist", () => {
  const text = read("CONTRIBUTING.md");
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  for (const [, name] of text.matchAll(/npm run ([a-z:]+)/g)) assert.ok((name as string) in scripts, `npm run ${name}`);
  const paths = namesIn(text).filter((name) => /^[\w.-]+\/[\w./-]*$/.test(name));
  assert.ok(paths.length > 10, `${paths.length} paths were read`);
  assert.deepEqual(paths.filter((path) => !existsSync(path)), []);
});

test("the licences are there, and the package's version has its entry", () => {
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE"]) assert.match(read(file), /Copyright .*the blockedby contributors/);
  const { version } = JSON.parse(read("pkg/package.json")) as { version: string };
  assert.ok(read("CHANGELOG.md").includes(`\n## ${version}`));
});
