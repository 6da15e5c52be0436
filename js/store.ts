import { isTaskError, optionOf, TaskError, withStack } from "./errors.js";
import { authorize, command, readAction } from "./graph.js";
import { sessionOf, TaskReads } from "./reads.js";
import { SaveQueue } from "./save-queue.js";
import type { Loaded, Saver } from "./saver.js";
import { toJson } from "./arguments.js";
import { disposed, type Session } from "./session.js";
import type { AnyStorage } from "./storage/types.js";
import { RowTexts } from "./texts.js";
import type {
  Actor,
  Attempt,
  AuthorizedOperation,
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

/**
 * A durable task list: the same verbs as {@link TaskGraph}, each promise resolving once what it did is
 * stored. Reads are synchronous and show the newest state, at most one save ahead of the storage.
 */
export class TaskStore extends TaskReads {
  readonly #options: StoreOptions;
  readonly #actor: Actor;
  readonly #saver: Saver;
  readonly #queue: SaveQueue;
  readonly #edited: boolean;
  protected readonly texts: RowTexts;

  /** @internal Use {@link openTasks}. */
  constructor(options: StoreOptions, saver: Saver, loaded: Loaded | null, session: Session) {
    super(session);
    this.#options = options;
    this.#actor = options.actor ?? "host";
    this.#saver = saver;
    this.#edited = session.wasEdited();
    this.texts = new RowTexts(session);
    session.actAs(this.#actor);
    const { texts, events } = this;
    this.#queue = new SaveQueue({ session, texts, events, notify: () => this.notify() }, saver, loaded);
  }

  /** Whether what is saved outlives the program. */
  get durable(): boolean {
    return this.#saver.storage.durable !== false;
  }

  /** How many calls have been carried out and are not stored yet. */
  get unsaved(): number {
    return this.#queue.unsaved;
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

  /** Takes in the rows of another list's text; see `TaskGraph.merge`. */
  merge(text: string): Promise<Change> {
    return this.#verb("merge", { text });
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
      return { ok: true, change: await this.#carryOut(given, optionOf(options, "actor")) };
    } catch (error) {
      if (isTaskError(error) && !isBroken(error.code)) return { ok: false, error };
      throw error;
    }
  }

  /** Resolves when nothing waits to be stored. Rejections of the calls themselves are theirs to tell. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /**
   * Takes up what the storage holds now, after what waits is stored. What is new comes as one change with the
   * action `reload`. Where nothing is stored any more, the list stays, and is stored anew with the next change.
   */
  async reload(): Promise<void> {
    await this.#queue.reload();
    this.#check();
  }

  /** Stores what waits, then lets go of the storage and the memory. Every later call throws `disposed`. */
  async close(): Promise<void> {
    if (this.#queue.isClosed || !(await this.#queue.close())) return;
    try {
      this.forgetListeners();
      this[sessionOf].free();
    } finally {
      await this.#saver.close();
    }
  }

  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Calls a tool of a dialect as an actor; resolves once what it did is stored. */
  async callTool(dialect: string, tool: string, args: unknown, actor: Actor): Promise<{ result: unknown; change: Change | undefined }> {
    this.#check();
    const session = this[sessionOf];
    const text = toJson(args, "arguments");
    authorize(this.#options, () => ({ action: "tool", tool, arguments: JSON.parse(text) as unknown }), actor);
    const now = session.now();
    const operation = session.nextOperation();
    const outcome = await this.#queue.call(operation, () => {
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
    if (this.#queue.isClosed) throw disposed();
  }

  async #verb(action: Command["action"], fields: object, id?: unknown): Promise<Change> {
    return this.#carryOut(command(action, fields, id));
  }

  async #carryOut(given: Command, actor: Actor = this.#actor): Promise<Change> {
    this.#check();
    if (this.#options.readOnly === true) throw readOnly();
    const session = this[sessionOf];
    // Read once: the call may be carried out again, and the caller's object may have changed by then.
    const action = readAction(given) as Command["action"];
    const text = toJson(given, "command");
    authorize(this.#options, () => JSON.parse(text) as AuthorizedOperation, actor);
    const now = session.now();
    const operation = session.nextOperation();
    const outcome = await this.#queue.call(operation, () => {
      session.actAs(actor);
      return session.run(action, text, now, operation);
    });
    if (outcome.ok) return outcome.change;
    throw withStack(outcome.error);
  }
}

const NOTHING: Change = Object.freeze({ revision: 0, action: "", changed: false, nowReady: [], nowBlocked: [] });

/** Failures of the list itself, which no caller can answer by calling again differently. */
function isBroken(code: TaskErrorCode): boolean {
  return code === "disposed" || code === "poisoned";
}

function readOnly(): TaskError {
  return new TaskError({ code: "read_only", message: "This list was opened to be read only.", hint: "Open it without `readOnly`." });
}
