import type { BenchEngine, BenchRow } from "../engine.js";

interface Row extends BenchRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: "pending" | "completed";
  readonly blockedBy: readonly string[];
  readonly blocks: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

const NONE: readonly string[] = [];

/**
 * Plain TypeScript at its best: what someone writes who has profiled.
 *
 * - Ids are looked up once; all else works on dense numbers ("slots").
 * - Edges live in flat typed arrays as doubly linked lists, so that neither an
 *   edge nor a search allocates.
 * - A count of pending blockers per task and a bit set of the ready ones make
 *   the counts and the first ready task independent of the size of the list.
 * - The cycle check searches from both ends in turn, with epoch marks in place of
 *   a visited set, and the smaller side decides. In queue order: measured on
 *   `rewire` it takes 0.75 times a two-way and 0.6 times a one-way depth-first
 *   search at 10,000 tasks, and as long as either at 50.
 * - Rows are immutable and shared between snapshots; a change replaces only its
 *   own row, and a row whose `blocks` went stale is renewed when it is asked for.
 */
export class OptimisedMapEngine implements BenchEngine {
  readonly name = "optimised-map";

  readonly #slots = new Map<string, number>();
  readonly #rows: Row[] = [];
  #snapshot: readonly Row[] | undefined;
  /** Slots whose row has outdated `blocks`, and the flag that keeps them unique. */
  #staleSlots: number[] = [];

  // By slot. The lists hold edge numbers; -1 ends a list.
  #stale = new Uint8Array(64);
  #done = new Uint8Array(64);
  #active = new Int32Array(64);
  #mark = new Int32Array(64);
  #firstUp = new Int32Array(64);
  #firstDown = new Int32Array(64);

  // By edge. `up` is the blocker, `down` the dependent.
  #up = new Int32Array(128);
  #down = new Int32Array(128);
  #nextUp = new Int32Array(128);
  #nextDown = new Int32Array(128);
  #prevDown = new Int32Array(128);
  #edgeCount = 0;
  #freeEdge = -1;

  readonly #ready = new ReadySet();
  #pendingCount = 0;

  /** The slots of the blockers at hand. */
  readonly #found: number[] = [];

