/**
 * A few characters that no other writer makes. They tell revisions of different lives of one
 * storage apart (emptied, filled again: the counters repeat), and mean nothing else. Ids and
 * random bytes of the engine come from the host; these do not reach it.
 */
export function uniqueMark(): string {
  const words = new Uint32Array(2);
  const source = globalThis.crypto as Crypto | undefined;
  if (source === undefined) {
    words[0] = Math.random() * 2 ** 32;
    words[1] = Math.random() * 2 ** 32;
  } else {
    source.getRandomValues(words);
  }
  return (words[0] as number).toString(36) + (words[1] as number).toString(36);
}

/** The revision after `previous`: a counter, for people who look, and a unique mark. */
export function nextRevision(previous: string | null): string {
  const count = previous === null ? 0 : Number.parseInt(previous, 10);
  return `${Number.isSafeInteger(count) ? count + 1 : 1}.${uniqueMark()}`;
}
