/**
 * The inputs of all workloads and the results they must have.
 *
 * Expected results are computed here, on bare numbers, by code that shares
 * nothing with any engine: a plain depth-first search says which edge must be
 * refused, a plain simulation says what is ready after each step.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchEngine, BenchRow } from "../engine.js";
import { Random } from "./random.js";

/** What is given to `add`. */
export interface TaskInput {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly blockedBy: readonly string[];
}

/** A list to build, with its edges as numbers beside it. */
export interface ListPlan {
  readonly inputs: readonly TaskInput[];
  readonly blockers: readonly (readonly number[])[];
}

/** Edge changes to run on a built list. */
export interface EdgePlan {
  readonly changes: readonly { readonly id: string; readonly blockedBy: readonly string[] }[];
  /** 1 where the change must be accepted. */
  readonly accepted: readonly number[];
  /** The digest of the rows afterwards. */
  readonly digest: string;
}

/** The order in which a list drains. */
export interface DrainPlan {
  readonly order: readonly string[];
  readonly ready: Int32Array;
  readonly blocked: Int32Array;
}

const WORDS = (
  "provision seed migrate review deploy schema index cache queue worker token session payload adapter " +
  "fixture snapshot parser renderer layout storage retry timeout backoff metric alert budget ledger"
).split(" ");
const FOREIGN = ["überprüfen", "déploiement", "проверка", "検証する", "🚀 launch", "naïve", "schéma"];

/** `n` tasks, each with 0 to 4 blockers drawn evenly from the earlier ones. */
export function listPlan(n: number): ListPlan {
  const random = new Random(n);
  const blockers = Array.from({ length: n }, (_, task) => drawBlockers(random, task));
  return { inputs: inputs(n, blockers), blockers };
}

/** `n` tasks without an edge. */
export function bareListPlan(n: number): ListPlan {
  const blockers = Array.from({ length: n }, () => []);
  return { inputs: inputs(n, blockers), blockers };
}

/**
 * Calls `take` for each task of {@link listPlan} without ever holding them all,
 * so that only what an engine keeps stays in memory.
 */
export function streamList(n: number, take: (input: TaskInput) => void): void {
  const random = new Random(n);
  const ids: string[] = [];
  for (let task = 0; task < n; task += 1) {
    const drawn = drawBlockers(random, task);
    const { id, title, description } = flat(textOf(task));
    ids.push(id);
    take({ id, title, description, blockedBy: drawn.map((blocker) => ids[blocker]!) });
  }
}

/** Of each hundred edge changes, how many are meant to be refused. */
const REFUSED = 23;

/** How many pairs are drawn in search of one with the wanted answer. */
const DRAWS = 200;

/**
 * Random edge changes: a task gets one more blocker and, if that is accepted,
 * loses one of its old ones, in a single call. Both ends are drawn evenly among
 * the pairs with the wanted answer: without that, a small list would refuse 39 %
 * and a list of 10,000 only 10 %, and the sizes could not be compared.
 */
export function rewirePlan(list: ListPlan, count: number): EdgePlan {
  const plan = kept(`rewire-${list.inputs.length}-${count}`, () => makeRewirePlan(list, count));
  // The same strings as the tasks have, as a caller's are, whether the plan was made here or read.
  const ids = new Map(list.inputs.map(({ id }) => [id, id]));
  const own = (id: string): string => ids.get(id)!;
  return { ...plan, changes: plan.changes.map(({ id, blockedBy }) => ({ id: own(id), blockedBy: blockedBy.map(own) })) };
}

function makeRewirePlan(list: ListPlan, count: number): EdgePlan {
  const n = list.blockers.length;
  const random = new Random(n * 31 + 7);
  const edges = list.blockers.map((blockers) => blockers.slice());
  const search = new Search(edges);
  const accepted = new Uint8Array(count);
  const changes = Array.from({ length: count }, (_, step) => {
    const wanted = random.below(100) >= REFUSED;
    let task = 0;
    let blocker = 0;
    let isLegal = false;
    for (let draw = 0; draw < DRAWS; draw += 1) {
      do {
        task = random.below(n);
        blocker = random.below(n);
      } while (task === blocker || edges[task]!.includes(blocker));
      isLegal = !search.reaches(blocker, task);
      if (isLegal === wanted) break;
    }
    const old = edges[task]!;
    const next = old.slice();
    if (next.length > 0) next.splice(random.below(next.length), 1);
    next.push(blocker);
    if (isLegal) {
      accepted[step] = 1;
      edges[task] = next;
    }
    return change(list, task, next);
  });
  return { changes, accepted: [...accepted], digest: digestOfPlan(list, edges) };
}

/** How many refused edges {@link adversarialPlan} ends with. */
const CLOSING = 100;

/**
 * Long chains against the order of creation, over tasks that start bare: one
 * half is chained from its first task on, the other from its last, so that
 * neither a walk upwards nor one downwards is spared; then the halves are
 * joined, and edges that would close the whole chain are tried and refused.
 */
export function adversarialPlan(list: ListPlan): EdgePlan {
  const n = list.blockers.length;
  const half = n >>> 1;
  const edges: number[][] = list.blockers.map(() => []);
  const changes: EdgePlan["changes"][number][] = [];
  const accepted: number[] = [];
  const link = (task: number): void => {
    edges[task] = [task + 1];
    changes.push(change(list, task, edges[task]));
    accepted.push(1);
  };
  for (let task = 0; task < half - 1; task += 1) link(task);
  for (let task = n - 2; task >= half; task -= 1) link(task);
  link(half - 1);
  const closing = Math.min(CLOSING, half);
  for (let i = 0; i < closing; i += 1) {
    // From near the end of the chain to near its start.
    const task = n - 1 - i;
    changes.push(change(list, task, [...edges[task]!, i]));
    accepted.push(0);
  }
  return { changes, accepted, digest: digestOfPlan(list, edges) };
}

