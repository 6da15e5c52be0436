// IndexedDB: opening, closing, blocking, damage. The real browser's part is in tests/browser.
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { test } from "node:test";
import { indexedDbStorage, type IndexedDbStorage } from "blockedby/storage";
import { fails } from "./storage-support.js";

const put = (storage: IndexedDbStorage, ifRevision: string | null, text: string): Promise<string | false> =>
  storage.commit({ ifRevision, head: text, upserts: [{ id: "t", text }], deletes: [] });

/** Replaces `indexedDB` while `run` runs. */
async function withFactory(factory: unknown, run: () => Promise<void>): Promise<void> {
  const saved = globalThis.indexedDB;
  Object.assign(globalThis, { indexedDB: factory });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { indexedDB: saved });
  }
}

const opened = (name: string, version: number, upgrade?: (db: IDBDatabase) => void): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade?.(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const deleted = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onblocked = () => reject(new Error("blocked"));
    request.onerror = () => reject(request.error);
  });

test("options that cannot be used are refused at once", async () => {
  for (const [field, options] of [
    ["options", null], ["options", "list"], ["database", { database: 5 }], ["list", { list: null }], ["durability", { durability: "fast" }],
    ["openTimeoutMs", { openTimeoutMs: Number.NaN }], ["openTimeoutMs", { openTimeoutMs: -1 }], ["openTimeoutMs", { openTimeoutMs: 2 ** 31 }],
  ] as const) {
    const error = await fails("invalid_value", () => indexedDbStorage(options as never));
    assert.equal(error.details["field"], field);
  }
});

test("many first calls at once open the database once", async () => {
  let opens = 0;
  const { indexedDB: actual } = globalThis;
  const factory = {
    open: (...args: Parameters<IDBFactory["open"]>) => {
      opens++;
      return actual.open(...args);
    },
  };
  await withFactory(factory, async () => {
    const storage = indexedDbStorage({ database: "once" });
    await Promise.all([storage.load(), storage.load(), put(storage, null, "a"), storage.load()]);
    assert.equal(opens, 1);
    storage.close();
    await storage.load();
    assert.equal(opens, 2, "closed, it opens again");
    storage.close();
  });
});

test("a failed open is typed and not remembered", async () => {
  const { indexedDB: actual } = globalThis;
  const storage = indexedDbStorage({ database: "retry" });
  for (const [error, code] of [
    [new DOMException("A mutation operation was attempted.", "InvalidStateError"), "storage_unavailable"],
    [new DOMException("The operation is insecure.", "SecurityError"), "storage_denied"],
    [new DOMException("Internal error opening backing store.", "UnknownError"), "storage_unknown"],
    [new DOMException("full", "QuotaExceededError"), "storage_quota"],
  ] as const) {
    const factory = {
      open: () => {
        throw error;
      },
    };
    await withFactory(factory, async () => {
      const typed = await fails(code, () => storage.load());
      assert.equal(typed.cause, error);
    });
  }
  await withFactory(undefined, async () => void (await fails("storage_unavailable", () => storage.load())));
  await withFactory(actual, async () => assert.equal(await storage.load(), null));
  storage.close();
});

test("an open that another tab blocks, or that never answers, ends in time and can be tried again", async () => {
  const { indexedDB: actual } = globalThis;
  // The layout of tomorrow, so that a connection of today is in its way.
  const tomorrow = { open: (name: string) => actual.open(name, 2) };
  const holder = await opened("blocked", 1, (db) => {
    db.createObjectStore("old");
  });
  const storage = indexedDbStorage({ database: "blocked", openTimeoutMs: 100 });
  await withFactory(tomorrow, async () => {
    const error = await fails("storage_unavailable", () => storage.load());
    assert.deepEqual([error.details["reason"], error.details["retryable"]], ["blocked", true]);
    holder.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await storage.load(), null);
    storage.close();
  });
  await withFactory({ open: () => ({}) }, async () => {
    const error = await fails("storage_unavailable", () => indexedDbStorage({ openTimeoutMs: 50 }).load());
    assert.deepEqual([error.details["reason"], error.details["retryable"]], ["timeout", true]);
  });
  await deleted("blocked");
});

