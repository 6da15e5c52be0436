// The command `blockedby` and files of other tools: import, export, doctor, and reading them where they are.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileFormats, type FilesReport } from "blockedby/files";
import { idsOf, type Json, Terminal } from "./cli-support.js";

/** A beads record. */
const record = (id: string, title: string, status: string, ...blockers: readonly string[]): string =>
  JSON.stringify({
    id,
    title,
    status,
    issue_type: "task",
    dependencies: blockers.map((blocker) => ({ issue_id: id, depends_on_id: blocker, type: "blocks" })),
  });

const sound = [record("bd-1", "Provision the dev DB", "closed"), record("bd-2", "Seed fixtures", "open", "bd-1")].join("\n");
const ring = [record("a", "A", "open", "b"), record("b", "B", "open", "a"), record("c", "C", "open", "gone")].join("\n");

/** A terminal whose folder holds some files. */
function withFiles(files: Readonly<Record<string, string>>): Terminal {
  const terminal = new Terminal();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(terminal.folder, path, ".."), { recursive: true });
    writeFileSync(join(terminal.folder, path), text);
  }
  return terminal;
}

const bytesOf = (terminal: Terminal, name = ".tasks.json"): string => readFileSync(join(terminal.folder, name), "utf8");

type ReportJson = Omit<FilesReport, "schemaVersion"> & {
  readonly change?: { readonly added: number; readonly changed: number; readonly renamed: Record<string, string> };
};
const reported = (json: Json): ReportJson => json as unknown as ReportJson;

test("import: the report, then what the merge did", () => {
  const terminal = withFiles({ ".beads/issues.jsonl": sound });
  assert.equal(
    terminal.says("import", ".beads/issues.jsonl"),
    ["format beads: 2 tasks, 1 edges", "  1 pending, 1 completed", "sound", "added 2 tasks"].join("\n"),
  );
  assert.deepEqual(idsOf(terminal.json("ready").tasks), ["bd-2"]);
  assert.match(terminal.says("import", ".beads"), /\nnothing changed$/);
});

test("import --json prints the report, and what the merge did under `change`", () => {
  const terminal = withFiles({ "issues.jsonl": sound });
  terminal.says("add", "Another task", "--id", "bd-2");
  terminal.says("add", "Provision the dev DB", "--id", "bd-1");
  const before = bytesOf(terminal);
  const dry = reported(terminal.json("import", "issues.jsonl", "--dry-run"));
  assert.deepEqual(Object.keys(dry), ["format", "tasks", "edges", "counts", "statuses", "problems", "change"]);
  assert.equal(bytesOf(terminal), before, "a dry run writes nothing");
  assert.match(terminal.says("import", "issues.jsonl", "--dry-run"), /\nadded 1 task, changed 1 task \(dry run: nothing was written\)\nrenamed bd-2 to \S+,/);
  const done = reported(terminal.json("import", "issues.jsonl"));
  assert.deepEqual(done, dry);
  assert.deepEqual([done.change?.added, done.change?.changed, Object.keys(done.change?.renamed ?? {})], [1, 1, ["bd-2"]]);
  assert.equal(terminal.json("list").total, 3);
  assert.equal(terminal.json("get", "bd-2").task.title, "Another task", "what was there stays");
  assert.equal(terminal.json("get", "bd-1").task.status, "completed");
});

test("import a folder of Claude Code tasks into a file of its own", () => {
  const task = (id: number, subject: string, ...blockedBy: string[]): string =>
    JSON.stringify({ id: String(id), subject, description: "", status: "pending", blocks: [], blockedBy });
  const terminal = withFiles({ "tasks/1.json": task(1, "First"), "tasks/2.json": task(2, "Second", "1"), "tasks/10.json": task(10, "Tenth", "2"), "tasks/.lock": "" });
  const { format, tasks } = reported(terminal.json("import", "tasks", "--into", "mine.json", "--from", "claude-code"));
  assert.deepEqual([format, tasks], ["claude-code", 3]);
  assert.deepEqual(readdirSync(terminal.folder).sort(), ["mine.json", "tasks"]);
  const rows = terminal.json("list", "--file", "mine.json").tasks;
  assert.deepEqual(rows.map(({ id, blockedBy }) => [id, blockedBy]), [["1", []], ["2", ["1"]], ["10", ["2"]]]);
  assert.deepEqual(terminal.json("list", "--from", "auto", "--file", "tasks").tasks.map(({ id }) => id), ["1", "2", "10"]);
});