/** Always taking the first ready task in order of creation. */
export function drainPlan(list: ListPlan): DrainPlan {
  const n = list.blockers.length;
  const dependents: number[][] = list.blockers.map(() => []);
  const active = list.blockers.map((blockers, task) => {
    for (const blocker of blockers) dependents[blocker]!.push(task);
    return blockers.length;
  });
  const done = new Uint8Array(n);
  const order: string[] = [];
  const ready = new Int32Array(n);
  const blocked = new Int32Array(n);
  let readyNow = active.filter((count) => count === 0).length;
  let from = 0;
  for (let step = 0; step < n; step += 1) {
    while (done[from] === 1 || active[from]! > 0) from += 1;
    const task = from;
    done[task] = 1;
    readyNow -= 1;
    for (const dependent of dependents[task]!) {
      active[dependent]! -= 1;
      if (active[dependent] === 0) {
        readyNow += 1;
        from = Math.min(from, dependent);
      }
    }
    order.push(list.inputs[task]!.id);
    ready[step] = readyNow;
    blocked[step] = n - step - 1 - readyNow;
  }
  return { order, ready, blocked };
}

/** Adds every task of a plan. */
export function fill(engine: BenchEngine, list: ListPlan): void {
  for (const { id, title, description, blockedBy } of list.inputs) engine.add(id, title, description, blockedBy);
}

/** The digest that the rows of a plan must have. */
export function digestOfPlan(
  list: ListPlan,
  edges: readonly (readonly number[])[] = list.blockers,
  isDone: (id: string) => boolean = () => false,
): string {
  return digestOfRows(
    list.inputs.map(({ id, title, description }, task) => ({
      id,
      title,
      description,
      status: isDone(id) ? "completed" : "pending",
      blockedBy: edges[task]!.map((blocker) => list.inputs[blocker]!.id),
    })),
  );
}

/**
 * A digest of what all engines must agree on. Blockers are compared as a set,
 * as libraries keep their own order; times are left out. Where rows carry
 * `blocks`, it must be the exact inverse of `blockedBy`.
 */
export function digestOfRows(rows: readonly BenchRow[]): string {
  const hash = createHash("sha256");
  const blocks = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  for (const row of rows) {
    const blockedBy = [...row.blockedBy].sort();
    hash.update(JSON.stringify([row.id, row.title, row.description, row.status, blockedBy]));
    for (const blocker of blockedBy) blocks.get(blocker)!.push(row.id);
  }
  for (const row of rows) {
    if (row.blocks === undefined) continue;
    const expected = blocks.get(row.id)!.sort();
    if (JSON.stringify([...row.blocks].sort()) !== JSON.stringify(expected)) {
      throw new Error(`blocks of ${row.id} is [${row.blocks.join()}], the inverse of blockedBy is [${expected.join()}]`);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

function drawBlockers(random: Random, task: number): number[] {
  const wanted = Math.min(random.below(5), task);
  const drawn: number[] = [];
  while (drawn.length < wanted) {
    const blocker = random.below(task);
    if (!drawn.includes(blocker)) drawn.push(blocker);
  }
  return drawn;
}

function inputs(n: number, blockers: readonly (readonly number[])[]): TaskInput[] {
  const texts = flat(Array.from({ length: n }, (_, task) => textOf(task)));
  // Plain literals: reading a field of an object made by spreading parsed JSON
  // was measured 25 times slower, which would bury what is compared.
  return texts.map(({ id, title, description }, task) => ({
    id,
    title,
    description,
    blockedBy: blockers[task]!.map((blocker) => texts[blocker]!.id),
  }));
}

/** Title of about 36 characters, description of about 100; one in twenty is not ASCII. */
function textOf(task: number): { id: string; title: string; description: string } {
  const random = new Random(task * 2_654_435_761);
  const foreign = random.below(20) === 0;
  const sentence = (length: number): string => {
    let text = foreign ? FOREIGN[random.below(FOREIGN.length)]! : WORDS[random.below(WORDS.length)]!;
    while (text.length < length - 4) text += ` ${WORDS[random.below(WORDS.length)]!}`;
    return text;
  };
  return { id: `task-${task}`, title: sentence(36), description: sentence(100) };
}

/** The same value with flat strings, as input that was typed or parsed has: not ropes of concatenations. */
function flat<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function change(list: ListPlan, task: number, blockers: readonly number[]): EdgePlan["changes"][number] {
  return { id: list.inputs[task]!.id, blockedBy: blockers.map((blocker) => list.inputs[blocker]!.id) };
}

/**
 * The value that an earlier process of this run has made, or a new one. The
 * reference search takes seconds on large lists, and each cell is a process.
 */
function kept<T>(name: string, make: () => T): T {
  const folder = process.env["BENCH_PLANS"];
  if (folder === undefined) return make();
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as T;
  const made = make();
  writeFileSync(file, JSON.stringify(made));
  return made;
}

/** The reference search: depth first, from blocker to blocker. */
class Search {
  readonly #edges: readonly (readonly number[])[];
  readonly #seen: Int32Array;
  #epoch = 0;

  constructor(edges: readonly (readonly number[])[]) {
    this.#edges = edges;
    this.#seen = new Int32Array(edges.length);
  }

  reaches(from: number, to: number): boolean {
    this.#epoch += 1;
    const stack = [from];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node === to) return true;
      if (this.#seen[node] === this.#epoch) continue;
      this.#seen[node] = this.#epoch;
      for (const blocker of this.#edges[node]!) stack.push(blocker);
    }
    return false;
  }
}
