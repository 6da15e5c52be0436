// The sidecar file under several processes: locks, races, kills.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import * as real from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sidecarStorage } from "blockedby/node";
import { childOn, fails, outputOf, soak, temporaryFolder } from "./storage-support.js";

const countUp = (times: number | "forever"): string => `
  for (let done = 0; done < ${times === "forever" ? "Infinity" : times};) {
    const found = await storage.load();
    const n = found === null ? 0 : JSON.parse(found.text).n;
    const text = JSON.stringify({ n: n + 1, filler: "x".repeat(20_000) });
    if ((await storage.save(text, found === null ? null : found.revision)) !== false) {
      done++;
      console.log(n + 1);
    }
  }
`;

const numberIn = (text: string): number => (JSON.parse(text) as { n: number }).n;

test("two processes that count lose no update", { timeout: 600_000 }, async () => {
  const file = join(temporaryFolder(), "s.tasks.json");
  const times = soak ? 200 : 60;
  await Promise.all([outputOf(childOn(file, countUp(times))), outputOf(childOn(file, countUp(times)))]);
  assert.equal(numberIn((await sidecarStorage({ file }).load())?.text ?? ""), 2 * times);
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["s.tasks.json", "s.tasks.json.bak"]);
});

/** Starts a counting process, kills it so many milliseconds after its first save, returns what it had acknowledged. */
async function countUntilKilled(file: string, ms: number): Promise<number[]> {
  const child = childOn(file, countUp("forever"));
  let out = "";
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  await new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.stdout.on("data", (data: Buffer) => {
      if (out === "") setTimeout(() => child.kill("SIGKILL"), ms);
      out += data.toString();
    });
  });
  assert.equal(errors, "");
  return out.split("\n").slice(0, -1).map(Number);
}

test("a process killed at a random moment leaves a file that loads and holds every acknowledged save", { timeout: 1_800_000 }, async () => {
  const file = join(temporaryFolder(), "s.tasks.json");
  const storage = sidecarStorage({ file });
  for (let kill = 0; kill < (soak ? 200 : 20); kill++) {
    const acknowledged = await countUntilKilled(file, Math.random() * 60);
    const n = numberIn((await storage.load())?.text ?? "");
    const last = acknowledged.at(-1) ?? 0;
    assert.ok(n === last || n === last + 1, `acknowledged ${last}, found ${n}`);
  }
  const before = await storage.load();
  assert.ok(await storage.save('{"n":0}', before?.revision ?? null), "a save goes through at once after the last kill");
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["s.tasks.json", "s.tasks.json.bak"]);
});

