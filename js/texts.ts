import type { Session } from "./session.js";
import type { Task } from "./types.js";

/** Rows are joined in blocks of so many slots, so that a change joins one block anew and not the list. */
const BLOCK = 256;

/**
 * The stored text of every row, kept from one save to the next: rows are frozen and replaced, so the text
 * of a row that is still the same object is still the same text.
 */
export class RowTexts {
  /** By slot: the row that was written, and its text. */
  #rows: (Task | undefined)[] = [];
  #texts: string[] = [];
  /** The texts of a block's rows, joined; empty for a block without rows. */
  #blocks: string[] = [];

  constructor(private readonly session: Session) {}

  /** The whole list as text. */
  join(): string {
    this.#write();
    const [head, tail] = this.session.envelope();
    const rows = this.#blocks.filter((block) => block !== "").join(",\n");
    return `${head}${rows === "" ? "" : `\n${rows}`}\n${tail}`;
  }

  /** Brings texts and blocks up to date with the rows. What breaks off on the way is begun again at the next call. */
  #write(): void {
    const { mirror } = this.session;
    const { size } = mirror;
    const stale = new Set<number>();
    const unwritten: number[] = [];
    const most = Math.max(size, this.#rows.length);
    for (let slot = 0; slot < most; slot += 1) {
      const row = slot < size ? mirror.row(slot) : undefined;
      if (row === this.#rows[slot]) continue;
      stale.add(Math.floor(slot / BLOCK));
      if (row !== undefined) unwritten.push(slot);
    }
    const texts = this.session.rowTexts(unwritten);
    for (let at = 0; at < texts.length; at += 1) this.#texts[unwritten[at] as number] = texts[at] as string;
    for (const block of stale) {
      const rows: (Task | undefined)[] = [];
      const parts: string[] = [];
      for (let slot = block * BLOCK; slot < Math.min(size, (block + 1) * BLOCK); slot += 1) {
        const row = mirror.row(slot);
        rows.push(row);
        if (row !== undefined) parts.push(this.#texts[slot] as string);
      }
      this.#blocks[block] = parts.join(",\n");
      // Last, since these say that the block is as it should be.
      for (let at = 0; at < rows.length; at += 1) this.#rows[block * BLOCK + at] = rows[at];
    }
    this.#rows.length = size;
  }

  /** What changed since this was last asked: rows to write (`all` of them, if asked for), ids of rows that left. */
  take(all: boolean): { readonly upserts: { id: string; text: string }[]; readonly deletes: string[] } {
    const { mirror } = this.session;
    const { slots: changed, gone } = mirror.takeDirty();
    const slots = all ? mirror.slots() : changed;
    const texts = this.session.rowTexts(slots);
    const upserts = slots.map((slot, at) => ({ id: (mirror.row(slot) as Task).id, text: texts[at] as string }));
    return { upserts, deletes: gone };
  }
}