test("import --strict refuses and leaves the list's bytes as they were; without it rings are set aside", () => {
  const terminal = withFiles({ "ring.jsonl": ring });
  terminal.says("add", "Mine", "--id", "mine");
  const before = bytesOf(terminal);
  const refused = terminal.run(["import", "ring.jsonl", "--strict"]);
  assert.equal(refused.code, 1);
  assert.match(refused.out, /^format beads: 3 tasks, 3 edges\n[\s\S]*\ncycle: 1\n[\s\S]*\nnot sound\n$/);
  assert.match(refused.err, /^error: The files are not sound, .*\nhint: .+\n$/);
  const asJson = terminal.run(["import", "ring.jsonl", "--strict", "--json"]);
  assert.deepEqual([asJson.code, (JSON.parse(asJson.out) as FilesReport).counts.cycles], [1, 1]);
  assert.equal((JSON.parse(asJson.err) as { error: { code: string } }).error.code, "corrupt");
  assert.deepEqual([bytesOf(terminal), readdirSync(terminal.folder).sort()], [before, [".tasks.json", "ring.jsonl"]]);

  const { counts, change } = reported(terminal.json("import", "ring.jsonl"));
  assert.deepEqual([counts.cycles, counts.danglingEdges, change?.added], [1, 1, 3]);
  assert.deepEqual(idsOf(terminal.json("list").tasks), ["mine", "a", "b", "c"]);
});

test("import of what is no task file says why, and makes no list", () => {
  const terminal = withFiles({ "words.txt": "just words", "torn.jsonl": sound.slice(0, 30), "conflict.json": '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n' });
  for (const file of ["words.txt", "torn.jsonl", "conflict.json"]) {
    const { code, out, err } = terminal.run(["import", file]);
    assert.deepEqual([code, /\nnot sound\n$/.test(out), /^error: No list could be read: /.test(err)], [1, true, true], file);
  }
  assert.match(terminal.run(["import", "conflict.json"]).out, /line 1: /);
  assert.equal(existsSync(join(terminal.folder, ".tasks.json")), false);
  assert.equal(terminal.fails(1, "import", "missing").code, "storage_unavailable");
});

test("doctor: 0 sound, 1 not sound, 2 a wrong command line; it changes nothing", () => {
  const terminal = withFiles({ "good.jsonl": sound, "ring.jsonl": ring });
  const names = readdirSync(terminal.folder);
  assert.match(terminal.says("doctor", "good.jsonl"), /\nsound$/);
  const { code, out, err } = terminal.run(["doctor", "ring.jsonl"]);
  assert.deepEqual([code, err], [1, ""]);
  assert.match(out, /\ncycle: 1\n {2}line \d+: .*\ndangling_edge: 1\n[\s\S]*\nnot sound\n$|\ndangling_edge: 1\n[\s\S]*\ncycle: 1\n[\s\S]*\nnot sound\n$/);
  const json = terminal.run(["doctor", "--json", "ring.jsonl"]);
  assert.equal(json.code, 1);
  const report = JSON.parse(json.out) as FilesReport;
  assert.deepEqual(Object.keys(report), ["schemaVersion", "format", "tasks", "edges", "counts", "statuses", "problems"]);
  assert.equal(report.schemaVersion, 1);
  const cases: [string, readonly string[]][] = [
    ["missing_field", ["doctor"]],
    ["missing_field", ["doctor", ""]],
    ["unknown_field", ["doctor", "good.jsonl", "--strict"]],
    ["unknown_field", ["doctor", "good.jsonl", "--file", "x"]],
    ["invalid_value", ["doctor", "good.jsonl", "--from", "bead"]],
    ["invalid_value", ["import", "good.jsonl", "--from", "csv"]],
    ["invalid_value", ["import", "good.jsonl", "--into", "a", "--file", "b"]],
    ["invalid_value", ["list", "--from", "beads", "--session", "s"]],
    ["missing_field", ["export"]],
    ["invalid_value", ["export", "--to", "plan"]],
  ];
  for (const [field, args] of cases) assert.equal(terminal.fails(2, ...args).code, field, args.join(" "));
  assert.equal(terminal.run(["export", "--to", "claude-code"]).code, 2, "a folder has to be named");
  assert.match(terminal.fails(2, "doctor", "good.jsonl", "--from", "bead").hint, /Did you mean beads\?/);
  assert.deepEqual(readdirSync(terminal.folder), names);
});

test("export to each format, and what was exported is read again", () => {
  const terminal = withFiles({ "issues.jsonl": sound });
  terminal.says("import", "issues.jsonl");
  const before = bytesOf(terminal);
  for (const { word, folder, reads, writes } of fileFormats) {
    if (!writes) continue;
    assert.match(terminal.says("export", "--to", word, "--out", word), folder ? /^wrote \d+ files to / : /^wrote 1 file to /);
    // Standard output ends with a line's end in any case.
    const ended = (text: string): string => text.replace(/\n?$/, "\n");
    if (!folder) assert.equal(terminal.run(["export", "--to", word]).out, ended(bytesOf(terminal, word)), word);
    if (!reads) continue;
    const { tasks } = terminal.json("list", "--from", word, "--file", word);
    assert.deepEqual(tasks.map(({ title }) => title), ["Provision the dev DB", "Seed fixtures"], word);
    assert.deepEqual(tasks.map(({ readiness }) => readiness), ["settled", "ready"], word);
  }
  assert.equal(bytesOf(terminal), before);
});

