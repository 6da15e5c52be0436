import { isTaskError, TaskError } from "./errors.js";
import { isRecordStorage, type AnyStorage, type RecordStorage, type StorageTraits } from "./storage/types.js";
import type { StoredText } from "./session.js";
import type { RowTexts } from "./texts.js";
import type { Session } from "./session.js";

/** What a storage held when it was loaded. */
export interface Loaded {
  readonly stored: StoredText;
  readonly revision: string | null;
}

/** What is to be saved, taken synchronously: later changes are not in it. */
export type Save = () => Promise<string | null | false>;

/** The two kinds of storage behind one face: load a list, take a save of what changed. Whatever fails is typed. */
export class Saver {
  #unsubscribe: unknown;

  constructor(readonly storage: AnyStorage & StorageTraits) {}

  /** What the storage holds; `null` when nothing. */
  async load(): Promise<Loaded | null> {
    try {
      return await this.#read();
    } catch (error) {
      throw storageFailure(error, "be read");
    }
  }

  async #read(): Promise<Loaded | null> {
    const { storage } = this;
    if (isRecordStorage(storage)) {
      const loaded = await storage.load();
      return loaded === null ? null : fromRecords(loaded);
    }
    const loaded = await storage.load();
    if (loaded === null || loaded === undefined) return null;
    if (typeof loaded === "string") return { stored: { head: loaded }, revision: null };
    return { stored: { head: loaded.text }, revision: loaded.revision ?? null };
  }

  /**
   * Takes what changed, for a save on top of a revision; on top of nothing, the whole list. The save gives the
   * new revision (`null` from a storage without), or `false` when somebody else was faster.
   */
  take(session: Session, texts: RowTexts, ifRevision: string | null): Save {
    const { storage } = this;
    let save: () => unknown;
    if (isRecordStorage(storage)) {
      // A storage that has nothing may have lost what it had: all rows are written, not only those that changed.
      const { upserts, deletes } = texts.take(ifRevision === null);
      const [head, tail] = session.envelope();
      save = () => storage.commit({ ifRevision, head: head + tail, upserts, deletes });
    } else {
      const text = texts.join();
      session.mirror.takeDirty();
      save = () => storage.save(text, ifRevision);
    }
    return async () => ((await save()) as string | false | null | undefined) ?? null;
  }

  /** Calls back after another writer's save, until this is closed. */
  subscribe(listener: () => void): void {
    try {
      this.#unsubscribe = this.storage.subscribe?.(listener);
    } catch (error) {
      throw storageFailure(error, "be subscribed to");
    }
  }

  /** Has the storage keep a copy of what it holds. */
  async quarantine(reason: string): Promise<void> {
    try {
      await this.storage.quarantine?.(reason);
    } catch (error) {
      throw storageFailure(error, "keep a copy of what it holds");
    }
  }

  /** Lets go of the storage. */
  async close(): Promise<void> {
    try {
      try {
        if (typeof this.#unsubscribe === "function") this.#unsubscribe();
      } finally {
        await this.storage.close?.();
      }
    } catch (error) {
      throw storageFailure(error, "be closed");
    }
  }
}

/** A storage may be anybody's, and give anything. */
function fromRecords(loaded: NonNullable<Awaited<ReturnType<RecordStorage["load"]>>> | undefined): Loaded {
  const { head, revision, rows }: { head?: unknown; revision?: unknown; rows?: unknown } = loaded ?? {};
  const texts: string[] = [];
  let whole = typeof head === "string" && typeof revision === "string" && typeof (rows as unknown[])?.[Symbol.iterator] === "function";
  for (const row of whole ? (rows as Iterable<{ text: unknown } | null>) : []) {
    const text = row?.text;
    if (typeof text === "string") texts.push(text);
    else whole = false;
  }
  if (whole) return { stored: { head: head as string, rows: `[${texts.join(",")}]` }, revision: revision as string };
  throw new TaskError({
    code: "corrupt",
    message: "What the storage gave is no list of records.",
    hint: "Its `load` gives `{ head, revision, rows }` as they were committed, or `null` where nothing was.",
  });
}

/** What a storage threw, as a typed error. */
export function storageFailure(error: unknown, what: string): TaskError {
  if (isTaskError(error)) return error;
  return new TaskError({
    code: "storage_unknown",
    message: `The storage could not ${what}.`,
    hint: "See `cause`; try again when the storage works.",
    cause: error,
  });
}
