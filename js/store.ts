import { TaskError, isTaskError, withStack } from "./errors.js";
import { authorize, command } from "./graph.js";
import { sessionOf, TaskReads } from "./reads.js";
import { Saver, type Loaded } from "./saver.js";
import { disposed, Session, toJson, type Outcome } from "./session.js";
import { memoryStorage } from "./storage/memory.js";
import { currentGeneration } from "./runtime.js";
import { isRecordStorage, type AnyStorage, type StorageTraits } from "./storage/types.js";
import { RowTexts } from "./texts.js";
import type {
  Actor,
  Attempt,
  Change,
  ClaimRequest,
  Command,
  HoldRequest,
  ListOptions,
  NewTask,
  Removal,
  TaskErrorCode,
  TaskPatch,
} from "./types.js";

/** How a durable list is opened. */
export interface StoreOptions extends ListOptions {
  /** Where it is kept; left out, in memory. */
  readonly storage?: AnyStorage;
  /** Reads only: nothing is written, not even the recovery of stale work, and every verb throws `read_only`. */
  readonly readOnly?: boolean;
  /**
   * What to do with a text that is no task list: refuse it with `corrupt` (default), or keep a copy through the
   * storage's `quarantine` and begin an empty list.
   */
  readonly onCorrupt?: "refuse" | "quarantine";
  /**
   * Whether work in progress that went stale goes back to pending on opening, under rules with `staleAfter`
   * (default: yes). Say `false` where opening begins no session: a second tab, a command.
   */
  readonly recover?: boolean;
  /** Gives up opening when it aborts. */
  readonly signal?: AbortSignal;
}

/** How often a call that lost a race is carried out anew. */
const TRIES = 8;
/** Longest pause before the second try, in milliseconds; it doubles with each try, and a random share of it is waited. */
const PAUSE = 10;

/** A call that is carried out on the engine, perhaps several times: operation number and time stay the same. */
interface Call {
  readonly operation: number;
  /** Carries it out on the list as it stands. */
  readonly run: () => Outcome & { readonly result?: unknown };
  /** The answer so far; it may change when the call is carried out anew. */
  outcome: (Outcome & { readonly result?: unknown }) | undefined;
  readonly settle: (outcome: Outcome & { readonly result?: unknown }) => void;
  readonly fail: (error: unknown) => void;
}

/** The last state that is known to be stored. */
interface Base {
  mark: number;
  revision: number;
  stored: string | null;
  /** The engine instance whose journal goes back to it. */
  generation: number;
}

/**
 * A durable task list: the same verbs as {@link TaskGraph}, each promise resolving once what it did is
 * stored. Reads are synchronous and show the newest state, at most one save ahead of the storage.
 *
 * The algorithm (design §7): a call runs at once and waits for a save; one save at a time covers all that
 * waits. When the save loses a race or fails, everything since the last stored state is taken back, the
 * storage is loaded, and what did not land is carried out anew, with the same ids and times.
 */
export class TaskStore extends TaskReads {
  readonly #options: StoreOptions;
  readonly #actor: Actor;
  readonly #saver: Saver;
  readonly #base: Base;
  protected readonly texts: RowTexts;
  #waiting: Call[] = [];
  #saving: Call[] = [];
  /** Under way: a save, or taking up what a storage holds. */
  #busy = false;
  /** Under way: reading the storage. Calls wait for what it says. */
  #reading = false;
  /** The storage could not be read after a failed save: the next call reads it first. */
  #unsure = false;
  #stale = false;
  #closed = false;
  #edited: boolean;
  #idle: (() => void)[] = [];
  readonly #unsubscribe: (() => void) | undefined;

