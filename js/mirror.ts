import { answerBase, guard, readAnswer, takeNumbers, view, writeNumbers, writeText } from "./boundary.js";
import type { StoredText } from "./session.js";
import type { Change, Readiness, Status, Task, Warning } from "./types.js";

/**
 * The rows as JavaScript sees them: frozen objects, one per task, replaced and never changed. The engine
 * holds the truth; every mutation answers with a delta, and the delta is the only way to patch. What the
 * mirror decides is nothing: which rows, which order and which readiness all come from the engine.
 */

const STATUSES: readonly Status[] = ["pending", "in_progress", "held", "completed", "cancelled", "deleted"];
const READINESS: readonly Readiness[] = ["ready", "blocked", "running", "held", "settled"];
const NONE = 0xffff_ffff;
const TWO_32 = 4_294_967_296;
/** Rows are decoded in groups of this size, so that no short string keeps a large text alive. */
const GROUP = 256;
/** The words of so many new rows are sent at once. */
const WORD_GROUP = 16;

/** Flags of a delta (src/wasm/delta.rs). */
const CHANGED = 1;
const HAS_TASK = 2;
const EXTRAS = 4;
const AS_GIVEN = 8;
const RENUMBERED = 16;
const MISSING = 32;

/** What changed about a row (src/engine/state.rs). */
const PROGRESS = 1;
const UPDATED = 4;
const BLOCKERS = 8;
const TEXT = 16;
const FACETS = 32;
const CREATED = 64;
const GONE = 128;
const TIMED = PROGRESS | UPDATED | CREATED;
const WORDS = TEXT | FACETS | CREATED | BLOCKERS;

const EMPTY: readonly Task[] = Object.freeze([]);
const NO_IDS: readonly string[] = Object.freeze([]);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The rows of one list. */
export class Mirror {
  /** Rows by slot; `undefined` where a slot holds no row. */
  #rows: (Task | undefined)[] = [];
  #ids = new Map<string, number>();
  /** Ids of placeholders for missing tasks, by slot. */
  #missing = new Map<number, string>();
  #holes = 0;
  #list: readonly Task[] | undefined;
  /** Slots of quickly added tasks whose words the engine has not seen. */
  unsent: number[] = [];
  /** Rows with nothing but the fields of {@link plainRow} and times; by slot. */
  #plain: boolean[] = [];
  #dirty = new Set<number>();
  #gone = new Set<string>();
  revision = 0;
  readyCount = 0;
  blockedCount = 0;
  nextSeq = 1;
  /** Whether the list holds placeholders for missing tasks. */
  hasMissing = false;
  /** Whether to note which rows change, for a storage that saves those alone. */
  tracking = false;
  /** The largest fence seen, for a list that must be made anew. */
  lastFence = 0;

  constructor(
    private handle: number,
    /** The text that the list was opened from, until the rows are read from the engine: when first asked. */
    public unread: StoredText | undefined,
  ) {}

  /** Takes the handle of an instance that replaced the one before: the same rows in the same order, in other slots. */
  rebind(handle: number): void {
    this.handle = handle;
    this.unsent = [];
    if (this.unread !== undefined) return;
    const before = this.slots();
    const oldOf = new Uint32Array(guard((core) => core.slots(handle))).fill(NONE);
    takeNumbers(guard((core) => core.order(handle))).forEach((slot, at) => {
      oldOf[slot] = before[at] as number;
    });
    const list = this.#list;
    this.#renumber(oldOf);
    this.#list = list;
    this.#readMissing();
  }

  /** Reads every row that was not read yet. */
  ensure(): void {
    if (this.unread === undefined) return;
    const order = takeNumbers(guard((core) => core.order(this.handle)));
    this.#readThose(order);
    this.unread = undefined;
  }

