/**
 * What a storage must be able to do. There are two kinds: a snapshot (the whole list as one text)
 * and records (one row per task). Both are safe for several writers by compare-and-swap on an
 * opaque revision.
 */

/** A value now, or a promise of it: a synchronous storage keeps the caller synchronous. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * The whole list as one text; good to about 2,000 tasks.
 *
 * The shortest one, for a single writer, has no compare-and-swap:
 * `{ load: () => localStorage.getItem("tasks"), save: (text) => localStorage.setItem("tasks", text) }`
 */
export interface SnapshotStorage {
  /**
   * The text saved last, byte for byte, with the revision that a later `save` may be made
   * conditional on; a bare string from a storage without revisions; `null` where nothing was ever saved.
   *
   * Throws (or rejects) when the text cannot be had: never an empty list instead of an error.
   */
  load(): MaybePromise<{ text: string; revision?: string } | string | null>;
  /**
   * Replaces the text if the stored revision still is `ifRevision` (`null`: if nothing is stored).
   *
   * Returns the new revision; or nothing (saved, but this storage has no compare-and-swap); or
   * `false` (somebody else was faster: nothing was written). Any other failure throws; a thrown
   * save may have landed, so the caller loads before it goes on, unless it is a storage error with
   * `details.landed: false` and that cannot be done.
   */
  save(text: string, ifRevision: string | null): MaybePromise<string | void | false>;
  /**
   * Calls back after another writer's save. A hint only: it may come late, twice, for a save of
   * one's own, or never; the answer to it is `load`. Returns what ends the subscription.
   */
  subscribe?(onForeignChange: () => void): () => void;
  /** The longest text that `save` accepts, in bytes of UTF-8. */
  readonly maxBytes?: number;
}

/** One row per task and one head for the list: the cost of a save follows the change, not the list. */
export interface RecordStorage {
  /**
   * The head and all rows of one and the same revision; `null` where nothing was ever committed.
   * Rows come in any order. Throws when they cannot be had.
   */
  load(): MaybePromise<{
    head: string;
    revision: string;
    rows: Iterable<{ id: string; text: string }>;
  } | null>;
  /**
   * All or nothing, if the stored revision still is `ifRevision` (`null`: if nothing is stored):
   * removes the rows `deletes` (an id that is not there is no error), then writes the rows
   * `upserts` and the head.
   *
   * Returns the new revision, or `false` (somebody else was faster: nothing was written). Any
   * other failure throws; a thrown commit may have landed.
   */
  commit(c: {
    ifRevision: string | null;
    head: string;
    upserts: { id: string; text: string }[];
    deletes: string[];
  }): MaybePromise<string | false>;
  /** As in {@link SnapshotStorage.subscribe}. */
  subscribe?(onForeignChange: () => void): () => void;
}

/**
 * What a storage may say about itself and do beyond the contract. All of it is optional: absent
 * means "as the contract says".
 */
export interface StorageTraits {
  /** `false`: saves are unconditional, so two writers lose each other's changes. Assumed `true`. */
  readonly compareAndSwap?: boolean;
  /** `true`: only one tab (one process) at a time may use it; compare-and-swap holds within it alone. */
  readonly singleTab?: boolean;
  /** `false`: what is saved is gone when the program ends. Assumed `true`. */
  readonly durable?: boolean;
  /**
   * Copies what is stored to another place before anything is written over it, and returns the
   * name of the copy, or `undefined` when nothing is stored. To be called after a load that was
   * `corrupt` (for the storage or for the engine) and before the next save. That save may give
   * `null` or the loaded revision as `ifRevision`, and loses the race if the bytes have changed
   * since the copy was made.
   *
   * @param reason Why, for logs; it is not stored.
   */
  quarantine?(reason: string): MaybePromise<string | undefined>;
  /** Lets go of connections and watchers. Using the storage again opens them again. */
  close?(): MaybePromise<void>;
}

/** What {@link RecordStorage.commit} takes. */
export type RecordCommit = Parameters<RecordStorage["commit"]>[0];

/** One row of a {@link RecordStorage}. */
export type RecordRow = RecordCommit["upserts"][number];

/** Either kind of storage. */
export type AnyStorage = SnapshotStorage | RecordStorage;

/** Which kind a storage is: records have `commit`, snapshots have `save`. */
export function isRecordStorage(storage: AnyStorage): storage is RecordStorage {
  return typeof (storage as Partial<RecordStorage>).commit === "function";
}
