import { optionsFrom, refuseOption, refuseTooLong, storageError, toStorageError, wholeNumber } from "./errors.js";
import type { SnapshotStorage, StorageTraits } from "./types.js";
import { nextRevision } from "./unique.js";

/** The part of Web Storage that is used. */
export type WebStorageLike = Pick<Storage, "getItem" | "setItem">;

/** Options of {@link localStorageStorage}. */
export interface LocalStorageOptions {
  /** Web Storage to use; `globalThis.localStorage`, looked up at each call, if absent. */
  readonly storage?: WebStorageLike;
  /**
   * The longest text, in bytes of UTF-8; 4,000,000 if absent. Browsers give one origin about 5
   * million characters for all its keys; above some 2 MB use `indexedDbStorage`.
   */
  readonly maxBytes?: number;
}

/** A {@link localStorageStorage}. */
export interface LocalStorageStorage extends SnapshotStorage, StorageTraits {
  /** For one tab only: see {@link localStorageStorage}. */
  readonly singleTab: true;
  readonly maxBytes: number;
  load(): { text: string; revision: string } | null;
  save(text: string, ifRevision: string | null): string | false;
  subscribe(onForeignChange: () => void): () => void;
  quarantine(reason: string): string | undefined;
}

const mark = "blockedby ";

/** `blockedby <revision>\n<text>`; a value without that line was put there by something else. */
function parse(value: string): { text: string; revision: string } {
  const end = value.startsWith(mark) ? value.indexOf("\n") : -1;
  if (end >= 0) return { revision: value.slice(mark.length, end), text: value.slice(end + 1) };
  return { revision: `plain.${fingerprint(value)}`, text: value };
}

/** Tells one unmarked value from another: FNV-1a over its UTF-16 units, and its length. */
function fingerprint(value: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 0x01000193);
  return `${value.length.toString(36)}.${(hash >>> 0).toString(36)}`;
}

/**
 * A list in `localStorage`, synchronous: for a widget or a lesson that lives in ONE tab.
 *
 * Two tabs lose each other's changes, whatever locks they take, because each browser process
 * works on its own copy of Web Storage: of 100 increments by two Chromium tabs 77 to 88 survived
 * under Web Locks. The revision makes handles within one tab safe and notices most foreign saves,
 * not all. For several tabs use `indexedDbStorage`.
 *
 * The value is one line `blockedby <revision>`, then the text. A bare text under the key is read
 * too. A failed save leaves the old value. Throws `storage_quota` (full, or longer than
 * `maxBytes`), `storage_denied` (blocked by the browser's settings), `storage_unavailable` (no
 * Web Storage here, as on a server); `invalid_value` at once for options that cannot be used.
 *
 * @param key Key under which the list is kept.
 */
export function localStorageStorage(key: string, options: LocalStorageOptions = {}): LocalStorageStorage {
  if (typeof key !== "string") throw refuseOption("key", key, "text");
  const maxBytes = wholeNumber("maxBytes", optionsFrom(options).maxBytes, 4_000_000, 1, Infinity);
  const place = `localStorage key ${JSON.stringify(key)}`;

  const web = (): WebStorageLike => {
    const found = options.storage ?? (globalThis.localStorage as Storage | null | undefined);
    if (found !== null && found !== undefined) return found;
    throw storageError("storage_unavailable", "There is no localStorage here.", {
      hint: "Open the list in a browser page, or use another storage, such as memoryStorage().",
    });
  };
  const attempt = <T>(doing: string, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      throw toStorageError(error, `${doing} ${place}`);
    }
  };
  const read = (): { text: string; revision: string } | null => {
    const value = web().getItem(key);
    return value === null ? null : parse(value);
  };
  /** Revision of a value that was copied by `quarantine` and may be replaced by who loaded nothing. */
  let quarantined: string | null = null;

  return {
    singleTab: true,
    maxBytes,
    load: () => attempt("read", read),
    save: (text, ifRevision) =>
      attempt("save to", () => {
        refuseTooLong(text, maxBytes, place);
        const current = read()?.revision ?? null;
        if (current !== ifRevision && !(ifRevision === null && current === quarantined)) return false;
        const revision = nextRevision(current);
        web().setItem(key, `${mark}${revision}\n${text}`);
        quarantined = null;
        return revision;
      }),
    subscribe(onForeignChange) {
      const target = globalThis as typeof globalThis & Partial<Pick<Window, "addEventListener">>;
      if (typeof target.addEventListener !== "function") return () => undefined;
      const listener = (event: Event): void => {
        const { key: changed } = event as StorageEvent;
        // A null key: everything was cleared.
        if (changed === key || changed === null) onForeignChange();
      };
      target.addEventListener("storage", listener);
      return () => target.removeEventListener("storage", listener);
    },
    quarantine: () =>
      attempt("keep a copy of", () => {
        const value = web().getItem(key);
        if (value === null) return undefined;
        let at = Date.now();
        while (web().getItem(`${key}.corrupt-${at}`) !== null) at++;
        const copy = `${key}.corrupt-${at}`;
        web().setItem(copy, value);
        quarantined = parse(value).revision;
        return copy;
      }),
  };
}