  /** Reads those of the rows that were not read yet: a list that was opened is read row by row, as it is asked for. */
  #readThose(slots: ArrayLike<number>): void {
    if (this.#rows.length === 0) {
      // Each row that is read fills one.
      this.#holes = guard((core) => core.slots(this.handle));
      this.#rows = new Array<Task | undefined>(this.#holes).fill(undefined);
      this.#readMissing();
    }
    const absent: number[] = [];
    for (let at = 0; at < slots.length; at += 1) if (this.#rows[slots[at] as number] === undefined) absent.push(slots[at] as number);
    this.#readAll(absent);
  }

  #readAll(slots: number[] | Uint32Array): void {
    for (let at = 0; at < slots.length; at += GROUP) this.#read(slots.slice(at, at + GROUP));
  }

  #readMissing(): void {
    const missing = takeNumbers(guard((core) => core.missing(this.handle)));
    this.#missing.clear();
    if (missing.length > 0) this.#read(missing);
  }

  /** The slot of a live task. */
  slot(id: string): number | undefined {
    this.ensure();
    return this.#ids.get(id);
  }

  /** The row in a slot. */
  row(slot: number): Task | undefined {
    if (this.unread !== undefined) this.#readThose([slot]);
    return this.#rows[slot];
  }

  /** The row with an id. */
  get(id: string): Task | undefined {
    this.ensure();
    const slot = this.#ids.get(id);
    return slot === undefined ? undefined : this.#rows[slot];
  }

  /** Rows of slots that the engine gave. */
  pick(count: number): Task[] {
    let base = answerBase();
    let words = view();
    if (this.unread !== undefined) {
      words = words.slice(base, base + count);
      base = 0;
      this.#readThose(words);
    }
    const tasks = new Array<Task>(count);
    for (let at = 0; at < count; at += 1) tasks[at] = this.#rows[words[base + at] as number] as Task;
    return tasks;
  }

  /** Every row in creation order; the same array until something changes. */
  list(): readonly Task[] {
    this.ensure();
    if (this.#list === undefined) {
      const rows = this.#holes === 0 ? this.#rows.slice() : this.#rows.filter((row) => row !== undefined);
      this.#list = Object.freeze(rows as Task[]);
    }
    return this.#list;
  }

  /** How many slots there are, those without a row included. */
  get size(): number {
    this.ensure();
    return this.#rows.length;
  }

  /** Slots of rows. */
  slots(): number[] {
    this.ensure();
    return [...this.#rows.keys()].filter((slot) => this.#rows[slot] !== undefined);
  }

  /** Sends the words of quickly added tasks, which the engine has not seen yet. */
  flushWords(): void {
    const slots = this.unsent;
    // In pieces: one text that is not ASCII makes all that it is joined with slow to encode.
    for (let from = 0; from < slots.length; from += WORD_GROUP) {
      const group = slots.slice(from, from + WORD_GROUP);
      let text = "";
      for (const slot of group) {
        const row = this.#rows[slot] as Task;
        text += `${row.id}\0${row.title}\0${row.description ?? ""}\0`;
      }
      const size = writeText(text);
      writeNumbers(group);
      guard((core) => core.fill(this.handle, group.length, size));
    }
    slots.length = 0;
  }

  /** Which rows changed and which left since this was last asked. */
  takeDirty(): { readonly slots: number[]; readonly gone: string[] } {
    const slots = [...this.#dirty].filter((slot) => this.#rows[slot] !== undefined);
    const gone = [...this.#gone].filter((id) => !this.#ids.has(id));
    this.#dirty.clear();
    this.#gone.clear();
    return { slots, gone };
  }

  /**
   * Applies the delta of a quick add: all of the row is known but for what the engine computed. Nothing when
   * the delta says more than that.
   */
  added(
    base: number,
    id: string,
    title: string,
    description: string | undefined,
    blockedBy: readonly string[],
    createdBy: string,
    now: number,
  ): Change | undefined {
    const words = view();
    const flags = words[base] as number;
    if ((flags & AS_GIVEN) === 0 || (flags & RENUMBERED) !== 0 || (words[base + 4] as number) !== 1) return undefined;
    const slot = words[base + 3] as number;
    const readiness = READINESS[((words[base + 14] as number) >>> 12) & 15] as Readiness;
    const seq = this.nextSeq;
    this.#head(words, base);
    const row = Object.freeze(plainRow(id, seq, title, description, "pending", readiness, blockedBy, createdBy, now, now));
    this.#put(slot, row);
    this.#plain[slot] = true;
    this.#ids.set(id, slot);
    this.unsent.push(slot);
    if (this.tracking) this.#dirty.add(slot);
    const isReady = readiness === "ready";
    return {
      revision: this.revision,
      action: "add",
      changed: true,
      task: row,
      nowReady: isReady ? [row] : EMPTY,
      nowBlocked: isReady ? EMPTY : [row],
    };
  }

  #put(slot: number, row: Task): void {
    const rows = this.#rows;
    this.#list = undefined;
    if (slot === rows.length) {
      rows.push(row);
      return;
    }
    for (; rows.length < slot; this.#holes += 1) rows.push(undefined);
    if (slot === rows.length) {
      rows.push(row);
    } else {
      if (rows[slot] === undefined) this.#holes -= 1;
      rows[slot] = row;
    }
  }

  #remove(slot: number): void {
    const row = this.#rows[slot];
    if (row === undefined) return;
    if (this.#ids.get(row.id) === slot) this.#ids.delete(row.id);
    if (this.tracking) this.#gone.add(row.id);
    this.#rows[slot] = undefined;
    this.#holes += 1;
    this.#list = undefined;
  }

  #head(words: Uint32Array, base: number): void {
    this.revision = long(words, base + 1);
    this.readyCount = words[base + 9] as number;
    this.blockedCount = words[base + 10] as number;
    this.nextSeq = long(words, base + 11);
    this.hasMissing = ((words[base] as number) & MISSING) !== 0;
  }

  /** Applies a delta and gives the change that it describes. `blockedBy`: the ids that a quick edit gave. */
  apply(base: number, action: string, blockedBy?: readonly string[]): Change {
    let words = view();
    const flags = words[base] as number;
    const rare = (flags & (EXTRAS | RENUMBERED | MISSING)) !== 0 || this.hasMissing;
    this.#head(words, base);
    const task = words[base + 3] as number;
    const touched = words[base + 4] as number;
    const tasks = words[base + 5] as number;
    const nowReady = words[base + 6] as number;
    const nowBlocked = words[base + 7] as number;
    const asGiven = (flags & AS_GIVEN) !== 0 && blockedBy !== undefined;
    let lists = base + 13;
    for (let index = 0; index < touched; index += 1) {
      lists += ((words[lists + 1] as number) & TIMED) === 0 ? 2 : 8;
    }
    if ((flags & RENUMBERED) !== 0) {
      const from = lists + tasks + nowReady + nowBlocked;
      this.#renumber(words.slice(from, from + (words[base + 8] as number)));
    }
    let later: number[] | undefined;
    for (let at = base + 13; at < lists; ) {
      const slot = words[at] as number;
      const mask = (words[at + 1] as number) & 255;
      const given = asGiven && slot === task;
      if (this.tracking) this.#dirty.add(slot);
      if ((mask & GONE) !== 0) this.#remove(slot);
      else if ((mask & (given ? WORDS & ~BLOCKERS : WORDS)) !== 0) (later ??= []).push(slot);
      else this.#update(slot, words, at, given && (mask & BLOCKERS) !== 0 ? blockedBy : undefined);
      at += (mask & TIMED) === 0 ? 2 : 8;
    }
    let extras: { warning?: Warning; keys: Record<string, string> } | undefined;
    if (rare || later !== undefined) {
      // What follows asks the engine again, so what is still to be read is taken out of its memory.
      words = words.slice(lists, lists + tasks + nowReady + nowBlocked);
      lists = 0;
      if ((flags & EXTRAS) !== 0) extras = JSON.parse(readAnswer()) as NonNullable<typeof extras>;
      if (rare) this.#readMissing();
      if (later !== undefined) this.#readAll(later);
    }
    const change: Mutable<Change> = {
      revision: this.revision,
      action,
      changed: (flags & CHANGED) !== 0,
      nowReady: this.#rowsAt(words, lists + tasks, nowReady),
      nowBlocked: this.#rowsAt(words, lists + tasks + nowReady, nowBlocked),
    };
    const row = (flags & HAS_TASK) === 0 ? undefined : this.#rows[task];
    if (row !== undefined) change.task = row;
    // Of calls without a subject only those of many tasks say more.
    if (row === undefined && extras !== undefined) {
      change.tasks = this.#rowsAt(words, lists, tasks);
      change.keys = Object.freeze({ ...extras.keys });
    }
    if (extras?.warning !== undefined) change.warning = extras.warning;
    return change;
  }

  #rowsAt(words: Uint32Array, from: number, count: number): readonly Task[] {
    if (count === 0) return EMPTY;
    const rows: Task[] = [];
    for (let at = from; at < from + count; at += 1) rows.push(this.#rows[words[at] as number] as Task);
    return rows;
  }

  /** A row whose status, readiness, times or blockers changed. */
  #update(slot: number, words: Uint32Array, at: number, given: readonly string[] | undefined): void {
    const old = this.#rows[slot];
    if (old === undefined) return;
    const packed = words[at + 1] as number;
    const readiness = READINESS[(packed >>> 12) & 15] as Readiness;
    const timed = (packed & TIMED) !== 0;
    if (!timed && given === undefined && old.readiness === readiness) return;
    const status = STATUSES[(packed >>> 8) & 15] as Status;
    const updatedAt = timed ? long(words, at + 2) : old.updatedAt;
    const startedAt = timed ? long(words, at + 4) : (old.startedAt ?? 0);
    const completedAt = timed ? long(words, at + 6) : (old.completedAt ?? 0);
    const blockedBy = given ?? old.blockedBy;
    let row: Mutable<Task>;
    if (this.#plain[slot] === true) {
      const { id, seq, title, description, createdBy, createdAt } = old;
      row = plainRow(id, seq, title, description, status, readiness, blockedBy, createdBy, createdAt, updatedAt);
    } else {
      row = { ...old, status, readiness, blockedBy, updatedAt };
      if (startedAt === 0) delete row.startedAt;
      if (completedAt === 0) delete row.completedAt;
    }
    if (startedAt > 0) row.startedAt = startedAt;
    if (completedAt > 0) row.completedAt = completedAt;
    this.#rows[slot] = Object.freeze(row);
    this.#list = undefined;
  }

  #renumber(oldOf: Uint32Array): void {
    const before = this.#rows;
    const rows: (Task | undefined)[] = [];
    const ids = new Map<string, number>();
    let holes = 0;
    this.#dirty = moved(this.#dirty, oldOf);
    this.unsent = [...moved(new Set(this.unsent), oldOf)];
    const plain: boolean[] = [];
    for (let slot = 0; slot < oldOf.length; slot += 1) {
      const old = oldOf[slot] as number;
      const row = old === NONE ? undefined : before[old];
      rows.push(row);
      plain.push(old !== NONE && this.#plain[old] === true);
      if (row === undefined) holes += 1;
      else ids.set(row.id, slot);
    }
    if (this.tracking) for (const row of before) if (row !== undefined && !ids.has(row.id)) this.#gone.add(row.id);
    this.#rows = rows;
    this.#plain = plain;
    this.#ids = ids;
    this.#holes = holes;
    this.#list = undefined;
  }

  /** Reads rows from the engine. */
  #read(slots: ArrayLike<number>): void {
    if (slots.length === 0) return;
    writeNumbers(slots);
    guard((core) => core.facts(this.handle, slots.length));
    const text = readAnswer();
    let at = answerBase();
    const words = view();
    let from = 0;
    const time = (): number => long(words, (at += 2) - 2);
    const part = (): string => text.slice(from, (from += words[at++] as number));
    const rows: { slot: number; row: Mutable<Task>; parent: number; blockers: number[] }[] = [];
    for (let index = 0; index < slots.length; index += 1) {
      const slot = words[at++] as number;
      const packed = words[at++] as number;
      const [seq, createdAt, updatedAt, startedAt, completedAt] = [time(), time(), time(), time(), time()];
      const parent = words[at++] as number;
      const [id, title, description, activeForm, createdBy, other] = [part(), part(), part(), part(), part(), part()];
      const count = words[at++] as number;
      const blockers = Array.from(words.subarray(at, at + count));
      at += count;
      const presence = packed & 255;
      if (presence === 1) {
        this.#missing.set(slot, id);
        continue;
      }
      if (presence !== 0) {
        this.#remove(slot);
        continue;
      }
      const row: Mutable<Task> = {
        id,
        seq,
        title,
        status: STATUSES[(packed >>> 8) & 15] as Status,
        readiness: READINESS[(packed >>> 12) & 15] as Readiness,
        blockedBy: NO_IDS,
        createdAt,
        updatedAt,
      };
      if (description !== "") row.description = description;
      if (activeForm !== "") row.activeForm = activeForm;
      if (createdBy !== "") row.createdBy = createdBy;
      if (startedAt > 0) row.startedAt = startedAt;
      if (completedAt > 0) row.completedAt = completedAt;
      rows.push({ slot, row: other === "" ? row : withFacets(row, other), parent, blockers });
    }
    // Rows may name each other, so names are looked up once all are known.
    for (const { slot, row } of rows) {
      const old = this.#rows[slot];
      if (old !== undefined && old.id !== row.id) this.#remove(slot);
      this.#put(slot, row);
      this.#plain[slot] = false;
      this.#ids.set(row.id, slot);
    }
    for (const { row, parent, blockers } of rows) {
      if (parent !== NONE) row.parent = this.#idOf(parent);
      if (blockers.length > 0) row.blockedBy = Object.freeze(blockers.map((blocker) => this.#idOf(blocker)));
      if (row.claim !== undefined) this.lastFence = Math.max(this.lastFence, row.claim.fence);
      Object.freeze(row);
    }
    this.#list = undefined;
  }

  #idOf(slot: number): string {
    const known = this.#rows[slot]?.id ?? this.#missing.get(slot);
    if (known !== undefined) return known;
    // A row that is read later in the same sweep: ask for its name alone.
    writeNumbers([slot]);
    guard((core) => core.facts(this.handle, 1));
    const text = readAnswer();
    const base = answerBase();
    return text.slice(0, view()[base + 13] as number);
  }
}

