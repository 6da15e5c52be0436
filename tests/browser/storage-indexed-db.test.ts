// IndexedDB and Web Storage in a real browser: what the fakes cannot show.
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { after, before, test } from "node:test";
import type * as storages from "blockedby/storage";
import type { ContractOptions, MakeStorage } from "blockedby/testing";
import { bundle, openPages, pageFor, type Pages } from "./harness.js";

/** What the page's script offers to the functions that run in it. */
interface InPage {
  readonly kit: typeof storages & {
    /** Runs the contract suite; the titles of its cases, each with its error if it failed. */
    contract(make: MakeStorage, options: Omit<ContractOptions, "test">): Promise<Record<string, string>>;
    countUp(database: string, times: number): Promise<void>;
    /** `code` and `details.reason` of the failure of a call, or `"none"`. */
    failureOf(run: () => unknown): Promise<string>;
  };
  heard: number;
  held: IDBDatabase;
}

const script = `
  import * as storages from "blockedby/storage";
  import { storageContract } from "blockedby/testing";

  async function contract(make, options) {
    const runs = [];
    storageContract(make, { ...options, test: (name, run) => runs.push([name, run]) });
    const results = {};
    for (const [name, run] of runs) {
      results[name] = "ok";
      const skip = () => (results[name] = "skipped");
      await run({ skip }).catch((error) => (results[name] = String(error)));
    }
    return results;
  }
  async function countUp(database, times) {
    const storage = storages.indexedDbStorage({ database });
    for (let done = 0; done < times;) {
      const found = await storage.load();
      const head = String(found === null ? 1 : Number(found.head) + 1);
      const upserts = [{ id: "t" + (Number(head) % 7), text: head }];
      const saved = await storage.commit({ ifRevision: found === null ? null : found.revision, head, upserts, deletes: [] });
      if (saved !== false) done++;
    }
    storage.close();
  }
  async function failureOf(run) {
    try {
      await run();
      return "none";
    } catch (error) {
      return [error.code, error.details?.reason].filter((part) => part !== undefined).join(" ");
    }
  }
  Object.assign(globalThis, { kit: { ...storages, contract, countUp, failureOf }, heard: 0 });
  document.querySelector("output").textContent = "ready";
`;

let pages: Pages;
before(async () => {
  pages = await openPages({ pages: { "/": pageFor("/script.js"), "/script.js": await bundle(script) } });
});
after(() => pages.close());

/** Tabs that share one storage. */
async function tabs(count: number): Promise<{ tabs: Page[]; context: BrowserContext; close(): Promise<void> }> {
  const context = await pages.browser.newContext();
  const made: Page[] = [];
  for (let i = 0; i < count; i++) {
    const page = await context.newPage();
    await page.goto(pages.url);
    await page.locator("output:not(:empty)").waitFor({ timeout: 20_000 });
    made.push(page);
  }
  return { tabs: made, context, close: () => context.close() };
}

test("the contract suite passes on IndexedDB and, in one tab, on localStorage", { timeout: 300_000 }, async () => {
  const { tabs: [page], close } = await tabs(1);
  const records = await (page as Page).evaluate(() => {
    const { kit } = globalThis as unknown as InPage;
    return kit.contract((place) => kit.indexedDbStorage({ database: "contract", list: place }), {
      kind: "records",
      breakSaves: () => {
        const { put } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = () => {
          throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
        };
        return () => void (IDBObjectStore.prototype.put = put);
      },
    });
  });
  assert.ok(Object.keys(records).length > 12);
  for (const [title, result] of Object.entries(records)) assert.equal(result, "ok", title);

  const snapshots = await (page as Page).evaluate(() => {
    const { kit } = globalThis as unknown as InPage;
    return kit.contract((place) => kit.localStorageStorage(place), {});
  });
  for (const [title, result] of Object.entries(snapshots)) {
    // Needs a second tab, which has a test of its own below, and a full store, likewise.
    const elsewhere = title.startsWith("a subscriber") || title.startsWith("a failed save");
    if (!elsewhere) assert.equal(result, "ok", title);
  }
  await close();
});

test("two tabs that count 50 times each lose no update", { timeout: 300_000 }, async () => {
  const two = await tabs(2);
  const count = (page: Page): Promise<void> =>
    page.evaluate(() => (globalThis as unknown as InPage).kit.countUp("counting", 50));
  await Promise.all(two.tabs.map(count));
  const found = await (two.tabs[0] as Page).evaluate(async () => {
    const { kit } = globalThis as unknown as InPage;
    const loaded = await kit.indexedDbStorage({ database: "counting" }).load();
    return { head: loaded?.head, newest: Math.max(...(loaded?.rows ?? []).map(({ text }) => Number(text))) };
  });
  assert.deepEqual(found, { head: "100", newest: 100 });
  await two.close();
});