test("export writes over nothing unless --replace says so", () => {
  const terminal = new Terminal();
  terminal.says("add", "A", "--id", "a");
  writeFileSync(join(terminal.folder, "there.jsonl"), "mine");
  const error = terminal.fails(1, "export", "--to", "beads", "--out", "there.jsonl");
  assert.equal(error.code, "storage_denied");
  assert.equal(bytesOf(terminal, "there.jsonl"), "mine");
  assert.equal(terminal.says("export", "--to", "beads", "--out", "there.jsonl", "--replace"), "wrote 1 file to there.jsonl");
  assert.equal(terminal.fails(1, "export", "--to", "beads", "--out", "no/such/folder.jsonl").code, "storage_unavailable");
  const itself = terminal.fails(2, "export", "--to", "csv", "--out", "./.tasks.json", "--replace");
  assert.match(itself.message, /names the list itself/);
  const { out, code } = terminal.run(["export", "--to", "beads"]);
  assert.deepEqual([code, out], [0, bytesOf(terminal, "there.jsonl")], "the same bytes on standard output");
  const json = JSON.parse(terminal.run(["export", "--to", "beads", "--json"]).out) as FilesReport & { files: { path: string; text: string }[] };
  assert.deepEqual([json.schemaVersion, json.format, json.files.map(({ text }) => text)], [1, "beads", [out]]);
});

test("reading commands look at a foreign file where it is", () => {
  const terminal = withFiles({ "issues.jsonl": sound, "ring.jsonl": ring });
  const names = readdirSync(terminal.folder);
  assert.equal(
    terminal.says("list", "--from", "auto", "--file", "issues.jsonl"),
    ["ID    STATE      TITLE", "bd-1  completed  Provision the dev DB", "bd-2  ready      Seed fixtures"].join("\n"),
  );
  assert.deepEqual(idsOf(terminal.json("ready", "--from", "beads", "--file", "issues.jsonl").tasks), ["bd-2"]);
  assert.equal(terminal.json("get", "bd-1", "--from", "beads", "--file", "issues.jsonl").task.status, "completed");
  const { code, out, err } = terminal.run(["blocked", "--from", "auto", "--file", "ring.jsonl"]);
  assert.equal(code, 0);
  assert.match(out, /^c +blocked +C +gone$/m);
  assert.match(err, /^warning: .* run blockedby doctor ring\.jsonl\.\n$/);
  assert.equal((terminal.json("blocked", "--from", "auto", "--file", "ring.jsonl") as Json & { problems: number }).problems, 2);
  assert.match(terminal.says("explain", "bd-2", "--from", "auto", "--file", "issues.jsonl"), /ready/);
  assert.equal(terminal.fails(1, "list", "--from", "auto", "--file", "missing").code, "storage_unavailable");
  assert.equal(terminal.fails(1, "get", "nobody", "--from", "auto", "--file", "issues.jsonl").code, "not_found");
  assert.deepEqual(readdirSync(terminal.folder), names);
});

test("text of files cannot command the terminal", () => {
  const evil = record("x\u001b[2J\n  forged", "t\u001b]0;title\u0007\u202e", "st\u001b[31m", "gone\u001b[2J", "x\u001b[2J\n  forged");
  const terminal = withFiles({ "evil.jsonl": evil });
  const commanding = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  for (const args of [["doctor", "evil.jsonl"], ["list", "--from", "auto", "--file", "evil.jsonl"], ["import", "evil.jsonl"], ["doctor", "e\u001b[2J"]]) {
    for (const how of [args, [...args, "--json"]]) {
      const { out, err } = terminal.run(how);
      assert.doesNotMatch(out + err, commanding, how.join(" "));
      assert.doesNotMatch(out + err, /^ {2}forged/m);
    }
  }
});

test("the reader is loaded by no other command", () => {
  const terminal = withFiles({ "issues.jsonl": sound });
  const hook = join(terminal.folder, "no-reader.mjs");
  writeFileSync(hook, "WebAssembly.compile = () => { throw new Error('compiled') };");
  const node = { node: ["--import", `file://${hook}`] };
  for (const args of [["add", "A"], ["list"], ["ready"], ["--help"]]) assert.equal(terminal.run(args, node).code, 0, args.join(" "));
  assert.match(terminal.run(["doctor", "issues.jsonl"], node).err, /^error: The reader of task files could not be loaded/);
});

test("the help tells the formats", () => {
  const terminal = new Terminal();
  assert.match(terminal.says("help", "import"), /^blockedby import PATH\.\.\. \[--into FILE\][\s\S]*Formats that can be read:\n {2}blockedby [\s\S]* {2}plan /);
  assert.match(terminal.says("help", "export"), /Formats that can be written:[\s\S]*mermaid/);
  assert.doesNotMatch(terminal.says("help", "doctor"), /--file/);
  assert.doesNotMatch(terminal.says("help", "add"), /Formats/);
});
