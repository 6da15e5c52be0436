/** Timing inside one process. */

/** How long and how often to measure. */
export interface Budget {
  /** One iteration is stopped after this long and extrapolated from what it finished. */
  readonly boxMs: number;
  /** Timed iterations go on until this much time is spent. */
  readonly spendMs: number;
  /** CI: one iteration, fewer steps, no warm-up. */
  readonly check: boolean;
  /** Called when the first timed part begins, so that a watcher knows when to give up. */
  readonly onStart?: () => void;
}

/** What one process reports about one cell. */
export interface Measurement {
  /** The median time of one iteration, extrapolated to all steps where it was stopped. */
  readonly ms: number;
  readonly iterations: number;
  readonly steps: number;
  /** How many of the steps were run; fewer than `steps` where the box was full. */
  readonly done: number;
  /** The time of the floor for the same data, where the workload has one. */
  readonly floorMs?: number;
  /** Says that the result equals the reference; a wrong result is thrown instead. */
  readonly digest: string;
  readonly facts?: Readonly<Record<string, number | string | boolean>>;
}

/** The result of running the timed part once. */
export interface Run {
  readonly ms: number;
  readonly done: number;
  readonly floorMs?: number;
}

/** Stops a long iteration; looking at the clock costs less than 1 % of the steps. */
export class Box {
  readonly #limit: number;
  readonly #start = performance.now();
  #last = this.#start;
  #stride = 1;
  #next = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** To be asked before each step with its number. */
  isFull(step: number): boolean {
    return step >= this.#next && this.#look(step);
  }

  #look(step: number): boolean {
    const now = performance.now();
    if (now - this.#last < 1 && this.#stride < 1024) this.#stride *= 2;
    this.#last = now;
    this.#next = step + this.#stride;
    return now - this.#start > this.#limit;
  }
}

/**
 * Repeats setup, timed part and check. What takes less than a second is warmed
 * up first; a single slow iteration is its own result.
 */
export function repeat<S>(
  budget: Budget,
  n: number,
  steps: number,
  parts: { setup(): S; timed(state: S): Run; check(state: S, run: Run): string; discard(state: S): void },
): Measurement {
  const times: number[] = [];
  const floors: number[] = [];
  let digest = "";
  let done = steps;
  let warmed = 0;
  let spent = 0;
  const started = performance.now();
  // The state before lives until the next collection is over: when the last
  // object of a shape dies, V8 throws away the code that was optimised for it.
  let previous: S | undefined;
  for (let iteration = 0; ; iteration += 1) {
    const state = parts.setup();
    if (n >= 10_000) globalThis.gc?.();
    sink.value = previous;
    previous = state;
    if (iteration === 0) budget.onStart?.();
    const run = parts.timed(state);
    // The check of an iteration is not timed, but it makes garbage: the small ones check seldom.
    if (iteration === 0 || n >= 1000 || iteration % 64 === 0) digest = parts.check(state, run);
    parts.discard(state);
    const slow = run.ms > 1000;
    const isCold = iteration < 2 || (warmed < Math.min(300, budget.spendMs / 2) && performance.now() - started < 4000);
    if (isCold && !slow && !budget.check) {
      warmed += run.ms;
      continue;
    }
    if (run.done > 0) times.push((run.ms / run.done) * steps);
    if (run.floorMs !== undefined) floors.push(run.floorMs);
    done = Math.min(done, run.done);
    spent += run.ms;
    const isEnough = times.length >= 3 && (spent >= budget.spendMs || performance.now() - started > 8000);
    if (budget.check || slow || isEnough || times.length >= 2000) break;
  }
  return {
    ms: median(times),
    iterations: times.length,
    steps,
    done,
    digest,
    ...(floors.length > 0 ? { floorMs: median(floors) } : {}),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >>> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Fails with both sides when a result differs from the reference. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: got ${String(actual)}, expected ${String(expected)}`);
}

/** Keeps results alive, so that no engine's work can be optimised away. */
export const sink: { value: unknown } = { value: undefined };