function long(words: Uint32Array, at: number): number {
  return (words[at] as number) + (words[at + 1] as number) * TWO_32;
}

/** A row of one shape, which engines make and read fastest. */
function plainRow(
  id: string,
  seq: number,
  title: string,
  description: string | undefined,
  status: Status,
  readiness: Readiness,
  blockedBy: readonly string[],
  createdBy: string | undefined,
  createdAt: number,
  updatedAt: number,
): Mutable<Task> {
  if (createdBy === undefined) {
    return description === undefined
      ? { id, seq, title, status, readiness, blockedBy, createdAt, updatedAt }
      : { id, seq, title, description, status, readiness, blockedBy, createdAt, updatedAt };
  }
  return description === undefined
    ? { id, seq, title, status, readiness, blockedBy, createdBy, createdAt, updatedAt }
    : { id, seq, title, description, status, readiness, blockedBy, createdBy, createdAt, updatedAt };
}

function moved(slots: ReadonlySet<number>, oldOf: Uint32Array): Set<number> {
  const result = new Set<number>();
  if (slots.size === 0) return result;
  for (let slot = 0; slot < oldOf.length; slot += 1) if (slots.has(oldOf[slot] as number)) result.add(slot);
  return result;
}

function withFacets(row: Mutable<Task>, json: string): Mutable<Task> {
  // Spreading defines plain properties, whatever their names (`__proto__` too).
  return { ...row, ...(deepFreeze(JSON.parse(json)) as object) };
}

function deepFreeze(value: unknown): unknown {
  // JSON is at most 64 levels deep here.
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
