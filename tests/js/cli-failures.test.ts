// The command `blockedby` when something is wrong: refusals, mistakes in writing, races, hostile text.
import assert from "node:assert/strict";
import { spawn, spawnSync, type StdioOptions } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openTasks } from "blockedby";
import { sidecarStorage } from "blockedby/node";
import { idsOf, program, Terminal } from "./cli-support.js";

const bytesOf = (terminal: Terminal, name = ".tasks.json"): string => readFileSync(join(terminal.folder, name), "utf8");

test("what the engine refuses ends with 1 and changes nothing", () => {
  const terminal = new Terminal();
  terminal.says("add", "A", "--id", "a");
  terminal.says("add", "B", "--id", "b", "--blocked-by", "a");
  const before = bytesOf(terminal);
  const cases: [string, readonly string[], object?][] = [
    ["missing_field", ["add", " "], { field: "title" }],
    ["duplicate_id", ["add", "again", "--id", "a"], { id: "a" }],
    ["unknown_blocker", ["add", "C", "--blocked-by", "zz"]],
    ["not_found", ["complete", "nobody"]],
    ["not_found", ["get", "nobody"]],
    ["not_found", ["explain", "nobody"]],
    ["not_found", ["remove", "nobody"]],
    ["self_block", ["update", "a", "--blocked-by", "a"], { id: "a" }],
    ["cycle", ["update", "a", "--blocked-by", "b"], { path: ["a", "b", "a"], titles: ["A", "B", "A"], kinds: ["edge", "edge"] }],
    ["nothing_to_change", ["update", "a"]],
    ["invalid_value", ["update", "a", "--status", "started"]],
    ["invalid_value", ["update", "a", "--status", "held"]],
  ];
  for (const [code, args, details] of cases) {
    const error = terminal.fails(1, ...args);
    assert.equal(error.code, code, args.join(" "));
    assert.ok(error.hint.length > 5, `${code} has a hint`);
    if (details !== undefined) assert.deepEqual(error.details, details);
  }
  const told = terminal.fails(1, "complete", "nobody");
  const { code, out, err } = terminal.run(["complete", "nobody"]);
  assert.deepEqual([code, out, err], [1, "", `error: ${told.message}\nhint: ${told.hint}\n`], "the same for people");
  assert.equal(bytesOf(terminal), before);
});

test("a command line that makes no sense ends with 2, says what is meant, and opens nothing", () => {
  const terminal = new Terminal();
  const cases: [string, readonly string[], RegExp][] = [
    ["unknown_field", ["complet", "a"], /Did you mean complete\?/],
    ["unknown_field", ["wibble"], /--help/],
    ["unknown_field", ["list", "--stats", "pending"], /Did you mean --status\?/],
    ["unknown_field", ["list", "--blocked-by", "a"], /./],
    ["unknown_field", ["add", "A", "-x"], /./],
    ["missing_field", ["add"], /TITLE/],
    ["missing_field", ["get"], /ID/],
    ["missing_field", ["add", "A", "--id"], /--id ID/],
    ["missing_field", ["list", "--session-dir", "."], /./],
    ["invalid_value", ["add", "Buy", "milk"], /quotes/],
    ["invalid_value", ["list", "a"], /./],
    ["invalid_value", ["add", "A", "--id", "--file"], /--id=--file/],
    ["invalid_value", ["add", "A", "--id", "a", "--id", "b"], /once/],
    ["invalid_value", ["list", "--status", "complete"], /Did you mean completed\?/],
    ["invalid_value", ["list", "--status", ""], /./],
    ["invalid_value", ["list", "--file", "x", "--session", "y"], /./],
    ["invalid_value", ["list", "--actor", "ann"], /user:ann/],
  ];
  for (const [code, args, hint] of cases) {
    const error = terminal.fails(2, ...args);
    assert.equal(error.code, code, args.join(" "));
    assert.match(error.hint, hint);
  }
  const { code, err } = terminal.run([]);
  assert.deepEqual([code, err], [2, "error: No command was given.\nhint: Run `blockedby --help`.\n"]);
  assert.equal(terminal.run(["list", "--json=yes"]).code, 2);
  assert.deepEqual(readdirSync(terminal.folder), []);
});

