import { refuseOption, storageError, toStorageError } from "./errors.js";
import type { MaybePromise, SnapshotStorage, StorageTraits } from "./types.js";

/** A store with `getItem` and `setItem`: Web Storage, AsyncStorage, localForage, unstorage. */
export interface ItemStore {
  getItem(key: string): MaybePromise<unknown>;
  setItem(key: string, value: string): MaybePromise<unknown>;
}

/** A store with `get` and `set`: a `Map`, keyv, idb-keyval's functions, an edge key-value store. */
export interface GetSetStore {
  get(key: string): MaybePromise<unknown>;
  set(key: string, value: string): MaybePromise<unknown>;
}

/** A {@link fromKeyValue}. */
export interface KeyValueStorage extends SnapshotStorage, StorageTraits {
  /** Saves are unconditional: use it with one writer. */
  readonly compareAndSwap: false;
}

type Get = (key: string) => MaybePromise<unknown>;
type Set = (key: string, value: string) => MaybePromise<unknown>;

/** `getItemRaw`/`setItemRaw` where they exist (unstorage): its plain `getItem` parses what it finds. */
function functionsOf(store: ItemStore | GetSetStore): { get: Get; set: Set } {
  // `Object` gives an object for anything, `null` too.
  const any = Object(store) as Readonly<Record<string, unknown>>;
  for (const [get, set] of [["getItemRaw", "setItemRaw"], ["getItem", "setItem"], ["get", "set"]] as const) {
    if (typeof any[get] !== "function" || typeof any[set] !== "function") continue;
    return {
      get: (key) => (any[get] as Get).call(store, key),
      set: (key, value) => (any[set] as Set).call(store, key, value),
    };
  }
  throw refuseOption("store", store, "an object with getItem and setItem, or with get and set");
}

function textFrom(value: unknown, key: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(value);
    } catch (cause) {
      throw storageError("corrupt", `The bytes under ${JSON.stringify(key)} are not UTF-8.`, {
        hint: "Copy them elsewhere, look at what wrote them, or choose another key.",
        cause,
      });
    }
  }
  throw storageError("storage_unknown", `The store gave a value of type ${typeof value} for ${JSON.stringify(key)}, not the text.`, {
    hint: "It parses or converts what it keeps: pass functions that read and write plain text.",
  });
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";

/**
 * Any key-value store as a storage, synchronous if the store is.
 *
 * It has NO compare-and-swap (`compareAndSwap: false`): with two writers the later save wins and
 * the other's change is lost. Use it where there is one writer, and one of the shipped storages
 * otherwise. What the store throws comes out as `storage_*` with the original as `cause`. `invalid_value` at
 * once for what is no such store.
 *
 * @param key Key under which the list is kept; `"blockedby"` if absent.
 */
export function fromKeyValue(store: ItemStore | GetSetStore, key = "blockedby"): KeyValueStorage {
  const { get, set } = functionsOf(store);
  if (typeof key !== "string") throw refuseOption("key", key, "text");
  const attempt = <T>(doing: string, run: () => MaybePromise<unknown>, map: (value: unknown) => T): MaybePromise<T> => {
    const fail = (error: unknown): never => {
      throw toStorageError(error, `${doing} key ${JSON.stringify(key)}`);
    };
    try {
      const value = run();
      return isPromise(value) ? Promise.resolve(value).then(map).catch(fail) : map(value);
    } catch (error) {
      return fail(error);
    }
  };
  return {
    compareAndSwap: false,
    load: () => attempt("read", () => get(key), (value) => textFrom(value, key)),
    save: (text) => attempt("save to", () => set(key, text), () => undefined),
  };
}
