import { guard } from "./boundary.js";
import * as glue from "./generated/core.js";
import { Emitter, report, type Unsubscribe } from "./emitter.js";
import { invalid, optionOf, TaskError } from "./errors.js";
import type { Mirror } from "./mirror.js";
import { readLimit } from "./arguments.js";
import { disposed, type Session } from "./session.js";
import type {
  Change,
  ChangeStream,
  Detail,
  Explanation,
  ListQuery,
  Operation,
  Panel,
  Progress,
  RowLine,
  Task,
  TaskPage,
  WouldCycle,
} from "./types.js";

/** What a list tells its listeners. */
export interface ListEvents {
  /** After an accepted call that changed something; on a store, once it is durable. */
  readonly change: Change;
  /** The same as a record that a host's journal can keep and `replay` takes back in. */
  readonly operation: Operation;
}

/** Reaches the session of a list from other modules of this package. */
export const sessionOf = Symbol("session");

/**
 * What can be asked of a list, and how it tells of changes. All of it is synchronous and answers from
 * memory; on a store it may be ahead of the storage by the saves under way.
 */
export abstract class TaskReads {
  /** @internal */
  readonly [sessionOf]: Session;
  protected readonly events = new Emitter<ListEvents>();
  readonly #watchers = new Set<() => void>();
  /** What ends those who wait, when the list is let go. */
  readonly #waiting = new Set<() => void>();

  protected constructor(session: Session) {
    this[sessionOf] = session;
    // Bound, because hosts pass these two on their own (React's useSyncExternalStore).
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
  }

  /** Grows by one with each accepted change. */
  get revision(): number {
    return this.#mirror.revision;
  }

  /** How many tasks are ready. */
  get readyCount(): number {
    return this.#mirror.readyCount;
  }

  /** How many open tasks have an active blocker. */
  get blockedCount(): number {
    return this.#mirror.blockedCount;
  }

  /** The list's own id. */
  get listId(): string {
    return this[sessionOf].listId;
  }

  /** The task with an id; `undefined` when there is none. O(1). */
  get(id: string): Task | undefined {
    return this.#mirror.get(id);
  }

  /** Every row in creation order, deleted ones too: a frozen array, the same one until something changes. */
  getSnapshot(): readonly Task[] {
    return this.#mirror.list();
  }

