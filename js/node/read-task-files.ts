import { lstat, readdir, realpath } from "node:fs/promises";
import { extname, isAbsolute, join, relative, sep } from "node:path";
import { refuseOption, storageError, toStorageError, wholeNumber } from "../storage/errors.js";
import { codeOf, fileSystem, readBytes } from "./files.js";

/** A file that was read, as the functions of `blockedby/files` take it. */
export interface ReadTaskFile {
  /** The path as it was named, and what lies below it, with `/` between folders. */
  readonly path: string;
  readonly content: Uint8Array;
}

/** How much {@link readTaskFiles} reads. */
export interface ReadTaskFilesOptions {
  /** Most bytes in all; 256 MiB if absent. */
  readonly maxBytes?: number;
  /** Most files in all; 100,000 if absent. */
  readonly maxFiles?: number;
}

/** Endings of the files that formats of task files have; others in a folder are none. */
const endings: ReadonlySet<string> = new Set([".json", ".jsonl", ".ndjson", ".md", ".markdown", ".yaml", ".yml"]);

const byName = new Intl.Collator("en", { numeric: true });

/** `1.json`, `2.json`, `10.json`; where that says nothing, by code units, so that the order is always the same. */
const inOrder = (a: string, b: string): number => byName.compare(a, b) || (a < b ? -1 : Number(a > b));

/** What was found, and how much more may be. */
class Budget {
  readonly found: ReadTaskFile[] = [];
  readonly #maxFiles: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(options: ReadTaskFilesOptions) {
    this.#maxFiles = wholeNumber("maxFiles", options.maxFiles, 100_000, 1);
    this.#maxBytes = wholeNumber("maxBytes", options.maxBytes, 256 * 1024 * 1024, 1);
  }

  /** Reads one more file; its name is the one to show. */
  async read(file: string, path: string): Promise<void> {
    if (this.found.length === this.#maxFiles) {
      throw storageError("limit", `There are more than ${this.#maxFiles} files; at most that many are read.`, {
        hint: "Name the folder of the tasks itself, or raise maxFiles.",
        details: { limit: "maxFiles", max: this.#maxFiles, path },
      });
    }
    const content = await readBytes(fileSystem(), file, this.#maxBytes - this.#bytes);
    if (content === null) throw missing(path);
    this.#bytes += content.length;
    this.found.push({ path, content });
  }
}

/**
 * Reads files and folders for the functions of `blockedby/files`. Of a folder it takes the files that end as task
 * files do (`.json`, `.jsonl`, `.ndjson`, `.md`, `.markdown`, `.yaml`, `.yml`), folders within it too, in the natural
 * order of names (1, 2, 10). Folders whose names begin with a dot and `node_modules` are passed over, unless they are
 * the one that is named. Links to folders and links out of the folder are not followed.
 *
 * Rejects with `storage_unavailable` for a path that is not there, `storage_denied` for what is no file or may not
 * be read, `limit` above 256 MiB or 100,000 files in all.
 *
 * @example
 * ```ts
 * await importTasks(await readTaskFiles(".beads/issues.jsonl"), { into: tasks });
 * ```
 */
export async function readTaskFiles(paths: string | readonly string[], options: ReadTaskFilesOptions = {}): Promise<ReadTaskFile[]> {
  const budget = new Budget(options);
  for (const path of pathsOf(paths)) {
    try {
      // What is named may be a link: the user says where it leads.
      const real = await realpath(path);
      if ((await lstat(real)).isDirectory()) await readFolder(real, withSlashes(path).replace(/(.)\/+$/, "$1"), budget);
      else await budget.read(real, withSlashes(path));
    } catch (error) {
      throw codeOf(error) === "ENOENT" ? missing(path, error) : toStorageError(error, `read ${path}`);
    }
  }
  return budget.found;
}

function pathsOf(given: unknown): string[] {
  const paths: unknown[] = Array.isArray(given) ? Array.from(given as unknown[]) : [given];
  const wrong = paths.find((path) => typeof path !== "string" || path === "" || path.includes("\0"));
  if (wrong !== undefined || paths.includes(undefined)) throw refuseOption("paths", wrong, "the path of a file or a folder, or a list of them");
  return paths as string[];
}

const withSlashes = (path: string): string => path.split(sep).join("/");

/** Reads what is in a folder and below. */
async function readFolder(root: string, shown: string, budget: Budget): Promise<void> {
  // Names that are still to be looked at, the next one last.
  const waiting: string[] = [];
  const open = async (folder: string): Promise<void> => {
    const names = await readdir(join(root, folder));
    for (const name of names.sort(inOrder).reverse()) waiting.push(join(folder, name));
  };
  await open("");
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const { folder, file } = await lookAt(root, below);
    if (folder === true) await open(below);
    else if (file !== undefined) await budget.read(file, `${shown}/${withSlashes(below)}`);
  }
}

/** What stands under a name: a folder to be looked into, a file to be read, or neither. */
async function lookAt(root: string, below: string): Promise<{ readonly folder?: boolean; readonly file?: string }> {
  const file = join(root, below);
  const name = below.split(sep).at(-1) as string;
  const stat = await lstat(file);
  if (stat.isDirectory()) return { folder: !name.startsWith(".") && name !== "node_modules" };
  if (!endings.has(extname(name).toLowerCase())) return {};
  if (!stat.isSymbolicLink()) return stat.isFile() ? { file } : {};
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return {};
  const path = relative(root, real);
  const isInside = path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  return isInside && (await lstat(real)).isFile() ? { file: real } : {};
}

function missing(path: string, cause?: unknown): Error {
  return storageError("storage_unavailable", `There is no file and no folder ${path}.`, {
    hint: "Check the path.",
    details: { retryable: false, reason: "ENOENT", path },
    cause,
  });
}
