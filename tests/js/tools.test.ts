// The dialect `tasks` (document 000) through taskTools, on a graph and on a store.
import { Ajv } from "ajv";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTaskGraph,
  openTasks,
  renderPanel,
  renderRows,
  taskTools,
  tasksChanged,
  type AuthorizedOperation,
  type TaskGraph,
  type TaskStore,
  type ToolEvent,
  type ToolRecord,
} from "blockedby";
import { memoryStorage } from "blockedby/storage";
import * as viaTools from "blockedby/tools";
import { faultyStorage } from "blockedby/testing";
import { fixed, ids, plain, turn } from "./support/common.js";

type Row = { id: string; [key: string]: unknown };
type Result = { task: Row; tasks: Row[]; snapshot: { tasks: Row[] }; [key: string]: unknown };

const on = (list: TaskGraph | TaskStore, actor: "agent:main" | "user:ann" = "agent:main"): ToolRecord =>
  taskTools(list, { dialect: "tasks", actor })[0] as ToolRecord;

async function lists(): Promise<[string, TaskGraph | TaskStore, () => void][]> {
  const graphTime = fixed({ rules: "tasks" });
  const storeTime = fixed({ rules: "tasks" });
  return [
    ["graph", createTaskGraph(graphTime), () => void graphTime.tick(10_000)],
    ["store", await openTasks({ ...storeTime, storage: memoryStorage() }), () => void storeTime.tick(10_000)],
  ];
}

test("the worked example of the document, to the letter", async () => {
  for (const [kind, list, tick] of await lists()) {
    const events: ToolEvent[] = [];
    const tool = on(list);
    const tasks = async (args: Record<string, unknown>): Promise<Result> =>
      (await tool.run(args, { onEvent: (event) => events.push(plain(event)) })) as Result;
    const same = (result: unknown, expected: unknown): void => {
      assert.equal(JSON.stringify(result), JSON.stringify(expected), `${kind}: the same keys in the same order`);
    };

    // turn 1
    const setupDb = await tasks({ action: "add", content: "Provision the dev DB" });
    const db = setupDb.task.id;
    assert.match(db, /^t_1720600000000_[a-z0-9]+$/);
    same(setupDb, {
      action: "add",
      task: { id: db, content: "Provision the dev DB", status: "pending" },
      snapshot: { tasks: [{ id: db, content: "Provision the dev DB", status: "pending" }] },
    });
    const seeded = await tasks({ action: "add", content: "Seed fixtures", blockedBy: [db] });
    const seed = seeded.task.id;
    same(seeded, {
      action: "add",
      task: { id: seed, content: "Seed fixtures", status: "pending", blockedBy: [db] },
      snapshot: {
        tasks: [
          { id: db, content: "Provision the dev DB", status: "pending", blocks: [seed] },
          { id: seed, content: "Seed fixtures", status: "pending", blockedBy: [db] },
        ],
      },
    });
    const smoke = (await tasks({ action: "add", content: "Smoke test", blockedBy: [seed] })).task.id;
    same(await tasks({ action: "blocked" }), {
      action: "blocked",
      tasks: [
        { id: seed, content: "Seed fixtures", status: "pending", blockedBy: [db], blocks: [smoke] },
        { id: smoke, content: "Smoke test", status: "pending", blockedBy: [seed] },
      ],
    });

    // turn 2
    tick();
    const completed = await tasks({ action: "complete", id: db });
    same(completed.task, { id: db, content: "Provision the dev DB", status: "completed", blocks: [seed], completed_at: 1_720_600_010_000 });
    same(ids((await tasks({ action: "blocked" })).tasks), [smoke]);
    const started = await tasks({ action: "update", id: seed, status: "in_progress" });
    same(started.task, { id: seed, content: "Seed fixtures", status: "in_progress", blockedBy: [db], blocks: [smoke] });

    // turn 3
    tick();
    await tasks({ action: "complete", id: seed });
    same(await tasks({ action: "blocked" }), { action: "blocked", tasks: [] });
    assert.equal(list.get(smoke)?.status, "pending", "dependents are not mutated");
    assert.equal(list.get(smoke)?.readiness, "ready");
    const removed = await tasks({ action: "remove", id: smoke });
    same(removed.task, { id: smoke, content: "Smoke test", status: "deleted", blockedBy: [seed] });
    const rows = [
      { id: db, content: "Provision the dev DB", status: "completed", blocks: [seed], completed_at: 1_720_600_010_000 },
      { id: seed, content: "Seed fixtures", status: "completed", blockedBy: [db], blocks: [smoke], completed_at: 1_720_600_020_000 },
      { id: smoke, content: "Smoke test", status: "deleted", blockedBy: [seed] },
    ];
    same(await tasks({ action: "list" }), { action: "list", tasks: rows, snapshot: { tasks: rows } });
    same(await tasks({ action: "list", status_filter: "deleted" }), { action: "list", tasks: [rows[2]], snapshot: { tasks: rows } });

    // One event per mutation, with the full snapshot; none for questions.
    assert.equal(events.length, 7);
    assert.ok(events.every((event) => event.type === "tasks_changed"));
    same(events.at(-1)?.tasks, rows);
    same(tasksChanged(list), { type: "tasks_changed", tasks: rows });
    assert.equal(list.getSnapshot()[0]?.createdBy, "agent:main");
  }
});

