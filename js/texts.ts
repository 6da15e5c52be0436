import type { Session } from "./session.js";
import type { Task } from "./types.js";

/**
 * The stored text of every row, kept from one save to the next: rows are frozen and replaced, so the text
 * of a row that is still the same object is still the same text.
 */
export class RowTexts {
  readonly #texts = new WeakMap<Task, string>();

  constructor(private readonly session: Session) {}

  /** The whole list as text. */
  join(): string {
    const { mirror } = this.session;
    const live = mirror.slots();
    const unwritten = live.filter((slot) => !this.#texts.has(mirror.row(slot) as Task));
    this.session.rowTexts(unwritten).forEach((text, at) => {
      this.#texts.set(mirror.row(unwritten[at] as number) as Task, text);
    });
    const [head, tail] = this.session.envelope();
    const rows = live.map((slot) => this.#texts.get(mirror.row(slot) as Task) as string);
    return `${head}${rows.length === 0 ? "" : `\n${rows.join(",\n")}`}\n${tail}`;
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
