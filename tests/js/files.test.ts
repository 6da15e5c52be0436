// Reading and writing other tools' files: `blockedby/files` on texts, bytes and lists, and what hostile callers get.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createTaskGraph, openTasks, type Command, type TaskGraph } from "blockedby";
import {
  exportTasks,
  fileFormats,
  importTasks,
  inspect,
  readTasks,
  type FilesInput,
  type FilesReport,
  type ReadableFormat,
  type WritableFormat,
} from "blockedby/files";
import { memoryRecordStorage, memoryStorage } from "blockedby/storage";
import { ids, rejected } from "./support/common.js";

/** A beads ledger: `[id, title, status, ...the ids that it waits for]` per line. */
const ledger = (...rows: readonly (readonly string[])[]): string =>
  rows
    .map(([id, title, status, ...blockers]) => ({
      id,
      title,
      status,
      issue_type: "task",
      dependencies: blockers.map((blocker) => ({ issue_id: id, depends_on_id: blocker, type: "blocks" })),
    }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("");

const plan = ledger(["bd-1", "Provision the dev DB", "closed"], ["bd-2", "Seed fixtures", "open", "bd-1"], ["bd-3", "Test", "open", "bd-2"]);
const ring = ledger(["a", "A", "open", "b"], ["b", "B", "open", "a"]);

const opened = (list: string | undefined): TaskGraph => createTaskGraph({ snapshot: list as string, onCycle: "setAside" });
const edges = (tasks: TaskGraph): unknown => tasks.getSnapshot().map(({ id, status, blockedBy }) => [id, status, blockedBy]);

test("a text, bytes of every kind and a file with a path read alike", async () => {
  const bytes = new TextEncoder().encode(plan);
  const inputs: FilesInput[] = [
    plan,
    bytes,
    Buffer.from(plan),
    bytes.buffer,
    new DataView(bytes.buffer),
    { path: ".beads/issues.jsonl", content: plan },
    { path: "x", content: bytes },
    [plan],
    [{ path: "issues.jsonl", content: bytes.buffer }],
  ];
  for (const input of inputs) {
    const { list, report, sound } = await readTasks(input);
    assert.deepEqual([report.format, report.tasks, report.edges, sound, report.problems], ["beads", 3, 2, true, []]);
    assert.deepEqual(edges(opened(list)), [
      ["bd-1", "completed", []],
      ["bd-2", "pending", ["bd-1"]],
      ["bd-3", "pending", ["bd-2"]],
    ]);
  }
});

test("what is given is copied before anything else happens", async () => {
  const bytes = new TextEncoder().encode(plan);
  const reading = readTasks(bytes);
  bytes.fill(0);
  assert.equal((await reading).report.tasks, 3);
});

test("a report is plain data and says what was repaired; strict gives no list", async () => {
  const report = await inspect(ring);
  assert.deepEqual(Object.keys(report), ["schemaVersion", "format", "tasks", "edges", "counts", "statuses", "problems"]);
  assert.deepEqual(report.counts, { cycles: 1, danglingEdges: 0, duplicateIds: 0, selfEdges: 0, repeatedEdges: 0 });
  assert.deepEqual(Object.keys(report.statuses), ["pending", "in_progress", "held", "completed", "cancelled", "deleted"]);
  const [problem] = report.problems;
  assert.deepEqual([problem?.kind, problem?.line !== undefined, problem?.ids.length], ["cycle", true, 3]);

  const read = await readTasks(ring);
  assert.equal(read.sound, false);
  const tasks = opened(read.list);
  assert.deepEqual(tasks.getSnapshot().flatMap(({ asideBlockedBy = [] }) => asideBlockedBy).length, 1);
  assert.equal(tasks.ready().length, 1);

  const strict = await readTasks(ring, { strict: true });
  assert.deepEqual([strict.list, strict.sound, strict.report], [undefined, false, report]);
  assert.equal((await readTasks(plan, { strict: true })).sound, true);
});

test("text(most) is what Rust would say", async () => {
  const many = ledger(...Array.from({ length: 30 }, (_, at) => [`t${at}`, `T ${at}`, "open", `gone${at}`, `t${at}`]), ["r", "R", "open", "s"], ["s", "S", "open", "r"]);
  const glue = await import("../../js/generated/files.js");
  const bytes = readFileSync("js/generated/files_bg.wasm");
  glue.initSync({ module: bytes });
  for (const text of [many, plan, "nothing"]) {
    const content = new TextEncoder().encode(text);
    glue.read_files(JSON.stringify([{ path: "input", length: content.length }]), content, "{}");
    const read = await readTasks(text);
    for (const most of [0, 1, 10, 1_000]) assert.equal(read.text(most), glue.take_report_text(most));
    assert.equal(read.text(), glue.take_report_text(10));
  }
});

test("bad content never rejects: the report says it", async () => {
  const bad: [string, FilesInput][] = [
    ["empty", ""],
    ["blank", " \n"],
    ["words", "just some words"],
    ["torn", plan.slice(0, 40)],
    ["zero bytes", new Uint8Array(50)],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
    ["no file", []],
  ];
  for (const [name, input] of bad) {
    const { list, report, sound } = await readTasks(input);
    assert.deepEqual([list, sound], [undefined, false], name);
    assert.ok(report.problems.length > 0, name);
    assert.deepEqual(await inspect(input), report);
    const error = await rejected("corrupt", importTasks(input));
    const { problems, report: told } = error.details as unknown as Pick<FilesReport, "problems"> & { report: FilesReport };
    assert.deepEqual([problems, told], [report.problems.slice(0, 5), report], name);
    assert.ok(error.hint.length > 10);
  }
});

test("UTF-16 and a byte-order mark are read and told", async () => {
  const { list, report } = await readTasks(Buffer.from(`\ufeff${plan}`, "utf16le"));
  assert.equal(opened(list).list().total, 3);
  assert.equal(report.problems[0]?.kind, "encoding");
});

test("a format that is named is believed", async () => {
  const bare = '{"tasks":[{"id":"a","title":"A","blockedBy":["b"]},{"id":"b","title":"B"}]}';
  assert.equal((await inspect(bare)).format, "tasks");
  assert.equal((await inspect(bare, { from: "task-master" })).format, "task-master");
});

test("the formats are those of the engine, and the kinds of problems too", async () => {
  const glue = await import("../../js/generated/files.js");
  glue.initSync({ module: readFileSync("js/generated/files_bg.wasm") });
  const known = fileFormats.map(({ word, reads, writes, folder }) => ({ word, reads, writes, folder }));
  assert.deepEqual(JSON.parse(glue.formats()), known);
  const rust = readFileSync("src/interchange/report.rs", "utf8");
  const words = [...rust.matchAll(/ProblemKind::\w+ => "(\w+)"/g)].map(([, word]) => word as string);
  const [, union] = /export type FilesProblemKind =([^;]*);/.exec(readFileSync("js/files/types.ts", "utf8")) as RegExpExecArray;
  assert.deepEqual([...(union as string).matchAll(/"(\w+)"/g)].map(([, word]) => word).sort(), words.sort());
});

/** A list that has a task of its own under an id of the plan, and one that the plan has too. */
function target(): readonly Command[] {
  return [
    { action: "add", id: "mine", title: "Mine" },
    { action: "add", id: "bd-2", title: "Another task", blockedBy: ["mine"] },
    { action: "add", id: "bd-1", title: "Provision the dev DB" },
  ];
}

test("importing into a graph merges: nothing of it is lost, and a dry run touches nothing", async () => {
  const tasks = createTaskGraph();
  tasks.batch(target());
  const before = tasks.snapshot();
  const dry = await importTasks(plan, { into: tasks, dryRun: true });
  assert.equal(tasks.snapshot(), before);

  const { change, sound, report, list } = await importTasks(plan, { into: tasks });
  assert.deepEqual([sound, report.tasks, opened(list).list().total], [true, 3, 3]);
  assert.deepEqual([change?.action, change?.changed], ["merge", true]);
  assert.deepEqual([dry.change?.keys, dry.change?.tasks?.map(({ id }) => id)], [change?.keys, change?.tasks?.map(({ id }) => id)]);
  const renamed = change?.keys?.["bd-2"] as string;
  assert.deepEqual(edges(tasks), [
    ["mine", "pending", []],
    ["bd-2", "pending", ["mine"]],
    ["bd-1", "completed", []],
    [renamed, "pending", ["bd-1"]],
    ["bd-3", "pending", [renamed]],
  ]);
  assert.equal((await importTasks(plan, { into: tasks })).change?.changed, false, "a second time nothing is new");
});

test("importing into a store resolves once it is stored", async () => {
  for (const storage of [memoryStorage(), memoryRecordStorage()]) {
    const tasks = await openTasks({ storage });
    await tasks.batch(target());
    const { revision } = tasks;
    await importTasks(plan, { into: tasks, dryRun: true });
    assert.deepEqual([tasks.revision, tasks.unsaved], [revision, 0]);
    const { change } = await importTasks(plan, { into: tasks });
    assert.deepEqual([change?.changed, tasks.unsaved], [true, 0]);
    const again = await openTasks({ storage: storage.peer() });
    assert.deepEqual(ids(again.getSnapshot()), ids(tasks.getSnapshot()));
    await Promise.all([tasks.close(), again.close()]);
  }
});

test("a ring over the edge of two lists is set aside", async () => {
  const tasks = createTaskGraph();
  tasks.batch([
    { action: "add", id: "bd-3", title: "Test" },
    { action: "add", id: "bd-2", title: "Seed fixtures", blockedBy: ["bd-3"] },
  ]);
  await importTasks(plan, { into: tasks });
  assert.deepEqual(tasks.get("bd-3")?.asideBlockedBy, ["bd-2"]);
});

test("a refused import leaves the list alone", async () => {
  const tasks = createTaskGraph();
  tasks.batch(target());
  const before = tasks.snapshot();
  assert.match((await rejected("corrupt", importTasks(ring, { into: tasks, strict: true }))).message, /strict/);
  await rejected("corrupt", importTasks("no list", { into: tasks }));
  assert.equal(tasks.snapshot(), before);
  tasks.dispose();
  await rejected("disposed", importTasks(plan, { into: tasks }));
});

test("exporting: from a graph, a store and a text, and back again", async () => {
  const { list } = await importTasks(plan);
  const tasks = opened(list);
  const store = await openTasks();
  await importTasks(plan, { into: store });
  for (const from of [tasks, store, list]) {
    const { files, folder, report } = await exportTasks(from, "beads");
    assert.deepEqual([files.length, folder, report.format], [1, false, "beads"]);
    const back = await readTasks(files.map(({ path, text }) => ({ path, content: text })));
    assert.deepEqual(edges(opened(back.list)), edges(tasks));
  }
  for (const { word, writes, folder } of fileFormats) {
    if (!writes) continue;
    const exported = await exportTasks(list, word as WritableFormat);
    assert.equal(exported.folder, folder);
    assert.ok(exported.files.every(({ path, text }) => path !== "" && typeof text === "string"), word);
  }
  await store.close();
});

test("exporting what is no list, or to what is no format", async () => {
  await rejected("corrupt", exportTasks("{", "beads"));
  await rejected("corrupt", exportTasks("words", "blockedby"));
  const { list } = await importTasks(plan);
  for (const word of ["tasks", "plan", "bead", "", "__proto__", undefined, 7]) {
    const error = await rejected("invalid_value", exportTasks(list, word as WritableFormat));
    assert.match(error.hint, /task-master/);
  }
  for (const wrong of [undefined, null, 7, {}, "\ud800"]) {
    await rejected("invalid_value", exportTasks(wrong as string, "beads"));
  }
});

test("hostile input is refused with a typed error", async () => {
  const throwing = { get path(): string { throw new Error("no"); }, content: plan };
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const inputs: unknown[] = [
    undefined, null, 7, true, Symbol("s"), () => plan, {}, [undefined], [[plan]], new Map(), [,],
    { path: 7, content: plan }, { path: "a" }, { path: "a", content: 7 }, { path: "a", content: [1, 2] },
    throwing, [throwing], proxy, new Proxy({}, { get() { throw new Error("no"); } }),
    "half \ud800 a pair", { path: "\udc00", content: plan }, { path: "a", content: "\ud800" },
  ];
  for (const input of inputs) {
    for (const call of [inspect, readTasks, importTasks]) await rejected("invalid_value", call(input as FilesInput));
  }
  const tooMuch = async (input: FilesInput): Promise<unknown> => (await rejected("limit", readTasks(input))).details;
  assert.deepEqual(await tooMuch(new Array<string>(100_001).fill("a")), { limit: "files", max: 100_000 });
  assert.deepEqual(await tooMuch(new Array(4_000_000_000)), { limit: "files", max: 100_000 });
  assert.deepEqual(await tooMuch(new Uint8Array(256 * 1024 * 1024 + 1)), { limit: "bytes", max: 256 * 1024 * 1024 });
});

test("options that cannot be used are refused", async () => {
  for (const from of ["csv", "bead", "", "constructor", 7, {}]) {
    await rejected("invalid_value", readTasks(plan, { from: from as ReadableFormat }));
  }
  await rejected("invalid_value", readTasks(plan, { strict: "yes" as unknown as boolean }));
  await rejected("invalid_value", importTasks(plan, { dryRun: 1 as unknown as boolean }));
  await rejected("invalid_value", importTasks(plan, { into: {} as TaskGraph }));
  await rejected("invalid_value", readTasks(plan, "beads" as never));
  await rejected("unknown_field", inspect(plan, { strict: true } as never));
  await rejected("unknown_field", importTasks(plan, { dryrun: true } as never));
  await rejected("invalid_value", importTasks(plan, { get into(): never { throw new Error("no"); } }));
});

test("a long file of one string is read or refused, never a crash", { timeout: 120_000 }, async () => {
  const long = `{"tasks":[{"id":"a","title":"A","description":"${"x".repeat(100 * 1024 * 1024)}"}]}`;
  const { report } = await readTasks(long);
  assert.ok(report.tasks === 1 || report.problems.length > 0);
  await rejected("corrupt", importTasks("[".repeat(10 * 1024 * 1024)));
  // The next one is as if nothing had been.
  assert.equal((await readTasks(plan)).sound, true);
});

test("calls at once do not meet", async () => {
  const answers = await Promise.all([plan, ring, "nothing", plan].map((text) => inspect(text)));
  assert.deepEqual(answers.map(({ tasks }) => tasks), [3, 2, 0, 3]);
});
