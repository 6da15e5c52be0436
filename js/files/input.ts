import { isWellFormed } from "../arguments.js";
import { invalid, isTaskError, optionOf, TaskError } from "../errors.js";
import { checkOptions } from "../reads.js";
import { formatNamed, wordsOf } from "./formats.js";

/** Most bytes of files in one call. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Most files in one call. */
const MOST_FILES = 100_000;

/** Files as they cross: their paths and lengths as JSON, their bytes one behind the other. */
export interface Gathered {
  readonly manifest: string;
  readonly bytes: Uint8Array;
}

interface Entry {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Takes a copy of what a caller gave as input, all of it before anything else happens. Throws `invalid_value` for
 * what is no input, cannot be read or has no UTF-8 form, `limit` for too much.
 */
export function gather(input: unknown): Gathered {
  const given = itemsOf(input);
  let total = 0;
  const entries = given.map((item, at) => {
    const entry = entryOf(item, given.length === 1 ? "input" : `input ${at + 1}`, MOST_BYTES - total);
    total += entry.bytes.length;
    return entry;
  });
  return { manifest: JSON.stringify(entries.map(({ path, bytes }) => ({ path, length: bytes.length }))), bytes: joined(entries, total) };
}

function joined(entries: readonly Entry[], total: number): Uint8Array {
  if (entries.length === 1) return (entries[0] as Entry).bytes;
  const all = new Uint8Array(total);
  let at = 0;
  for (const { bytes } of entries) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return all;
}

function itemsOf(input: unknown): readonly unknown[] {
  return readable("input", input, () => {
    if (!Array.isArray(input)) return [input];
    if (input.length > MOST_FILES) throw tooMuch("files", MOST_FILES);
    return Array.from(input as unknown[]);
  });
}

function entryOf(item: unknown, name: string, room: number): Entry {
  const plain = readable("input", item, () => contentOf(item, "input", room));
  if (plain !== undefined) return { path: name, bytes: plain };
  if (typeof item !== "object" || item === null) throw invalid("input", item, expected);
  return readable("input", item, () => {
    const { path, content } = item as { path?: unknown; content?: unknown };
    if (typeof path !== "string") throw invalid("path", path, "text");
    if (!isWellFormed(path)) throw broken("path");
    const bytes = contentOf(content, "content", room);
    if (bytes === undefined) throw invalid("content", content, "text or bytes");
    return { path, bytes };
  });
}

const expected = "text, bytes, `{ path, content }` or a list of these";

/** The bytes of a text, or a copy of bytes; nothing for what is neither. */
function contentOf(content: unknown, field: string, room: number): Uint8Array | undefined {
  if (typeof content === "string") {
    // Before it is encoded: a text has at least as many bytes as units.
    if (content.length > room) throw tooMuch("bytes", MOST_BYTES);
    if (!isWellFormed(content)) throw broken(field);
    return within(new TextEncoder().encode(content), room);
  }
  const bytes = bytesOf(content);
  return bytes === undefined ? undefined : within(bytes, room).slice();
}

function bytesOf(content: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  // Not `instanceof`, which does not know those of another realm.
  const isBuffer = typeof content === "object" && Object.prototype.toString.call(content) === "[object ArrayBuffer]";
  return isBuffer ? new Uint8Array(content as ArrayBuffer) : undefined;
}

function within(bytes: Uint8Array, room: number): Uint8Array {
  if (bytes.length > room) throw tooMuch("bytes", MOST_BYTES);
  return bytes;
}

/** Runs what may run code of the caller. */
function readable<T>(field: string, given: unknown, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isTaskError(cause)) throw cause;
    throw invalid(field, given, "readable", cause);
  }
}

function broken(field: string): TaskError {
  return new TaskError({
    code: "invalid_value",
    message: `\`${field}\` holds half of a surrogate pair, which no file can hold.`,
    hint: "Pass the file's bytes instead of text that was decoded wrongly.",
    details: { field, got: "a lone surrogate", expected: "well-formed Unicode" },
  });
}

function tooMuch(what: "bytes" | "files", max: number): TaskError {
  return new TaskError({
    code: "limit",
    message: `At most ${max} ${what} are read in one call.`,
    hint: "Read the files in several calls, and merge one list after the other.",
    details: { limit: what, max },
  });
}

/** What `from` and `strict` of some options say, as JSON. Throws `invalid_value`, `unknown_field`. */
export function readOptions(options: object | undefined, known: readonly string[]): string {
  checkOptions(options, known);
  const given = options as { readonly from?: unknown; readonly strict?: unknown } | undefined;
  const [from, strict] = [optionOf(given, "from"), optionOf(given, "strict")];
  if (from !== undefined) checkFormat("from", from, "reads");
  checkFlag("strict", strict);
  return JSON.stringify({ from, strict });
}

/** Refuses a flag that is none. */
export function checkFlag(field: string, given: unknown): void {
  if (given !== undefined && typeof given !== "boolean") throw invalid(field, given, "true or false");
}

/** Refuses a word that names no format, or one that cannot be read or written. */
export function checkFormat(field: string, given: unknown, use: "reads" | "writes"): void {
  if (formatNamed(given, use) !== undefined) return;
  const words = wordsOf(use).join(", ");
  const got = typeof given === "string" ? JSON.stringify(given.slice(0, 40)) : typeof given;
  throw new TaskError({
    code: "invalid_value",
    message: `\`${field}\` is ${got}, which is no format that can be ${use === "reads" ? "read" : "written"}.`,
    hint: `Use one of: ${words}.`,
    details: { field, got, expected: `one of ${words}` },
  });
}
