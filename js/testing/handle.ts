import type { AnyStorage, MaybePromise, RecordStorage, SnapshotStorage, StorageTraits } from "../storage/types.js";
import { isRecordStorage } from "../storage/types.js";
import { check, equal } from "./asserts.js";

/** One text in a storage of either kind, so that one case serves both. */
export interface Handle {
  readonly storage: AnyStorage & StorageTraits;
  read(): Promise<{ text: string; revision: string | null } | null>;
  /** The new revision, `null` from a storage that has none, `false` for a lost race. */
  write(text: string, ifRevision: string | null): Promise<string | null | false>;
}

function ofSnapshot(storage: SnapshotStorage & StorageTraits): Handle {
  return {
    storage,
    async read() {
      const found = await storage.load();
      if (found === null) return null;
      if (typeof found === "string") return { text: found, revision: null };
      check(typeof found.text === "string", "load returns a text");
      return { text: found.text, revision: found.revision ?? null };
    },
    async write(text, ifRevision) {
      const saved = await (storage.save(text, ifRevision) as MaybePromise<unknown>);
      check(saved === undefined || saved === false || typeof saved === "string", "save returns a revision, nothing or false");
      return saved ?? null;
    },
  };
}

/** The text is both the head and the only row: if they differ, a commit was half written or half read. */
function ofRecords(storage: RecordStorage & StorageTraits): Handle {
  return {
    storage,
    async read() {
      const found = await storage.load();
      if (found === null) return null;
      check(typeof found.revision === "string", "load returns a revision");
      equal([...found.rows], [{ id: "t", text: found.head }], "head and row of one commit");
      return { text: found.head, revision: found.revision };
    },
    async write(text, ifRevision) {
      const saved: unknown = await storage.commit({ ifRevision, head: text, upserts: [{ id: "t", text }], deletes: [] });
      check(saved === false || typeof saved === "string", "commit returns a revision or false");
      return saved;
    },
  };
}

/** Wraps a storage of either kind. */
export function handleOf(storage: AnyStorage & StorageTraits): Handle {
  return isRecordStorage(storage) ? ofRecords(storage) : ofSnapshot(storage as SnapshotStorage & StorageTraits);
}
