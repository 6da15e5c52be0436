import { storageError } from "../storage/errors.js";

/** Offset of the first byte that is not part of well-formed UTF-8, or -1. */
export function firstInvalidUtf8(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const lead = bytes[i] as number;
    if (lead < 0x80) {
      i++;
      continue;
    }
    const length = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length === 0) return i;
    // The second byte's range shuts out long forms, surrogates and what lies past U+10FFFF.
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    for (let k = 1; k < length; k++) {
      const byte = bytes[i + k];
      if (byte === undefined) return i;
      if (byte < (k === 1 ? low : 0x80) || byte > (k === 1 ? high : 0xbf)) return i;
    }
    i += length;
  }
  return -1;
}

function corrupt(path: string, what: string, at: number): Error {
  return storageError("corrupt", `${path} ${what}.`, {
    hint: "Its bytes are untouched. Restore it from the .bak beside it or from version control, or keep a copy with quarantine() and start anew.",
    details: { at, path },
  });
}

/**
 * The bytes of a list's file as text, without a byte-order mark. Never lossy: bytes that are not
 * UTF-8, zero bytes (a power cut leaves files full of them) and an empty file are `corrupt`, with
 * the offset of the first offence. Whether the text is a list is for the engine to say.
 */
export function decodeText(bytes: Uint8Array, path: string): string {
  if (bytes.length === 0) throw corrupt(path, "is empty", 0);
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw corrupt(path, "is UTF-16; it has to be UTF-8", 0);
  }
  const zero = bytes.indexOf(0);
  if (zero >= 0) throw corrupt(path, `holds a zero byte at offset ${zero}`, zero);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const at = Math.max(0, firstInvalidUtf8(bytes));
    throw corrupt(path, `is not UTF-8 from offset ${at} on`, at);
  }
  if (text === "") throw corrupt(path, "is empty but for a byte-order mark", bytes.length);
  return text;
}
