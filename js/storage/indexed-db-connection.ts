import { storageError, toStorageError } from "./errors.js";

/** Version of the database's layout: object stores `heads` and `rows`. */
const layout = 1;

/** Head of one list, keyed by `list`. */
export interface StoredHead {
  readonly list: string;
  readonly revision: string;
  readonly head: string;
}

/** One row, keyed by `[list, id]`. */
export interface StoredRow {
  readonly list: string;
  readonly id: string;
  readonly text: string;
}

/** What the work of one transaction is done with. */
export interface Work<T> {
  readonly heads: IDBObjectStore;
  readonly rows: IDBObjectStore;
  /** Sets what the transaction resolves with, once complete. */
  readonly answer: (value: T) => void;
  /** Calls `next` with the result of a request; what `next` throws aborts the transaction. */
  readonly on: <R>(request: IDBRequest<R>, next: (result: R) => void) => void;
}

const nameOf = (error: unknown): string => {
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "";
};

/**
 * One connection to one database: opened at first use, once for all callers, and again after a
 * failure or after the browser closed it.
 */
export class Connection {
  readonly #database: string;
  readonly #timeoutMs: number;
  readonly #durability: IDBTransactionDurability;
  #opening: Promise<IDBDatabase> | undefined;
  #current: IDBDatabase | undefined;

  constructor(database: string, timeoutMs: number, durability: IDBTransactionDurability) {
    this.#database = database;
    this.#timeoutMs = timeoutMs;
    this.#durability = durability;
  }

  /**
   * Runs `work` in one transaction over both object stores. `work` makes its requests at once or
   * in answers to requests, never after an await: an idle transaction commits by itself. Resolves
   * with what was given to `answer` last, once the transaction is complete; rejects, typed, when
   * it aborts.
   */
  async run<T>(mode: IDBTransactionMode, doing: string, work: (tx: Work<T>) => void): Promise<T> {
    try {
      const tx = await this.#begin(mode);
      return await new Promise<T>((resolve, reject) => {
        let given: { value: T } | undefined;
        tx.oncomplete = () => {
          if (given !== undefined) resolve(given.value);
          else reject(new Error("the transaction ended without an answer"));
        };
        tx.onabort = () => reject(tx.error ?? new DOMException("The transaction was aborted.", "AbortError"));
        const guarded = (run: () => void): void => {
          try {
            run();
          } catch (error) {
            reject(error);
            tx.abort();
          }
        };
        guarded(() =>
          work({
            heads: tx.objectStore("heads"),
            rows: tx.objectStore("rows"),
            answer: (value) => {
              given = { value };
            },
            on: (request, next) => {
              request.onsuccess = () => guarded(() => next(request.result));
            },
          }),
        );
      });
    } catch (error) {
      throw toStorageError(error, `${doing} IndexedDB database ${JSON.stringify(this.#database)}`);
    }
  }

  /** Closes the connection once it is open and idle; the next `run` opens another. */
  close(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.then((db) => db.close()).catch(() => undefined);
  }

  async #begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const start = (db: IDBDatabase): IDBTransaction =>
      db.transaction(["heads", "rows"], mode, { durability: this.#durability });
    const db = await this.#open();
    try {
      return start(db);
    } catch (error) {
      if (nameOf(error) === "NotFoundError") {
        throw storageError("corrupt", `IndexedDB database ${JSON.stringify(this.#database)} is not one of blockedby.`, {
          hint: "Give another database name; nothing in this one was touched.",
          cause: error,
        });
      }
      if (nameOf(error) !== "InvalidStateError") throw error;
      // The connection was closed under us and its event is still to come; nothing has begun.
      this.#forget(db);
      return start(await this.#open());
    }
  }

  #forget(db: IDBDatabase): void {
    if (this.#current !== db) return;
    this.#current = undefined;
    this.#opening = undefined;
  }

  /** Single flight: the promise is kept before anything is awaited and dropped if it fails. */
  #open(): Promise<IDBDatabase> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#request();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  #request(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const factory = globalThis.indexedDB as IDBFactory | null | undefined;
      if (factory === null || factory === undefined) {
        throw storageError("storage_unavailable", "There is no IndexedDB here.", {
          hint: "Open the list in a browser page or worker, or use another storage, such as memoryStorage().",
        });
      }
      const request = factory.open(this.#database, layout);
      let blocked = false;
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        reject(this.#timedOut(blocked));
      }, this.#timeoutMs);
      request.onblocked = () => {
        blocked = true;
      };
      request.onupgradeneeded = () => {
        request.result.createObjectStore("heads", { keyPath: "list" });
        request.result.createObjectStore("rows", { keyPath: ["list", "id"] });
      };
      request.onerror = () => {
        clearTimeout(timer);
        reject(nameOf(request.error) === "VersionError" ? this.#newer(request.error) : request.error);
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        const db = request.result;
        if (late) {
          db.close();
          return;
        }
        this.#current = db;
        db.onversionchange = () => {
          // Another tab upgrades or deletes the database: never be the one it waits for.
          this.#forget(db);
          db.close();
        };
        db.onclose = () => this.#forget(db);
        resolve(db);
      };
    });
  }

  #timedOut(blocked: boolean): Error {
    return storageError(
      "storage_unavailable",
      `IndexedDB database ${JSON.stringify(this.#database)} did not open within ${this.#timeoutMs} ms` +
        (blocked ? ": another tab holds an older version of it." : "."),
      {
        hint: blocked
          ? "Close or reload the other tabs of this site, then try again."
          : "Try again; if it goes on, close the other tabs of this site or restart the browser.",
        details: { retryable: true, reason: blocked ? "blocked" : "timeout" },
      },
    );
  }

  #newer(cause: unknown): Error {
    return storageError(
      "unsupported_version",
      `IndexedDB database ${JSON.stringify(this.#database)} has a newer layout than this version knows.`,
      {
        hint: "Reload the page to get the newer version of the program; nothing was changed.",
        details: { found: "newer", supported: layout },
        cause,
      },
    );
  }
}
