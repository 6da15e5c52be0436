// Replays the cases of tests/conformance/ through the public API. Runs in Node and in a page: no Node imports.
import {
  createTaskGraph,
  isTaskError,
  openTasks,
  taskTools,
  type Actor,
  type Change,
  type Command,
  type ListOptions,
  type TaskGraph,
  type TaskReads,
  type TaskStore,
} from "blockedby";
import { memoryRecordStorage } from "blockedby/storage";

/** JSON of a case. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** One case, as the README of tests/conformance describes it. */
export interface Case {
  readonly name: string;
  readonly decisions: readonly string[];
  readonly rules?: ListOptions["rules"];
  readonly steps: readonly JsonObject[];
}

/** What a call gave: a value, or a refusal as data. */
type Result = { readonly value: Json } | { readonly error: Json };

const FIRST_TIME = 1_720_600_000_000;
const READS_OF_IDS = new Set(["ready", "blocked", "stalled", "search", "blocks"]);

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);
const shown = (value: unknown): string => JSON.stringify(value) ?? String(value);
/** What crossed as objects, as the JSON that it stands for. */
const plain = (value: unknown): Json => (value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json));

function same(one: Json, other: Json): boolean {
  if (isList(one)) return isList(other) && one.length === other.length && one.every((part, at) => same(part, other[at] as Json));
  if (!isObject(one)) return one === other;
  const keys = Object.keys(one);
  return (
    isObject(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(one[key] as Json, other[key] as Json))
  );
}

/** Puts bound values in place of their placeholders. */
function filled(value: Json, bindings: ReadonlyMap<string, Json>): Json {
  if (typeof value === "string") return bindings.get(value) ?? value;
  if (isList(value)) return value.map((part) => filled(part, bindings));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, bindings)]));
}

/** Compares what came with what a case expects: objects as subsets, or to the letter. */
function compare(expected: Json, got: Json, exact: boolean, at: string, bindings: Map<string, Json>): void {
  const differ = (): never => {
    throw new Error(`at ${at}: expected ${shown(expected)}, got ${shown(got)}`);
  };
  if (typeof expected === "string" && expected.length > 1 && expected.startsWith("$")) {
    if (!bindings.has(expected)) bindings.set(expected, got);
    if (!same(bindings.get(expected) as Json, got)) throw new Error(`at ${at}: ${expected} is ${shown(bindings.get(expected))}, got ${shown(got)}`);
    return;
  }
  if (isObject(expected)) {
    if (!isObject(got)) return differ();
    if (exact && shown(Object.keys(expected)) !== shown(Object.keys(got))) differ();
    for (const [key, value] of Object.entries(expected)) {
      if (Object.hasOwn(got, key)) compare(value, got[key] as Json, exact, `${at}.${key}`, bindings);
      // An expected null says that there is no such key.
      else if (value !== null) throw new Error(`at ${at}.${key}: missing in ${shown(got)}`);
    }
    return;
  }
  if (isList(expected)) {
    if (!isList(got) || got.length !== expected.length) return differ();
    expected.forEach((part, index) => compare(part, got[index] as Json, exact, `${at}[${index}]`, bindings));
    return;
  }
  if (expected !== got) differ();
}

function judge(step: JsonObject, result: Result, bindings: Map<string, Json>): void {
  if ("error" in result) {
    if (step["error"] === undefined) throw new Error(`refused: ${shown(result.error)}`);
    compare(step["error"], result.error, false, "error", bindings);
  } else if (step["error"] !== undefined) {
    throw new Error(`expected refusal ${shown(step["error"])}, got ${shown(result.value)}`);
  } else if (step["expect"] !== undefined) {
    compare(step["expect"], result.value, false, "expect", bindings);
  }
}

/** The change as the cases write it: lists of ids where they have them. */
function asCase(change: Change): Json {
  const ids = (tasks: Change["nowReady"]): string[] => tasks.map((task) => task.id);
  return plain({ ...change, nowReady: ids(change.nowReady), nowBlocked: ids(change.nowBlocked) });
}

async function refusable(run: () => unknown): Promise<Result> {
  try {
    return { value: plain(await run()) };
  } catch (error) {
    if (isTaskError(error)) return { error: plain(error.toJSON()) };
    throw error;
  }
}

