import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Stats } from "node:fs";
import { isWellFormed } from "../arguments.js";
import { invalid, isTaskError, optionOf } from "../errors.js";
import { refuseOption, storageError, toStorageError } from "../storage/errors.js";
import { uniqueMark } from "../storage/unique.js";
import { codeOf, fileSystem, removeIfThere, replaceFile, syncFolder, writeNew } from "./files.js";

/** Where {@link writeTaskFiles} writes: the one file of its format, or a folder, which is made where it is missing. */
export type TaskFilesPlace =
  | { readonly file: string; readonly folder?: undefined }
  | { readonly folder: string; readonly file?: undefined };

/** How {@link writeTaskFiles} writes. */
export interface WriteTaskFilesOptions {
  /** Write over files that are there; `false` if absent. Other files of the folder are never touched. */
  readonly replace?: boolean;
}

interface Target {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** A draft that waits to get its name. */
interface Draft extends Target {
  readonly draft: string;
}

const fs = fileSystem();
const windows = process.platform === "win32";

/**
 * Writes what `exportTasks` gave. Every file is whole at any moment: it is written beside its place, flushed, and
 * renamed. Where one of them is there already and `replace` does not say so, nothing is written at all. Other files
 * of the folder stay. Gives the paths of the files.
 *
 * Rejects with `storage_denied` for a file that is there, a link, or a folder that leads out; `invalid_value` for a
 * path that is no plain name below the folder; `storage_*` for what the system refuses.
 *
 * @example
 * ```ts
 * const { files } = await exportTasks(tasks, "claude-code");
 * await writeTaskFiles({ folder: "tasks" }, files);
 * ```
 */
export async function writeTaskFiles(
  place: TaskFilesPlace,
  files: readonly { readonly path: string; readonly text: string }[],
  options: WriteTaskFilesOptions = {},
): Promise<string[]> {
  const replace = optionOf(options, "replace") ?? false;
  if (typeof replace !== "boolean") throw invalid("replace", replace, "true or false");
  const { folder, targets } = targetsOf(place, files);
  try {
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    await checkAll(targets, folder, replace);
    await putInPlace(targets, replace);
    return targets.map(({ file }) => file);
  } catch (error) {
    throw toStorageError(error, `write to ${folder ?? targets[0]?.file ?? "nothing"}`);
  }
}

function targetsOf(place: TaskFilesPlace, files: readonly { readonly path: string; readonly text: string }[]): { folder?: string; targets: Target[] } {
  const given = filesOf(files);
  const { file, folder } = placeOf(place);
  if (file !== undefined) {
    const [first, second] = given;
    if (first === undefined || second !== undefined) throw refuseOption("files", files, "one file", "Write several files to a folder.");
    return { targets: [{ file: resolve(file), bytes: first.bytes }] };
  }
  const root = resolve(folder as string);
  const seen = new Set<string>();
  const targets = given.map(({ path, bytes }) => {
    // Paths are made of ids, which are somebody else's text. Many file systems do not tell letter case apart.
    const same = path.toLowerCase();
    if (!isPlainPath(path) || seen.has(same)) throw refuseOption("path", path, "a plain path below the folder, once", "Change the task's id.");
    seen.add(same);
    return { file: join(root, ...path.split("/")), bytes };
  });
  return { folder: root, targets };
}

function placeOf(place: TaskFilesPlace): { file: string | undefined; folder: string | undefined } {
  if (typeof place !== "object" || place === null) throw invalid("place", place, "`{ file }` or `{ folder }`");
  const [file, folder]: unknown[] = [optionOf(place, "file"), optionOf(place, "folder")];
  const named = file ?? folder;
  if ((file === undefined) === (folder === undefined) || typeof named !== "string" || named === "" || named.includes("\0")) {
    throw invalid("place", named, "`{ file }` or `{ folder }` with a path");
  }
  return { file: file as string | undefined, folder: folder as string | undefined };
}

function filesOf(files: unknown): { path: string; bytes: Uint8Array }[] {
  try {
    if (!Array.isArray(files)) throw invalid("files", files, "a list of `{ path, text }`");
    return Array.from(files as { path?: unknown; text?: unknown }[], ({ path, text }) => {
      if (typeof path !== "string") throw invalid("path", path, "text");
      if (typeof text !== "string" || !isWellFormed(text)) throw invalid("text", text, "well-formed text");
      return { path, bytes: new TextEncoder().encode(text) };
    });
  } catch (cause) {
    throw isTaskError(cause) ? cause : invalid("files", files, "readable", cause);
  }
}

/** Names that mean a device on Windows, whatever follows them. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

function isPlainPath(path: string): boolean {
  return path.split("/").every((name) => {
    const isName = name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= 255;
    return isName && !/[\\:\u0000-\u001f\u007f<>"|?*]|[. ]$/.test(name) && !device.test(name) && isWellFormed(name);
  });
}

/** Refuses before the first byte is written. */
async function checkAll(targets: readonly Target[], folder: string | undefined, replace: boolean): Promise<void> {
  for (const { file } of targets) {
    if (folder !== undefined) await makeFolders(folder, relative(folder, dirname(file)));
    const stat = await statOf(file);
    if (stat === undefined) continue;
    if (!stat.isFile()) throw denied(file, "is no regular file", "Give another place, or move away what is there.");
    if (!replace) throw isThere(file);
  }
}

/** Makes the folders below the root that a file needs. None of them may be a link: it could lead out. */
async function makeFolders(root: string, path: string): Promise<void> {
  let folder = root;
  for (const name of path === "" ? [] : path.split(sep)) {
    folder = join(folder, name);
    const stat = await statOf(folder);
    if (stat === undefined) await mkdir(folder);
    else if (!stat.isDirectory()) throw denied(folder, "is no folder", "Give another place, or move away what is there.");
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function putInPlace(targets: readonly Target[], replace: boolean): Promise<void> {
  const drafts: Draft[] = [];
  const placed: string[] = [];
  try {
    for (const target of targets) {
      const draft = join(dirname(target.file), `.${basename(target.file).slice(0, 100)}.${uniqueMark()}.tmp`);
      drafts.push({ ...target, draft });
      await writeNew(fs, draft, target.bytes);
    }
    for (const { file, draft } of drafts) {
      if (replace) await replaceFile(fs, draft, file, windows, 5_000);
      else placed.push(await giveName(draft, file));
    }
    for (const one of new Map(targets.map(({ file }) => [dirname(file), file])).values()) await syncFolder(fs, one, windows);
  } catch (error) {
    // What was new is taken back, so that a second try does not find it in its way.
    for (const file of placed) await removeIfThere(fs, file).catch(() => undefined);
    throw error;
  } finally {
    for (const { draft } of drafts) await removeIfThere(fs, draft).catch(() => undefined);
  }
}

const noLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK", "EINVAL"]);

/** Gives a draft its name, unless somebody else took it meanwhile. */
async function giveName(draft: string, file: string): Promise<string> {
  try {
    // Unlike a rename, a link never takes another file's place. The draft's own name goes at the end.
    await fs.link(draft, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw isThere(file);
    if (!noLinks.has(codeOf(error))) throw error;
    await replaceFile(fs, draft, file, windows, 5_000);
  }
  return file;
}

function isThere(file: string): Error {
  return storageError("storage_denied", `${file} is there already; nothing was written over it.`, {
    hint: "Give another place, or say `replace`.",
    details: { reason: "EEXIST", path: file },
  });
}

function denied(file: string, what: string, hint: string): Error {
  return storageError("storage_denied", `${file} ${what}.`, { hint, details: { path: file } });
}
