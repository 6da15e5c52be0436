import { createHash } from "node:crypto";
import * as nodeFs from "node:fs/promises";
import { constants } from "node:fs";
import { dirname } from "node:path";
import { storageError } from "../storage/errors.js";

/** The file-system functions in use, so that tests can make single ones fail. */
export type FileSystem = Pick<
  typeof nodeFs,
  "open" | "rename" | "unlink" | "link" | "lstat" | "stat" | "realpath" | "copyFile" | "mkdir"
>;

/** Node's own functions with some of them replaced. */
export function fileSystem(replaced: Partial<FileSystem> = {}): FileSystem {
  const { open, rename, unlink, link, lstat, stat, realpath, copyFile, mkdir } = nodeFs;
  return { open, rename, unlink, link, lstat, stat, realpath, copyFile, mkdir, ...replaced };
}

/** `code` of a system error, or `""`. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** Waits so many milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Removes a file if it is there. */
export async function removeIfThere(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

// Never follows a link at the last step; never hangs on a pipe put in the file's place.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Opens a regular file for reading; `null` where there is none. */
async function openRegular(fs: FileSystem, path: string): Promise<{ handle: nodeFs.FileHandle; size: number } | null> {
  let handle: nodeFs.FileHandle;
  try {
    handle = await fs.open(path, readFlags);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  const stat = await handle.stat();
  if (stat.isFile()) return { handle, size: stat.size };
  await handle.close();
  throw storageError("storage_denied", `${path} is not a regular file.`, {
    hint: "Give the path of a file, or move away what is there.",
    details: { path },
  });
}

/** All bytes of a regular file; `null` where there is none. Throws `limit` above `maxBytes`. */
export async function readBytes(fs: FileSystem, path: string, maxBytes: number): Promise<Uint8Array | null> {
  const opened = await openRegular(fs, path);
  if (opened === null) return null;
  try {
    if (opened.size > maxBytes) throw tooLarge(path, opened.size, maxBytes);
    const bytes = await opened.handle.readFile();
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
    return bytes;
  } finally {
    await opened.handle.close();
  }
}

function tooLarge(path: string, size: number, max: number): Error {
  return storageError("limit", `${path} has ${size} bytes; at most ${max} are read.`, {
    hint: "Its bytes are untouched. Check that it is a task list; raise maxBytes if it is.",
    details: { limit: "maxBytes", max, size, path },
  });
}

/** The revision of a file with these bytes: part of their SHA-256, so that any foreign edit shows. */
export const revisionOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);

/** The revision of a file of any size; `null` where there is none. With `copyTo` every byte read is also written there. */
export async function revisionOfFile(
  fs: FileSystem,
  path: string,
  copyTo?: nodeFs.FileHandle,
): Promise<string | null> {
  const opened = await openRegular(fs, path);
  if (opened === null) return null;
  try {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(Math.min(1 << 20, Math.max(4096, opened.size + 1)));
    for (;;) {
      const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest("hex").slice(0, 32);
      const part = buffer.subarray(0, bytesRead);
      hash.update(part);
      if (copyTo !== undefined) await copyTo.writeFile(part);
    }
  } finally {
    await opened.handle.close();
  }
}

/** Opens a new file, mode 0600, that must not exist; follows no link. */
export const openNew = (fs: FileSystem, path: string): Promise<nodeFs.FileHandle> => fs.open(path, createFlags, 0o600);

/** Writes a new file and flushes it to the disk; returns its inode number. On failure nothing is left of it. */
export async function writeNew(fs: FileSystem, path: string, bytes: Uint8Array): Promise<bigint> {
  const handle = await openNew(fs, path);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    return (await handle.stat({ bigint: true })).ino;
  } catch (error) {
    await removeIfThere(fs, path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

const noLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK", "EINVAL"]);

/**
 * Gives the present generation the further name `<path>.bak`; `path` itself stays where it is, so
 * that a crash at any moment leaves it. Where the file system has no hard links it is copied.
 */
export async function keepPrevious(fs: FileSystem, path: string, windows: boolean): Promise<void> {
  const draft = `${path}.bak.tmp`;
  await removeIfThere(fs, draft);
  try {
    await fs.link(path, draft).catch(async (error: unknown) => {
      if (!noLinks.has(codeOf(error))) throw error;
      await fs.copyFile(path, draft, constants.COPYFILE_EXCL);
    });
    await replaceFile(fs, draft, `${path}.bak`, windows, 1_000);
  } finally {
    // Also after a success: renaming onto a further name of the same file does nothing.
    await removeIfThere(fs, draft).catch(() => undefined);
  }
}

const held: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/**
 * Renames `from` over `to`. On Windows a virus scanner or an indexer may hold the file for a
 * moment: tried again with growing pauses for `forMs` milliseconds, then the error is thrown and
 * `to` is as it was. Never written in place instead.
 */
export async function replaceFile(fs: FileSystem, from: string, to: string, windows: boolean, forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  for (let wait = 5; ; wait = Math.min(wait * 2, 250)) {
    try {
      await fs.rename(from, to);
      return;
    } catch (error) {
      if (!windows || !held.has(codeOf(error)) || performance.now() + wait > end) throw error;
    }
    await pause(wait);
  }
}

/** Flushes a folder, so that a rename in it survives a power cut. Windows cannot and need not; some file systems refuse. */
export async function syncFolder(fs: FileSystem, path: string, windows: boolean): Promise<void> {
  if (windows) return;
  const handle = await fs.open(dirname(path), constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    if (codeOf(error) !== "EINVAL" && codeOf(error) !== "ENOTSUP") throw error;
  } finally {
    await handle.close();
  }
}
