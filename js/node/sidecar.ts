import { watch } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isTaskError } from "../errors.js";
import { longestDelay, optionsFrom, refuseTooLong, storageError, toStorageError, wholeNumber } from "../storage/errors.js";
import type { SnapshotStorage, StorageTraits } from "../storage/types.js";
import { decodeText } from "./decode.js";
import {
  codeOf,
  type FileSystem,
  fileSystem,
  keepPrevious,
  openNew,
  readBytes,
  removeIfThere,
  replaceFile,
  revisionOf,
  revisionOfFile,
  syncFolder,
  writeNew,
} from "./files.js";
import { type FileLock, takeLock } from "./lock.js";
import { realTarget, type SidecarPlace, sidecarPath } from "./paths.js";

/** Options of {@link sidecarStorage} beside the place. */
export interface SidecarSettings {
  /** The largest file that is read and written, in bytes; 64 MiB if absent. */
  readonly maxBytes?: number;
  /** How long a save waits for another process's lock, in milliseconds; 10,000 if absent. */
  readonly lockWaitMs?: number;
  /** Age in milliseconds from which a lock without a sign of life is taken over; 30,000 if absent. */
  readonly lockStaleMs?: number;
  /** How long Windows' refusals to rename are retried, in milliseconds; 5,000 if absent. */
  readonly renameRetryMs?: number;
  /** Create a missing folder (mode 0700) at the first load or save, and only then; `false` if absent. */
  readonly createFolder?: boolean;
  /** For tests of faults only: replaces single file-system functions, or the platform's name. */
  readonly internals?: { readonly fs?: Partial<FileSystem>; readonly platform?: NodeJS.Platform };
}

/** Options of {@link sidecarStorage}. */
export type SidecarOptions = SidecarPlace & SidecarSettings;

/** A {@link sidecarStorage}. */
export interface SidecarStorage extends SnapshotStorage, StorageTraits {
  /** Absolute path of the file, as asked for. */
  readonly file: string;
  readonly maxBytes: number;
  load(): Promise<{ text: string; revision: string } | null>;
  save(text: string, ifRevision: string | null): Promise<string | false>;
  subscribe(onForeignChange: () => void): () => void;
  quarantine(reason: string): Promise<string | undefined>;
  /** The text of the generation before the last save (`<file>.bak`), for repairs; `null` if there is none. */
  loadPrevious(): Promise<string | null>;
}

/** How far a save has come. */
interface Progress {
  /** Before this nothing of it can have landed. */
  isReplacing: boolean;
}

/** The last save of each file in this process: handles of one process queue instead of fighting for the lock. */
const queues = new Map<string, Promise<unknown>>();