test("commands that read neither recover nor write; the next change recovers (D15)", async () => {
  const terminal = new Terminal();
  const file = join(terminal.folder, ".tasks.json");
  const anHourAgo = Date.now() - 3_600_000;
  const tasks = await openTasks({ storage: sidecarStorage({ file }), rules: "tasks", now: () => anHourAgo });
  await tasks.add({ id: "a", title: "A" });
  await tasks.start("a");
  await tasks.close();
  const before = bytesOf(terminal);
  const { mtimeNs } = statSync(file, { bigint: true });
  const names = readdirSync(terminal.folder);
  for (const args of [["list"], ["get", "a"], ["ready"], ["blocked"], ["explain", "a"]]) terminal.says(...args);
  assert.equal(terminal.json("get", "a").task.status, "in_progress");
  assert.equal(bytesOf(terminal), before);
  assert.equal(statSync(file, { bigint: true }).mtimeNs, mtimeNs);
  assert.deepEqual(readdirSync(terminal.folder), names);
  terminal.says("add", "B", "--id", "b");
  assert.deepEqual(idsOf(terminal.json("ready").tasks), ["a", "b"]);
});

test("a damaged or foreign file is refused and keeps its bytes", () => {
  const terminal = new Terminal();
  for (const text of ["", "{", "\0\0\0\0", '{"format":"other"}', "[1]"]) {
    writeFileSync(join(terminal.folder, ".tasks.json"), text);
    assert.equal(terminal.fails(1, "list").code, "corrupt", JSON.stringify(text));
    assert.equal(terminal.fails(1, "add", "A").code, "corrupt");
    assert.equal(bytesOf(terminal), text);
  }
});

