import { invalid, optionOf, TaskError } from "./errors.js";
import type { StoredText } from "./session.js";
import type { ListOptions } from "./types.js";

/** Reading what callers give: what is plain enough for a quick call, what can cross at all, what is refused at once. */

/** No ids, frozen. */
export const NO_IDS: readonly string[] = Object.freeze([]);
/** As many as there are. */
export const NO_LIMIT = 0xffff_ffff;
/** A quick call takes no more blockers than this. */
export const MOST_QUICK_BLOCKERS = 64;

/**
 * A copy of a list that a caller gave, to be kept; nothing when it is none that a quick call takes. May throw what
 * the caller's own code throws.
 */
export function copied(given: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(given) || given.length > MOST_QUICK_BLOCKERS) return undefined;
  if (given.length === 0) return NO_IDS;
  const copy: unknown[] = [];
  for (let at = 0; at < given.length; at += 1) copy.push(given[at]);
  return copy;
}

/** Whether an id is of printable ASCII without spaces, so that nothing about it needs a second look. */
export function isPlainId(id: unknown): id is string {
  if (typeof id !== "string" || id.length === 0 || id.length > 128) return false;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    if (code < 33 || code > 126) return false;
  }
  return true;
}

/** Words that are surely within every limit and cross without loss. */
export function isPlainText(text: unknown, most: number): text is string {
  if (typeof text !== "string" || text.length === 0 || text.length > most) return false;
  return !text.includes("\0") && isWellFormed(text);
}

/** Whether a code unit is surely no space and no control character. */
export function isInk(code: number): boolean {
  return (code > 0x20 && code < 0x7f) || (code > 0xa0 && code < 0x1680) || (code > 0x3000 && code < 0xfe00);
}

/** Whether no half of a surrogate pair stands alone in a text: such text cannot cross. */
export function isWellFormed(text: string): boolean {
  return (text as { isWellFormed?: () => boolean }).isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

/** Rules as JSON text; empty where nothing is asked. */
export function rulesText(rules: ListOptions["rules"]): string {
  return rules === undefined ? "" : toJson(rules, "rules");
}

/** JSON text of what a caller gave; what cannot be written is `invalid_value`. */
export function toJson(value: unknown, field: string): string {
  let text: string | undefined;
  let cause: unknown;
  let lost: LostField | undefined;
  try {
    lost = lostField(value);
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (lost !== undefined) throw invalid(lost.name, lost.value, "plain data");
  if (text !== undefined) return text;
  throw new TaskError({
    code: "invalid_value",
    message: `\`${field}\` cannot be written as JSON.`,
    hint: "Pass plain data: no functions, no BigInt, no object that contains itself.",
    details: { field, got: typeof value, expected: "plain data" },
    ...(cause === undefined ? {} : { cause }),
  });
}

interface LostField {
  readonly name: string;
  readonly value: unknown;
}

/** The first field that JSON would take for one that was not given: a number that is none, a symbol, a function. */
function lostField(value: unknown): LostField | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    const isLost = typeof part === "number" ? !Number.isFinite(part) : typeof part === "symbol" || typeof part === "function";
    if (isLost) return { name, value: part };
    if (name === "commands" && Array.isArray(part)) {
      for (const command of part) {
        const lost = lostField(command);
        if (lost !== undefined) return lost;
      }
    }
  }
  return undefined;
}

/** A limit as a whole number. */
export function readLimit(limit: unknown, otherwise: number): number {
  if (limit === undefined || limit === null) return otherwise;
  if (typeof limit !== "number" || Number.isNaN(limit)) throw invalid("limit", limit, "a whole number");
  return Math.max(0, Math.min(NO_LIMIT, Math.floor(limit)));
}

/** A storage, or a caller, may give anything. */
export function checkText({ head }: StoredText): void {
  if (typeof head === "string") return;
  throw new TaskError({
    code: "corrupt",
    message: "What was to be opened is not a text.",
    hint: "A storage's `load` gives the text that was saved, as a string.",
  });
}

/** Refuses options of a list that are of another type than they must be. */
export function checkListOptions(options: ListOptions): void {
  if (typeof options !== "object" || options === null) throw invalid("options", options, "an object");
  for (const name of ["now", "random", "authorize"] as const) {
    const given = optionOf(options, name);
    if (given !== undefined && typeof given !== "function") throw invalid(name, given, "a function");
  }
}

