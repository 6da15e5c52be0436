/** A timer of a {@link SimulatedClock}. */
export interface SimulatedTimer {
  /** When it is due, in milliseconds on the simulated clock. */
  readonly at: number;
}

/** Time that a test moves by hand. */
export interface SimulatedClock {
  /** The present time, Unix milliseconds; usable as the `now` option without its clock. */
  readonly now: () => number;
  /** Runs `run` once `ms` milliseconds have been advanced. */
  readonly setTimeout: (run: () => void, ms: number) => SimulatedTimer;
  /** Forgets a timer; one that has run or is not of this clock is ignored. */
  readonly clearTimeout: (timer: SimulatedTimer | undefined) => void;
  /** Resolves once `ms` milliseconds have been advanced. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Moves time forwards, runs each timer at its time and in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Sets the time without running any timer; it may go backwards, as clocks of machines do. */
  set(ms: number): void;
  /** How many timers wait. */
  readonly pending: number;
}

/** Lets everything that is ready run: promises, and one turn of the event loop. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * A clock for tests: time stands still until it is advanced.
 *
 * @param start The first `now()`, Unix milliseconds; 1,700,000,000,000 if absent.
 */
export function simulatedClock(start = 1_700_000_000_000): SimulatedClock {
  let time = start;
  let order = 0;
  const timers = new Map<SimulatedTimer, { order: number; run: () => void }>();

  const nextDue = (until: number): SimulatedTimer | undefined => {
    let first: SimulatedTimer | undefined;
    for (const [timer, { order }] of timers) {
      if (timer.at > until) continue;
      const sooner = first === undefined || timer.at < first.at || (timer.at === first.at && order < (timers.get(first)?.order ?? 0));
      if (sooner) first = timer;
    }
    return first;
  };
  const startTimer = (run: () => void, ms: number): SimulatedTimer => {
    const timer = { at: time + Math.max(0, ms) };
    timers.set(timer, { order: order++, run });
    return timer;
  };

  return {
    now: () => time,
    setTimeout: startTimer,
    clearTimeout: (timer) => {
      if (timer !== undefined) timers.delete(timer);
    },
    sleep: (ms) => new Promise((resolve) => startTimer(resolve, ms)),
    async advance(ms) {
      const until = time + ms;
      await settle();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        const due = timers.get(timer);
        timers.delete(timer);
        time = Math.max(time, timer.at);
        due?.run();
        await settle();
      }
      time = until;
    },
    set(ms) {
      time = ms;
    },
    get pending() {
      return timers.size;
    },
  };
}
