import { afterThrow, coreMemory, currentGeneration, enter, leave, type Core } from "./runtime.js";

/**
 * The buffers through which everything crosses. Words go in as UTF-8, slots as numbers; numbers and words
 * come out. Views are taken anew when the engine's memory has grown or was replaced.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Texts longer than this are measured first, so that the engine's memory does not grow threefold for them. */
const LONG = 16_384;

let bytes = new Uint8Array(0);
/** The engine's memory as numbers, valid until the next call that may grow it: ask {@link view} after each. */
let words = new Uint32Array(0);
let numbersAt = 0;
let numbersRoom = 0;
let viewed = -1;

function refresh(): void {
  // A view of memory that has grown has length 0; one of another instance has another generation.
  if (words.length !== 0 && viewed === currentGeneration()) return;
  const { buffer } = coreMemory();
  bytes = new Uint8Array(buffer);
  words = new Uint32Array(buffer);
  if (viewed !== currentGeneration()) numbersRoom = 0;
  viewed = currentGeneration();
}

/** The engine's memory as numbers. */
export function view(): Uint32Array {
  refresh();
  return words;
}

/**
 * Calls the engine; a trap becomes a `poisoned` error, and the instance is replaced. `work` makes that one call
 * and nothing else: what it needs is read before.
 */
export function guard<T>(work: (core: Core) => T): T {
  try {
    const result = work(enter());
    leave();
    return result;
  } catch (error) {
    throw afterThrow(error);
  }
}

/** Writes texts one behind the other; gives the number of bytes of each. */
export function writeTexts(texts: readonly string[]): number[] {
  const parts = texts.map((text) => (text.length > LONG ? encoder.encode(text) : text));
  let room = 0;
  for (const part of parts) room += typeof part === "string" ? part.length * 3 : part.length;
  const start = guard((core) => core.text_room(room)) >>> 0;
  refresh();
  const sizes: number[] = [];
  let at = start;
  for (const part of parts) {
    let size: number;
    if (typeof part === "string") {
      size = encoder.encodeInto(part, bytes.subarray(at, at + part.length * 3)).written;
    } else {
      bytes.set(part, at);
      size = part.length;
    }
    sizes.push(size);
    at += size;
  }
  return sizes;
}

/** Writes one text; gives its number of bytes. */
export function writeText(text: string): number {
  if (text.length > LONG) return writeTexts([text])[0] as number;
  const room = text.length * 3;
  const at = guard((core) => core.text_room(room)) >>> 0;
  refresh();
  return encoder.encodeInto(text, bytes.subarray(at, at + room)).written;
}

/** Where numbers go for the next call, in {@link view}; there is room for `count`. */
export function numbersBase(count: number): number {
  refresh();
  if (numbersRoom < count) {
    const room = Math.max(64, count);
    numbersAt = guard((core) => core.numbers_room(room)) >>> 2;
    numbersRoom = room;
    refresh();
  }
  return numbersAt;
}

/** Writes numbers. */
export function writeNumbers(numbers: ArrayLike<number>): void {
  const base = numbersBase(numbers.length);
  for (let index = 0; index < numbers.length; index += 1) words[base + index] = numbers[index] as number;
}

/** Where the numbers begin that the last call gave, in {@link view}. */
export function answerBase(): number {
  return guard((core) => core.out_address()) >>> 2;
}

/** A copy of the first `count` numbers that the last call gave. */
export function takeNumbers(count: number): Uint32Array {
  const base = answerBase();
  return view().slice(base, base + count);
}

/** The text that the last call gave. */
export function readAnswer(): string {
  const at = guard((core) => core.answer_address()) >>> 0;
  const length = guard((core) => core.answer_length()) >>> 0;
  refresh();
  return decoder.decode(bytes.subarray(at, at + length));
}
