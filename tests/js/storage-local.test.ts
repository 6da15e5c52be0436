// Web Storage, key-value stores, memory: what the contract suite does not ask.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromKeyValue, localStorageStorage, memoryStorage, memoryRecordStorage } from "blockedby/storage";
import { fails, FakeWebStorage } from "./storage-support.js";

test("localStorage: one revision line, then the text; it says that it is for one tab", () => {
  const web = new FakeWebStorage();
  const storage = localStorageStorage("tasks", { storage: web });
  assert.equal(storage.singleTab, true);
  const revision = storage.save('{"n":1}', null);
  assert.equal(web.getItem("tasks"), `blockedby ${String(revision)}\n{"n":1}`);
  assert.deepEqual(storage.load(), { text: '{"n":1}', revision });
});

test("localStorage: a bare text under the key is read, and saved over only as it was read", () => {
  const web = new FakeWebStorage();
  const storage = localStorageStorage("tasks", { storage: web });
  for (const text of ['{"tasks":[]}', "blockedby", "blockedby without a line end", ""]) {
    web.setItem("tasks", text);
    const found = storage.load();
    assert.equal(found?.text, text);
    assert.equal(storage.save("{}", null), false);
    web.setItem("tasks", `${text} `);
    assert.equal(storage.save("{}", found.revision), false);
    web.setItem("tasks", text);
    assert.ok(storage.save("{}", found.revision));
  }
});

test("localStorage: a full store and a text above maxBytes are storage_quota, the old value stays", async () => {
  const web = new FakeWebStorage();
  const storage = localStorageStorage("tasks", { storage: web, maxBytes: 1_000 });
  const revision = storage.save('{"n":1}', null) as string;
  web.room = 100;
  await fails("storage_quota", () => storage.save(`{"x":"${"x".repeat(200)}"}`, revision));
  const error = await fails("storage_quota", () => storage.save("日".repeat(334), revision));
  assert.equal(error.details["size"], 1_002);
  web.room = 50;
  await fails("storage_quota", () => storage.quarantine("too little room for a copy"));
  assert.deepEqual(storage.load(), { text: '{"n":1}', revision });
});

test("localStorage: none here, or forbidden by the browser", async () => {
  await fails("storage_unavailable", () => localStorageStorage("tasks", { storage: undefined as never }).load());
  const saved = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    },
  });
  try {
    const storage = localStorageStorage("tasks");
    await fails("storage_denied", () => storage.load());
    await fails("storage_denied", () => storage.save("{}", null));
  } finally {
    if (saved === undefined) Reflect.deleteProperty(globalThis, "localStorage");
    else Object.defineProperty(globalThis, "localStorage", saved);
  }
});

test("localStorage: the storage event of another tab is a hint", () => {
  const target = new EventTarget();
  const global = globalThis as { addEventListener?: unknown; removeEventListener?: unknown };
  const { addEventListener, removeEventListener } = global;
  global.addEventListener = target.addEventListener.bind(target);
  global.removeEventListener = target.removeEventListener.bind(target);
  try {
    let heard = 0;
    const off = localStorageStorage("tasks", { storage: new FakeWebStorage() }).subscribe(() => heard++);
    const tell = (key: string | null): boolean => target.dispatchEvent(Object.assign(new Event("storage"), { key }));
    tell("tasks");
    tell("other");
    tell(null);
    assert.equal(heard, 2);
    off();
    tell("tasks");
    assert.equal(heard, 2);
  } finally {
    Object.assign(global, { addEventListener, removeEventListener });
  }
});

test("localStorage: a copy is kept aside before a corrupt value is replaced", () => {
  const web = new FakeWebStorage();
  const storage = localStorageStorage("tasks", { storage: web });
  assert.equal(storage.quarantine("nothing there"), undefined);
  web.setItem("tasks", '{"torn');
  assert.equal(storage.load()?.text, '{"torn');
  const copy = storage.quarantine("torn") as string;
  assert.notEqual(storage.quarantine("again"), copy);
  assert.match(copy, /^tasks\.corrupt-\d+$/);
  assert.equal(web.getItem(copy), '{"torn');
  assert.ok(storage.save("{}", null));
  assert.equal(storage.save("{}", null), false);
});

