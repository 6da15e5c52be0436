import { invalid, optionOf, TaskError, withStack } from "./errors.js";
import { sessionOf, TaskReads } from "./reads.js";
import { checkListOptions, copied, toJson } from "./arguments.js";
import { Session, type Outcome, type QuickAnswer } from "./session.js";
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
  Operation,
  Removal,
  TaskPatch,
} from "./types.js";

/** What a graph may be made with. */
export interface GraphOptions extends ListOptions {
  /** A text that `snapshot()` gave, or `{"tasks":[…]}`. */
  readonly snapshot?: string;
}

/**
 * A task list in memory: every call is synchronous, throws a {@link TaskError} when refused, and then has
 * changed nothing.
 *
 * @example
 * ```ts
 * const tasks = createTaskGraph();
 * const db = tasks.add({ title: "Provision the dev DB" });
 * tasks.add({ title: "Seed fixtures", blockedBy: [db.task.id] });
 * tasks.complete(db.task.id).nowReady; // [Seed fixtures]
 * ```
 */
export class TaskGraph extends TaskReads {
  readonly #options: GraphOptions;
  readonly #actor: Actor;
  protected readonly texts: RowTexts;

  constructor(options: GraphOptions = {}) {
    checkListOptions(options);
    super(new Session(options, options.snapshot === undefined ? undefined : { head: options.snapshot }));
    this.#options = options;
    this.#actor = options.actor ?? "host";
    this.texts = new RowTexts(this[sessionOf]);
    this[sessionOf].actAs(this.#actor);
  }

  /** Adds a task. Refusals: `missing_field duplicate_id unknown_blocker self_block cycle limit …`. */
  add(task: NewTask): Change & { readonly task: NonNullable<Change["task"]> } {
    const answered = this.#isQuick() ? this[sessionOf].quickAdd(task, this.#actor) : undefined;
    const change = answered === undefined ? this.#carryOut(command("add", task)) : this.#finish(answered);
    return change as Change & { readonly task: NonNullable<Change["task"]> };
  }

  /** Edits a task; a missing key leaves alone, `null` takes away. */
  update(id: string, patch: TaskPatch): Change {
    const blockers = this.#isQuick() ? onlyBlockers(patch)?.blockedBy : undefined;
    const answered = blockers === undefined ? undefined : this[sessionOf].quickBlockers(id, blockers, this.#actor);
    return answered === undefined ? this.#carryOut(command("update", patch, id)) : this.#finish(answered);
  }

  /** Puts a task in progress. On a blocked one: a `warning`, or `blocked` under strict rules. */
  start(id: string): Change {
    return this.#move("start", id);
  }

  /** Completes a task. With `fence`, only while that claim holds. */
  complete(id: string, options?: { readonly fence?: number }): Change {
    return options === undefined ? this.#move("complete", id) : this.#carryOut(command("complete", options, id));
  }

  /** Gives a task up. */
  cancel(id: string): Change {
    return this.#carryOut(command("cancel", {}, id));
  }

  /** Takes a settled task up again. */
  reopen(id: string): Change {
    return this.#carryOut(command("reopen", {}, id));
  }

  /** Removes a task; by default its row stays with status `deleted`. */
  remove(id: string, options: { readonly removal?: Removal } = {}): Change {
    return this.#carryOut(command("remove", options, id));
  }

  /** Takes the next ready task for the actor, at once; the claim's fence is in `change.task.claim`. */
  claim(request: ClaimRequest = {}): Change {
    return this.#carryOut(command("claim", request));
  }

  /** Says that the holder of a claim is alive, and extends its lease. */
  heartbeat(id: string, options: { readonly fence: number; readonly leaseMs?: number }): Change {
    return this.#carryOut(command("heartbeat", options, id));
  }

  /** Ends a claim (back to pending) or a hold (on to the status that it names). */
  release(id: string, options: { readonly fence?: number } = {}): Change {
    return this.#carryOut(command("release", options, id));
  }

  /** Lets a task wait for a person, a time or an event. */
  hold(id: string, request: HoldRequest = {}): Change {
    return this.#carryOut(command("hold", request, id));
  }

  /** Carries out several commands as one change, or none of them. */
  batch(commands: readonly Command[]): Change {
    return this.#carryOut(command("batch", { commands }));
  }

  /**
   * Takes in the rows of another list's text, such as an import gives: nothing of this list is lost. `tasks` says
   * what is new or changed, `keys` which ids had to be changed because another task has them. Not undoable.
   */
  merge(text: string): Change {
    return this.#carryOut(command("merge", { text }));
  }

  /** Takes back the newest undoable operation; `changed: false` when there is none. */
  undo(): Change {
    return this.#carryOut(command("undo", {}));
  }

  /** Takes back the newest undo; `changed: false` when there is none. */
  redo(): Change {
    return this.#carryOut(command("redo", {}));
  }

  /** Lets tasks that settled before a time leave the list, unless a row that stays names them. */
  archive(options: { readonly settledBefore: number }): Change {
    return this.#carryOut(command("archive", options));
  }

  /** Puts work in progress that was last touched longer ago than `olderThan` milliseconds back to pending. */
  recoverStale(options: { readonly olderThan: number }): Change {
    return this.#carryOut(command("recoverStale", options));
  }

  /**
   * Carries out a command given as data; a refusal is an answer and does not throw. `actor`: who calls, where
   * one program serves several people or agents; default: the list's own.
   */
  attempt(given: Command, options: { readonly actor?: Actor } = {}): Attempt<TaskError> {
    return answer(() => {
      const actor = optionOf(options, "actor");
      const quick = actor === undefined ? this.#quickly(given) : undefined;
      if (quick === undefined) return this.#run(given, actor);
      if (quick instanceof TaskError) return { ok: false, error: quick };
      return { ok: true, change: this.#finish(quick) };
    });
  }

  /** Applies operations that a host's journal kept, to a list that stands as it stood before them. Throws `corrupt`. */
  replay(operations: readonly Operation[]): Change {
    const text = toJson(operations, "operations");
    const mark = this.#mark();
    const outcome = this[sessionOf].replay(text);
    return this.#finish(outcome.ok ? outcome.change : outcome.error, mark);
  }

  /** Frees the list's memory. Every later call throws `disposed`. */
  dispose(): void {
    this[sessionOf].free();
    this.forgetListeners();
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Calls a tool of a dialect as an actor. */
  callTool(dialect: string, tool: string, args: unknown, actor: Actor): { result: unknown; change: Change | undefined } {
    const session = this[sessionOf];
    const text = toJson(args, "arguments");
    authorize(this.#options, () => ({ action: "tool", tool, arguments: JSON.parse(text) as unknown }), actor);
    const now = session.now();
    session.actAs(actor);
    const mark = this.#mark();
    const outcome = session.callTool(dialect, tool, text, now, session.nextOperation());
    if (outcome.change?.changed === true) this.announce(outcome.change, this.#since(mark));
    return outcome;
  }

  #move(action: "start" | "complete", id: string): Change {
    const answered = this.#isQuick() ? this[sessionOf].quickStatus(action, id, this.#actor) : undefined;
    return answered === undefined ? this.#carryOut(command(action, {}, id)) : this.#finish(answered);
  }

  /** A command the quick way; nothing when it has none or the general one must decide. */
  #quickly(given: Command): QuickAnswer {
    if (!this.#isQuick() || typeof given !== "object" || given === null) return undefined;
    const session = this[sessionOf];
    switch (readAction(given)) {
      case "add":
        return session.quickAdd(given as NewTask, this.#actor);
      case "update": {
        const { id, blockedBy } = onlyBlockers(given) ?? {};
        return blockedBy === undefined ? undefined : session.quickBlockers(id, blockedBy, this.#actor);
      }
      default:
        return undefined;
    }
  }

  /** The quick ways are for calls that nobody listens in on beforehand. */
  #isQuick(): boolean {
    return this.#options.authorize === undefined && !this.events.has("operation");
  }

  #carryOut(given: Command): Change {
    const outcome = this.#run(given);
    if (outcome.ok) return outcome.change;
    throw withStack(outcome.error);
  }

  #run(given: Command, actor: Actor = this.#actor): Outcome {
    const session = this[sessionOf];
    // First all that may run code of the caller, who may call back in.
    const action = readAction(given) as Command["action"];
    const text = toJson(given, "command");
    authorize(this.#options, () => JSON.parse(text) as AuthorizedOperation, actor);
    const now = session.now();
    session.actAs(actor);
    const mark = this.#mark();
    const outcome = session.run(action, text, now, session.nextOperation());
    if (outcome.ok && outcome.change.changed) this.announce(outcome.change, this.#since(mark));
    return outcome;
  }

  #finish(answered: Change | TaskError, mark?: number): Change {
    if (answered instanceof TaskError) throw withStack(answered);
    if (answered.changed) this.announce(answered, this.#since(mark));
    return answered;
  }

  /** A mark in the journal, where somebody wants to hear of operations. */
  #mark(): number | undefined {
    return this.events.has("operation") ? this[sessionOf].mark() : undefined;
  }

  #since(mark: number | undefined): readonly Operation[] {
    return mark === undefined ? [] : this[sessionOf].operations(mark);
  }
}

/** The blockers that a patch gives, and its id when it is a command, when it gives nothing else. */
function onlyBlockers(patch: object): { readonly id: unknown; readonly blockedBy: readonly unknown[] | undefined } | undefined {
  if (typeof patch !== "object") return undefined;
  try {
    for (const key in patch) if (key !== "blockedBy" && key !== "id" && key !== "action") return undefined;
    const { id, blockedBy } = patch as { readonly id?: unknown; readonly blockedBy?: unknown };
    return { id, blockedBy: copied(blockedBy) };
  } catch {
    // Not readable; the general way says so.
    return undefined;
  }
}

function isPlain(fields: unknown): boolean {
  try {
    return Object.prototype.toString.call(fields) === "[object Object]";
  } catch {
    return false;
  }
}

/** The action that a command says, whatever it is; for the name of the change. */
export function readAction(given: Command): unknown {
  try {
    return given?.action;
  } catch {
    return undefined;
  }
}

/** A command out of an action, its fields and perhaps an id, which win over fields of the same name. */
export function command(action: Command["action"], fields: object, id?: unknown): Command {
  // A long text would become as many fields, a promise or a map none.
  if (fields !== undefined && fields !== null && !isPlain(fields)) throw invalid("arguments", fields, "a plain object");
  // The action stands first: the engine reads it first, and can then name the field that it cannot read.
  const first = { action };
  try {
    return (id === undefined ? { ...first, ...fields, action } : { ...first, ...fields, id, action }) as Command;
  } catch (cause) {
    throw new TaskError({
      code: "invalid_value",
      message: "The arguments cannot be read.",
      hint: "Pass plain data.",
      details: { field: "arguments", got: typeof fields, expected: "plain data" },
      cause,
    });
  }
}

/** Asks the host whether a call may be made: about the plain data that will be carried out, not the caller's objects. */
export function authorize(options: ListOptions, operation: () => AuthorizedOperation, actor: Actor): void {
  if (options.authorize === undefined) return;
  const asked = operation();
  // A promise, too, is no `true`.
  if ((options.authorize(asked, actor) as unknown) === true) return;
  throw new TaskError({
    code: "not_allowed",
    message: `${actor} may not ${String(asked?.action)} here.`,
    hint: "Ask the host for permission, or go on with something else.",
    details: { who: "whoever the host lets" },
  });
}

/** A refusal as an answer. Only refusals are: what breaks otherwise is thrown. */
export function answer(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof TaskError && error.code !== "disposed" && error.code !== "poisoned") return { ok: false, error };
    throw error;
  }
}

/** Makes a task list in memory. */
export function createTaskGraph(options: GraphOptions = {}): TaskGraph {
  return new TaskGraph(options);
}
