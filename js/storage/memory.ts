import type { RecordStorage, SnapshotStorage, StorageTraits } from "./types.js";

/** Subscribers by handle: a save is told to everybody but the handle that made it. */
class Hints {
  readonly #listeners = new Map<() => void, object>();

  add(handle: object, listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.set(own, handle);
    return () => void this.#listeners.delete(own);
  }

  /** Later, so that no listener runs inside somebody's save. */
  tell(writer: object): void {
    const all = [...this.#listeners];
    // Several subscribers of one handle are several stores: which of them wrote is unknown.
    const shared = all.filter(([, handle]) => handle === writer).length > 1;
    for (const [listener, handle] of all) {
      if (handle === writer && !shared) continue;
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) listener();
      });
    }
  }
}

/** A {@link memoryStorage}: synchronous, with compare-and-swap, gone with the program. */
export interface MemoryStorage extends SnapshotStorage, StorageTraits {
  readonly durable: false;
  load(): { text: string; revision: string } | null;
  save(text: string, ifRevision: string | null): string | false;
  subscribe(onForeignChange: () => void): () => void;
  /** Another handle on the same text, as a second tab or process would have. */
  peer(): MemoryStorage;
}

/**
 * A list in memory: for tests, and for programs that need no durability.
 *
 * One handle may be given to several stores; `peer()` makes further ones. Never throws.
 *
 * @param text What is stored at the beginning; nothing if absent.
 */
export function memoryStorage(text?: string): MemoryStorage {
  let stored = text === undefined ? null : { text, revision: "1" };
  let count = stored === null ? 0 : 1;
  const hints = new Hints();
  const handle = (): MemoryStorage => {
    const self: MemoryStorage = {
      durable: false,
      load: () => (stored === null ? null : { ...stored }),
      save(next, ifRevision) {
        if ((stored?.revision ?? null) !== ifRevision) return false;
        stored = { text: next, revision: String(++count) };
        hints.tell(self);
        return stored.revision;
      },
      subscribe: (listener) => hints.add(self, listener),
      peer: handle,
    };
    return self;
  };
  return handle();
}

/** A {@link memoryRecordStorage}: synchronous, with compare-and-swap, gone with the program. */
export interface MemoryRecordStorage extends RecordStorage, StorageTraits {
  readonly durable: false;
  load(): { head: string; revision: string; rows: { id: string; text: string }[] } | null;
  commit(c: Parameters<RecordStorage["commit"]>[0]): string | false;
  subscribe(onForeignChange: () => void): () => void;
  /** Another handle on the same rows, as a second tab or process would have. */
  peer(): MemoryRecordStorage;
}

/** Rows in memory; otherwise as {@link memoryStorage}. */
export function memoryRecordStorage(): MemoryRecordStorage {
  const rows = new Map<string, string>();
  let head: { head: string; revision: string } | null = null;
  let count = 0;
  const hints = new Hints();
  const handle = (): MemoryRecordStorage => {
    const self: MemoryRecordStorage = {
      durable: false,
      load: () => (head === null ? null : { ...head, rows: [...rows].map(([id, text]) => ({ id, text })) }),
      commit(c) {
        if ((head?.revision ?? null) !== c.ifRevision) return false;
        for (const id of c.deletes) rows.delete(id);
        for (const row of c.upserts) rows.set(row.id, row.text);
        head = { head: c.head, revision: String(++count) };
        hints.tell(self);
        return head.revision;
      },
      subscribe: (listener) => hints.add(self, listener),
      peer: handle,
    };
    return self;
  };
  return handle();
}