  /** @internal Use {@link openTasks}. */
  constructor(options: StoreOptions, saver: Saver, loaded: Loaded | null, edited: boolean, session: Session) {
    super(session);
    this.#options = options;
    this.#actor = options.actor ?? "host";
    this.#saver = saver;
    this.#edited = edited;
    this.texts = new RowTexts(session);
    session.actAs(this.#actor);
    session.mirror.tracking = isRecordStorage(saver.storage);
    this.#base = { mark: session.mark(), revision: this.revision, stored: loaded?.revision ?? null, generation: currentGeneration() };
    session.pin(this.#base.mark);
    this.#unsubscribe = saver.storage.subscribe?.(() => this.#onForeignChange());
  }

  /** Whether what is saved outlives the program. */
  get durable(): boolean {
    return (this.#saver.storage as StorageTraits).durable !== false;
  }

  /** How many calls have been carried out and are not stored yet. */
  get unsaved(): number {
    return this.#waiting.length + this.#saving.length;
  }

  /** Whether the stored text had been edited by something else (by hand, by a merge) when it was opened. */
  get edited(): boolean {
    return this.#edited;
  }

  /** Adds a task. */
  add(task: NewTask): Promise<Change & { readonly task: NonNullable<Change["task"]> }> {
    return this.#verb("add", task) as Promise<Change & { readonly task: NonNullable<Change["task"]> }>;
  }

  /** Edits a task; a missing key leaves alone, `null` takes away. */
  update(id: string, patch: TaskPatch): Promise<Change> {
    return this.#verb("update", patch, id);
  }

  /** Puts a task in progress. */
  start(id: string): Promise<Change> {
    return this.#verb("start", {}, id);
  }

  /** Completes a task. With `fence`, only while that claim holds. */
  complete(id: string, options: { readonly fence?: number } = {}): Promise<Change> {
    return this.#verb("complete", options, id);
  }

  /** Gives a task up. */
  cancel(id: string): Promise<Change> {
    return this.#verb("cancel", {}, id);
  }

  /** Takes a settled task up again. */
  reopen(id: string): Promise<Change> {
    return this.#verb("reopen", {}, id);
  }

  /** Removes a task; by default its row stays with status `deleted`. */
  remove(id: string, options: { readonly removal?: Removal } = {}): Promise<Change> {
    return this.#verb("remove", options, id);
  }

  /** Takes the next ready task for the actor; of several claimants exactly one gets it. */
  claim(request: ClaimRequest = {}): Promise<Change> {
    return this.#verb("claim", request);
  }

  /** Says that the holder of a claim is alive, and extends its lease. */
  heartbeat(id: string, options: { readonly fence: number; readonly leaseMs?: number }): Promise<Change> {
    return this.#verb("heartbeat", options, id);
  }

  /** Ends a claim (back to pending) or a hold (on to the status that it names). */
  release(id: string, options: { readonly fence?: number } = {}): Promise<Change> {
    return this.#verb("release", options, id);
  }

  /** Lets a task wait for a person, a time or an event. */
  hold(id: string, request: HoldRequest = {}): Promise<Change> {
    return this.#verb("hold", request, id);
  }

  /** Carries out several commands as one change, or none of them. */
  batch(commands: readonly Command[]): Promise<Change> {
    return this.#verb("batch", { commands });
  }

  /** Takes back the newest undoable operation; `changed: false` when there is none. */
  undo(): Promise<Change> {
    return this.#verb("undo", {});
  }

  /** Takes back the newest undo; `changed: false` when there is none. */
  redo(): Promise<Change> {
    return this.#verb("redo", {});
  }

  /** Lets tasks that settled before a time leave the list, unless a row that stays names them. */
  archive(options: { readonly settledBefore: number }): Promise<Change> {
    return this.#verb("archive", options);
  }

  /** Puts work in progress that was last touched longer ago than `olderThan` milliseconds back to pending. */
  recoverStale(options: { readonly olderThan: number }): Promise<Change> {
    return this.#verb("recoverStale", options);
  }

  /**
   * Carries out a command given as data; a refusal is an answer and does not reject. `actor`: who calls, where
   * one program serves several people or agents; default: the list's own.
   */
  async attempt(given: Command, options: { readonly actor?: Actor } = {}): Promise<Attempt<TaskError>> {
    try {
      return { ok: true, change: await this.#carryOut(given, options.actor) };
    } catch (error) {
      if (isTaskError(error) && !isBroken(error.code)) return { ok: false, error };
      throw error;
    }
  }

  /** Resolves when nothing waits to be stored. Rejections of the calls themselves are theirs to tell. */
  flush(): Promise<void> {
    if (!this.#isAtWork) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Takes up what the storage holds now, after what waits is stored. */
  async reload(): Promise<void> {
    while (this.#isAtWork) await this.flush();
    this.#check();
    await this.#exclusively(async () => {
      this.#takeUp(await this.#load());
      this.#redo([]);
    });
  }

  /** Whether something is under way. To be asked again after waiting: calls may have begun meanwhile. */
  get #isAtWork(): boolean {
    return this.#busy || this.unsaved > 0;
  }

  /** Stores what waits, then lets go of the storage and the memory. Every later call throws `disposed`. */
  async close(): Promise<void> {
    if (this.#closed) return;
    while (this.#isAtWork) await this.flush();
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe?.();
    this.forgetListeners();
    this[sessionOf].free();
    await (this.#saver.storage as StorageTraits).close?.();
  }

  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Calls a tool of a dialect as an actor; resolves once what it did is stored. */
  async callTool(dialect: string, tool: string, args: unknown, actor: Actor): Promise<{ result: unknown; change: Change | undefined }> {
    this.#check();
    const session = this[sessionOf];
    authorize(this.#options, () => ({ action: "tool", tool, arguments: args }), actor);
    const text = toJson(args, "arguments");
    const now = session.now();
    const operation = session.nextOperation();
    const outcome = await this.#call(operation, () => {
      session.actAs(actor);
      try {
        const [mark, revision] = [session.mark(), this.revision];
        const { result, change } = session.callTool(dialect, tool, text, now, operation);
        if (change?.changed === true && this.#options.readOnly === true) {
          session.rollBack(mark, revision);
          throw readOnly();
        }
        return { ok: true, change: change ?? NOTHING, result };
      } finally {
        session.actAs(this.#actor);
      }
    });
    return { result: outcome.result, change: outcome.ok && outcome.change !== NOTHING ? outcome.change : undefined };
  }

  #check(): void {
    if (this.#closed) throw disposed();
  }

  async #verb(action: Command["action"], fields: object, id?: unknown): Promise<Change> {
    return this.#carryOut(command(action, fields, id));
  }

  async #carryOut(given: Command, actor: Actor = this.#actor): Promise<Change> {
    this.#check();
    if (this.#options.readOnly === true) throw readOnly();
    const session = this[sessionOf];
    const text = toJson(given, "command");
    authorize(this.#options, () => given, actor);
    const now = session.now();
    const operation = session.nextOperation();
    const outcome = await this.#call(operation, () => {
      session.actAs(actor);
      return session.run(given?.action, text, now, operation);
    });
    if (outcome.ok) return outcome.change;
    throw withStack(outcome.error);
  }

  /** Carries a call out, and resolves once its answer stands. */
  #call(operation: number, run: Call["run"]): Promise<Outcome & { readonly result?: unknown }> {
    return new Promise((settle, fail) => {
      const call: Call = { operation, run, outcome: undefined, settle, fail };
      if (!this.#unsure && !this.#reading) {
        if (!this.#runNow(call)) return;
        const leansOnUnsaved = this.unsaved > 0;
        if (!leansOnUnsaved && !changes(call)) {
          settle(call.outcome as Outcome);
          return;
        }
      }
      this.#waiting.push(call);
      this.#pump();
    });
  }

  /** Runs a call; `false` when it broke and has been told so. */
  #runNow(call: Call): boolean {
    try {
      call.outcome = call.run();
      if (changes(call)) this.notify();
      return true;
    } catch (error) {
      call.fail(error);
      if (isTaskError(error) && error.code === "poisoned") this.#pump();
      return false;
    }
  }

  /** Whether the instance was replaced since the last stored state: the journal that goes back to it is gone. */
  get #wasReplaced(): boolean {
    return this.#base.generation !== currentGeneration();
  }

  #pump(): void {
    if (this.#busy) return;
    if ((this.#unsure || this.#wasReplaced) && this.unsaved > 0) {
      void this.#exclusively(() => this.#readFirst());
      return;
    }
    if (this.#waiting.length === 0) {
      if (this.#stale) void this.#refresh();
      else for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    void this.#exclusively(() => this.#save());
  }

  /** One thing at a time: saves and loads never overlap. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
    this.#busy = true;
    try {
      await work();
    } finally {
      this.#busy = false;
      this.#pump();
    }
  }

  /** One save of all that waits. */
  async #save(): Promise<void> {
    for (let tries = 0; this.#waiting.length > 0 && !this.#wasReplaced; ) {
      // What came while the storage was read has not been carried out yet.
      const group = this.#waiting.splice(0).filter((call) => call.outcome !== undefined || this.#runNow(call));
      if (this.#wasReplaced) {
        this.#waiting.unshift(...group);
        return;
      }
      this.#saving = group;
      if (!group.some(changes)) {
        this.#saving = [];
        this.#settle(group);
        continue;
      }
      const session = this[sessionOf];
      let saved: string | null | false;
      const [mark, revision] = [session.mark(), this.revision];
      try {
        saved = await this.#saver.take(session, this.texts, this.#base.stored)();
      } catch (error) {
        await this.#afterFailure(group, error);
        return;
      }
      if (saved !== false) {
        Object.assign(this.#base, { mark, revision, stored: saved });
        session.pin(mark);
        this.#saving = [];
        this.#settle(group);
        tries = 0;
        continue;
      }
      tries += 1;
      if (!(await this.#afterConflict(group, tries))) return;
    }
  }

  /** Somebody else was faster: take up what they stored, and carry out anew what did not land. */
  async #afterConflict(group: Call[], tries: number): Promise<boolean> {
    const later = this.#takeBack();
    if (tries > 1) await pause(Math.random() * PAUSE * 2 ** tries);
    let rest: Call[];
    try {
      rest = this.#landed(group, await this.#load());
    } catch (error) {
      this.#rejectUnsure([...group, ...later], error);
      return false;
    }
    if (tries >= TRIES) {
      for (const call of rest) call.fail(lostRace());
      this.#redo(later);
    } else {
      this.#redo([...rest, ...later]);
    }
    return true;
  }

  /** The save failed, and may have landed all the same: ask the storage. */
  async #afterFailure(group: Call[], error: unknown): Promise<void> {
    const later = this.#takeBack();
    let rest: Call[];
    try {
      rest = this.#landed(group, await this.#load());
    } catch (unreadable) {
      this.#rejectUnsure([...group, ...later], unreadable, error);
      return;
    }
    for (const call of rest) call.fail(asTaskError(error, "storage_unknown"));
    this.#redo(later);
  }

  /** Reads the storage before the calls that wait are carried out. */
  async #readFirst(): Promise<void> {
    const later = this.#waiting.splice(0);
    let rest: Call[];
    try {
      rest = this.#landed(later, await this.#load());
    } catch (error) {
      this.#rejectUnsure([...later, ...this.#waiting.splice(0)], error);
      return;
    }
    this.#unsure = false;
    this.#redo(rest);
  }

  /** Takes everything since the last stored state back; gives the calls that came during the save. */
  #takeBack(): Call[] {
    const session = this[sessionOf];
    const later = this.#waiting.splice(0);
    this.#saving = [];
    if (!this.#wasReplaced) {
      session.rollBack(this.#base.mark, this.#base.revision);
      session.mirror.takeDirty();
    }
    return later;
  }

  async #load(): Promise<Loaded | null> {
    this.#reading = true;
    try {
      const loaded = await this.#saver.load();
      this.#check();
      return loaded;
    } finally {
      this.#reading = false;
    }
  }

  /** Puts the list where the storage is; settles the calls that had landed there, gives the others. */
  #landed(calls: Call[], loaded: Loaded | null): Call[] {
    this.#takeUp(loaded);
    const landed = this[sessionOf].landed();
    const rest = calls.filter((call) => !(landed.has(call.operation) && call.outcome?.ok === true));
    this.#settle(calls.filter((call) => !rest.includes(call)));
    return rest;
  }

  /** Takes up what was loaded; one delta, like any other change. */
  #takeUp(loaded: Loaded | null): void {
    const session = this[sessionOf];
    const change = session.replace(loaded?.stored ?? null);
    session.mirror.takeDirty();
    Object.assign(this.#base, { mark: session.mark(), revision: this.revision, stored: loaded?.revision ?? null, generation: currentGeneration() });
    session.pin(this.#base.mark);
    this.#stale = false;
    if (change.changed) this.notify();
  }

  /** Carries calls out anew and lets them wait for the next save, before those that came meanwhile. */
  #redo(calls: Call[]): void {
    const meanwhile = this.#waiting.splice(0);
    for (const call of [...calls, ...meanwhile]) {
      if (this.#runNow(call)) this.#waiting.push(call);
    }
  }

  #rejectUnsure(calls: Call[], error: unknown, earlier?: unknown): void {
    this.#unsure = true;
    for (const call of calls) call.fail(unsure(earlier ?? error));
  }

  /** Tells callers and listeners, in order. */
  #settle(calls: readonly Call[]): void {
    for (const call of calls) {
      const outcome = call.outcome as Outcome;
      call.settle(outcome);
      if (!changes(call) || !outcome.ok) continue;
      if (this.events.has("operation")) this.#tellOperation(call.operation);
      this.events.emit("change", outcome.change);
    }
  }

  #tellOperation(operation: number): void {
    const id = `${this[sessionOf].name}.${operation}`;
    const found = this[sessionOf].operations(0).find((known) => known.id === id);
    if (found !== undefined) this.events.emit("operation", found);
  }

  #onForeignChange(): void {
    this.#stale = true;
    this.#pump();
  }