async function queued<T>(key: string, run: () => Promise<T>): Promise<T> {
  const turn = (queues.get(key) ?? Promise.resolve()).then(run, run);
  const settled = turn.catch(() => undefined);
  queues.set(key, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

/**
 * A list in one JSON file, safe for several processes: locked, compared with the revision, written
 * to `<file>.tmp`, flushed, renamed into place, the folder flushed. A crash at any moment leaves
 * the old text or the new. The generation before stays as `<file>.bak`. Files are mode 0600.
 *
 * `load` never repairs: bytes that are no text are `corrupt {at, path}`, too many are `limit`, and
 * after either every save is refused until `quarantine` has copied the bytes to
 * `<file>.corrupt-<ms>`. A missing file is an empty list; a missing folder is not
 * (`storage_unavailable`).
 *
 * Throws `storage_quota` (disk full), `storage_denied` (rights, read-only, a link out of the
 * folder), `storage_unavailable` (folder gone, lock held too long: `details.retryable`),
 * `storage_unknown`; after each the old file is as it was, unless only the last flush failed:
 * `details.landed` is `false` where it surely is.
 * `invalid_value` at once for options that cannot be used.
 */
export function sidecarStorage(options: SidecarOptions): SidecarStorage {
  const platform = optionsFrom(options).internals?.platform ?? process.platform;
  const windows = platform === "win32";
  const fs = fileSystem(options.internals?.fs);
  const file = sidecarPath(options, platform);
  const maxBytes = wholeNumber("maxBytes", options.maxBytes, 64 * 1024 * 1024, 1);
  const milliseconds = (field: "lockWaitMs" | "lockStaleMs" | "renameRetryMs", otherwise: number, least = 0): number =>
    wholeNumber(field, options[field], otherwise, least, longestDelay);
  const lockOptions = { waitMs: milliseconds("lockWaitMs", 10_000), staleMs: milliseconds("lockStaleMs", 30_000, 1), windows };
  const renameRetryMs = milliseconds("renameRetryMs", 5_000);

  /** Set by a load that found what must not be written over. */
  let barred = false;
  /** Revision of the bytes that `quarantine` copied: who loaded nothing may replace them. */
  let quarantined: string | null = null;
  /** Identity of what this handle wrote last, to know its own echo in the watcher. */
  let ownWrite = "";
  /** The write in progress: only after it is it known what is an echo. */
  let writing: Promise<void> = Promise.resolve();
  let mayCreateFolder = options.createFolder ?? false;

  const locate = async (): Promise<string> => {
    if (mayCreateFolder) await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const target = await realTarget(fs, file);
    mayCreateFolder = false;
    return target;
  };
  const typed = async <T>(doing: string, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw toStorageError(error, `${doing} ${file}`);
    }
  };
  const locked = async <T>(run: (target: string, lock: FileLock) => Promise<T>): Promise<T> => {
    const target = await locate();
    return queued(target, async () => {
      const lock = await takeLock(fs, `${target}.lock`, lockOptions);
      try {
        return await run(target, lock);
      } finally {
        // A lock that cannot be removed goes stale; what was done under it stands.
        await lock.release().catch(() => undefined);
      }
    });
  };
  const identity = async (): Promise<string> => {
    const { ino, size, mtimeNs } = await fs.stat(file, { bigint: true });
    return `${ino}.${size}.${mtimeNs}`;
  };

  const write = async (target: string, lock: FileLock, bytes: Uint8Array, replaces: boolean, progress: Progress): Promise<void> => {
    const draft = `${target}.tmp`;
    await removeIfThere(fs, draft);
    const inode = await writeNew(fs, draft, bytes);
    try {
      if (replaces) await keepPrevious(fs, target, windows);
      const ours = (await fs.lstat(draft, { bigint: true })).ino === inode && (await lock.held());
      if (!ours) {
        throw storageError("storage_unavailable", `The lock of ${file} was taken over before the save was done.`, {
          hint: "Load and try again; nothing was written.",
          details: { retryable: true, reason: "lock_lost", path: file },
        });
      }
      progress.isReplacing = true;
      await replaceFile(fs, draft, target, windows, renameRetryMs);
    } catch (error) {
      if (await lock.held().catch(() => false)) await removeIfThere(fs, draft).catch(() => undefined);
      throw error;
    }
    ownWrite = await identity().catch(() => "");
    await syncFolder(fs, target, windows);
  };

  const save = async (text: string, ifRevision: string | null, progress: Progress): Promise<string | false> => {
    if (barred) {
      throw storageError("read_only", `${file} could not be read and is not written over.`, {
        hint: "Repair it and load again, or keep a copy with quarantine() and save then.",
        details: { path: file },
      });
    }
    refuseTooLong(text, maxBytes, file);
    refuseBrokenText(text);
    const bytes = Buffer.from(text, "utf8");
    return locked(async (target, lock) => {
      const current = await revisionOfFile(fs, target);
      if (current !== ifRevision && !(ifRevision === null && current === quarantined)) return false;
      writing = write(target, lock, bytes, current !== null, progress);
      await writing;
      quarantined = null;
      return revisionOf(bytes);
    });
  };

  return {
    file,
    maxBytes,

    load: () =>
      typed("read", async () => {
        try {
          const target = await locate();
          const bytes = await readBytes(fs, target, maxBytes);
          const text = bytes === null ? null : decodeText(bytes, file);
          barred = false;
          return bytes === null || text === null ? null : { text, revision: revisionOf(bytes) };
        } catch (error) {
          if (isTaskError(error) && (error.code === "corrupt" || error.code === "limit")) barred = true;
          throw error;
        }
      }),

    save: async (text, ifRevision) => {
      const progress = { isReplacing: false };
      try {
        return await typed("save", () => save(text, ifRevision, progress));
      } catch (error) {
        if (isTaskError(error) && !progress.isReplacing) Object.assign(error.details, { landed: false });
        throw error;
      }
    },

    quarantine: () =>
      typed("keep a copy of", () =>
        locked(async (target) => {
          if ((await revisionOfFile(fs, target)) === null) {
            barred = false;
            return undefined;
          }
          const { path, handle } = await openCopy(fs, target);
          try {
            quarantined = await revisionOfFile(fs, target, handle);
            await handle.sync();
          } catch (error) {
            await removeIfThere(fs, path).catch(() => undefined);
            throw error;
          } finally {
            await handle.close();
          }
          await syncFolder(fs, path, windows);
          barred = false;
          return path;
        }),
      ),

    loadPrevious: () =>
      typed("read the previous generation of", async () => {
        const path = `${await locate()}.bak`;
        const bytes = await readBytes(fs, path, maxBytes);
        return bytes === null ? null : decodeText(bytes, path);
      }),

    subscribe: (onForeignChange) =>
      watchFile(file, async () => {
        await writing.catch(() => undefined);
        if ((await identity().catch(() => "gone")) !== ownWrite) onForeignChange();
      }),
  };
}

/** The first free `<target>.corrupt-<ms>`, opened. */
async function openCopy(fs: FileSystem, target: string): Promise<{ path: string; handle: FileHandle }> {
  for (let at = Date.now(); ; at++) {
    const path = `${target}.corrupt-${at}`;
    try {
      return { path, handle: await openNew(fs, path) };
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** A lone surrogate has no UTF-8 and would be changed on its way to the disk. */
function refuseBrokenText(text: string): void {
  const isWellFormed = (text as { isWellFormed?: () => boolean }).isWellFormed;
  if (isWellFormed === undefined || isWellFormed.call(text)) return;
  throw storageError("invalid_value", "The text holds half of a surrogate pair, which a file cannot keep.", {
    hint: "Save well-formed text, as the engine writes it.",
    details: { field: "text", got: "a lone surrogate", expected: "well-formed Unicode" },
  });
}

/** Calls back shortly after the folder reports a change to the file. A hint: where nothing can be watched, none comes. */
function watchFile(file: string, onChange: () => void): () => void {
  const name = basename(file);
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, 20);
    timer.unref();
  };
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) soon();
    });
    watcher.on("error", () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => undefined;
  }
}