test("D9, D11, D21: changed false and a warning are the only additions, and only a change is told", async () => {
  for (const [, list] of await lists()) {
    const tool = on(list);
    let events = 0;
    let changes = 0;
    list.on("change", () => (changes += 1));
    const run = async (args: unknown): Promise<Result> => (await tool.run(args, { onEvent: () => (events += 1) })) as Result;
    const a = (await run({ action: "add", content: "A" })).task.id;
    const b = (await run({ action: "add", content: "B", blockedBy: [a] })).task.id;
    const early = await run({ action: "complete", id: b });
    assert.deepEqual(Object.keys(early), ["action", "task", "warning", "snapshot"]);
    assert.deepEqual((early["warning"] as { by: string[] }).by, [a]);
    const again = await run({ action: "complete", id: b });
    assert.deepEqual(Object.keys(again), ["action", "task", "changed", "snapshot"]);
    assert.equal(again["changed"], false);
    assert.deepEqual([events, changes], [3, 3]);
    const alive = await run({ action: "update", id: a, status: "in_progress" });
    assert.equal(alive["changed"], undefined);
    const still = await run({ action: "update", id: a, status: "in_progress" });
    assert.equal(still["changed"], undefined, "writing in_progress again is a sign of life");
    assert.equal(events, 5);
  }
});

test("D17, D21: refusals are results with what to do next, and change nothing", async () => {
  for (const [, list] of await lists()) {
    const tool = on(list);
    const run = async (args: unknown): Promise<Result> => (await tool.run(args, { onEvent: () => assert.fail("no event") })) as Result;
    await tool.run({ action: "add", content: "A" });
    const [a] = ids(list.getSnapshot()) as [string];
    const text = list.snapshot();
    const cases: [unknown, string, string][] = [
      [{ action: "add" }, "add", "missing_field"],
      [{ action: "add", content: " " }, "add", "missing_field"],
      [{ action: "add", content: "X", id: "mine" }, "add", "unknown_field"],
      [{ action: "add", content: "X", blockedBy: ["nobody"] }, "add", "unknown_blocker"],
      [{ action: "update", id: a }, "update", "nothing_to_change"],
      [{ action: "update", id: a, blockedBy: [a] }, "update", "self_block"],
      [{ action: "update", id: a, contents: "X" }, "update", "unknown_field"],
      [{ action: "update", id: a, status: "held" }, "update", "invalid_value"],
      [{ action: "complete", id: "nobody" }, "complete", "not_found"],
      [{ action: "complete" }, "complete", "missing_field"],
      [{ action: "remove", id: a, status: "deleted" }, "remove", "unknown_field"],
      [{ action: "frobnicate" }, "frobnicate", "invalid_value"],
      [{}, "", "missing_field"],
      [null, "", "invalid_value"],
      ["add", "", "invalid_value"],
      [[], "", "invalid_value"],
    ];
    for (const [args, action, code] of cases) {
      const result = await run(args);
      assert.deepEqual(Object.keys(result), ["action", "error"], JSON.stringify(args));
      assert.equal(result["action"], action, JSON.stringify(args));
      const error = result["error"] as { code: string; message: string; hint: string };
      assert.deepEqual(Object.keys(error), ["code", "message", "hint", "details"], JSON.stringify(args));
      assert.equal(error.code, code, JSON.stringify(args));
      assert.ok(error.message.length > 5 && error.hint.length > 5, JSON.stringify(args));
      assert.ok(!/`title`|activeForm/.test(error.message + error.hint), "in the words of the wire");
    }
    assert.equal(list.snapshot(), text);
  }
});

