import { longestDelay, optionsFrom, refuseOption, storageError, wholeNumber } from "./errors.js";
import { Connection, type StoredHead, type StoredRow, type Work } from "./indexed-db-connection.js";
import type { RecordStorage, StorageTraits } from "./types.js";
import { nextRevision } from "./unique.js";

/** Options of {@link indexedDbStorage}. */
export interface IndexedDbOptions {
  /** Name of the database; `"blockedby"` if absent. It must be blockedby's own. */
  readonly database?: string;
  /** Which list in it; `"default"` if absent. Any text. */
  readonly list?: string;
  /** How long opening may take, in milliseconds, also while another tab blocks it; 10,000 if absent. */
  readonly openTimeoutMs?: number;
  /**
   * `"strict"` (if absent): a commit resolves once the browser has flushed it to the disk.
   * `"relaxed"` is faster and may lose the last commits when the machine, not the tab, crashes.
   */
  readonly durability?: IDBTransactionDurability;
}

/** An {@link indexedDbStorage}. */
export interface IndexedDbStorage extends RecordStorage, StorageTraits {
  load(): Promise<{ head: string; revision: string; rows: { id: string; text: string }[] } | null>;
  commit(c: Parameters<RecordStorage["commit"]>[0]): Promise<string | false>;
  subscribe(onForeignChange: () => void): () => void;
  quarantine(reason: string): Promise<string | undefined>;
  close(): void;
}

/** Tells other tabs and workers of a commit. Node's channel would keep the program alive: `unref`. */
class Hints {
  readonly #name: string;
  readonly #listeners = new Set<() => void>();
  #channel: BroadcastChannel | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  #open(): BroadcastChannel | undefined {
    if (this.#channel === undefined && typeof globalThis.BroadcastChannel === "function") {
      const channel = new BroadcastChannel(this.#name);
      (channel as { unref?: () => void }).unref?.();
      channel.onmessage = () => {
        for (const listener of [...this.#listeners]) listener();
      };
      this.#channel = channel;
    }
    return this.#channel;
  }

  tell(revision: string): void {
    try {
      this.#open()?.postMessage(revision);
    } catch {
      // A hint: the commit has been made, and who missed it finds out at its next save.
    }
  }

  add(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    this.#open();
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}

/** Everything of one list. */
interface Stored {
  readonly head: StoredHead | undefined;
  readonly rows: readonly StoredRow[];
}

function corrupt(list: string, what: string): Error {
  return storageError("corrupt", `List ${JSON.stringify(list)} in IndexedDB ${what}.`, {
    hint: "Nothing was changed. Call quarantine() to keep a copy under another list name, then save anew.",
  });
}

/**
 * A list in IndexedDB, one row per task: the browser's default, safe for several tabs and workers.
 *
 * A commit compares the revision and writes in one transaction, and resolves when that transaction
 * is complete, so nothing is half written and no update is lost. An abort is a failure. Where
 * another tab asks for the database (`versionchange`) the connection is closed, and opened again
 * when it is next needed. Other tabs hear of a commit through a BroadcastChannel, where there is one.
 *
 * Throws `storage_quota` (old rows intact), `storage_denied`, `storage_unavailable` (no IndexedDB
 * here, or it did not open in time: `details.retryable`, `details.reason` `"blocked"` or
 * `"timeout"`), `unsupported_version`, `corrupt`, `storage_unknown`; `invalid_value` at once for options that
 * cannot be used.
 */
export function indexedDbStorage(options: IndexedDbOptions = {}): IndexedDbStorage {
  const { database = "blockedby", list = "default", openTimeoutMs, durability = "strict" } = optionsFrom(options);
  for (const [field, name] of Object.entries({ database, list })) {
    if (typeof name !== "string") throw refuseOption(field, name, "text");
  }
  if (durability !== "strict" && durability !== "relaxed" && durability !== "default") {
    throw refuseOption("durability", durability, '"strict" or "relaxed"');
  }
  const connection = new Connection(database, wholeNumber("openTimeoutMs", openTimeoutMs, 10_000, 0, longestDelay), durability);
  const hints = new Hints(`blockedby/${database}/${list}`);
  /** Every key `[name, id]`: an array sorts after all strings. */
  const rowsOf = (name: string): IDBKeyRange => IDBKeyRange.bound([name], [name, []]);
  /** Asks for the head and all rows of the list, as they are at one moment. */
  const both = ({ heads, rows, answer, on }: Work<Stored>, then?: (stored: Stored) => void): void => {
    const head = heads.get(list) as IDBRequest<StoredHead | undefined>;
    on(rows.getAll(rowsOf(list)) as IDBRequest<StoredRow[]>, (all) => {
      // Requests are answered in order: the head is there.
      const stored = { head: head.result, rows: all };
      answer(stored);
      then?.(stored);
    });
  };
  /** Revision that `quarantine` copied (`null`: rows without a head), to be replaced by a commit on nothing. */
  let quarantined: { revision: string | null } | undefined;

  return {
    async load() {
      const { head, rows } = await connection.run<Stored>("readonly", "read", both);
      if (head === undefined) {
        if (rows.length > 0) throw corrupt(list, `has ${rows.length} rows and no head`);
        return null;
      }
      const plain = rows.map(({ id, text }) => ({ id, text }));
      const texts = [head.head, head.revision, ...plain.flatMap(({ id, text }) => [id, text])];
      if (!texts.every((text) => typeof text === "string")) throw corrupt(list, "holds something that is no text");
      return { head: head.head, revision: head.revision, rows: plain };
    },

    async commit({ ifRevision, head, upserts, deletes }) {
      const committed = await connection.run<string | false>("readwrite", "save to", ({ heads, rows, answer, on }) => {
        const write = (previous: string | null): void => {
          const revision = nextRevision(previous);
          for (const id of deletes) rows.delete([list, id]);
          for (const { id, text } of upserts) rows.put({ list, id, text } satisfies StoredRow);
          heads.put({ list, revision, head } satisfies StoredHead);
          answer(revision);
        };
        answer(false);
        on(heads.get(list) as IDBRequest<StoredHead | undefined>, (current) => {
          const stored = current?.revision ?? null;
          if (ifRevision !== null) {
            if (stored === ifRevision) write(stored);
          } else if (quarantined !== undefined && quarantined.revision === stored) {
            rows.delete(rowsOf(list));
            write(stored);
          } else if (stored === null) {
            // Rows without a head are damage: `load` reports it, and `quarantine` clears the way.
            on(rows.count(rowsOf(list)), (count) => {
              if (count === 0) write(null);
            });
          }
        });
      });
      if (committed !== false) {
        quarantined = undefined;
        hints.tell(committed);
      }
      return committed;
    },

    subscribe: (onForeignChange) => hints.add(onForeignChange),

    async quarantine() {
      const name = `${list}.corrupt-${Date.now()}`;
      const copied = await connection.run<Stored>("readwrite", "keep a copy in", (tx) =>
        both(tx, ({ head, rows }) => {
          // `add` refuses to replace an earlier copy: the whole transaction then aborts.
          if (head !== undefined) tx.heads.add({ ...head, list: name });
          for (const row of rows) tx.rows.add({ ...row, list: name });
        }),
      );
      if (copied.head === undefined && copied.rows.length === 0) return undefined;
      quarantined = { revision: copied.head?.revision ?? null };
      return name;
    },

    close() {
      connection.close();
      hints.close();
    },
  };
}
