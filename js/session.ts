import { checkText, copied, isInk, isPlainId, isPlainText, isWellFormed, MOST_QUICK_BLOCKERS, NO_IDS, NO_LIMIT, readLimit, rulesText } from "./arguments.js";
import { answerBase, guard, numbersBase, readAnswer, takeNumbers, view, writeNumbers, writeText, writeTexts } from "./boundary.js";
import { invalid, TaskError, withoutStack, withStack, type TaskErrorInit } from "./errors.js";
import { Mirror } from "./mirror.js";
import { afterThrow, checkInstance, currentGeneration, enter, leave } from "./runtime.js";
import type { Attempt, Change, ListOptions, NewTask, Operation, Task, TaskErrorCode } from "./types.js";

/** A quick call that wants the general way. */
const UNFIT = -2;

/** The answer of a call: it never throws a refusal. */
export type Outcome = Attempt<TaskError>;

/** The answer of a quick call: what changed, a refusal, or nothing: then nothing was done, and the general way decides. */
export type QuickAnswer = Change | TaskError | undefined;

/** A tool call's answer: the result that the model reads, and what changed. */
export interface ToolOutcome {
  readonly result: unknown;
  readonly change: Change | undefined;
}

/** A stored list: one text, or a head with rows apart. */
export interface StoredText {
  readonly head: string;
  /** A JSON list of rows. */
  readonly rows?: string;
}

/**
 * One list in the engine with its mirror: every call that crosses. When the instance is replaced after a
 * trap, the list is made anew from the mirror at its next use.
 */
export class Session {
  #handle: number;
  #generation: number;
  #freed = false;
  #actor: string | undefined = "host";
  #operation = 0;
  readonly #rulesText: string;
  /** Kept, so that a list that is made anew goes on under the session's name and mints no id twice. */
  #seed: [number, number, number, number] | undefined;
  /** The word before the numbers of this session's operations. */
  readonly name: string;
  /** The rules of a list that was opened; one that was made has those asked for. */
  #rules: unknown;
  /** The list's own id. */
  readonly listId: string;
  readonly mirror: Mirror;