  /** Takes up what somebody else stored. A hint: if it cannot be read now, the next save will find out. */
  async #refresh(): Promise<void> {
    this.#stale = false;
    await this.#exclusively(async () => {
      try {
        const loaded = await this.#load();
        if (loaded === null || (loaded.revision !== null && loaded.revision === this.#base.stored)) return;
        const before = this.revision;
        this.#takeUp(loaded);
        if (this.revision !== before) this.events.emit("change", reloaded(this.revision));
        this.#redo(this.#waiting.splice(0));
      } catch {
        this.#redo(this.#waiting.splice(0));
      }
    });
  }
}

const NOTHING: Change = Object.freeze({ revision: 0, action: "", changed: false, nowReady: [], nowBlocked: [] });

function reloaded(revision: number): Change {
  return { revision, action: "reload", changed: true, nowReady: [], nowBlocked: [] };
}

/** Whether a call has something to be saved. */
function changes(call: Call): boolean {
  return call.outcome?.ok === true && call.outcome.change.changed;
}

/** Failures of the list itself, which no caller can answer by calling again differently. */
function isBroken(code: TaskErrorCode): boolean {
  return code === "disposed" || code === "poisoned";
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function asTaskError(error: unknown, code: "storage_unknown"): TaskError {
  if (isTaskError(error)) return error;
  return new TaskError({
    code,
    message: "The storage failed to save, and nothing of the call is stored.",
    hint: "See `cause`; try again when the storage works.",
    cause: error,
  });
}

function unsure(error: unknown): TaskError {
  return new TaskError({
    code: "storage_unknown",
    message: "The storage failed and cannot be read, so whether the call was stored is not known.",
    hint: "Try again when the storage works: the next call reads it first.",
    cause: error,
  });
}

function lostRace(): TaskError {
  return new TaskError({
    code: "conflict",
    message: `Others were faster ${TRIES} times in a row; nothing of the call is stored.`,
    hint: "Try again.",
  });
}

function readOnly(): TaskError {
  return new TaskError({ code: "read_only", message: "This list was opened to be read only.", hint: "Open it without `readOnly`." });
}

/**
 * Opens a durable list, or an empty one where nothing is stored yet (which is stored with the first change).
 * Under rules with `staleAfter` (the `tasks` preset), work that went stale goes back to pending first.
 *
 * Rejects with `corrupt`, `unsupported_version`, `rules_differ`, `cycle`, `duplicate_id` or `storage_*`; what
 * is stored stays as it is.
 */
export async function openTasks(options: StoreOptions = {}): Promise<TaskStore> {
  const { signal } = options;
  signal?.throwIfAborted();
  const saver = new Saver(options.storage ?? memoryStorage());
  const { loaded, session } = await openSession(options, saver);
  signal?.throwIfAborted();
  const store = new TaskStore(options, saver, loaded, session.wasEdited(), session);
  if (options.readOnly !== true && options.recover !== false && loaded !== null) {
    const staleAfter = session.staleAfter();
    if (staleAfter !== null) await store.recoverStale({ olderThan: staleAfter });
  }
  return store;
}

async function openSession(options: StoreOptions, saver: Saver): Promise<{ loaded: Loaded | null; session: Session }> {
  try {
    const loaded = await saver.load();
    return { loaded, session: new Session(options, loaded?.stored) };
  } catch (error) {
    const { quarantine } = saver.storage as StorageTraits;
    const asked = options.onCorrupt === "quarantine" && options.readOnly !== true;
    if (!asked || quarantine === undefined || !isTaskError(error) || error.code !== "corrupt") throw error;
    await quarantine.call(saver.storage, error.message);
    return { loaded: null, session: new Session(options) };
  }
}