const readers: Readonly<Record<string, (list: TaskReads, args: JsonObject) => unknown>> = {
  rows: (list) => list.getSnapshot(),
  ready: (list) => list.ready(),
  blocked: (list) => list.blocked(),
  stalled: (list) => list.stalled(),
  progress: (list) => list.progress(),
  criticalPath(list) {
    const ids = list.criticalPath().map((task) => task.id);
    return { ids, length: ids.length };
  },
  layers: (list) => list.layers(),
  search: (list, { query, limit }) => list.search(query as string, limit === undefined ? {} : { limit: limit as number }),
  explain: (list, { id }) => list.explain(id as string),
  wouldCycle: (list, { id, blocker }) => list.wouldCycle(id as string, blocker as string),
  blocks: (list, { id }) => list.blocks(id as string),
};

/** The text that a `load` step opens. */
function textOf(load: Json, current: string): string {
  if (typeof load === "string") return load;
  const { text, json, edit, cut } = load as { text?: string; json?: Json; edit?: readonly (readonly [string, string])[]; cut?: number };
  let result = text ?? (json === undefined ? current : JSON.stringify(json));
  for (const [from, to] of edit ?? []) {
    if (!result.includes(from)) throw new Error(`nothing to edit: ${from} in ${result}`);
    result = result.split(from).join(to);
  }
  return cut === undefined ? result : result.slice(0, cut);
}

/** What a case runs on: a graph in memory, or a store. */
interface Subject {
  readonly list: TaskGraph | TaskStore;
  /** What the list is opened with later on. */
  base: ListOptions;
  attempt(command: Command, actor: Actor): Promise<Result>;
  /** Opens the list from its own text or another one, and lets go of the list before. */
  reopen(options: ListOptions, text?: string): Promise<void>;
}

const seed = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);

class GraphSubject implements Subject {
  list: TaskGraph;
  constructor(public base: ListOptions) {
    this.list = createTaskGraph(base);
  }
  async attempt(command: Command, actor: Actor): Promise<Result> {
    const answer = this.list.attempt(command, { actor });
    return answer.ok ? { value: asCase(answer.change) } : { error: plain(answer.error.toJSON()) };
  }
  async reopen(options: ListOptions, snapshot = this.list.snapshot()): Promise<void> {
    const next = createTaskGraph({ ...this.base, ...options, snapshot });
    this.list.dispose();
    this.list = next;
  }
}

class StoreSubject implements Subject {
  private storage = memoryRecordStorage();
  private constructor(public base: ListOptions, public list: TaskStore) {}
  static async make(base: ListOptions): Promise<StoreSubject> {
    const subject = new StoreSubject(base, undefined as unknown as TaskStore);
    subject.list = await openTasks({ ...base, storage: subject.storage });
    return subject;
  }
  async attempt(command: Command, actor: Actor): Promise<Result> {
    const answer = await this.list.attempt(command, { actor });
    return answer.ok ? { value: asCase(answer.change) } : { error: plain(answer.error.toJSON()) };
  }
  async reopen(options: ListOptions, text?: string): Promise<void> {
    // A text is taken in as a snapshot storage would hand it over, then kept as records.
    if (text !== undefined || this.storage.load() === null) {
      const list = await openTasks({
        ...this.base,
        ...options,
        readOnly: true,
        storage: { load: () => text ?? this.list.snapshot(), save: () => undefined },
      });
      const storage = memoryRecordStorage();
      const whole = list.snapshot();
      const { tasks, ...head } = JSON.parse(whole) as { tasks: { id: string }[] };
      storage.commit({
        ifRevision: null,
        head: JSON.stringify({ ...head, tasks: [] }),
        upserts: tasks.map((task) => ({ id: task.id, text: JSON.stringify(task) })),
        deletes: [],
      });
      await list.close();
      this.storage = storage;
    }
    const next = await openTasks({ ...this.base, ...options, readOnly: false, storage: this.storage });
    await this.list.close();
    this.list = next;
  }
}

/** What a case is run on. */
export type Kind = "graph" | "store";

