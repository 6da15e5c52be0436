import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { refuseOption, storageError } from "../storage/errors.js";
import { codeOf, type FileSystem } from "./files.js";

/** Where the list is kept: a file, or a session in a folder. */
export type SidecarPlace =
  | {
      /** Path of the file, relative to the working directory at the time of the call. */
      readonly file: string;
      readonly sessionId?: undefined;
      readonly sessionDir?: undefined;
    }
  | {
      readonly file?: undefined;
      /** Names the file `<sessionId>.tasks.json`: one name, without any part of a path. */
      readonly sessionId: string;
      /** Folder of the file. If absent `KIN_SESSION_DIR`, and without that the working directory. */
      readonly sessionDir?: string | undefined;
    };

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** Absolute path of the file; reads the environment and the working directory now. Throws `invalid_value`. */
export function sidecarPath(place: SidecarPlace, platform: NodeJS.Platform): string {
  if (place.file !== undefined) {
    if (typeof place.file !== "string" || place.file === "" || place.file.includes("\0") || place.file.endsWith(sep)) {
      throw refuseOption("file", place.file, "the path of a file", "Give a path such as .tasks.json.");
    }
    return resolve(place.file);
  }
  const id = place.sessionId;
  const bad = platform === "win32" ? /[/\\\u0000-\u001f\u007f<>:"|?*]/ : /[/\\\u0000-\u001f\u007f]/;
  const usable =
    typeof id === "string" && id.trim() !== "" && id !== "." && id !== ".." && !bad.test(id) && !reserved.test(id);
  if (!usable || Buffer.byteLength(id) > 128) {
    throw refuseOption(
      "sessionId",
      id,
      "1 to 128 bytes that are one name: no slash, backslash or control character, no device name",
      "Give the id alone, and the folder as sessionDir.",
    );
  }
  const environment = process.env["KIN_SESSION_DIR"];
  const folder = place.sessionDir ?? (environment === undefined || environment === "" ? "." : environment);
  if (typeof folder !== "string" || folder === "" || folder.includes("\0")) {
    throw refuseOption("sessionDir", folder, "the path of a folder", "Give a folder that exists.");
  }
  return resolve(folder, `${id}.tasks.json`);
}

/**
 * The real path of the file: its folder with all links followed, and the file itself followed only
 * if it is a link to a file within that folder. Throws `storage_denied` for any other link and
 * `storage_unavailable` where the folder is missing.
 */
export async function realTarget(fs: FileSystem, file: string): Promise<string> {
  const folder = await realFolder(fs, dirname(file));
  const path = join(folder, basename(file));
  try {
    if (!(await fs.lstat(path)).isSymbolicLink()) return path;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return path;
    throw error;
  }
  const real = await fs.realpath(path).catch((cause: unknown) => {
    throw outside(file, "a link to nothing", cause);
  });
  const inside = relative(folder, real);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw outside(file, "a link out of its folder", undefined);
  }
  return real;
}

async function realFolder(fs: FileSystem, folder: string): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw storageError("storage_unavailable", `The folder ${folder} does not exist.`, {
      hint: "Create it, or mount what it is on, and try again; an absent folder is not taken for an empty list.",
      details: { retryable: true, reason: "ENOENT", path: folder },
      cause: error,
    });
  }
}

function outside(file: string, what: string, cause: unknown): Error {
  return storageError("storage_denied", `${file} is ${what}; it is not followed.`, {
    hint: "Give the path of the file itself.",
    details: { path: file },
    cause,
  });
}
