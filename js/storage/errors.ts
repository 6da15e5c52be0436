import { isTaskError, TaskError } from "../errors.js";

/** The codes that a storage throws. */
export type StorageErrorCode =
  | "storage_quota"
  | "storage_denied"
  | "storage_unavailable"
  | "storage_unknown"
  | "corrupt"
  | "unsupported_version"
  | "read_only"
  | "limit"
  | "invalid_value";

/** What may be said with a storage error beside its code and message. */
export interface StorageErrorInit {
  /** What to do next, one sentence. */
  readonly hint: string;
  readonly details?: Record<string, unknown> | undefined;
  readonly cause?: unknown;
}

/** A typed error of a storage, for one's own storage too. */
export function storageError(code: StorageErrorCode, message: string, init: StorageErrorInit): TaskError {
  return new TaskError({ code, message, hint: init.hint, details: init.details, cause: init.cause });
}

/** The refusal of an option of a storage. */
export function refuseOption(field: string, got: unknown, expected: string, hint = `Call again with ${field} as ${expected}.`): TaskError {
  const shown = typeof got === "string" ? JSON.stringify(got) : typeof got === "object" && got !== null ? "an object" : String(got);
  return storageError("invalid_value", `${field} ${shown} cannot be used: expected ${expected}.`, {
    hint,
    details: { field, got: shown, expected },
  });
}

/** The options of a storage. Throws `invalid_value` for what is no object. */
export function optionsFrom<Options extends object>(options: Options): Options {
  if (typeof options === "object" && options !== null) return options;
  throw refuseOption("options", options, "an object");
}

/** Timers take no longer delay. */
export const longestDelay = 0x7fff_ffff;

/** A whole number among the options of a storage; `otherwise` if absent. Throws `invalid_value`. */
export function wholeNumber(field: string, given: unknown, otherwise: number, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (given === undefined) return otherwise;
  const isWhole = Number.isInteger(given) || given === most;
  if (isWhole && (given as number) >= least && (given as number) <= most) return given as number;
  throw refuseOption(field, given, `a whole number from ${least} to ${most}`);
}

const quotaNames: ReadonlySet<string> = new Set([
  "QuotaExceededError",
  "NS_ERROR_DOM_QUOTA_REACHED",
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
]);
const deniedNames: ReadonlySet<string> = new Set([
  "SecurityError",
  "NotAllowedError",
  "EACCES",
  "EPERM",
  "EROFS",
  "ELOOP",
]);
const unavailableNames: ReadonlySet<string> = new Set([
  "InvalidStateError",
  "AbortError",
  "TimeoutError",
  "ENOENT",
  "ENOTDIR",
  "EBUSY",
  "EMFILE",
  "ENFILE",
  "ENXIO",
  "ENODEV",
  "ESTALE",
  "ETIMEDOUT",
]);

/** `code` of a system error or `name` of a DOMException, whichever says more. */
function nameOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === "string") return code;
  return typeof name === "string" ? name : "";
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : String(error);
}

/**
 * Any caught value as a typed storage error, the original as its `cause`. A value that already is
 * a `TaskError` passes through.
 *
 * @param doing What was being done, for the message: `"save the list to /x/y.json"`.
 */
export function toStorageError(error: unknown, doing: string): TaskError {
  if (isTaskError(error)) return error;
  const name = nameOf(error);
  const message = `Could not ${doing}: ${textOf(error)}`;
  const details = name === "" ? {} : { reason: name };
  if (quotaNames.has(name)) {
    return storageError("storage_quota", message, {
      hint: "Free some space or archive settled tasks, then save again; what was stored before is intact.",
      details,
      cause: error,
    });
  }
  if (deniedNames.has(name)) {
    return storageError("storage_denied", message, {
      hint: "Allow this program to write there, or choose another place.",
      details,
      cause: error,
    });
  }
  if (unavailableNames.has(name)) {
    return storageError("storage_unavailable", message, {
      hint: "Check that the place still exists and is not in use, then try again.",
      details: { ...details, retryable: true },
      cause: error,
    });
  }
  return storageError("storage_unknown", message, {
    hint: "See the cause; load again before the next save, since this one may have landed.",
    details,
    cause: error,
  });
}

/** The length of a text in bytes of UTF-8; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
      continue;
    }
    const next = unit >= 0xd800 && unit < 0xdc00 ? text.charCodeAt(i + 1) : 0;
    bytes += 2;
    if (next >= 0xdc00 && next < 0xe000) i++;
  }
  return bytes;
}

/** Throws `storage_quota` for a text longer than `maxBytes` bytes of UTF-8, before anything is written. */
export function refuseTooLong(text: string, maxBytes: number, place: string): void {
  if (text.length * 3 <= maxBytes) return;
  const size = utf8Length(text);
  if (size <= maxBytes) return;
  throw storageError("storage_quota", `The list is ${size} bytes; ${place} takes at most ${maxBytes}.`, {
    hint: "Archive settled tasks, raise maxBytes, or use a larger storage; what was stored before is intact.",
    details: { max: maxBytes, size },
  });
}
