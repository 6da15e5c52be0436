import type { Emitter } from "./emitter.js";
import { TaskError } from "./errors.js";
import type { ListEvents } from "./reads.js";
import { currentGeneration } from "./runtime.js";
import { storageFailure, type Loaded, type Saver } from "./saver.js";
import type { Outcome, Session } from "./session.js";
import { isRecordStorage } from "./storage/types.js";
import type { RowTexts } from "./texts.js";
import type { StorageDetails, Task } from "./types.js";

/** How often a call that lost a race is carried out anew. */
const TRIES = 8;
/** Longest pause before the second try, in milliseconds; it doubles with each try, and a random share of it is waited. */
const PAUSE = 10;

/** What a call is answered; a tool call has a result besides. */
export type CallOutcome = Outcome & { readonly result?: unknown };

/** A call that is carried out on the engine, perhaps several times: operation number and time stay the same. */
interface Call {
  readonly operation: number;
  /** Carries it out on the list as it stands. */
  readonly run: () => CallOutcome;
  /** The answer so far; it may change when the call is carried out anew. */
  outcome: CallOutcome | undefined;
  readonly settle: (outcome: CallOutcome) => void;
  readonly fail: (error: unknown) => void;
}

/** The last state that is known to be stored. */
interface Base {
  mark: number;
  revision: number;
  stored: string | null;
  /** Whether the storage ever held the list. */
  held: boolean;
  /** The engine instance whose journal goes back to it. */
  generation: number;
}

/** Why the storage is read, beyond being asked to. */
interface Trouble {
  /** What the calls of a save are told that did not land; without, they are carried out anew. */
  readonly lost?: TaskError | undefined;
  /** What they are told when the storage cannot be read either; without, the error of that. */
  readonly unsure?: TaskError | undefined;
  /** How long to wait before, in milliseconds. */
  readonly wait?: number;
  /** Somebody says that there is something new, and may be wrong. */
  readonly isHint?: boolean;
}

/** The list whose calls are to be stored, and who is told of them. */
export interface StoredList {
  readonly session: Session;
  readonly texts: RowTexts;
  readonly events: Emitter<ListEvents>;
  /** Tells those who subscribed that reads answer differently now. */
  readonly notify: () => void;
}

/**
 * The calls of a durable list on their way to the storage.
 *
 * A call runs at once and waits for a save; one save at a time covers all that waits. When the save loses a
 * race or fails, everything since the last stored state is taken back, the storage is loaded, and what did not
 * land is carried out anew, with the same ids and times.
 *
 * Nobody is told anything while the list is between two states: whoever calls back in finds the list, and the
 * calls before theirs, in order.
 */
export class SaveQueue {
  readonly #list: StoredList;
  readonly #saver: Saver;
  readonly #base: Base;
  #waiting: Call[] = [];
  #saving: Call[] = [];
  /** Under way: a save, or taking up what a storage holds. */
  #busy = false;
  /** Under way: reading the storage. Calls wait for what it says. */
  #reading = false;
  /** The storage could not be read: the next call reads it first. */
  #unsure = false;
  /** Somebody else may have saved since the storage was last read. */
  #stale = false;
  /** How many reads in a row brought nothing new, and made the storage call back all the same. */
  #echoes = 0;
  #closed = false;
  #idle: (() => void)[] = [];
  /** What is to be told when the list is in order again; unset when it is. */
  #untold: Set<() => void> | undefined;