test("versionchange: it gives way to another tab, and opens again when it is next used", async () => {
  const storage = indexedDbStorage({ database: "gives-way" });
  const revision = await put(storage, null, "a");
  await deleted("gives-way");
  assert.equal(await storage.load(), null);
  assert.equal(await put(storage, revision as string, "b"), false, "a revision of the list before means nothing");
  const again = await put(storage, null, "c");
  assert.notEqual(again, revision, "the first revisions of two lives differ");

  const newer = await opened("gives-way", 2);
  const error = await fails("unsupported_version", () => storage.load());
  assert.equal(error.details["supported"], 1);
  newer.close();
});

test("a database of another program is not touched", async () => {
  const foreign = await opened("foreign", 1, (db) => {
    db.createObjectStore("theirs");
  });
  const storage = indexedDbStorage({ database: "foreign" });
  await fails("corrupt", () => storage.load());
  await fails("corrupt", () => put(storage, null, "a"));
  assert.deepEqual([...foreign.objectStoreNames], ["theirs"]);
  foreign.close();
  storage.close();
});

test("a connection that was closed under it is replaced", async () => {
  const storage = indexedDbStorage({ database: "closed" });
  const revision = await put(storage, null, "a");
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args: Parameters<typeof transaction>) {
    IDBDatabase.prototype.transaction = transaction;
    this.close();
    return transaction.apply(this, args);
  };
  assert.ok(await put(storage, revision as string, "b"));
  storage.close();
});

test("an abort at the end of a commit is a failure, and nothing of it stays", async () => {
  const storage = indexedDbStorage({ database: "abort" });
  const revision = (await put(storage, null, "a")) as string;
  const { put: actual } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args: Parameters<typeof actual>) {
    const request = actual.apply(this, args);
    if (this.name === "heads") request.addEventListener("success", () => this.transaction.abort());
    return request;
  };
  try {
    await fails("storage_unavailable", () => put(storage, revision, "b"));
  } finally {
    IDBObjectStore.prototype.put = actual;
  }
  const found = await storage.load();
  assert.deepEqual([found?.head, found?.revision], ["a", revision]);
  storage.close();
});

test("rows without a head are corrupt, kept aside by quarantine, and only then replaced", async () => {
  const storage = indexedDbStorage({ database: "damaged", list: "l" });
  await put(storage, null, "a");
  const db = await opened("damaged", 1);
  const done = new Promise((resolve) => {
    const tx = db.transaction("heads", "readwrite");
    tx.objectStore("heads").delete("l");
    tx.oncomplete = resolve;
  });
  await done;
  db.close();

  await fails("corrupt", () => storage.load());
  assert.equal(await put(storage, null, "b"), false);
  const name = await storage.quarantine("corrupt");
  assert.match(name ?? "", /^l\.corrupt-\d+$/);
  assert.ok(await storage.commit({ ifRevision: null, head: "b", upserts: [{ id: "u", text: "b" }], deletes: [] }));
  const found = await storage.load();
  assert.deepEqual(found?.rows, [{ id: "u", text: "b" }], "the damaged rows are gone from the list");
  await fails("corrupt", () => indexedDbStorage({ database: "damaged", list: name as string }).load());
  storage.close();
});

test("a list that the engine finds corrupt: the copy is whole, the list may then be replaced", async () => {
  const storage = indexedDbStorage({ database: "torn" });
  assert.equal(await storage.quarantine("nothing there"), undefined);
  await put(storage, null, "{torn");
  const name = (await storage.quarantine("torn")) as string;
  assert.ok(await put(storage, null, "{}"));
  assert.equal(await put(storage, null, "{}"), false, "once");
  assert.equal((await indexedDbStorage({ database: "torn", list: name }).load())?.head, "{torn");
  storage.close();
});

test("lists whose names begin alike do not mix", async () => {
  const names = ["a", "a\0", "ab", "", "__proto__", "default"];
  const lists = names.map((list) => indexedDbStorage({ database: "lists", list }));
  await Promise.all(lists.map((storage, i) => put(storage, null, `text ${i}`)));
  for (const [i, storage] of lists.entries()) {
    assert.deepEqual((await storage.load())?.rows, [{ id: "t", text: `text ${i}` }]);
    storage.close();
  }
});