  #epoch = 0;
  #queueUp = new Int32Array(64);
  #queueDown = new Int32Array(64);

  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow {
    if (this.#slots.has(id)) throw new Error(`duplicate id: ${id}`);
    // Nothing can depend on a new task yet, so it closes no ring: that its
    // blockers exist is the whole check.
    const count = blockedBy.length;
    const found = this.#found;
    for (let i = 0; i < count; i += 1) found[i] = this.#slot(blockedBy[i]!);
    const slot = this.#rows.length;
    if (slot === this.#active.length) this.#growSlots();
    this.#firstUp[slot] = -1;
    this.#firstDown[slot] = -1;
    let active = 0;
    for (let i = count - 1; i >= 0; i -= 1) {
      const blocker = found[i]!;
      this.#link(blocker, slot);
      if (this.#done[blocker] === 0) active += 1;
    }
    this.#active[slot] = active;
    this.#slots.set(id, slot);
    if (active === 0) this.#ready.add(slot);
    else this.#ready.reserve(slot);
    this.#pendingCount += 1;
    const now = Date.now();
    const row: Row = {
      id,
      title,
      description,
      status: "pending",
      blockedBy: count === 0 ? NONE : blockedBy.slice(),
      blocks: NONE,
      createdAt: now,
      updatedAt: now,
    };
    this.#rows.push(row);
    this.#snapshot = undefined;
    return row;
  }

  setBlockedBy(id: string, blockedBy: readonly string[]): boolean {
    const slot = this.#slot(id);
    const row = this.#rows[slot]!;
    const old = row.blockedBy;
    // All checks come before the first write. A way from a new blocker to this
    // task never uses the task's own blockers, so those that go do not matter.
    for (let i = 0; i < blockedBy.length; i += 1) {
      const blocker = blockedBy[i]!;
      if (!old.includes(blocker) && this.#reaches(this.#slot(blocker), slot)) return false;
    }
    let active = this.#active[slot]!;
    let edge = this.#firstUp[slot]!;
    let previous = -1;
    while (edge !== -1) {
      const next = this.#nextUp[edge]!;
      const blocker = this.#up[edge]!;
      if (blockedBy.includes(this.#rows[blocker]!.id)) {
        previous = edge;
      } else {
        if (previous === -1) this.#firstUp[slot] = next;
        else this.#nextUp[previous] = next;
        this.#unlinkDown(edge, blocker);
        if (this.#done[blocker] === 0) active -= 1;
      }
      edge = next;
    }
    for (let i = 0; i < blockedBy.length; i += 1) {
      if (old.includes(blockedBy[i]!)) continue;
      const blocker = this.#slots.get(blockedBy[i]!)!;
      this.#link(blocker, slot);
      if (this.#done[blocker] === 0) active += 1;
    }
    this.#active[slot] = active;
    if (this.#done[slot] === 0) {
      if (active === 0) this.#ready.add(slot);
      else this.#ready.delete(slot);
    }
    this.#rows[slot] = {
      id: row.id,
      title: row.title,
      description: row.description,
      status: row.status,
      blockedBy: blockedBy.slice(),
      blocks: row.blocks,
      createdAt: row.createdAt,
      updatedAt: Date.now(),
    };
    this.#snapshot = undefined;
    return true;
  }

  complete(id: string): BenchRow {
    const slot = this.#slot(id);
    const row = this.#rows[slot]!;
    if (this.#done[slot] === 0) {
      this.#done[slot] = 1;
      this.#pendingCount -= 1;
      this.#ready.delete(slot);
      for (let edge = this.#firstDown[slot]!; edge !== -1; edge = this.#nextDown[edge]!) {
        const dependent = this.#down[edge]!;
        const active = this.#active[dependent]! - 1;
        this.#active[dependent] = active;
        if (active === 0 && this.#done[dependent] === 0) this.#ready.add(dependent);
      }
    }
    const next: Row = {
      id: row.id,
      title: row.title,
      description: row.description,
      status: "completed",
      blockedBy: row.blockedBy,
      blocks: this.#stale[slot] === 1 ? this.#blocks(slot) : row.blocks,
      createdAt: row.createdAt,
      updatedAt: Date.now(),
    };
    this.#rows[slot] = next;
    this.#snapshot = undefined;
    return next;
  }

  firstReady(): string | undefined {
    const slot = this.#ready.first();
    return slot === -1 ? undefined : this.#rows[slot]!.id;
  }

  readyCount(): number {
    return this.#ready.size;
  }

  blockedCount(): number {
    return this.#pendingCount - this.#ready.size;
  }

  snapshot(): readonly BenchRow[] {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const rows = this.#rows;
    for (let i = 0; i < this.#staleSlots.length; i += 1) {
      const slot = this.#staleSlots[i]!;
      const row = rows[slot]!;
      this.#stale[slot] = 0;
      rows[slot] = {
        id: row.id,
        title: row.title,
        description: row.description,
        status: row.status,
        blockedBy: row.blockedBy,
        blocks: this.#blocks(slot),
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
      };
    }
    this.#staleSlots = [];
    this.#snapshot = rows.slice();
    return this.#snapshot;
  }

  toText(): string {
    return JSON.stringify(this.snapshot());
  }

  load(text: string): void {
    const parsed = JSON.parse(text) as Row[];
    const count = parsed.length;
    for (let slot = 0; slot < count; slot += 1) {
      const row = parsed[slot]!;
      if (this.#slots.has(row.id)) throw new Error(`duplicate id: ${row.id}`);
      this.#slots.set(row.id, slot);
      if (slot === this.#active.length) this.#growSlots();
      this.#firstUp[slot] = -1;
      this.#firstDown[slot] = -1;
      this.#rows.push(row);
    }
    // Kahn's algorithm over all edges: what is left when it stops is on a ring.
    const missing = new Int32Array(count);
    for (let slot = 0; slot < count; slot += 1) {
      const row = parsed[slot]!;
      const blockedBy = row.blockedBy;
      missing[slot] = blockedBy.length;
      for (let i = blockedBy.length - 1; i >= 0; i -= 1) this.#link(this.#slot(blockedBy[i]!), slot);
      if (row.status === "completed") this.#done[slot] = 1;
      else this.#pendingCount += 1;
    }
    const queue = new Int32Array(count);
    let tail = 0;
    for (let slot = 0; slot < count; slot += 1) {
      if (missing[slot] === 0) queue[tail++] = slot;
    }
    for (let head = 0; head < tail; head += 1) {
      const slot = queue[head]!;
      const pending = this.#done[slot] === 0 ? 1 : 0;
      for (let edge = this.#firstDown[slot]!; edge !== -1; edge = this.#nextDown[edge]!) {
        const dependent = this.#down[edge]!;
        this.#active[dependent]! += pending;
        if ((missing[dependent]! -= 1) === 0) queue[tail++] = dependent;
      }
    }
    if (tail !== count) throw new Error("cycle in the loaded list");
    this.#ready.reserve(count);
    for (let slot = 0; slot < count; slot += 1) {
      if (this.#done[slot] === 0 && this.#active[slot] === 0) this.#ready.add(slot);
    }
    // The text has `blocks` already.
    this.#stale.fill(0);
    this.#staleSlots = [];
  }

  #slot(id: string): number {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new Error(`unknown task: ${id}`);
    return slot;
  }

  /** The ids that `slot` blocks, oldest edge first. */
  #blocks(slot: number): readonly string[] {
    const ids: string[] = [];
    for (let edge = this.#firstDown[slot]!; edge !== -1; edge = this.#nextDown[edge]!) {
      ids.push(this.#rows[this.#down[edge]!]!.id);
    }
    return ids.reverse();
  }

  #touch(slot: number): void {
    if (this.#stale[slot] === 0) {
      this.#stale[slot] = 1;
      this.#staleSlots.push(slot);
    }
  }

  #link(blocker: number, dependent: number): void {
    let edge = this.#freeEdge;
    if (edge !== -1) {
      this.#freeEdge = this.#nextUp[edge]!;
    } else {
      edge = this.#edgeCount++;
      if (edge === this.#up.length) this.#growEdges();
    }
    const head = this.#firstDown[blocker]!;
    this.#up[edge] = blocker;
    this.#down[edge] = dependent;
    this.#nextUp[edge] = this.#firstUp[dependent]!;
    this.#firstUp[dependent] = edge;
    this.#nextDown[edge] = head;
    this.#prevDown[edge] = -1;
    if (head !== -1) this.#prevDown[head] = edge;
    this.#firstDown[blocker] = edge;
    this.#touch(blocker);
  }

  #unlinkDown(edge: number, blocker: number): void {
    const next = this.#nextDown[edge]!;
    const previous = this.#prevDown[edge]!;
    if (previous === -1) this.#firstDown[blocker] = next;
    else this.#nextDown[previous] = next;
    if (next !== -1) this.#prevDown[next] = previous;
    this.#nextUp[edge] = this.#freeEdge;
    this.#freeEdge = edge;
    this.#touch(blocker);
  }

  /** Whether `target` is `start` or one of its blockers, direct or not. */
  #reaches(start: number, target: number): boolean {
    if (start === target) return true;
    const up = this.#up;
    const down = this.#down;
    const nextUp = this.#nextUp;
    const nextDown = this.#nextDown;
    const firstUp = this.#firstUp;
    const firstDown = this.#firstDown;
    if (firstUp[start] === -1 || firstDown[target] === -1) return false;
    if (this.#epoch > 0x3fff_fffe) {
      this.#mark.fill(0);
      this.#epoch = 0;
    }
    this.#epoch += 2;
    const mark = this.#mark;
    const above = this.#epoch;
    const below = above + 1;
    const queueUp = this.#queueUp;
    const queueDown = this.#queueDown;
    mark[start] = above;
    mark[target] = below;
    queueUp[0] = start;
    queueDown[0] = target;
    let headUp = 0;
    let headDown = 0;
    let tailUp = 1;
    let tailDown = 1;
    for (;;) {
      // One node of each side in turn; an exhausted side settles it.
      if (headUp === tailUp) return false;
      const lower = queueUp[headUp++]!;
      for (let edge = firstUp[lower]!; edge !== -1; edge = nextUp[edge]!) {
        const node = up[edge]!;
        const seen = mark[node];
        if (seen === below) return true;
        if (seen !== above) {
          mark[node] = above;
          queueUp[tailUp++] = node;
        }
      }
      if (headDown === tailDown) return false;
      const upper = queueDown[headDown++]!;
      for (let edge = firstDown[upper]!; edge !== -1; edge = nextDown[edge]!) {
        const node = down[edge]!;
        const seen = mark[node];
        if (seen === above) return true;
        if (seen !== below) {
          mark[node] = below;
          queueDown[tailDown++] = node;
        }
      }
    }
  }

  #growSlots(): void {
    const size = this.#active.length * 2;
    this.#stale = grown(this.#stale, new Uint8Array(size));
    this.#done = grown(this.#done, new Uint8Array(size));
    this.#active = grown(this.#active, new Int32Array(size));
    this.#mark = grown(this.#mark, new Int32Array(size));
    this.#firstUp = grown(this.#firstUp, new Int32Array(size));
    this.#firstDown = grown(this.#firstDown, new Int32Array(size));
    // A node enters a queue at most once per search.
    this.#queueUp = new Int32Array(size);
    this.#queueDown = new Int32Array(size);
  }

  #growEdges(): void {
    const size = this.#up.length * 2;
    this.#up = grown(this.#up, new Int32Array(size));
    this.#down = grown(this.#down, new Int32Array(size));
    this.#nextUp = grown(this.#nextUp, new Int32Array(size));
    this.#nextDown = grown(this.#nextDown, new Int32Array(size));
    this.#prevDown = grown(this.#prevDown, new Int32Array(size));
  }
}

/** A set of slots as bits, with a second layer that says which words are in use. */
class ReadySet {
  size = 0;
  #words = new Int32Array(2);
  #summary = new Int32Array(1);

  /** Makes room for `slot`. */
  reserve(slot: number): void {
    const words = (slot >>> 5) + 1;
    if (words <= this.#words.length) return;
    const size = Math.max(words, this.#words.length * 2);
    this.#words = grown(this.#words, new Int32Array(size));
    this.#summary = grown(this.#summary, new Int32Array((size + 31) >>> 5));
  }

  add(slot: number): void {
    this.reserve(slot);
    const word = slot >>> 5;
    const bit = 1 << (slot & 31);
    const before = this.#words[word]!;
    if ((before & bit) !== 0) return;
    this.#words[word] = before | bit;
    this.#summary[word >>> 5]! |= 1 << (word & 31);
    this.size += 1;
  }

  delete(slot: number): void {
    const word = slot >>> 5;
    const bit = 1 << (slot & 31);
    const before = this.#words[word]!;
    if ((before & bit) === 0) return;
    const after = before & ~bit;
    this.#words[word] = after;
    if (after === 0) this.#summary[word >>> 5]! &= ~(1 << (word & 31));
    this.size -= 1;
  }

  /** The smallest slot, or -1. */
  first(): number {
    const summary = this.#summary;
    for (let i = 0; i < summary.length; i += 1) {
      const bits = summary[i]!;
      if (bits === 0) continue;
      const word = (i << 5) + lowestBit(bits);
      return (word << 5) + lowestBit(this.#words[word]!);
    }
    return -1;
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function grown<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