test("D7: a ring is refused with its path", async () => {
  const list = createTaskGraph();
  const tool = on(list);
  list.batch([{ action: "add", id: "a", title: "A" }, { action: "add", id: "b", title: "B", blockedBy: ["a"] }, { action: "add", id: "c", title: "C", blockedBy: ["b"] }]);
  const { error } = (await tool.run({ action: "update", id: "a", blockedBy: ["c"] })) as { error: { code: string; details: { path: string[] } } };
  assert.equal(error.code, "cycle");
  assert.deepEqual(error.details.path, ["a", "c", "b", "a"]);
});

test("D14: null is absence; aliases, numbers and #ids are understood", async () => {
  const list = createTaskGraph();
  const tool = on(list);
  list.add({ id: "7", title: "Seven" });
  const added = (await tool.run({ action: "add", title: "B", blocked_by: null, active_form: null, id: null, status_filter: null })) as Result;
  assert.equal(added["error"], undefined);
  assert.deepEqual(Object.keys(added.task), ["id", "content", "status"]);
  assert.equal(((await tool.run({ action: "update", id: added.task.id, blockedBy: ["#7"] })) as Result).task["blockedBy"] instanceof Array, true);
  assert.deepEqual(list.get(added.task.id)?.blockedBy, ["7"]);
  assert.equal(((await tool.run({ action: "complete", id: 7 })) as Result).task["status"], "completed");
});

test("D19, D20: status words, compact rows, blockedBy replaces the whole set", async () => {
  const list = createTaskGraph();
  const tool = on(list);
  list.batch([
    { action: "add", id: "a", title: "A", activeForm: "Doing A", description: "not on this wire", metadata: { hidden: 1 } },
    { action: "add", id: "b", title: "B", blockedBy: ["a"] },
    { action: "add", id: "c", title: "C" },
  ]);
  list.hold("a", { reason: "gate", note: "ask" });
  list.cancel("c");
  const { tasks } = (await tool.run({ action: "list" })) as Result;
  assert.deepEqual(tasks, [
    { id: "a", content: "A", active_form: "Doing A", status: "pending", blocks: ["b"], hold: { reason: "gate", note: "ask" } },
    { id: "b", content: "B", status: "pending", blockedBy: ["a"] },
    { id: "c", content: "C", status: "deleted" },
  ]);
  await tool.run({ action: "update", id: "b", blockedBy: ["c"] });
  assert.deepEqual(list.get("b")?.blockedBy, ["c"]);
  await tool.run({ action: "update", id: "b", blockedBy: [] });
  assert.deepEqual(list.get("b")?.blockedBy, []);
  assert.equal(list.get("a")?.description, "not on this wire", "what the wire cannot say stays");
  await tool.run({ action: "update", id: "b", status: "completed" });
  await tool.run({ action: "update", id: "b", status: "deleted" });
  assert.equal(list.get("b")?.status, "deleted");
});

