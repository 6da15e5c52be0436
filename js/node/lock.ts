import { readFileSync, readlinkSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { isTaskError } from "../errors.js";
import { storageError } from "../storage/errors.js";
import { uniqueMark } from "../storage/unique.js";
import { codeOf, type FileSystem, openNew, pause, readBytes, removeIfThere } from "./files.js";

/** How locks are waited for and judged. */
export interface LockOptions {
  /** How long to wait for another holder, in milliseconds. */
  readonly waitMs: number;
  /** Age, in milliseconds since its last sign of life, from which a lock is taken over whoever holds it. */
  readonly staleMs: number;
  readonly windows: boolean;
}

/** A held lock. */
export interface FileLock {
  /** Whether it still is ours: somebody may have taken it over while this process stood still. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

interface Holder {
  /** The lock file's text, or `undefined` where it is no regular file of that size. */
  readonly raw: string | undefined;
  readonly pid: number;
  readonly host: string;
  readonly changedMs: number;
}

let here: string | undefined;

/**
 * Names the set of processes in which a process id means what it means here: the machine, its
 * boot, and on Linux the namespace of process ids (containers may share a machine's name).
 */
function hostName(): string {
  if (here !== undefined) return here;
  let name = hostname();
  if (process.platform === "linux") {
    try {
      name += ` ${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
    } catch {
      // Not told here: the machine's name has to do.
    }
  }
  here = name;
  return name;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

async function inspect(fs: FileSystem, path: string): Promise<Holder | null> {
  try {
    const stat = await fs.lstat(path);
    const changedMs = stat.mtimeMs;
    if (!stat.isFile()) return { raw: undefined, pid: 0, host: "", changedMs };
    const bytes = await readBytes(fs, path, 4096);
    if (bytes === null) return null;
    const raw = Buffer.from(bytes).toString("latin1");
    let said: { pid?: unknown; host?: unknown } = {};
    try {
      said = (JSON.parse(raw) ?? {}) as typeof said;
    } catch {
      // Being written this moment, or its writer died in the middle: judged by age.
    }
    const pid = Number.isSafeInteger(said.pid) ? (said.pid as number) : 0;
    return { raw, pid, host: typeof said.host === "string" ? said.host : "", changedMs };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    if (isTaskError(error)) return { raw: undefined, pid: 0, host: "", changedMs: Date.now() };
    throw error;
  }
}

/** How long a lock may take to say whose it is. */
const namelessMs = 2_000;

/** Whether nobody stands behind a lock any more. `nowMs` is on the clock of the file system. */
function isStale(holder: Holder, nowMs: number, staleMs: number): boolean {
  if (holder.raw === undefined) return false;
  if (holder.pid > 0 && holder.host === hostName() && !isAlive(holder.pid)) return true;
  // A lock that does not say whose it is: its writer died between creating and filling it.
  const limit = holder.pid === 0 ? Math.min(staleMs, namelessMs) : staleMs;
  return Math.abs(nowMs - holder.changedMs) > limit;
}

/** How long a guard of a takeover is honoured; takeovers take milliseconds. */
const guardMs = 5_000;

/**
 * Removes a stale lock. Under a guard, so that of two processes that judge the same lock stale
 * the slower cannot remove the new lock of the faster; and what was removed is looked at again.
 * Returns whether the lock is gone.
 */
async function evict(fs: FileSystem, path: string, judged: Holder, staleMs: number): Promise<boolean> {
  const guard = `${path}.steal`;
  let handle: FileHandle;
  try {
    handle = await openNew(fs, guard);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const other = await inspect(fs, guard);
    if (other !== null && Math.abs(Date.now() - other.changedMs) > guardMs) await removeIfThere(fs, guard);
    return false;
  }
  try {
    const now = (await handle.stat()).mtimeMs;
    const again = await inspect(fs, path);
    if (again === null) return true;
    if (again.raw !== judged.raw || !isStale(again, now, staleMs)) return false;
    const aside = `${path}.${uniqueMark()}`;
    await fs.rename(path, aside);
    const mistaken = (await inspect(fs, aside))?.raw !== judged.raw;
    if (mistaken) await fs.link(aside, path).catch(() => undefined);
    await removeIfThere(fs, aside);
    return !mistaken;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return true;
  } finally {
    await handle.close();
    await removeIfThere(fs, guard);
  }
}

async function create(fs: FileSystem, path: string, options: LockOptions): Promise<FileLock | null> {
  let handle: FileHandle;
  try {
    handle = await openNew(fs, path);
  } catch (error) {
    const code = codeOf(error);
    // On Windows a lock that is being deleted refuses like this.
    if (code === "EEXIST" || (options.windows && (code === "EPERM" || code === "EACCES" || code === "EBUSY"))) return null;
    throw error;
  }
  const raw = `${JSON.stringify({ pid: process.pid, host: hostName(), at: Date.now(), mark: uniqueMark() })}\n`;
  const own = Buffer.from(raw);
  try {
    await handle.write(own, 0, own.length, 0);
  } catch (error) {
    await handle.close();
    await removeIfThere(fs, path).catch(() => undefined);
    throw error;
  }
  // A sign of life, written rather than dated, so that it is on the file system's clock.
  let beat: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    beat = handle.write(own, 0, own.length, 0).catch(() => undefined);
  }, options.staleMs / 3);
  timer.unref();
  const held = async (): Promise<boolean> => (await inspect(fs, path))?.raw === own.toString("latin1");
  return {
    held,
    async release() {
      clearInterval(timer);
      await beat;
      await handle.close();
      if (await held()) await removeIfThere(fs, path);
    },
  };
}

/**
 * Takes the lock file `path`, waiting with back-off for whoever holds it. A lock of a dead process
 * of this machine is taken over at once, any other once it is `staleMs` old. Throws
 * `storage_unavailable` with `details.retryable` when the wait is used up.
 */
export async function takeLock(fs: FileSystem, path: string, options: LockOptions): Promise<FileLock> {
  const end = performance.now() + options.waitMs;
  for (let wait = 1; ; wait = Math.min(wait * 1.7, 60)) {
    const lock = await create(fs, path, options);
    if (lock !== null) return lock;
    const holder = await inspect(fs, path);
    if (holder !== null && isStale(holder, Date.now(), options.staleMs)) {
      if (await evict(fs, path, holder, options.staleMs)) continue;
    }
    if (performance.now() > end) throw waitedInVain(path, holder, options.waitMs);
    await pause(wait * (0.5 + Math.random()));
  }
}

function waitedInVain(path: string, holder: Holder | null, waitMs: number): Error {
  const who = holder === null || holder.pid === 0 ? "another program" : `process ${holder.pid} on ${holder.host.split(" ")[0] ?? ""}`;
  return storageError("storage_unavailable", `${who} held ${path} for more than ${waitMs} ms.`, {
    hint: "Try again. If no such program runs, remove the lock file.",
    details: { retryable: true, reason: "locked", path, pid: holder?.pid ?? 0 },
  });
}