test("titles cannot command the terminal", () => {
  const terminal = new Terminal();
  const evil = "a\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202eback\u2028line\nnext\tend";
  // Through the API: a command line cannot carry all of this.
  writeFileSync(
    join(terminal.folder, ".tasks.json"),
    JSON.stringify({ tasks: [{ id: "x\u001b[2J", content: evil, description: "l1\u001b[1m\nl2", status: "pending" }] }),
  );
  const commanding = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  for (const args of [["list"], ["ready"], ["get", "x\u001b[2J"], ["explain", "x\u001b[2J"], ["complete", "x\u001b[2J"]]) {
    const shown = terminal.says(...args);
    assert.doesNotMatch(shown, commanding, args[0]);
    assert.match(shown, /a\\x1b\[31mred|`x\\x1b\[2J`/);
  }
  const out = terminal.says("list", "--json");
  assert.doesNotMatch(out, commanding);
  assert.equal((JSON.parse(out) as { tasks: { title: string }[] }).tasks[0]?.title, evil, "the data is as it was");
  const { err } = terminal.run(["update", "x\u001b[2J", "--blocked-by", "\u001b[2J"]);
  assert.match(err, /\\x1b\[2J/);
  assert.doesNotMatch(err, commanding);
});

test("titles of every width stand in line", () => {
  const terminal = new Terminal();
  const titles = ["plain", "日本語の題", "👩‍👩‍👧 family", "e\u0301te\u0301", "한국어", "🇩🇪 flag", "ｶﾅ", "ก็ดี", "x".repeat(300)];
  terminal.says("add", "blocker", "--id", "b");
  titles.forEach((title, at) => terminal.says("add", title, "--id", `t${at}`, "--blocked-by", "b"));
  const lines = terminal.says("list").split("\n");
  // Columns of what stands before the last word, counted by hand: 21 to the title, 60 for it, 2 between.
  const widths: Record<string, number> = { "日本語の題": 10, "👩‍👩‍👧 family": 9, "e\u0301te\u0301": 3, "한국어": 6, "🇩🇪 flag": 7, "ｶﾅ": 2, "ก็ดี": 2 };
  for (const [at, title] of titles.slice(0, -1).entries()) {
    const line = lines.find((candidate) => candidate.startsWith(`t${at} `)) ?? "";
    const rest = line.slice(line.indexOf(title) + title.length);
    assert.equal(rest.length - 1, 62 - (widths[title] ?? title.length), title);
  }
  assert.ok(lines.at(-1)?.includes(`${"x".repeat(59)}…  b`));
});

test("processes that add at once lose nothing", { timeout: 120_000 }, async () => {
  const terminal = new Terminal();
  const adding = async (name: string): Promise<void> => {
    for (let i = 0; i < 6; i++) {
      const { code, err } = await terminal.start(["add", name, "--id", `${name}${i}`]);
      assert.deepEqual([code, err], [0, ""]);
    }
  };
  await Promise.all([adding("a"), adding("b")]);
  assert.equal(terminal.json("list").total, 12);
});

test("a race that is lost for good ends with 9, and nothing of the call is stored", () => {
  const terminal = new Terminal();
  terminal.says("add", "A", "--id", "a");
  const file = join(terminal.folder, ".tasks.json");
  // Another writer that is always faster: it touches the file each time that a save takes the lock.
  const hook = join(terminal.folder, "faster.mjs");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
     import { syncBuiltinESMExports } from "node:module";
     import promises from "node:fs/promises";
     const { open } = promises;
     promises.open = (path, ...rest) => {
       if (String(path).endsWith(".lock")) appendFileSync(${JSON.stringify(file)}, "\\n");
       return open(path, ...rest);
     };
     syncBuiltinESMExports();`,
  );
  const { code, out, err } = terminal.run(["add", "B", "--json"], { node: ["--import", pathToFileURL(hook).href] });
  assert.deepEqual([code, out], [9, ""]);
  assert.equal((JSON.parse(err) as { error: { code: string } }).error.code, "conflict");
  assert.deepEqual(idsOf(terminal.json("list").tasks), ["a"]);
});

test("a reader that has seen enough is no failure", async () => {
  const terminal = new Terminal();
  const tasks = await openTasks({ storage: sidecarStorage({ file: join(terminal.folder, ".tasks.json") }) });
  await tasks.batch(Array.from({ length: 3_000 }, (_, at) => ({ action: "add" as const, title: `Task ${at} ${"x".repeat(50)}` })));
  await tasks.close();
  const child = spawn(process.execPath, [program, "list"], { cwd: terminal.folder });
  let err = "";
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.deepEqual([code, err], [0, ""]);
});

const full = "/dev/full";
test("an answer that cannot be printed ends with 1 and one error, not a stack", { skip: existsSync(full) ? false : `no ${full} here` }, () => {
  const terminal = new Terminal();
  terminal.says("add", "A", "--id", "a");
  const out = openSync(full, "w");
  try {
    const run = (args: readonly string[], stdio: StdioOptions): { status: number | null; err: string } => {
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: terminal.folder, stdio, encoding: "utf8" });
      return { status, err: stderr ?? "" };
    };
    for (const args of [["list"], ["add", "B"], ["--help"], ["--version"]]) {
      const { status, err } = run(args, ["ignore", out, "pipe"]);
      assert.equal(status, 1, args.join(" "));
      assert.match(err, /^error: Could not print the answer: .*ENOSPC.*\nhint: .+\n$/);
    }
    const json = JSON.parse(run(["list", "--json"], ["ignore", out, "pipe"]).err) as { error: { code: string } };
    assert.equal(json.error.code, "storage_quota");
    // Nor can the error be told: the exit code has to do.
    assert.equal(run(["list"], ["ignore", out, out]).status, 1);
    assert.equal(run(["complete", "nobody"], ["ignore", "pipe", out]).status, 1);
    assert.equal(run(["wibble"], ["ignore", "pipe", out]).status, 2);
  } finally {
    closeSync(out);
  }
  assert.deepEqual(terminal.json("list").tasks.map(({ title }) => title), ["A", "B"], "what was done is done");
});
