import { isRecordStorage, type AnyStorage } from "./storage/types.js";
import type { StoredText } from "./session.js";
import type { RowTexts } from "./texts.js";
import type { Session } from "./session.js";

/** What a storage held when it was loaded. */
export interface Loaded {
  readonly stored: StoredText;
  readonly revision: string | null;
}

/** What is to be saved, taken synchronously: later changes are not in it. */
export type Save = () => Promise<string | null | false>;

/** The two kinds of storage behind one face: load a list, take a save of what changed. */
export class Saver {
  constructor(readonly storage: AnyStorage) {}

  /** What the storage holds; `null` when nothing. */
  async load(): Promise<Loaded | null> {
    const { storage } = this;
    if (isRecordStorage(storage)) {
      const loaded = await storage.load();
      if (loaded === null) return null;
      const rows: string[] = [];
      for (const row of loaded.rows) rows.push(row.text);
      return { stored: { head: loaded.head, rows: `[${rows.join(",")}]` }, revision: loaded.revision };
    }
    const loaded = await storage.load();
    if (loaded === null || loaded === undefined) return null;
    if (typeof loaded === "string") return { stored: { head: loaded }, revision: null };
    return { stored: { head: loaded.text }, revision: loaded.revision ?? null };
  }

  /**
   * Takes what changed, for a save on top of a revision. The save gives the new revision (`null` from a
   * storage without), or `false` when somebody else was faster.
   */
  take(session: Session, texts: RowTexts, ifRevision: string | null): Save {
    const { storage } = this;
    if (isRecordStorage(storage)) {
      const { upserts, deletes } = texts.take();
      const [head, tail] = session.envelope();
      const commit = { ifRevision, head: head + tail, upserts, deletes };
      return async () => storage.commit(commit);
    }
    const text = texts.join();
    session.mirror.takeDirty();
    return async () => {
      const saved = await storage.save(text, ifRevision);
      return saved === undefined || saved === null ? null : saved;
    };
  }
}