test("D23: panel and rows", () => {
  const list = createTaskGraph();
  assert.equal(renderPanel(list).hidden, true);
  list.batch(Array.from({ length: 9 }, (_, at) => ({ action: "add", id: `t${at}`, title: `T${at}`, activeForm: `Doing ${at}`, ...(at === 3 ? { blockedBy: ["t1"] } : {}) }) as const));
  list.start("t8");
  list.start("t1");
  list.hold("t2", { reason: "limit" });
  list.complete("t0");
  list.remove("t4");
  const panel = renderPanel(list);
  assert.deepEqual(panel.entries.map(({ id, label, status, blocked, hold }) => [id, label, status, blocked, hold]), [
    ["t1", "Doing 1", "in_progress", false, undefined],
    ["t8", "Doing 8", "in_progress", false, undefined],
    ["t2", "T2", "held", false, "limit"],
    ["t3", "T3", "pending", true, undefined],
    ["t5", "T5", "pending", false, undefined],
    ["t6", "T6", "pending", false, undefined],
    ["t7", "T7", "pending", false, undefined],
  ]);
  assert.deepEqual([panel.hidden, panel.more, panel.completed, panel.total], [false, 0, 1, 8]);
  list.add({ id: "more", title: "More" });
  assert.equal(renderPanel(list).more, 1);
  assert.equal(renderRows(list).length, 10);
  list.add({ id: "odd", title: "two\nlines\u0007" });
  assert.equal(renderRows(list).at(-1)?.line, "odd · pending · two lines ");
});