/** Runs one case; throws where it fails. */
export async function runCase({ rules = "default", steps }: Case, kind: Kind = "graph"): Promise<void> {
  let now = FIRST_TIME - 1000;
  const base: ListOptions = { now: () => now, random: seed };
  const start: ListOptions = { ...base, rules };
  const subject: Subject = kind === "graph" ? new GraphSubject(start) : await StoreSubject.make(start);
  // Rules that are no preset are taken from the text.
  let opening: ListOptions = typeof rules === "string" ? { rules } : {};
  subject.base = base;
  const bindings = new Map<string, Json>();

  const runStep = async (step: JsonObject): Promise<void> => {
    now = (step["now"] as number | undefined) ?? now + 1000;
    const before = subject.list.snapshot();
    let untouched = false;
    if (step["do"] !== undefined) {
      const result = await subject.attempt(filled(step["do"], bindings) as unknown as Command, (step["actor"] ?? "host") as Actor);
      untouched = "error" in result;
      judge(step, result, bindings);
    } else if (step["read"] !== undefined) {
      const name = step["read"] as string;
      const args = filled(step["args"] ?? {}, bindings) as JsonObject;
      const result = await refusable(() => {
        const answer = readers[name]?.(subject.list, args);
        const ids = READS_OF_IDS.has(name) && name !== "blocks";
        return ids ? (answer as { id: string }[]).map((task) => task.id) : answer;
      });
      untouched = true;
      judge(step, result, bindings);
    } else if (step["tool"] !== undefined) {
      const { dialect, args } = step["tool"] as { dialect: "tasks"; args: Json };
      const [tool] = taskTools(subject.list, { dialect, actor: (step["actor"] ?? "agent:main") as Actor });
      const result = plain(await tool?.run(filled(args, bindings)));
      untouched = isObject(result) && result["error"] !== undefined;
      if (step["expect"] !== undefined) compare(step["expect"], result, true, "expect", bindings);
    } else if (step["reload"] !== undefined) {
      const { now: time, session } = step["reload"] === true ? {} : (step["reload"] as { now?: number; session?: boolean });
      // A store that is opened recovers by itself, so it is opened at a time when nothing is stale.
      if (kind === "graph" || session !== true) await subject.reopen(opening);
      if (subject.list.snapshot() !== before) throw new Error(`reload changed\n${before}\nto\n${subject.list.snapshot()}`);
      now = time ?? now;
      const age = (JSON.parse(before) as { rules: { staleAfter: number | null } }).rules.staleAfter;
      if (session === true && age !== null) {
        judge(step, await subject.attempt({ action: "recoverStale", olderThan: age }, "host"), bindings);
      }
    } else if (step["load"] !== undefined) {
      const load = step["load"];
      const asked = (isObject(load) ? load : {}) as { onCycle?: "setAside"; rules?: "default"; adopt?: boolean };
      const under: ListOptions = {
        ...(asked.rules === undefined ? {} : { rules: asked.rules }),
        ...(asked.onCycle === undefined ? {} : { onCycle: asked.onCycle }),
        ...(asked.adopt === undefined ? {} : { adopt: asked.adopt }),
      };
      const result = await refusable(async () => {
        await subject.reopen(under, textOf(load, before));
        return { tasks: subject.list.getSnapshot() };
      });
      untouched = "error" in result;
      if (!untouched) opening = asked.rules === undefined ? {} : { rules: asked.rules };
      judge(step, result, bindings);
    } else {
      throw new Error("no such step");
    }
    const after = subject.list.snapshot();
    if (untouched && after !== before) throw new Error(`a refusal or a read changed\n${before}\nto\n${after}`);
    checkIdentity(after, { ...base, ...opening }, subject.list);
  };

  for (const [place, step] of steps.entries()) {
    try {
      await runStep(step);
    } catch (error) {
      throw new Error(`step ${place}: ${(error as Error).message}\n  ${shown(step)}`, { cause: error });
    }
  }
  if (kind === "graph") (subject.list as TaskGraph).dispose();
  else await (subject.list as TaskStore).close();
}

/** Opening a text gives the same text and the same rows again. */
function checkIdentity(text: string, options: ListOptions, list: TaskReads): void {
  const copy = createTaskGraph({ ...options, snapshot: text });
  const again = copy.snapshot();
  if (again !== text) throw new Error(`opening again changed\n${text}\nto\n${again}`);
  const [rows, truth] = [plain(list.getSnapshot()), plain(copy.getSnapshot())];
  if (!same(rows, truth)) throw new Error(`the mirror has\n${shown(rows)}\nthe engine has\n${shown(truth)}`);
  if (list.readyCount !== copy.readyCount || list.blockedCount !== copy.blockedCount) throw new Error("the counts differ");
  copy.dispose();
}
