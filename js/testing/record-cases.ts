import type { RecordStorage } from "../storage/types.js";
import { check, equal } from "./asserts.js";
import type { Case, CaseTools } from "./contract.js";

async function openRecords(tools: CaseTools, other?: string): Promise<RecordStorage> {
  return (await tools.open(other)).storage as RecordStorage;
}

/** Head and rows, by id; `null` where nothing is stored. */
async function contents(storage: RecordStorage): Promise<{ head: string; rows: [string, string][]; revision: string } | null> {
  const found = await storage.load();
  if (found === null) return null;
  const rows = [...found.rows].map(({ id, text }): [string, string] => [id, text]);
  rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { head: found.head, rows, revision: found.revision };
}

async function must(saved: string | false | Promise<string | false>, what: string): Promise<string> {
  const revision = await saved;
  check(typeof revision === "string", `${what} goes through`);
  return revision;
}

/** Cases of {@link RecordStorage} alone. */
export const recordCases: readonly Case[] = [
  {
    title: "rows are added, replaced and removed by one commit",
    async run(tools) {
      const storage = await openRecords(tools);
      const upserts = ["a", "b", "c"].map((id) => ({ id, text: `${id}1` }));
      const first = await must(storage.commit({ ifRevision: null, head: "h1", upserts, deletes: [] }), "the first commit");
      const second = await must(
        storage.commit({ ifRevision: first, head: "h2", upserts: [{ id: "b", text: "b2" }, { id: "d", text: "d1" }], deletes: ["a", "absent"] }),
        "the second commit",
      );
      const rows = [["b", "b2"], ["c", "c1"], ["d", "d1"]];
      equal(await contents(await openRecords(tools)), { head: "h2", rows, revision: second }, "load");
      const third = await must(storage.commit({ ifRevision: second, head: "h3", upserts: [], deletes: [] }), "a commit of the head alone");
      equal(await contents(storage), { head: "h3", rows, revision: third }, "load after the head alone");
      const last = await must(storage.commit({ ifRevision: third, head: "h4", upserts: [], deletes: ["b", "c", "d"] }), "the last commit");
      equal(await contents(storage), { head: "h4", rows: [], revision: last }, "a list without rows is not nothing");
    },
  },
  {
    title: "a refused commit changes neither rows nor head",
    async run(tools) {
      const storage = await openRecords(tools);
      const revision = await must(storage.commit({ ifRevision: null, head: "h", upserts: [{ id: "a", text: "1" }], deletes: [] }), "a commit");
      for (const stale of [null, "no-such-revision"]) {
        const lost = await storage.commit({ ifRevision: stale, head: "x", upserts: [{ id: "b", text: "2" }], deletes: ["a"] });
        equal(lost, false, `a commit on ${String(stale)}`);
      }
      equal(await contents(storage), { head: "h", rows: [["a", "1"]], revision }, "load");
    },
  },
  {
    title: "any id is a plain key",
    async run(tools) {
      const storage = await openRecords(tools);
      const ids = ["__proto__", "constructor", "../up", "a/b\\c", "a", "A", "é", "e\u0301", "👍", "1", "01", " ", "x".repeat(128)];
      const upserts = ids.map((id, i) => ({ id, text: `row ${i}` }));
      const revision = await must(storage.commit({ ifRevision: null, head: "h", upserts, deletes: [] }), "a commit");
      const found = new Map((await contents(storage))?.rows);
      equal(found.size, ids.length, "rows");
      for (const { id, text } of upserts) equal(found.get(id), text, `the row ${id}`);
      await must(storage.commit({ ifRevision: revision, head: "h", upserts: [], deletes: ids }), "their removal");
      equal((await contents(storage))?.rows, [], "rows after the removal");
    },
  },
  {
    title: "a reader never sees half a commit",
    async run(tools) {
      const writer = await openRecords(tools);
      const reader = await openRecords(tools);
      const ids = Array.from({ length: 40 }, (_, i) => `t${i}`);
      let revision: string | null = null;
      let writing = true;
      const write = async (): Promise<void> => {
        for (let n = 0; n < 15; n++) {
          const upserts = ids.map((id) => ({ id, text: String(n) }));
          revision = await must(writer.commit({ ifRevision: revision, head: String(n), upserts, deletes: [] }), `commit ${n}`);
        }
        writing = false;
      };
      const read = async (): Promise<void> => {
        while (writing) {
          const found = await contents(reader);
          if (found !== null) {
            check(found.rows.length === ids.length && found.rows.every(([, text]) => text === found.head), "all rows are of the head's commit");
          }
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
      };
      await Promise.all([write(), read()]);
    },
  },
  {
    title: "two thousand rows make the round trip",
    async run(tools) {
      const storage = await openRecords(tools);
      const upserts = Array.from({ length: 2_000 }, (_, i) => ({ id: `t${i}`, text: `{"title":"task ${i} ✓"}` }));
      await must(storage.commit({ ifRevision: null, head: "{}", upserts, deletes: [] }), "a commit");
      const found = new Map((await contents(await openRecords(tools)))?.rows);
      equal(found.size, upserts.length, "rows");
      for (const { id, text } of upserts) equal(found.get(id), text, `the row ${id}`);
    },
  },
];
