/**
 * What every engine under measurement can do.
 *
 * The interface is small on purpose: a workload may ask only what all of the
 * engines can answer, so that the same steps run on each of them and the
 * results can be compared bit by bit.
 */

/** A task as a caller sees it. */
export interface BenchRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** `"completed"` once it is done, `"pending"` before that. */
  readonly status: string;
  readonly blockedBy: readonly string[];
  /** The inverse of `blockedBy`. Engines whose rows do not carry it leave it out. */
  readonly blocks?: readonly string[];
}

/** One engine holding one list. */
export interface BenchEngine {
  readonly name: string;
  /** Adds a task after checking that its blockers exist and close no ring. */
  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow;
  /** Replaces the blockers of a task. `false`: refused, as it would close a ring; nothing has changed. */
  setBlockedBy(id: string, blockedBy: readonly string[]): boolean;
  /** Completes a task and returns its new row. */
  complete(id: string): BenchRow;
  /** The first task, in order of creation, that is pending and has no pending blocker. */
  firstReady(): string | undefined;
  readyCount(): number;
  blockedCount(): number;
  /** All rows in order of creation. */
  snapshot(): readonly BenchRow[];
  /** The list as text, fit for {@link load}. */
  toText(): string;
  /** Fills this fresh engine from text, refusing duplicates, unknown blockers and rings. */
  load(text: string): void;
  /** Gives back what the garbage collector cannot see. */
  dispose?(): void;
}

/** Makes an empty engine. */
export type EngineFactory = () => BenchEngine;
