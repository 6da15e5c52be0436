// Random calls for tests that compare: the same seed gives the same calls.
import type { Command, Task } from "../../../js/types.js";

/** A small generator of random numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed;
  }

  /** 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const TITLES = ["Plan", "Füße ordnen", "日本語", "a\nb", " padded ", "👍🏽 ok", "x".repeat(1200), "\u2028", "half \ud83d surrogate", "__proto__"];

/** One random command about a list of these tasks; many are refused. */
export function randomCommand(random: Random, tasks: readonly Task[], now: number, size = 40): Command {
  const id = (): string => (tasks.length === 0 || random.chance(0.03) ? "nobody" : random.pick(tasks).id);
  const ids = (most: number): string[] => Array.from({ length: random.below(most + 1) }, id);
  const optional = <T extends object>(share: number, make: () => T): T | Record<string, never> => (random.chance(share) ? make() : {});
  const add = (): Command => ({
    action: "add",
    title: random.chance(0.7) ? `Task ${random.below(1000)}` : random.pick(TITLES),
    ...optional(0.7, () => ({ id: random.pick(["a", "b", "k", "__proto__", "constructor"]) + random.below(60) })),
    ...optional(0.3, () => ({ description: random.pick(["Why", "", "Über", "line\nline"]) })),
    ...optional(0.5, () => ({ blockedBy: ids(3) })),
    ...optional(0.1, () => ({ parent: id() })),
    ...optional(0.05, () => ({ children: random.pick(["group", "sequence"] as const) })),
    ...optional(0.1, () => ({ activeForm: "Doing" })),
    ...optional(0.1, () => ({ owner: "agent:one" })),
    ...optional(0.1, () => ({ metadata: JSON.parse('{"__proto__":{"x":1},"n":[1,{"deep":null}]}') as Record<string, unknown> })),
    ...optional(0.1, () => ({ status: random.pick(["in_progress", "completed", "cancelled"] as const) })),
  });
  const update = (): Command => ({
    action: "update",
    id: id(),
    ...optional(0.4, () => ({ title: random.pick(TITLES) })),
    ...optional(0.2, () => ({ description: random.pick(["New", null]) })),
    ...optional(0.2, () => ({ owner: random.pick(["user:ann", null]) })),
    ...optional(0.1, () => ({ parent: random.chance(0.5) ? null : id() })),
    ...optional(0.2, () => ({ addBlockedBy: ids(2) })),
    ...optional(0.2, () => ({ removeBlockedBy: ids(2) })),
    ...optional(0.2, () => ({ status: random.pick(["pending", "in_progress", "completed", "cancelled", "deleted"] as const) })),
    ...optional(0.1, () => ({ metadata: random.chance(0.5) ? null : { at: now } })),
  });
  const fence = (): number => random.pick(tasks.filter((task) => task.claim !== undefined))?.claim?.fence ?? 1;
  const rare: readonly (() => Command)[] = [
    () => ({ action: "cancel", id: id() }),
    () => ({ action: "reopen", id: id() }),
    () => ({ action: "reopen", id: id() }),
    () => ({ action: "remove", id: id() }),
    () => ({ action: "remove", id: id(), removal: "cancel" }),
    () => ({ action: "claim", ...optional(0.3, () => ({ id: id() })), ...optional(0.3, () => ({ leaseMs: 5000 })) }),
    () => ({ action: "heartbeat", id: id(), fence: fence(), ...optional(0.5, () => ({ leaseMs: 5000 })) }),
    () => ({ action: "release", id: id() }),
    () => ({ action: "hold", id: id(), reason: random.pick(["manual", "failed", "gate"] as const), resume: random.pick(["pending", "completed"] as const) }),
    () => ({ action: "archive", settledBefore: now - 20_000 }),
    () => ({ action: "recoverStale", olderThan: 30_000 }),
    () => ({ action: "batch", commands: batch() }),
    () => ({ action: "undo" }),
    () => ({ action: "undo" }),
    () => ({ action: "redo" }),
    update,
    update,
  ];
  const batch = (): Command[] => {
    const key = `key${random.below(9)}`;
    return [
      ...(random.chance(0.6) ? [{ action: "add", key, title: "Keyed" } as Command, { action: "add", title: "After", blockedBy: [key] } as Command] : []),
      ...Array.from({ length: random.below(3) }, () => (random.chance(0.5) ? add() : random.pick(rare.slice(0, 5))())),
    ];
  };
  const crowded = tasks.length > size;
  const roll = random.next();
  if (crowded && roll < 0.35) return { action: "remove", id: id(), removal: "strip" };
  if (roll < 0.3) return add();
  if (roll < 0.45) return { action: "update", id: id(), blockedBy: ids(3) };
  if (roll < 0.55) return { action: "start", id: id() };
  if (roll < 0.7) return { action: "complete", id: id() };
  return random.pick(rare)();
}