test("D22, D24: what the tool writes is our envelope, durable when the promise resolves; a bare list is read", async () => {
  const inner = memoryStorage();
  const storage = faultyStorage(inner, { save: ["hang"] });
  const store = await openTasks({ storage, rules: "tasks" });
  const tool = on(store);
  let done = false;
  const call = tool.run({ action: "add", content: "A" }, { onEvent: () => assert.ok(inner.load() !== null, "told once stored") }).then((result) => {
    done = true;
    return result;
  });
  await turn();
  assert.equal(done, false);
  storage.release();
  await call;
  assert.match(inner.load()?.text ?? "", /^\{"format":"blockedby","version":1,/);
  await store.close();
  const wire = JSON.stringify({ tasks: [{ id: "t_1", content: "Old", status: "completed", blocks: ["t_2"] }, { id: "t_2", content: "New", active_form: "Newing", status: "pending", blockedBy: ["t_1"] }] });
  const opened = await openTasks({ storage: memoryStorage(wire), rules: "tasks" });
  assert.deepEqual(opened.getSnapshot().map(({ title, activeForm, readiness }) => [title, activeForm, readiness]), [["Old", undefined, "settled"], ["New", "Newing", "ready"]]);
  await opened.close();
});

test("a store whose save fails: an error result for what is refused, the list as stored", async () => {
  const storage = faultyStorage(memoryStorage(), { save: ["quota"] });
  const store = await openTasks({ storage });
  const tool = on(store);
  const result = await tool.run({ action: "add", content: "A" }, { onEvent: () => assert.fail("nothing changed") });
  assert.equal((result["error"] as { code: string }).code, "storage_quota");
  assert.equal(result["action"], "add");
  assert.deepEqual(store.getSnapshot(), []);
  assert.equal(((await tool.run({ action: "add", content: "B" })) as Result)["error"], undefined);
  await store.close();
});

test("results that leaned on what was lost are made anew", async () => {
  const inner = memoryStorage();
  const storage = faultyStorage(inner);
  const store = await openTasks({ storage });
  const other = await openTasks({ storage: inner.peer() });
  const tool = on(store);
  storage.plan("save", { before: () => other.add({ id: "theirs", title: "Theirs" }) });
  const result = (await tool.run({ action: "add", content: "Mine" })) as Result;
  assert.deepEqual(result.snapshot.tasks.map((row) => row["content"]), ["Theirs", "Mine"]);
  await store.close();
  await other.close();
});

test("a read-only store answers questions and refuses the rest", async () => {
  const inner = memoryStorage();
  const writer = await openTasks({ storage: inner });
  await writer.add({ id: "a", title: "A" });
  const reader = await openTasks({ storage: inner, readOnly: true });
  const tool = on(reader);
  assert.equal(((await tool.run({ action: "list" })) as Result).tasks.length, 1);
  const before = reader.snapshot();
  const refused = await tool.run({ action: "complete", id: "a" });
  assert.equal((refused["error"] as { code: string }).code, "read_only");
  assert.equal(reader.snapshot(), before, "and the list in memory is as it was");
  assert.equal(reader.get("a")?.status, "pending");
  await reader.close();
  await writer.close();
});

test("the host's veto and the signal", async () => {
  const asked: AuthorizedOperation[] = [];
  const list = createTaskGraph({ authorize: (operation, actor) => (asked.push(operation), actor !== "agent:main") });
  const denied = await on(list).run({ action: "add", content: "A" });
  assert.equal((denied["error"] as { code: string }).code, "not_allowed");
  assert.deepEqual(asked[0], { action: "tool", tool: "tasks", arguments: { action: "add", content: "A" } });
  assert.equal(((await on(list, "user:ann").run({ action: "add", content: "A" })) as Result)["error"], undefined);
  assert.equal(list.getSnapshot()[0]?.createdBy, "user:ann");
  await assert.rejects(on(list).run({ action: "list" }, { signal: AbortSignal.abort(new Error("stop")) }), /stop/);
});

test("several agents on one list, each call under its own name", async () => {
  const list = createTaskGraph();
  const [one, two] = [taskTools(list, { dialect: "tasks", actor: "agent:one" })[0], taskTools(list, { dialect: "tasks", actor: "agent:two" })[0]];
  await one?.run({ action: "add", content: "A" });
  await two?.run({ action: "add", content: "B" });
  list.add({ title: "C" });
  assert.deepEqual(list.getSnapshot().map((task) => task.createdBy), ["agent:one", "agent:two", "host"]);
});

test("a listener of onEvent that throws: the call was made all the same", async () => {
  const list = createTaskGraph();
  const place = globalThis as { reportError?: (error: unknown) => void };
  const told: unknown[] = [];
  place.reportError = (error) => told.push(error);
  try {
    const result = await on(list).run({ action: "add", content: "A" }, { onEvent: () => { throw new Error("listener"); } });
    assert.equal(result["action"], "add");
  } finally {
    delete place.reportError;
  }
  assert.equal(list.getSnapshot().length, 1);
  assert.equal(told.length, 1);
});

test("what the host's own code throws is a result too, and odd options are none", async () => {
  const list = createTaskGraph({ authorize: () => { throw new Error("the host's own"); } });
  const { error } = (await on(list).run({ action: "add", content: "A" })) as { error: { code: string } };
  assert.equal(error.code, "not_allowed");
  const other = createTaskGraph();
  await on(other).run({ action: "add", content: "A" }, null as never);
  await on(other).run({ action: "add", content: "B" }, { signal: 5 as never });
  assert.equal(other.getSnapshot().length, 2);
  for (const given of [undefined, null, 5, {}]) {
    assert.throws(() => taskTools(given as never, { dialect: "tasks", actor: "agent:x" }), { code: "invalid_value" });
    assert.throws(() => taskTools(other, given as never), { name: "TaskError" });
  }
});

test("the record: plain data, a schema that every provider takes", () => {
  const tool = on(createTaskGraph());
  assert.deepEqual([tool.name, tool.readOnly], ["tasks", false]);
  assert.ok(tool.title.length > 0);
  assert.match(tool.description, /todo/i, "says when to use it rather than a todo list");
  assert.match(tool.description, /dozens/i);
  assert.ok(tool.description.length < 1024, "fits the shortest limit of a provider");
  const schema = tool.inputSchema as { type: string; properties: Record<string, Record<string, unknown>>; required: string[]; additionalProperties: boolean };
  assert.deepEqual(Object.keys(schema).sort(), ["additionalProperties", "properties", "required", "type"]);
  assert.equal(schema.type, "object");
  assert.equal(schema.additionalProperties, false);
  assert.deepEqual(schema.required, ["action"]);
  assert.deepEqual(Object.keys(schema.properties), ["action", "id", "content", "active_form", "blockedBy", "status", "status_filter"]);
  for (const [name, property] of Object.entries(schema.properties)) {
    assert.equal(typeof property["type"], "string", `${name} has one type`);
    assert.ok((property["description"] as string).length > 5, name);
    const allowed = new Set(["type", "description", "enum", "items"]);
    assert.ok(Object.keys(property).every((key) => allowed.has(key)), `${name}: ${Object.keys(property).join()}`);
    if (property["type"] === "array") assert.deepEqual(Object.keys(property["items"] as object), ["type"], name);
  }
  const whole = JSON.stringify([tool.inputSchema, tool.outputSchema]);
  assert.ok(!/\$ref|oneOf|anyOf|allOf|\$defs|"not"/.test(whole));
  assert.deepEqual(schema.properties["action"]?.["enum"], ["add", "update", "complete", "remove", "list", "blocked"]);
  assert.equal(JSON.parse(JSON.stringify(tool)).name, "tasks");
});

test("the Standard Schema: validates, and knows its JSON Schema", () => {
  const tool = on(createTaskGraph());
  const { version, vendor, validate, jsonSchema } = tool.schema["~standard"];
  assert.deepEqual([version, vendor], [1, "blockedby"]);
  const args = { action: "list" };
  assert.deepEqual(validate(args), { value: args });
  for (const wrong of [null, undefined, "list", 5, [], true]) {
    const result = validate(wrong);
    assert.ok("issues" in result && result.issues.length > 0 && result.issues[0]?.message);
  }
  assert.deepEqual(jsonSchema.input(), tool.inputSchema);
  assert.deepEqual(jsonSchema.output(), tool.outputSchema);
});

test("`blockedby/tools` is the same", async () => {
  const list = createTaskGraph();
  const [tool] = viaTools.taskTools(list, { dialect: "tasks", actor: "agent:main" });
  const result = (await tool?.run({ action: "add", content: "A" })) as Result;
  assert.equal(list.get(result.task.id)?.title, "A");
});

test("the operation feed of tool calls replays into the same list", async () => {
  const list = createTaskGraph(fixed({ rules: "tasks" }));
  const start = list.snapshot();
  const operations: never[] = [];
  list.on("operation", (operation) => operations.push(plain(operation) as never));
  const tool = on(list);
  const a = ((await tool.run({ action: "add", content: "A" })) as Result).task.id;
  await tool.run({ action: "add", content: "B", blockedBy: [a] });
  await tool.run({ action: "update", id: a, status: "in_progress", active_form: "Doing" });
  await tool.run({ action: "complete", id: a });
  await tool.run({ action: "list" });
  assert.equal(operations.length, 4);
  const copy = createTaskGraph({ snapshot: start });
  copy.replay(operations);
  assert.equal(copy.snapshot(), list.snapshot());
});

test("every result fits the output schema: each action, a warning, a hold, a refusal", async () => {
  const list = createTaskGraph();
  const tool = on(list);
  const fits = new Ajv({ strict: true }).compile(tool.outputSchema);
  const check = async (args: unknown): Promise<Record<string, unknown>> => {
    const result = await tool.run(args);
    assert.ok(fits(result), `${JSON.stringify(args)}: ${JSON.stringify(fits.errors)}`);
    return result;
  };
  const first = (await check({ action: "add", content: "A", active_form: "Doing A" })) as { task: { id: string } };
  const second = (await check({ action: "add", content: "B", blockedBy: [first.task.id] })) as { task: { id: string } };
  assert.ok("warning" in (await check({ action: "update", id: second.task.id, status: "in_progress" })));
  list.hold(second.task.id, { reason: "manual", note: "Which?" });
  await check({ action: "blocked" });
  await check({ action: "complete", id: first.task.id });
  assert.equal((await check({ action: "complete", id: first.task.id }))["changed"], false);
  await check({ action: "list" });
  await check({ action: "list", status_filter: "completed" });
  await check({ action: "remove", id: second.task.id });
  for (const args of [{ action: "update", id: "nobody", content: "x" }, { action: "dance" }, { action: "add" }, null, 5]) {
    assert.ok("error" in (await check(args)));
  }
  assert.ok(!fits({ action: "add", task: { id: 5 } }), "the schema can fail");
});