  constructor(list: StoredList, saver: Saver, loaded: Loaded | null) {
    this.#list = list;
    this.#saver = saver;
    list.session.mirror.tracking = isRecordStorage(saver.storage);
    this.#base = { mark: 0, revision: 0, stored: null, held: false, generation: 0 };
    this.#rebase(loaded);
    saver.subscribe(() => this.#onForeignChange());
  }

  /** How many calls have been carried out and are not stored yet. */
  get unsaved(): number {
    return this.#waiting.length + this.#saving.length;
  }

  /** Whether nothing more is taken. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Carries a call out, and resolves once its answer stands. */
  call(operation: number, run: Call["run"]): Promise<CallOutcome> {
    return new Promise((settle, fail) => {
      const call: Call = { operation, run, outcome: undefined, settle, fail };
      if (!this.#unsure && !this.#reading) {
        if (!this.#run(call)) return this.#pump();
        // What changed nothing still leans on what is not stored yet.
        if (this.unsaved === 0 && !changes(call)) return settle(call.outcome as CallOutcome);
      }
      this.#waiting.push(call);
      if (changes(call)) this.#tell([this.#list.notify]);
      this.#pump();
    });
  }

  /** Resolves when nothing waits to be stored. */
  flush(): Promise<void> {
    return this.#isAtWork ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** Takes up what the storage holds now, after what waits is stored. */
  async reload(): Promise<void> {
    while (this.#isAtWork) await this.flush();
    let failure: unknown;
    if (!this.#closed) await this.#exclusively(async () => void (failure = await this.#resume([])));
    if (failure !== undefined) throw failure;
  }

  /** Stores what waits, and takes no more; `false` when somebody else has closed it meanwhile. */
  async close(): Promise<boolean> {
    while (this.#isAtWork) await this.flush();
    if (this.#closed) return false;
    this.#closed = true;
    return true;
  }

  /** Whether something is under way. To be asked again after waiting: calls may have begun meanwhile. */
  get #isAtWork(): boolean {
    return this.#busy || this.unsaved > 0;
  }

  /** Whether the instance was replaced since the last stored state: the journal that goes back to it is gone. */
  get #wasReplaced(): boolean {
    return this.#base.generation !== currentGeneration();
  }

  /** Runs a call; `false` when it broke and has been told so. */
  #run(call: Call): boolean {
    try {
      call.outcome = call.run();
      return true;
    } catch (error) {
      call.fail(error);
      return false;
    }
  }

  #pump(): void {
    if (this.#busy) return;
    if (this.unsaved > 0) {
      const mustRead = this.#unsure || this.#wasReplaced;
      void this.#exclusively(async () => void (await (mustRead ? this.#resume(this.#waiting.splice(0)) : this.#save())));
    } else if (this.#stale) {
      void this.#exclusively(() => this.#refresh());
    } else {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
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

  /** One save of all that waits, until nothing does. */
  async #save(): Promise<void> {
    const { session, texts } = this.#list;
    for (let tries = 0; this.#waiting.length > 0 && !this.#unsure && !this.#wasReplaced; ) {
      const group = (this.#saving = this.#waiting.splice(0));
      let saved: string | null | false = null;
      try {
        if (group.some(changes)) {
          const [mark, { revision }] = [session.mark(), session.mirror];
          saved = await this.#saver.take(session, texts, this.#base.stored)();
          if (saved !== false) {
            Object.assign(this.#base, { mark, revision, stored: saved, held: true });
            session.pin(mark);
          }
        }
      } catch (error) {
        // It may have landed all the same: ask the storage.
        const lost = storageFailure(error, "save, and nothing of the call is stored");
        const { landed } = lost.details as StorageDetails;
        await this.#resume(group, { lost, unsure: landed === false ? lost : unsure(error) });
        return;
      }
      if (saved === false) {
        // Somebody else was faster.
        tries += 1;
        const wait = tries > 1 ? Math.random() * PAUSE * 2 ** tries : 0;
        await this.#resume(group, { lost: tries < TRIES ? undefined : lostRace(), wait });
        tries %= TRIES;
      } else {
        this.#saving = [];
        this.#settle(group);
        tries = 0;
      }
    }
  }

  /**
   * Takes everything since the last stored state back, reads the storage and puts the list where that is. Calls
   * of `group` that had landed are settled, the others told so or carried out anew, before those that came
   * later. When the storage cannot be read, all are told so: gives that error.
   */
  async #resume(group: Call[], { lost, unsure, wait = 0, isHint = false }: Trouble = {}): Promise<unknown> {
    const later = this.#waiting.splice(0);
    this.#saving = [...group, ...later];
    this.#reading = true;
    try {
      this.#takeBack();
      if (wait > 0) await pause(wait);
      this.#stale = false;
      const loaded = await this.#saver.load();
      const isKnown = isHint && (loaded === null || (loaded.revision !== null && loaded.revision === this.#base.stored));
      this.#inOrder(() => {
        const rest = isKnown ? group : this.#takeUp(loaded, group);
        this.#saving = [];
        this.#reading = this.#unsure = false;
        if (lost !== undefined) for (const call of rest.splice(0)) call.fail(lost);
        for (const call of [...rest, ...later, ...this.#waiting.splice(0)]) {
          if (!this.#run(call)) continue;
          this.#waiting.push(call);
          if (changes(call)) this.#tell([this.#list.notify]);
        }
      });
      return undefined;
    } catch (error) {
      this.#saving = [];
      this.#reading = false;
      this.#unsure = true;
      for (const call of group) call.fail(unsure ?? error);
      // These were in no save, so they did not land.
      for (const call of later) call.fail(error);
      return error;
    }
  }

  /** Takes back what the calls under way changed. */
  #takeBack(): void {
    const { session, notify } = this.#list;
    if (this.#wasReplaced || !this.#saving.some(changes)) return;
    session.rollBack(this.#base.mark, this.#base.revision);
    session.mirror.takeDirty();
    this.#tell([notify]);
  }

  /** Puts the list where the storage is; settles the calls that had landed there, gives the others. */
  #takeUp(loaded: Loaded | null, group: Call[]): Call[] {
    const { session, events, notify } = this.#list;
    const { mirror } = session;
    const [{ revision, held }, wasReplaced] = [this.#base, this.#wasReplaced];
    // Before the rows are read: this makes the list anew where the instance was replaced.
    void session.quickHandle;
    const rows = mirror.list();
    if (loaded === null && (held || !wasReplaced)) {
      // What vanished from the storage is still here, and goes back with the next save as a whole.
      this.#rebase(null);
      // With calls in it that could not be taken back, and are not to be carried out twice.
      if (wasReplaced) throw unsure(undefined);
      return group;
    }
    const change = session.replace(loaded?.stored ?? null);
    mirror.takeDirty();
    this.#rebase(loaded);
    const numbers = session.landed();
    const landed = group.filter((call) => numbers.has(call.operation) && call.outcome?.ok === true);
    const isForeign =
      mirror.revision - revision !== landed.filter(changes).length || (landed.length === 0 && !isSame(rows, mirror.list()));
    if (isForeign || landed.length > 0) this.#tell([notify]);
    if (isForeign) this.#tell([() => events.call("change", change)]);
    this.#settle(landed);
    return group.filter((call) => !landed.includes(call));
  }

  /** The list as it stands is what is stored. */
  #rebase(loaded: Loaded | null): void {
    const { session } = this.#list;
    const mark = session.mark();
    Object.assign(this.#base, {
      mark,
      revision: session.mirror.revision,
      stored: loaded?.revision ?? null,
      held: this.#base.held || loaded !== null,
      generation: currentGeneration(),
    });
    session.pin(mark);
  }

  /** Tells callers and listeners, in order. */
  #settle(calls: readonly Call[]): void {
    const { session, events } = this.#list;
    const known = events.has("operation") && calls.some(changes) ? session.operations(0) : [];
    const steps: (() => void)[] = [];
    for (const call of calls) {
      const outcome = call.outcome as CallOutcome;
      call.settle(outcome);
      if (!outcome.ok || !outcome.change.changed) continue;
      const operation = known.find(({ id }) => id === `${session.name}.${call.operation}`);
      if (operation !== undefined) steps.push(() => events.call("operation", operation));
      steps.push(() => events.call("change", outcome.change));
    }
    this.#tell(steps);
  }

  /** Tells now, after what is being told, or once the list is in order again. */
  #tell(steps: Iterable<() => void>): void {
    if (this.#untold === undefined) this.#list.events.deliver(steps);
    else for (const step of steps) this.#untold.add(step);
  }

  /** Does something of which nobody hears before it is done. */
  #inOrder(work: () => void): void {
    const steps = (this.#untold = new Set<() => void>());
    try {
      work();
    } finally {
      this.#untold = undefined;
      this.#tell(steps);
    }
  }

  #onForeignChange(): void {
    if (this.#closed) return;
    this.#stale = true;
    this.#pump();
  }

  /** Takes up what somebody else stored. A hint: if it cannot be read now, the next call will find out. */
  async #refresh(): Promise<void> {
    const { stored, revision } = this.#base;
    await this.#resume([], { isHint: true });
    const isNew = this.#base.stored !== stored || this.#base.revision !== revision;
    this.#echoes = isNew || !this.#stale ? 0 : this.#echoes + 1;
    if (!this.#stale) return;
    // Said while it was read: what was read may be older, or the storage says so at each read. Whatever else
    // is to be done comes first, and the second such read in vain is the last.
    this.#stale = false;
    if (this.#echoes < 2) setTimeout(() => this.#onForeignChange());
    else this.#echoes = 0;
  }
}

/** Whether a call has something to be saved. */
function changes(call: Call): boolean {
  return call.outcome?.ok === true && call.outcome.change.changed;
}

/** Rows are replaced when they change. */
function isSame(before: readonly Task[], after: readonly Task[]): boolean {
  return before.length === after.length && before.every((row, at) => row === after[at]);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function unsure(cause: unknown): TaskError {
  return new TaskError({
    code: "storage_unknown",
    message: "The storage failed and cannot be read, so whether the call was stored is not known.",
    hint: "Try again when the storage works: the next call reads it first.",
    cause,
  });
}

function lostRace(): TaskError {
  return new TaskError({
    code: "conflict",
    message: `Others were faster ${TRIES} times in a row; nothing of the call is stored.`,
    hint: "Try again.",
  });
}
