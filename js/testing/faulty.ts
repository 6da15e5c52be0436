import { storageError } from "../storage/errors.js";
import type { AnyStorage, MaybePromise, StorageTraits } from "../storage/types.js";
import { isRecordStorage } from "../storage/types.js";

/**
 * What happens to one call of a {@link faultyStorage}.
 *
 * - `"pass"`: nothing out of the ordinary
 * - `"fail"`: throws before anything is written or read
 * - `"failAfter"`: the write lands (or the read is made), then it throws all the same
 * - `"conflict"`: a save returns `false` and writes nothing; a load passes
 * - `"quota"`: throws `storage_quota` before anything is written
 * - `"hang"`: waits for `release()`, then passes
 * - `"hangAfter"`: is carried out, then waits for `release()` to say so
 * - `{ delay, then? }`: waits so many milliseconds, then does as `then` says (`"pass"` if absent)
 * - `{ error, landed? }`: throws this value, after the write if `landed`
 * - `{ before, then? }`: runs a function first (another writer's save, an abort), then as `then` says
 */
export type Fault =
  | "pass"
  | "fail"
  | "failAfter"
  | "conflict"
  | "quota"
  | "hang"
  | "hangAfter"
  | { readonly delay: number; readonly then?: Fault }
  | { readonly error: unknown; readonly landed?: boolean }
  | { readonly before: () => MaybePromise<unknown>; readonly then?: Fault };

/** One call that a {@link faultyStorage} got. `save` stands for `commit` too. */
export interface FaultyCall {
  readonly op: "load" | "save";
  /** 0 for the first call of this `op`. */
  readonly index: number;
  /** What the call was given. */
  readonly args: readonly unknown[];
}

/** The faults of successive calls, after which all pass; or a function that says for each. */
export type FaultPlan =
  | { readonly load?: readonly Fault[]; readonly save?: readonly Fault[] }
  | ((call: FaultyCall) => Fault | undefined);

/** What {@link faultyStorage} adds to a storage. */
export interface FaultyControls {
  /** All calls so far, oldest first. */
  readonly calls: readonly FaultyCall[];
  /** How many calls hang. */
  readonly hanging: number;
  /** Puts a fault at the end of what is planned for `op`. */
  plan(op: "load" | "save", ...faults: Fault[]): void;
  /** Lets every hanging call go on. */
  release(): void;
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | null | undefined)?.then === "function";

/** `next(await value)` that stays synchronous where `value` is. */
const then = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(value) ? (value as Promise<T>).then(next) : next(value as T);

const injected = (op: string, index: number): Error => new Error(`injected failure of ${op} ${index}`);

/**
 * Wraps a storage so that chosen calls fail, hang, come late, lose the race, or land and fail all
 * the same. Stays synchronous where the storage and the fault are. `clock.sleep` serves `delay`.
 */
export function faultyStorage<S extends AnyStorage>(
  storage: S,
  plan: FaultPlan = {},
  clock: { readonly sleep: (ms: number) => Promise<void> } = {
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  },
): S & FaultyControls {
  const planned = typeof plan === "function" ? { load: [], save: [] } : { load: [...(plan.load ?? [])], save: [...(plan.save ?? [])] };
  const calls: FaultyCall[] = [];
  const counts = { load: 0, save: 0 };
  let waiting: (() => void)[] = [];
  const hang = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  const apply = (fault: Fault, call: FaultyCall, run: () => MaybePromise<unknown>): MaybePromise<unknown> => {
    if (typeof fault === "object") {
      if ("delay" in fault) return clock.sleep(fault.delay).then(() => apply(fault.then ?? "pass", call, run));
      if ("before" in fault) return then(fault.before(), () => apply(fault.then ?? "pass", call, run));
      const fail = (): never => {
        throw fault.error;
      };
      return fault.landed === true ? then(run(), fail) : fail();
    }
    switch (fault) {
      case "pass":
        return run();
      case "fail":
        throw injected(call.op, call.index);
      case "failAfter":
        return then(run(), () => {
          throw injected(call.op, call.index);
        });
      case "conflict":
        return call.op === "save" ? false : run();
      case "quota":
        throw storageError("storage_quota", "Injected: the quota is exceeded.", { hint: "Free some space." });
      case "hang":
        return hang().then(run);
      case "hangAfter":
        return then(run(), (value) => hang().then(() => value));
    }
  };
  const called = (op: "load" | "save", args: readonly unknown[], run: () => MaybePromise<unknown>): MaybePromise<unknown> => {
    const call: FaultyCall = { op, index: counts[op]++, args };
    calls.push(call);
    const scripted = typeof plan === "function" ? plan(call) : undefined;
    return apply(scripted ?? planned[op].shift() ?? "pass", call, run);
  };

  const inner = storage as AnyStorage & StorageTraits;
  const wrapped: Record<string, unknown> = {
    load: () => called("load", [], () => inner.load()),
    plan: (op: "load" | "save", ...faults: Fault[]) => void planned[op].push(...faults),
    release: () => {
      const all = waiting;
      waiting = [];
      for (const go of all) go();
    },
  };
  if (isRecordStorage(inner)) {
    wrapped["commit"] = (c: Parameters<typeof inner.commit>[0]) => called("save", [c], () => inner.commit(c));
  } else {
    wrapped["save"] = (text: string, ifRevision: string | null) =>
      called("save", [text, ifRevision], () => inner.save(text, ifRevision) as MaybePromise<unknown>);
  }
  // Whatever else the storage has (traits, subscribe, quarantine, peer) is passed on as it is.
  return new Proxy(wrapped, {
    get(target, key) {
      if (key === "calls") return calls;
      if (key === "hanging") return waiting.length;
      if (Object.hasOwn(target, key)) return target[key as string];
      const value: unknown = Reflect.get(storage, key);
      return typeof value === "function" ? value.bind(storage) : value;
    },
    has: (target, key) => Object.hasOwn(target, key) || key === "calls" || key === "hanging" || Reflect.has(storage, key),
  }) as unknown as S & FaultyControls;
}