test("processes that are killed while others take over their locks lose no update", { timeout: 1_800_000 }, async () => {
  const file = join(temporaryFolder(), "s.tasks.json");
  const kills = soak ? 40 : 5;
  let acknowledged = 0;
  const worker = async (): Promise<void> => {
    for (let i = 0; i < kills; i++) {
      const counted = await countUntilKilled(file, Math.random() * 150);
      acknowledged += counted.length;
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  const n = numberIn((await sidecarStorage({ file }).load())?.text ?? "");
  // A process killed between its save and its word about it makes one more.
  assert.ok(n >= acknowledged && n <= acknowledged + 3 * kills, `acknowledged ${acknowledged}, found ${n}`);
});

/** A list, and the text of a lock that this process would write. */
async function withLock(): Promise<{ file: string; revision: string; lock: string; said: { pid: number; host: string } }> {
  const file = join(temporaryFolder(), "s.tasks.json");
  let raw = "";
  const rename = async (from: string, to: string): Promise<void> => {
    raw = readFileSync(`${file}.lock`, "utf8");
    await real.rename(from, to);
  };
  const spy = sidecarStorage({ file, internals: { fs: { rename: rename as typeof real.rename } } });
  const revision = (await spy.save('{"n":1}', null)) as string;
  return { file, revision, lock: `${file}.lock`, said: JSON.parse(raw) as { pid: number; host: string } };
}

test("a lock tells whose it is; a held one is waited for, then the error is retryable", async () => {
  const { file, revision, lock, said } = await withLock();
  assert.equal(said.pid, process.pid);
  writeFileSync(lock, JSON.stringify(said));
  const error = await fails("storage_unavailable", () => sidecarStorage({ file, lockWaitMs: 150 }).save("{}", revision));
  assert.deepEqual([error.details["reason"], error.details["retryable"], error.details["pid"]], ["locked", true, process.pid]);
  assert.ok(existsSync(lock), "it was not taken over");

  const waiting = sidecarStorage({ file, lockWaitMs: 10_000 }).save('{"n":2}', revision);
  setTimeout(() => void real.unlink(lock), 100);
  assert.ok(await waiting, "released in time, it goes on");
});

test("a dead process's lock is taken over at once, another machine's only when it is old", async () => {
  const { file, revision, lock, said } = await withLock();
  const storage = sidecarStorage({ file, lockWaitMs: 200 });
  const dead = spawnSync(process.execPath, ["--eval", ""]).pid;
  writeFileSync(lock, JSON.stringify({ ...said, pid: dead }));
  const second = (await storage.save('{"n":2}', revision)) as string;
  assert.ok(second);

  const elsewhere = JSON.stringify({ ...said, pid: dead, host: "elsewhere" });
  writeFileSync(lock, elsewhere);
  await fails("storage_unavailable", () => storage.save('{"n":3}', second));
  const old = Date.now() / 1_000 - 31;
  utimesSync(lock, old, old);
  const third = (await storage.save('{"n":3}', second)) as string;
  assert.ok(third);

  // The holder's number now belongs to another program, which never heard of the lock.
  writeFileSync(lock, JSON.stringify(said));
  utimesSync(lock, old, old);
  const fourth = (await storage.save('{"n":4}', third)) as string;
  assert.ok(fourth);

  for (const raw of ["", "{", "null", "[]", '{"pid":"x"}']) {
    writeFileSync(lock, raw);
    await fails("storage_unavailable", () => storage.save("{}", fourth));
    utimesSync(lock, Date.now() / 1_000 - 3, Date.now() / 1_000 - 3);
    assert.equal(await storage.save("{}", "another revision"), false, `nameless and old, ${raw} is taken over`);
  }
});

test("a guard left by a crash in the middle of a takeover ends after a while", async () => {
  const { file, revision, lock, said } = await withLock();
  const dead = spawnSync(process.execPath, ["--eval", ""]).pid;
  writeFileSync(lock, JSON.stringify({ ...said, pid: dead }));
  writeFileSync(`${lock}.steal`, "");
  await fails("storage_unavailable", () => sidecarStorage({ file, lockWaitMs: 200 }).save("{}", revision));
  utimesSync(`${lock}.steal`, Date.now() / 1_000 - 6, Date.now() / 1_000 - 6);
  assert.ok(await sidecarStorage({ file }).save("{}", revision));
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["s.tasks.json", "s.tasks.json.bak"]);
});

test("a holder whose lock was taken over while it stood still writes nothing and leaves the other's lock", async () => {
  const { file, revision, lock, said } = await withLock();
  const others = JSON.stringify({ ...said, mark: "another" });
  const rename = async (from: string, to: string): Promise<void> => {
    if (to.endsWith(".bak")) writeFileSync(lock, others);
    await real.rename(from, to);
  };
  const storage = sidecarStorage({ file, internals: { fs: { rename: rename as typeof real.rename } } });
  const error = await fails("storage_unavailable", () => storage.save('{"n":2}', revision));
  assert.equal(error.details["reason"], "lock_lost");
  assert.equal(readFileSync(file, "utf8"), '{"n":1}');
  assert.equal(readFileSync(lock, "utf8"), others);
});

test("a subscriber hears of another process, and not of itself", async () => {
  const file = join(temporaryFolder(), "s.tasks.json");
  const storage = sidecarStorage({ file });
  let heard = 0;
  const off = storage.subscribe(() => heard++);
  const revision = (await storage.save('{"n":1}', null)) as string;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(heard, 0, "its own save");
  assert.ok(await storage.save('{"n":2}', revision));
  await outputOf(childOn(file, countUp(1)));
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(heard > 0, "the other's save");
  off();
});
