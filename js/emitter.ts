/** Takes a listener off. */
export type Unsubscribe = () => void;

/** Says to the host that a listener threw; nobody else is disturbed. */
export function report(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError !== undefined) reportError(error);
  else queueMicrotask(() => { throw error; });
}

/**
 * Delivers events in order. A listener may call back in: what that causes is delivered after the present
 * event has reached everybody. A listener that throws disturbs nobody; one that is taken off during
 * delivery hears no more.
 */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();
  readonly #queue: (() => void)[] = [];
  #delivering = false;

  /** Whether anybody listens for a kind of event. */
  has(kind: keyof Events): boolean {
    return this.#listeners.has(kind);
  }

  /** Adds a listener. The same function twice is one listener. */
  on<Kind extends keyof Events>(kind: Kind, listener: (event: Events[Kind]) => void): Unsubscribe {
    let set = this.#listeners.get(kind);
    if (set === undefined) this.#listeners.set(kind, (set = new Set()));
    set.add(listener);
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(kind) === set) this.#listeners.delete(kind);
    };
  }

  /** Calls those who listen for a kind of event. */
  call<Kind extends keyof Events>(kind: Kind, event: Events[Kind]): void {
    const set = this.#listeners.get(kind);
    for (const listener of set === undefined ? [] : [...set]) {
      if (!set?.has(listener)) continue;
      try {
        (listener as (event: Events[Kind]) => void)(event);
      } catch (error) {
        report(error);
      }
    }
  }

  /** Runs what tells of one change, now or after what is under way. */
  deliver(steps: Iterable<() => void>): void {
    // One by one: a spread of very many would overflow the stack.
    for (const step of steps) this.#queue.push(step);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next();
    } finally {
      this.#delivering = false;
    }
  }

  /** Takes every listener off. */
  clear(): void {
    for (const set of this.#listeners.values()) set.clear();
    this.#listeners.clear();
  }
}
