// The contract suite against every storage that is shipped.
import "fake-indexeddb/auto";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sidecarStorage } from "blockedby/node";
import {
  fromKeyValue,
  indexedDbStorage,
  localStorageStorage,
  memoryRecordStorage,
  type MemoryRecordStorage,
  memoryStorage,
  type MemoryStorage,
} from "blockedby/storage";
import { storageContract } from "blockedby/testing";
import { FakeWebStorage, temporaryFolder } from "./storage-support.js";

/** One of `make` per place, for storages that live in a value of the program. */
function byPlace<T>(make: () => T): (place: string) => T {
  const made = new Map<string, T>();
  return (place) => {
    const found = made.get(place) ?? make();
    made.set(place, found);
    return found;
  };
}

const memories = byPlace<MemoryStorage>(() => memoryStorage());
storageContract((place) => memories(place).peer(), { test, name: "memory" });

const recordMemories = byPlace<MemoryRecordStorage>(() => memoryRecordStorage());
storageContract((place) => recordMemories(place).peer(), { test, name: "memory records", kind: "records" });

const web = new FakeWebStorage();
storageContract(
  (place) => {
    const { subscribe: _, ...storage } = localStorageStorage(place, { storage: web });
    return storage; // No other tab here, so nobody whose save could be told.
  },
  {
    test,
    name: "localStorage",
    breakSaves: () => {
      web.room = 0;
      return () => void (web.room = Infinity);
    },
  },
);

storageContract((place) => indexedDbStorage({ database: "contract", list: place }), {
  test,
  name: "IndexedDB (fake)",
  kind: "records",
  breakSaves: () => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
    return () => void (IDBObjectStore.prototype.put = put);
  },
});

const maps = byPlace(() => new Map<string, string>());
storageContract((place) => fromKeyValue(maps(place)), { test, name: "key-value, synchronous" });

const slowMaps = byPlace(() => {
  const map = new Map<string, string>();
  let full = false;
  return {
    getItem: async (key: string) => map.get(key) ?? null,
    setItem: async (key: string, value: string) => {
      if (full) throw new Error("full");
      map.set(key, value);
    },
    fill: (value: boolean) => void (full = value),
  };
});
storageContract((place) => fromKeyValue(slowMaps(place), "list"), {
  test,
  name: "key-value, asynchronous",
  breakSaves: (place) => {
    slowMaps(place).fill(true);
    return () => slowMaps(place).fill(false);
  },
});

const folder = temporaryFolder();
storageContract((place) => sidecarStorage({ sessionId: place, sessionDir: folder, lockWaitMs: 60_000 }), {
  test,
  name: "sidecar",
  breakSaves: (place) => {
    // A folder where the draft would go: works for root too, whom modes do not stop.
    const inTheWay = join(folder, `${place}.tasks.json.tmp`);
    mkdirSync(inTheWay);
    return () => rmdirSync(inTheWay);
  },
});

test("sidecar: a folder that is moved away fails the save, and moved back it goes on", async () => {
  const parent = temporaryFolder();
  const dir = join(parent, "there");
  mkdirSync(dir);
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  const first = await storage.save("{}", null);
  renameSync(dir, join(parent, "away"));
  await storage.save("{}", first as string).then(
    () => Promise.reject(new Error("the save went through")),
    (error: { code: string }) => error.code === "storage_unavailable" || Promise.reject(error),
  );
  renameSync(join(parent, "away"), dir);
  await storage.save('{"n":2}', first as string);
});