  constructor(
    private readonly options: ListOptions,
    stored?: StoredText,
  ) {
    this.#rulesText = rulesText(options.rules);
    this.#handle = this.#make(stored);
    this.#generation = currentGeneration();
    this.mirror = new Mirror(this.#handle, stored);
    [this.name, this.listId] = this.#names();
    if (stored !== undefined) this.#readHead();
  }

  #make(stored: StoredText | undefined): number {
    checkInstance();
    if (stored !== undefined) checkText(stored);
    const seed = (this.#seed ??= this.#draw());
    let handle: number;
    if (stored === undefined) {
      const size = writeText(this.#rulesText);
      handle = guard((core) => core.create(size, ...seed));
    } else {
      const sizes = writeTexts([this.#rulesText, stored.head, stored.rows ?? ""]) as [number, number, number];
      handle = guard((core) => core.open(...sizes, this.#flags(stored), ...seed));
    }
    if (handle < 0) throw withStack(refusal());
    return handle;
  }

  #flags(stored: StoredText): number {
    const aside = this.options.onCycle === "setAside" ? 1 : 0;
    return aside | (this.options.adopt === true ? 2 : 0) | (stored.rows === undefined ? 0 : 4);
  }

  #draw(): [number, number, number, number] {
    const given = this.options.random?.(16);
    if (given !== undefined) {
      if (!ArrayBuffer.isView(given) || given.byteLength < 16) throw invalid("random", given, "a function that gives 16 bytes");
      const view = new DataView(given.buffer, given.byteOffset, given.byteLength);
      return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
    }
    if (guard((core) => core.draw_seed()) === 0) {
      throw new TaskError({
        code: "wasm_unsupported",
        message: "This environment has no source of randomness.",
        hint: "Pass `random: (bytes) => Uint8Array` when you open the list.",
      });
    }
    return [...takeNumbers(4)] as [number, number, number, number];
  }

  #names(): [string, string] {
    guard((core) => core.names(this.#handle));
    return JSON.parse(readAnswer()) as [string, string];
  }

  /** Revision, counters and counts of a list that was just opened, before any row is read. */
  #readHead(): void {
    const head = JSON.parse(`${this.envelope()[0]}]}`) as {
      revision: number;
      rules: unknown;
      counters: { seq: number; fence: number };
    };
    const { mirror } = this;
    this.#rules = head.rules;
    mirror.revision = head.revision;
    mirror.nextSeq = head.counters.seq + 1;
    mirror.lastFence = head.counters.fence;
    mirror.readyCount = guard((core) => core.ready(this.#handle, NO_LIMIT));
    mirror.blockedCount = guard((core) => core.blocked(this.#handle, NO_LIMIT));
    mirror.hasMissing = guard((core) => core.missing(this.#handle)) > 0;
  }

  /** The handle in the present instance, with every word sent. */
  get handle(): number {
    const handle = this.quickHandle;
    this.mirror.flushWords();
    return handle;
  }

  /** The handle, for calls that do not look at words. */
  get quickHandle(): number {
    if (this.#freed) throw disposed();
    checkInstance();
    if (this.isStale) this.#revive();
    return this.#handle;
  }

  /** Whether the instance that holds this list was replaced. */
  get isStale(): boolean {
    return this.#generation !== currentGeneration();
  }

  /** Makes the list anew from the mirror. Undo history is lost with the old instance. */
  #revive(): void {
    this.#handle = this.#make(this.mirror.unread ?? this.#mirrored());
    this.mirror.rebind(this.#handle);
    // Last: what breaks off before is begun again at the next use.
    this.#generation = currentGeneration();
    const actor = this.#actor ?? "host";
    this.#actor = "host";
    this.actAs(actor);
  }

  #mirrored(): StoredText {
    const { mirror } = this;
    const tasks = mirror.list().map(({ readiness: _, ...row }) => row);
    const head = {
      format: "blockedby",
      version: 1,
      revision: mirror.revision,
      list: this.listId,
      ...(this.#rules === undefined ? {} : { rules: this.#rules }),
      counters: { seq: mirror.nextSeq - 1, fence: mirror.lastFence },
      tasks,
    };
    return { head: JSON.stringify(head) };
  }

  /** Frees the list's memory in the engine. */
  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    checkInstance();
    if (!this.isStale) guard((core) => core.free(this.#handle));
  }

  /** The number of the next operation. */
  nextOperation(): number {
    this.#operation += 1;
    return this.#operation;
  }

  /** Now, as a whole number of Unix milliseconds. */
  now(): number {
    const now = this.options.now?.() ?? Date.now();
    // Adding nothing turns -0 into 0.
    if (Number.isSafeInteger(now) && now >= 0) return now + 0;
    const floor = Math.floor(typeof now === "number" ? now : Number.NaN);
    if (Number.isSafeInteger(floor) && floor >= 0) return floor;
    throw new TaskError({
      code: "invalid_value",
      message: "`now` must give Unix milliseconds.",
      hint: "Return a number such as Date.now().",
      details: { field: "now", got: typeof now === "number" ? String(now) : typeof now, expected: "a whole number, 0 or more" },
    });
  }

  /** Says who makes the next calls. */
  actAs(actor: string): void {
    const handle = this.quickHandle;
    if (actor === this.#actor && actor !== undefined) return;
    if (typeof actor !== "string" || !isWellFormed(actor)) throw invalid("actor", actor, "host, user:<id> or agent:<id>");
    this.#actor = undefined;
    const size = writeText(actor);
    if (guard((core) => core.set_actor(handle, size)) < 0) throw withStack(refusal());
    this.#actor = actor;
  }

  #done(base: number, action: string, blockedBy?: readonly string[]): Outcome {
    if (base < 0) return { ok: false, error: this.#withRing(refusal()) };
    return { ok: true, change: this.mirror.apply(base, action, blockedBy) };
  }

  /** The ring of a quick call comes as slots. */
  #withRing(error: TaskError): TaskError {
    if (error.code !== "cycle" || "path" in error.details) return error;
    const base = answerBase();
    const words = view();
    const rows: Task[] = [];
    for (let at = 1; at <= (words[base] as number); at += 1) rows.push(this.mirror.row(words[base + at] as number) as Task);
    const details = error.details as { path?: readonly string[]; titles?: readonly string[] };
    details.path = Object.freeze(rows.map((row) => row.id));
    details.titles = Object.freeze(rows.map((row) => row.title));
    return error;
  }

  /** Carries out a command given as JSON text. */
  run(action: string, text: string, now: number, operation: number): Outcome {
    const handle = this.handle;
    this.mirror.ensure();
    const size = writeText(text);
    return this.#done(guard((core) => core.apply(handle, size, now, operation)), action);
  }

  /**
   * Adds a task the quick way: only numbers cross, words follow later. Nothing when the task is not plain
   * enough to be sure of the outcome. What is tested here only chooses the way, the general one decides.
   */
  quickAdd(task: NewTask, actor: string): QuickAnswer {
    if (typeof task !== "object") return undefined;
    // First all that may run code of the caller, who may call back in.
    const now = this.now();
    let id: unknown;
    let title: unknown;
    let description: unknown;
    let blockers: readonly unknown[] | undefined = NO_IDS;
    try {
      for (const key in task) {
        if (key === "id") id = task.id;
        else if (key === "title") title = task.title;
        else if (key === "description") description = task.description;
        else if (key === "blockedBy") blockers = copied(task.blockedBy);
        else if (key !== "action") return undefined;
      }
    } catch {
      // Not readable; the general way says so.
      return undefined;
    }
    const handle = this.quickHandle;
    const { mirror } = this;
    if (mirror.hasMissing || this.#actor !== actor) return undefined;
    if (!isPlainId(id) || !isPlainText(title, 1000) || !isInk(title.charCodeAt(0))) return undefined;
    if (description !== undefined && !isPlainText(description, 10_000)) return undefined;
    if (mirror.slot(id) !== undefined) return undefined;
    const blockedBy = this.#writeSlots(blockers);
    if (blockedBy === undefined) return undefined;
    let base: number;
    try {
      base = enter().add(handle, blockedBy.length, now, this.nextOperation());
      leave();
    } catch (error) {
      throw afterThrow(error);
    }
    if (base < 0) return this.#quickRefusal(base);
    const change = mirror.added(base, id, title, description, blockedBy, actor, now);
    // The row is in the engine either way; what is not as given is read back.
    return change ?? this.#readBack(base, { id, title, description });
  }

  #readBack(base: number, words: { id: string; title: string; description: string | undefined }): Change {
    const slot = view()[base + 3] as number;
    const [size] = writeTexts([`${words.id}\0${words.title}\0${words.description ?? ""}\0`]) as [number];
    writeNumbers([slot]);
    guard((core) => core.fill(this.#handle, 1, size));
    return this.mirror.apply(base, "add");
  }

  /** Writes the slots of ids for the next call; gives the ids, frozen, or nothing when one is not that of a row. */
  #writeSlots(ids: readonly unknown[] | undefined): readonly string[] | undefined {
    if (ids === undefined || ids.length === 0) return ids as readonly string[] | undefined;
    const base = numbersBase(MOST_QUICK_BLOCKERS);
    const words = view();
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at];
      const slot = typeof id === "string" ? this.mirror.slot(id) : undefined;
      if (slot === undefined) return undefined;
      words[base + at] = slot;
    }
    return Object.freeze(ids) as readonly string[];
  }

  /** Replaces blockers the quick way; nothing when the general one must decide. */
  quickBlockers(id: unknown, blockers: readonly unknown[], actor: string): QuickAnswer {
    const now = this.now();
    this.actAs(actor);
    const handle = this.quickHandle;
    const slot = typeof id === "string" ? this.mirror.slot(id) : undefined;
    if (slot === undefined) return undefined;
    const ids = this.#writeSlots(blockers);
    if (ids === undefined) return undefined;
    let base: number;
    try {
      base = enter().set_blockers(handle, slot, ids.length, now, this.nextOperation());
      leave();
    } catch (error) {
      throw afterThrow(error);
    }
    if (base < 0) return this.#quickRefusal(base);
    return this.mirror.apply(base, "update", ids);
  }

  /** What a quick call was refused with; nothing when the general way must say it, as the engine lacks the words. */
  #quickRefusal(base: number): QuickAnswer {
    return base === UNFIT || this.mirror.unsent.length > 0 ? undefined : this.#withRing(refusal());
  }

  /** Starts or completes a task the quick way; nothing when the general one must decide. */
  quickStatus(action: "start" | "complete", id: unknown, actor: string): QuickAnswer {
    const now = this.now();
    this.actAs(actor);
    const handle = this.quickHandle;
    const slot = typeof id === "string" ? this.mirror.slot(id) : undefined;
    if (slot === undefined) return undefined;
    let base: number;
    try {
      base = enter().set_status(handle, slot, action === "start" ? 1 : 3, now, this.nextOperation());
      leave();
    } catch (error) {
      throw afterThrow(error);
    }
    return base < 0 ? this.#quickRefusal(base) : this.mirror.apply(base, action);
  }

  /** The slot of the task that an id means. Throws `not_found` with the nearest id. */
  find(id: unknown): number {
    const handle = this.handle;
    if (typeof id !== "string" && typeof id !== "number") throw invalid("id", id, "a task's id");
    const size = writeText(String(id));
    const slot = guard((core) => core.find(handle, size));
    if (slot < 0) throw withStack(refusal());
    return slot;
  }

  /** Calls a tool of a dialect with arguments given as JSON text. */
  callTool(dialect: string, tool: string, text: string, now: number, operation: number): ToolOutcome {
    const handle = this.handle;
    this.mirror.ensure();
    const sizes = writeTexts([dialect, tool, text]) as [number, number, number];
    const base = guard((core) => core.call_tool(handle, ...sizes, now, operation));
    if (base < 0) throw withStack(refusal());
    const result: unknown = JSON.parse(readAnswer());
    const change = base === 0 ? undefined : this.mirror.apply(base, String((result as { action?: unknown }).action));
    return { result, change };
  }

  /** Rows that the engine lists. */
  listed(question: "ready" | "blocked", limit: number | undefined): Task[] {
    const handle = this.quickHandle;
    if (limit === 1 && question === "ready") {
      const slot = guard((core) => core.first_ready(handle));
      return slot < 0 ? [] : [this.mirror.row(slot) as Task];
    }
    const most = readLimit(limit, NO_LIMIT);
    return this.mirror.pick(guard((core) => core[question](handle, most)));
  }

  /** Rows that the engine finds by a walk over the graph. */
  walked(question: "stalled" | "critical_path"): Task[] {
    const handle = this.handle;
    return this.mirror.pick(guard((core) => core[question](handle)));
  }

  /** Rows in which words occur. */
  search(query: string, limit: number): Task[] {
    const handle = this.handle;
    this.mirror.ensure();
    const size = writeText(query);
    return this.mirror.pick(guard((core) => core.search(handle, size, limit)));
  }

  /** What stands before and behind the rows of the stored text. */
  envelope(): [string, string] {
    const handle = this.handle;
    guard((core) => core.envelope(handle));
    return JSON.parse(readAnswer()) as [string, string];
  }

  /** The stored texts of rows. */
  rowTexts(slots: readonly number[]): string[] {
    const handle = this.handle;
    const texts: string[] = [];
    for (let at = 0; at < slots.length; at += 1024) {
      const group = slots.slice(at, at + 1024);
      writeNumbers(group);
      guard((core) => core.export_rows(handle, group.length));
      const parts = readAnswer().split("\0");
      parts.pop();
      texts.push(...parts);
    }
    return texts;
  }

  /** A place in the journal. */
  mark(): number {
    const handle = this.quickHandle;
    return guard((core) => core.mark(handle));
  }

  /** Keeps operations from a place on, so that they can be taken back. */
  pin(mark: number): void {
    const handle = this.quickHandle;
    guard((core) => core.pin(handle, mark));
  }

  /** Takes back every operation since a place. */
  rollBack(mark: number, revision: number): Change {
    const handle = this.handle;
    this.mirror.ensure();
    return this.mirror.apply(guard((core) => core.roll_back(handle, mark, revision)), "rollback");
  }

  /** Takes the list's place by what a storage holds; `null` when it holds nothing. */
  replace(found: StoredText | null): Change {
    const stored = found ?? { head: JSON.stringify({ format: "blockedby", version: 1, list: this.listId, tasks: [] }) };
    checkText(stored);
    const handle = this.handle;
    this.mirror.ensure();
    // What is stored says its own rules, unless these were to be adopted or nothing is stored yet.
    const rules = this.options.adopt === true || found === null ? this.#rulesText : "";
    const sizes = writeTexts([rules, stored.head, stored.rows ?? ""]) as [number, number, number];
    const base = guard((core) => core.replace(handle, ...sizes, this.#flags(stored)));
    if (base < 0) throw withStack(refusal());
    return this.mirror.apply(base, "reload");
  }

  /** Whether the text that this was opened from had been edited by something else. */
  wasEdited(): boolean {
    const handle = this.quickHandle;
    return guard((core) => core.was_edited(handle)) !== 0;
  }

  /** The age at which work in progress is stale when a session opens the list, in milliseconds. */
  staleAfter(): number | null {
    const handle = this.quickHandle;
    const age = guard((core) => core.stale_after(handle));
    return age < 0 ? null : age;
  }

  /** Numbers of this session's operations that the journal holds. */
  landed(): Set<number> {
    const handle = this.handle;
    const size = writeText(this.name);
    const numbers = takeNumbers(guard((core) => core.landed(handle, size)) * 2);
    const found = new Set<number>();
    for (let at = 0; at < numbers.length; at += 2) {
      found.add((numbers[at] as number) + (numbers[at + 1] as number) * 4_294_967_296);
    }
    return found;
  }

  /** Operations since a place. */
  operations(mark: number): Operation[] {
    const handle = this.handle;
    guard((core) => core.operations(handle, mark));
    return JSON.parse(readAnswer()) as Operation[];
  }

  /** Applies operations that a host's journal kept. */
  replay(text: string): Outcome {
    const handle = this.handle;
    this.mirror.ensure();
    const size = writeText(text);
    return this.#done(guard((core) => core.replay(handle, size)), "replay");
  }

  /** The full snapshot of a dialect. */
  wireSnapshot(): unknown {
    const handle = this.handle;
    guard((core) => core.wire_snapshot(handle));
    return JSON.parse(readAnswer());
  }
}

/** The refusal that the engine has just answered; without a stack, which whoever throws it adds. */
export function refusal(): TaskError {
  const init = JSON.parse(readAnswer()) as TaskErrorInit & { code: TaskErrorCode };
  return withoutStack(() => new TaskError(init));
}

/** The error of a list that was let go. */
export function disposed(): TaskError {
  return new TaskError({ code: "disposed", message: "This list has been disposed of.", hint: "Open it again." });
}