  /** The rows of a list that was not let go. */
  get #mirror(): Mirror {
    const session = this[sessionOf];
    void session.quickHandle;
    return session.mirror;
  }

  /** Rows that fit a query, in creation order. */
  list(query: ListQuery = {}): TaskPage {
    const all = this.getSnapshot();
    const { status, readiness, owner, parent, cursor, limit } = readQuery(query);
    const fits = (wanted: readonly string[] | undefined, value: string | undefined): boolean =>
      wanted === undefined || (value !== undefined && wanted.includes(value));
    const matching = all.filter(
      (task) => fits(status, task.status) && fits(readiness, task.readiness) && fits(owner, task.owner) && fits(parent, task.parent),
    );
    const rest = matching.filter((task) => task.seq > cursor);
    const tasks = rest.slice(0, limit);
    const last = tasks.at(-1);
    const page = { tasks, total: matching.length };
    return tasks.length < rest.length && last !== undefined ? { ...page, nextCursor: String(last.seq) } : page;
  }

  /** Tasks that can be started now, in creation order. O(answer). */
  ready(options: { readonly limit?: number } = {}): Task[] {
    return this[sessionOf].listed("ready", onlyLimit(options));
  }

  /** Open tasks that wait for others, in creation order. O(answer). */
  blocked(options: { readonly limit?: number } = {}): Task[] {
    return this[sessionOf].listed("blocked", onlyLimit(options));
  }

  /** Blocked tasks that wait, in the end, for a held one. O(held + reach). */
  stalled(): Task[] {
    return this[sessionOf].walked("stalled");
  }

  /** The longest chain of open tasks, first to do first. O(tasks + edges). */
  criticalPath(): Task[] {
    return this[sessionOf].walked("critical_path");
  }

  /** Open tasks by layers: everything in one layer can be done at once. O(tasks + edges). */
  layers(): string[][] {
    const { handle } = this[sessionOf];
    return guard(() => glue.layers(handle)) as string[][];
  }

  /** Tasks in which every word occurs (id, title, description), letter case ignored. */
  search(query: string, options: { readonly limit?: number } = {}): Task[] {
    if (typeof query !== "string") throw invalid("query", query, "text");
    return this[sessionOf].search(query, readLimit(onlyLimit(options), 20));
  }

  /**
   * Why a task is as it is: blockers, chains to the root causes, what waits behind it, one sentence.
   *
   * Throws `not_found`.
   */
  explain(id: string): Explanation {
    const slot = this.#slot(id);
    const { handle } = this[sessionOf];
    return guard(() => glue.explain(handle, slot)) as Explanation;
  }

  /** Ids of the tasks that name this one in `blockedBy`, settled ones too. Throws `not_found`. */
  blocks(id: string): string[] {
    const slot = this.#slot(id);
    const { handle } = this[sessionOf];
    return guard(() => glue.blocks(handle, slot)) as string[];
  }

  /** Whether `id` could not wait for `blocker`. Throws `not_found`. */
  wouldCycle(id: string, blocker: string): WouldCycle {
    const [slot, other] = [this.#slot(id), this.#slot(blocker)];
    const { handle } = this[sessionOf];
    return guard(() => glue.would_cycle(handle, slot, other)) as WouldCycle;
  }

  /** Counts. O(1). */
  progress(): Progress {
    const { quickHandle } = this[sessionOf];
    return guard(() => glue.progress(quickHandle)) as Progress;
  }

  /**
   * The list as text: what a storage keeps and `createTaskGraph({ snapshot })` opens. O(rows that changed
   * since it was last asked) plus joining the rest.
   */
  snapshot(): string {
    return this.texts.join();
  }

  /** @internal The stored texts of the rows, kept from one save to the next. */
  protected abstract readonly texts: { join(): string };

  /** Calls `listener` for each event of a kind; gives what takes it off again. */
  on<Kind extends keyof ListEvents>(kind: Kind, listener: (event: ListEvents[Kind]) => void): Unsubscribe {
    void this[sessionOf].quickHandle;
    if (kind !== "change" && kind !== "operation") throw invalid("kind", kind, "`change` or `operation`");
    if (typeof listener !== "function") throw invalid("listener", listener, "a function");
    return this.events.on(kind, listener);
  }

  /** Calls `watcher` after anything that changes what reads answer: the shape of `useSyncExternalStore`. */
  subscribe(watcher: () => void): Unsubscribe {
    void this[sessionOf].quickHandle;
    if (typeof watcher !== "function") throw invalid("watcher", watcher, "a function");
    const own = (): void => watcher();
    this.#watchers.add(own);
    return () => this.#watchers.delete(own);
  }

  /** @internal Tells those who subscribed that reads answer differently now. */
  protected notify(): void {
    if (this.#watchers.size === 0) return;
    for (const watcher of [...this.#watchers]) {
      if (!this.#watchers.has(watcher)) continue;
      try {
        watcher();
      } catch (error) {
        report(error);
      }
    }
  }

  /** @internal Tells of a change: first who subscribed, then its operations, then the change itself. */
  protected announce(change: Change, operations: readonly Operation[]): void {
    if (this.#watchers.size === 0 && operations.length === 0 && !this.events.has("change")) return;
    // One delivery, so that what a callback causes is told after all of this.
    this.events.deliver([
      () => this.notify(),
      ...operations.map((operation) => () => this.events.call("operation", operation)),
      () => this.events.call("change", change),
    ]);
  }

  /** @internal Lets everybody go who listens or waits. */
  protected forgetListeners(): void {
    this.events.clear();
    this.#watchers.clear();
    for (const end of [...this.#waiting]) end();
  }

  /**
   * Changes from now on, as they come, for `for await`; ends when the signal aborts or the list is let go.
   * Changes wait in memory until they are taken, so whoever asks for this must take them or `return()`.
   */
  changes(options: { readonly signal?: AbortSignal } = {}): ChangeStream {
    const signal = signalOf(options);
    const queue: Change[] = [];
    const takers: ((result: IteratorResult<Change, undefined>) => void)[] = [];
    let ended = false;
    const done = { done: true, value: undefined } as const;
    const off = this.on("change", (value) => {
      const taker = takers.shift();
      if (taker === undefined) queue.push(value);
      else taker({ done: false, value });
    });
    const end = (): void => {
      ended = true;
      off();
      this.#waiting.delete(end);
      signal?.removeEventListener("abort", end);
      for (const taker of takers.splice(0)) taker(done);
    };
    this.#waiting.add(end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted === true) end();
    const iterator: ChangeStream = {
      next: () => {
        const value = queue.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return ended ? Promise.resolve(done) : new Promise((resolve) => takers.push(resolve));
      },
      return: () => {
        queue.length = 0;
        end();
        return Promise.resolve(done);
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /**
   * Resolves with the task once it is ready. Rejects with `not_found` when it leaves the list,
   * `invalid_transition` when it settles without having been ready, `disposed` when the list is let go, the
   * signal's reason when that aborts.
   */
  whenReady(id: string, options: { readonly signal?: AbortSignal } = {}): Promise<Task> {
    return this.#when(id, options, (task) => {
      if (task.readiness === "settled") throw cannotBecomeReady(task);
      return task.readiness === "ready";
    });
  }

  /** Resolves with the task once it is completed, cancelled or deleted. Rejects as {@link whenReady} does. */
  whenSettled(id: string, options: { readonly signal?: AbortSignal } = {}): Promise<Task> {
    return this.#when(id, options, (task) => task.readiness === "settled");
  }

  async #when(id: string, options: { readonly signal?: AbortSignal }, isDue: (task: Task) => boolean): Promise<Task> {
    const signal = signalOf(options);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        off();
        this.#waiting.delete(letGo);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const abort = (): void => end(() => reject(signal?.reason));
      const letGo = (): void => end(() => reject(disposed()));
      const look = (): void => {
        try {
          const task = this.get(id);
          if (task === undefined) throw notFound(id);
          if (isDue(task)) end(() => resolve(task));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const off = this.on("change", look);
      if (signal?.aborted === true) return abort();
      this.#waiting.add(letGo);
      signal?.addEventListener("abort", abort);
      look();
    });
  }

  #slot(id: string): number {
    return this[sessionOf].find(id);
  }
}

/** The signal of a call's options. */
function signalOf(options: { readonly signal?: AbortSignal } | null | undefined): AbortSignal | undefined {
  const signal: unknown = optionOf(options ?? undefined, "signal");
  if (signal === undefined || typeof (signal as AbortSignal).addEventListener === "function") return signal as AbortSignal | undefined;
  throw invalid("signal", signal, "an AbortSignal");
}

/** Refuses an option that a question does not have, since it would be missed silently. */
export function checkOptions(options: object | undefined, known: readonly string[]): void {
  if (options === undefined || options === null) return;
  if (typeof options !== "object") throw invalid("options", options, "an object");
  let field: string | undefined;
  try {
    field = Object.keys(options).find((name) => !known.includes(name));
  } catch (cause) {
    throw invalid("options", options, "readable", cause);
  }
  if (field === undefined) return;
  throw new TaskError({
    code: "unknown_field",
    message: `\`${field}\` is no option here.`,
    hint: `The options are: ${known.join(", ")}.`,
    details: { field },
  });
}

/** The only option that some questions have. */
function onlyLimit(options: { readonly limit?: number } | undefined): number | undefined {
  checkOptions(options, ["limit"]);
  return optionOf(options, "limit");
}

/** What `list` is asked, read once. */
function readQuery(query: ListQuery): {
  readonly status: readonly string[] | undefined;
  readonly readiness: readonly string[] | undefined;
  readonly owner: readonly string[] | undefined;
  readonly parent: readonly string[] | undefined;
  readonly cursor: number;
  readonly limit: number;
} {
  checkOptions(query, ["status", "readiness", "owner", "parent", "cursor", "limit"]);
  const words = (name: "status" | "readiness" | "owner" | "parent"): readonly string[] | undefined => {
    const given: unknown = optionOf(query, name);
    if (given === undefined) return undefined;
    if (typeof given === "string") return [given];
    try {
      if (Array.isArray(given)) {
        const list = (given as unknown[]).slice();
        if (list.every((word) => typeof word === "string")) return list as string[];
      }
    } catch {
      // Refused below.
    }
    throw invalid(name, given, "text or a list of texts");
  };
  const cursor: unknown = optionOf(query, "cursor");
  if (cursor !== undefined && (typeof cursor !== "string" || !/^\d{1,16}$/.test(cursor))) {
    throw invalid("cursor", cursor, "the `nextCursor` of a page");
  }
  const limit = readLimit(optionOf(query, "limit"), Infinity);
  return { status: words("status"), readiness: words("readiness"), owner: words("owner"), parent: words("parent"), cursor: Number(cursor ?? 0), limit };
}

function notFound(id: string): TaskError {
  return new TaskError({
    code: "not_found",
    message: `There is no task \`${id.slice(0, 130)}\`.`,
    hint: "List the tasks to see their ids.",
    details: { id },
  });
}

function cannotBecomeReady(task: Task): TaskError {
  return new TaskError({
    code: "invalid_transition",
    message: `Task \`${task.id}\` is ${task.status} and will not become ready.`,
    hint: "Reopen it first.",
    details: { id: task.id, from: task.status, to: "pending" },
  });
}

/** The pinned panel: work in progress, then the next few pending tasks. */
export function renderPanel(list: TaskReads): Panel {
  const { handle } = sessionIn(list);
  return guard(() => glue.view_panel(handle)) as Panel;
}

/** Every row as one line: `id · status · title`. */
export function renderRows(list: TaskReads): RowLine[] {
  const { handle } = sessionIn(list);
  return guard(() => glue.view_rows(handle)) as RowLine[];
}

/** The read-only dialog of one task. Throws `not_found`. */
export function renderDetail(list: TaskReads, id: string): Detail {
  const session = sessionIn(list);
  const slot = session.find(id);
  const { handle } = session;
  return guard(() => glue.view_detail(handle, slot)) as Detail;
}

/** The session of what a caller gave as a list. */
export function sessionIn(list: TaskReads): Session {
  if (list instanceof TaskReads) return list[sessionOf];
  throw invalid("list", list, "a list of this package");
}