test("key-value: says that it has no compare-and-swap, stays synchronous, uses the key", () => {
  const map = new Map<string, string>();
  const storage = fromKeyValue(map, "tasks");
  assert.equal(storage.compareAndSwap, false);
  assert.equal(storage.load(), null);
  assert.equal(storage.save("{}", null), undefined);
  assert.equal(storage.load(), "{}");
  assert.deepEqual([...map], [["tasks", "{}"]]);
  fromKeyValue(map).save("{}", null);
  assert.deepEqual([...map.keys()], ["tasks", "blockedby"]);
});

test("key-value: raw functions are preferred, bytes are read, anything else is refused", async () => {
  const values = new Map<string, unknown>();
  const parsing = {
    getItem: (key: string) => JSON.parse(values.get(key) as string) as unknown,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
  const raw = {
    ...parsing,
    getItemRaw: (key: string) => values.get(key),
    setItemRaw: (key: string, value: string) => void values.set(key, new TextEncoder().encode(value)),
  };
  await fromKeyValue(raw).save('{"é":1}', null);
  assert.equal(await fromKeyValue(raw).load(), '{"é":1}');
  values.set("blockedby", Uint8Array.of(0xff));
  await fails("corrupt", () => fromKeyValue(raw).load());
  values.set("blockedby", "{}");
  await fails("storage_unknown", () => fromKeyValue(parsing).load());
  for (const store of [{}, { get: 1, set: 2 }, { getItem: () => null }, null, undefined, 5, "tasks", Symbol("x")]) {
    await fails("invalid_value", () => fromKeyValue(store as never));
  }
  await fails("invalid_value", () => fromKeyValue(raw, 5 as never));
});

test("local storage: options that cannot be used are refused at once", async () => {
  for (const [field, key, options] of [
    ["key", undefined, {}], ["key", 5, {}], ["options", "k", null], ["options", "k", 5],
    ["maxBytes", "k", { maxBytes: Number.NaN }], ["maxBytes", "k", { maxBytes: 0 }], ["maxBytes", "k", { maxBytes: "1" }],
  ] as const) {
    const error = await fails("invalid_value", () => localStorageStorage(key as never, options as never));
    assert.equal(error.details["field"], field);
  }
});

test("key-value: what the store throws or rejects with is typed, with the original as cause", async () => {
  const error = new DOMException("full", "QuotaExceededError");
  const rejecting = { get: () => Promise.reject(new Error("offline")), set: () => Promise.reject(error) };
  const typed = await fails("storage_quota", () => fromKeyValue(rejecting).save("{}", null));
  assert.equal(typed.cause, error);
  await fails("storage_unknown", () => fromKeyValue(rejecting).load());
  const throwing = {
    get: () => {
      throw "a string";
    },
    set: () => undefined,
  };
  await fails("storage_unknown", () => fromKeyValue(throwing).load());
});

test("memory: synchronous; says that it is not durable; a writer is not told of its own save", async () => {
  const one = memoryStorage('{"n":0}');
  const two = one.peer();
  assert.equal(one.durable, false);
  let told = { one: 0, two: 0 };
  one.subscribe(() => told.one++);
  const off = two.subscribe(() => told.two++);
  assert.equal(one.save('{"n":1}', one.load()?.revision ?? null), "2");
  assert.deepEqual(told, { one: 0, two: 0 }, "not within the save");
  await Promise.resolve();
  assert.deepEqual(told, { one: 0, two: 1 });
  one.subscribe(() => undefined);
  off();
  one.save('{"n":2}', "2");
  await Promise.resolve();
  assert.deepEqual(told, { one: 1, two: 1 }, "two stores on one handle: both are told");
  told = { one: 0, two: 0 };
  assert.equal(memoryRecordStorage().load(), null);
});