test("another tab hears of a commit and of a localStorage save", async () => {
  const { tabs: [listener, writer], close } = await tabs(2);
  assert.ok(listener !== undefined && writer !== undefined);
  await listener.evaluate(() => {
    const all = globalThis as unknown as InPage;
    all.kit.indexedDbStorage({ database: "hints" }).subscribe(() => (all.heard += 1));
    all.kit.localStorageStorage("hints").subscribe(() => (all.heard += 100));
  });
  await writer.evaluate(async () => {
    const { kit } = globalThis as unknown as InPage;
    kit.localStorageStorage("hints").save("{}", null);
    await kit.indexedDbStorage({ database: "hints" }).commit({ ifRevision: null, head: "h", upserts: [], deletes: [] });
  });
  await listener.waitForFunction(() => (globalThis as unknown as InPage).heard === 101, undefined, { timeout: 5_000 });
  await close();
});

test("versionchange: a tab with the list open does not stop another from deleting the database", async () => {
  const { tabs: [holder, other], close } = await tabs(2);
  assert.ok(holder !== undefined && other !== undefined);
  const use = (): Promise<string> => {
    const { kit } = globalThis as unknown as InPage;
    const storage = kit.indexedDbStorage({ database: "deleted" });
    Object.assign(globalThis, { storage });
    return storage.commit({ ifRevision: null, head: "h", upserts: [], deletes: [] }).then(String);
  };
  const first = await holder.evaluate(use);
  const outcome = await other.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.deleteDatabase("deleted");
        request.onsuccess = () => resolve("deleted");
        request.onblocked = () => resolve("blocked");
      }),
  );
  assert.equal(outcome, "deleted");
  const after = await holder.evaluate(async (revision) => {
    const { storage } = globalThis as unknown as { storage: storages.IndexedDbStorage };
    return [await storage.load(), await storage.commit({ ifRevision: revision, head: "h", upserts: [], deletes: [] })];
  }, first);
  assert.deepEqual(after, [null, false]);
  await close();
});

test("a tab that holds an older version blocks the open: a retryable error in time, then it works", async () => {
  const { tabs: [holder, other], close } = await tabs(2);
  assert.ok(holder !== undefined && other !== undefined);
  await holder.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open("blocked", 1);
        // A connection that never gives way.
        request.onsuccess = () => {
          (globalThis as unknown as InPage).held = request.result;
          resolve();
        };
      }),
  );
  const openIt = (): Promise<string> => {
    const { kit } = globalThis as unknown as InPage;
    // The layout of tomorrow.
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (name) {
      return open.call(this, name, 2);
    };
    const storage = kit.indexedDbStorage({ database: "blocked", openTimeoutMs: 500 });
    return kit.failureOf(() => storage.load()).finally(() => {
      IDBFactory.prototype.open = open;
      storage.close();
    });
  };
  assert.equal(await other.evaluate(openIt), "storage_unavailable blocked");
  await holder.evaluate(() => (globalThis as unknown as InPage).held.close());
  await other.waitForTimeout(300);
  assert.equal(await other.evaluate(openIt), "none");
  await close();
});

test("a full quota is storage_quota, and what was stored before is intact", async () => {
  const { tabs: [page], context, close } = await tabs(1);
  assert.ok(page !== undefined);
  const start = (): Promise<string> => {
    const { kit } = globalThis as unknown as InPage;
    const storage = kit.indexedDbStorage({ database: "full" });
    Object.assign(globalThis, { storage });
    return storage.commit({ ifRevision: null, head: "small", upserts: [{ id: "a", text: "1" }], deletes: [] }).then(String);
  };
  // Before the first use of the database: Chromium remembers for a while how much room there was.
  const devtools = await context.newCDPSession(page);
  const origin = new URL(pages.url).origin;
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
  const revision = await page.evaluate(start);
  const outcome = await page.evaluate(async (ifRevision) => {
    const { kit } = globalThis as unknown as InPage;
    const { storage } = globalThis as unknown as { storage: storages.IndexedDbStorage };
    const upserts = Array.from({ length: 200 }, (_, i) => ({ id: `t${i}`, text: crypto.randomUUID().repeat(1_000) }));
    const failure = await kit.failureOf(() => storage.commit({ ifRevision, head: "large", upserts, deletes: ["a"] }));
    const found = await storage.load();
    return [failure, found?.head, found?.revision, found?.rows.map(({ id }) => id).join()];
  }, revision);
  assert.deepEqual(outcome, ["storage_quota QuotaExceededError", "small", revision, "a"]);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin });
  const saved = await page.evaluate(
    (ifRevision) =>
      (globalThis as unknown as { storage: storages.IndexedDbStorage }).storage.commit({
        ifRevision, head: "with room again", upserts: [], deletes: [],
      }),
    revision,
  );
  assert.equal(typeof saved, "string");

  const web = await page.evaluate(async () => {
    const { kit } = globalThis as unknown as InPage;
    const storage = kit.localStorageStorage("full", { maxBytes: Infinity });
    const first = storage.save("{}", null);
    const failure = await kit.failureOf(() => storage.save("x".repeat(6_000_000), first as string));
    return [failure, storage.load()?.text];
  });
  assert.deepEqual(web, ["storage_quota QuotaExceededError", "{}"]);
  await close();
});
