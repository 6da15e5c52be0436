import { invalid, isTaskError, optionOf } from "./errors.js";
import { Saver, type Loaded } from "./saver.js";
import { checkListOptions } from "./arguments.js";
import { Session } from "./session.js";
import type { SnapshotStorage, StorageTraits } from "./storage/types.js";
import { TaskStore, type StoreOptions } from "./store.js";

/**
 * Opens a durable list, or an empty one where nothing is stored yet (which is stored with the first change).
 * Under rules with `staleAfter` (the `tasks` preset), work that went stale goes back to pending first.
 *
 * Rejects with `corrupt`, `unsupported_version`, `rules_differ`, `cycle`, `duplicate_id` or `storage_*`; what
 * is stored stays as it is. `invalid_value` for options that cannot be used; the signal's reason when that aborts.
 */
export async function openTasks(options: StoreOptions = {}): Promise<TaskStore> {
  checkListOptions(options);
  const signal = optionOf(options, "signal");
  if (signal !== undefined && typeof signal.throwIfAborted !== "function") throw invalid("signal", signal, "an AbortSignal");
  const storage = optionOf(options, "storage") ?? inMemory();
  const has = (name: string): boolean => typeof optionOf(storage as unknown as Record<string, unknown>, name) === "function";
  if (!has("load") || !(has("save") || has("commit"))) {
    throw invalid("storage", storage, "an object with `load` and `save`, or `load` and `commit`");
  }
  signal?.throwIfAborted();
  const saver = new Saver(storage);
  const opening = open(options, saver, signal);
  if (signal === undefined) return opening;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason);
      // Whatever comes late is let go.
      void opening.then((store) => store.close(), () => saver.close()).catch(() => undefined);
    };
    const settled = <T>(settle: (value: T) => void) => (value: T): void => {
      signal.removeEventListener("abort", giveUp);
      settle(value);
    };
    signal.addEventListener("abort", giveUp);
    opening.then(settled(resolve), settled(reject));
  });
}

/** Where a list without a storage is kept; nobody else can reach it, so there is no race to lose. */
function inMemory(): SnapshotStorage & StorageTraits {
  let kept: string | null = null;
  return { durable: false, load: () => kept, save: (text) => void (kept = text) };
}

async function open(options: StoreOptions, saver: Saver, signal: AbortSignal | undefined): Promise<TaskStore> {
  const { loaded, session } = await load(options, saver, signal);
  let store: TaskStore | undefined;
  try {
    signal?.throwIfAborted();
    store = new TaskStore(options, saver, loaded, session);
    if (options.readOnly !== true && options.recover !== false && loaded !== null) {
      const staleAfter = session.staleAfter();
      if (staleAfter !== null) await store.recoverStale({ olderThan: staleAfter });
    }
    return store;
  } catch (error) {
    // Nobody gets it who could close it.
    if (store === undefined) session.free();
    else await store.close().catch(() => undefined);
    throw error;
  }
}

async function load(options: StoreOptions, saver: Saver, signal: AbortSignal | undefined): Promise<{ loaded: Loaded | null; session: Session }> {
  try {
    const loaded = await saver.load();
    return { loaded, session: new Session(options, loaded?.stored) };
  } catch (error) {
    const asked = options.onCorrupt === "quarantine" && options.readOnly !== true && signal?.aborted !== true;
    if (!asked || saver.storage.quarantine === undefined || !isTaskError(error) || error.code !== "corrupt") throw error;
    await saver.quarantine(error.message);
    return { loaded: null, session: new Session(options) };
  }
}
