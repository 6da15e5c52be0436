// The sidecar file when the disk, the folder or the system fails: a typed error, the old file intact.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from "node:fs";
import * as real from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sidecarStorage, type SidecarSettings, type SidecarStorage } from "blockedby/node";
import { childOn, fails, outputOf, temporaryFolder } from "./storage-support.js";

type Internals = NonNullable<SidecarSettings["internals"]>;
type Open = NonNullable<NonNullable<Internals["fs"]>["open"]>;

const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** A list with one save, then opened again with these faults. */
async function withFaults(
  internals: Internals,
  settings: SidecarSettings = {},
): Promise<{ storage: SidecarStorage; revision: string; dir: string }> {
  const dir = temporaryFolder();
  const place = { sessionId: "s", sessionDir: dir };
  const revision = (await sidecarStorage(place).save('{"n":1}', null)) as string;
  return { storage: sidecarStorage({ ...place, ...settings, internals }), revision, dir };
}

function assertIntact({ storage, dir }: { storage: SidecarStorage; dir: string }): void {
  assert.equal(readFileSync(storage.file, "utf8"), '{"n":1}', "the old file is intact");
  const left = readdirSync(dir).filter((name) => !name.endsWith(".bak"));
  assert.deepEqual(left, ["s.tasks.json"], "no draft and no lock is left");
}

/** `open` whose handles on drafts have some functions replaced. */
const draftsWith = (replaced: Partial<real.FileHandle>): Open =>
  (async (path: string, ...rest: never[]) => {
    const handle = await real.open(path, ...rest);
    return path.endsWith(".tmp") ? Object.assign(handle, replaced) : handle;
  }) as Open;

const throws = (code: string) => async (): Promise<never> => {
  throw systemError(code);
};

const injected: [string, string, Internals][] = [
  ["the disk is full while writing", "storage_quota", { fs: { open: draftsWith({ writeFile: throws("ENOSPC") }) } }],
  ["the quota is used up while flushing", "storage_quota", { fs: { open: draftsWith({ sync: throws("EDQUOT") }) } }],
  ["the disk fails while flushing", "storage_unknown", { fs: { open: draftsWith({ sync: throws("EIO") }) } }],
  ["the file system is read-only", "storage_denied", { fs: { open: throws("EROFS") as Open } }],
  ["renaming is not allowed", "storage_denied", { fs: { rename: throws("EACCES") } }],
  ["too many files are open", "storage_unavailable", { fs: { open: throws("EMFILE") as Open } }],
];
for (const [what, code, internals] of injected) {
  test(`injected: ${what}`, async () => {
    const list = await withFaults(internals);
    const error = await fails(code, () => list.storage.save('{"n":2}', list.revision));
    assert.ok(error.cause instanceof Error, "the system's error is the cause");
    assert.equal(error.details["landed"], false);
    assertIntact(list);
  });
}

test("injected: a failed flush of the folder says that the save may have landed", async () => {
  let renamed = false;
  const open = (async (path: string, ...rest: never[]) => {
    const handle = await real.open(path, ...rest);
    return renamed ? Object.assign(handle, { sync: throws("EIO") }) : handle;
  }) as Open;
  const rename = async (from: string, to: string): Promise<void> => {
    await real.rename(from, to);
    renamed = to.endsWith(".json");
  };
  const list = await withFaults({ fs: { open, rename: rename as typeof real.rename } });
  const error = await fails("storage_unknown", () => list.storage.save('{"n":2}', list.revision));
  assert.match(error.hint, /landed/);
  assert.equal(error.details["landed"], undefined);
  assert.equal(readFileSync(list.storage.file, "utf8"), '{"n":2}');
});

test("injected: without hard links the generation before is copied", async () => {
  const list = await withFaults({ fs: { link: throws("EPERM") } });
  assert.ok(await list.storage.save('{"n":2}', list.revision));
  assert.equal(await list.storage.loadPrevious(), '{"n":1}');
});

test("injected: Windows' refusals to rename are retried", async () => {
  let refusals = 0;
  const rename = async (from: string, to: string): Promise<void> => {
    if (to.endsWith(".json") && refusals++ < 4) throw systemError(["EPERM", "EACCES", "EBUSY"][refusals % 3] ?? "");
    await real.rename(from, to);
  };
  const list = await withFaults({ platform: "win32", fs: { rename: rename as typeof real.rename } });
  assert.ok(await list.storage.save('{"n":2}', list.revision));
  assert.equal(refusals, 5);
});

test("injected: a file that Windows never lets go fails the save after a while, in time", async () => {
  const rename = async (from: string, to: string): Promise<void> => {
    if (to.endsWith(".json")) throw systemError("EBUSY");
    await real.rename(from, to);
  };
  const list = await withFaults({ platform: "win32", fs: { rename: rename as typeof real.rename } }, { renameRetryMs: 300 });
  const start = performance.now();
  await fails("storage_unavailable", () => list.storage.save('{"n":2}', list.revision));
  assert.ok(performance.now() - start < 5_000);
  assertIntact(list);
});

test("a folder that vanishes in the middle of a save, or before it, or before a load", async () => {
  let vanish = true;
  const rename = async (from: string, to: string): Promise<void> => {
    if (vanish) rmSync(list.dir, { recursive: true });
    vanish = false;
    await real.rename(from, to);
  };
  const list = await withFaults({ fs: { rename: rename as typeof real.rename } });
  const error = await fails("storage_unavailable", () => list.storage.save('{"n":2}', list.revision));
  assert.equal(error.details["retryable"], true);
  await fails("storage_unavailable", () => list.storage.save('{"n":2}', list.revision));
  await fails("storage_unavailable", () => list.storage.load());
  await fails("storage_unavailable", () => list.storage.quarantine("x"));
  mkdirSync(list.dir);
  assert.ok(await list.storage.save('{"n":2}', null), "with the folder back it goes on");
});

test("a file where the folder should be", async () => {
  const inTheWay = join(temporaryFolder(), "file");
  writeFileSync(inTheWay, "");
  const storage = sidecarStorage({ sessionId: "s", sessionDir: inTheWay });
  await fails("storage_unavailable", () => storage.load());
  await fails("storage_unavailable", () => storage.save("{}", null));
});

/** A file system of its own with little room, where this user may make one. */
function smallDisk(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "blockedby-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", dir]).status === 0;
  after(() => {
    if (mounted) spawnSync("umount", [dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  return mounted ? dir : undefined;
}

const tooMuch = `'{"x":"' + "x".repeat(400_000) + '"}'`;

test("a disk that really is full", async () => {
  const dir = smallDisk();
  if (dir === undefined) {
    // No right to mount: the system's limit on file sizes is just as real.
    const file = join(temporaryFolder(), "s.tasks.json");
    await sidecarStorage({ file }).save('{"n":1}', null);
    const child = childOn(file, `
      const { revision } = await storage.load();
      process.kill(process.pid, "SIGSTOP");
      const code = await storage.save(${tooMuch}, revision).catch((error) => error.code);
      console.log(code, (await storage.load()).text);
    `);
    const out = outputOf(child);
    await new Promise((resolve) => setTimeout(resolve, 500));
    spawnSync("prlimit", [`--pid=${child.pid ?? 0}`, "--fsize=100000"]);
    child.kill("SIGCONT");
    assert.equal(await out, 'storage_quota {"n":1}\n');
    return;
  }
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  const revision = (await storage.save('{"n":1}', null)) as string;
  const text = `{"x":"${"x".repeat(400_000)}"}`;
  const error = await fails("storage_quota", () => storage.save(text, revision));
  assert.equal(error.details["reason"], "ENOSPC");
  assertIntact({ storage, dir });
  assert.ok(await storage.save('{"n":2}', revision), "what has room is saved");

  writeFileSync(join(dir, "fill"), "");
  let room = 300_000;
  while (room > 0) {
    try {
      writeFileSync(join(dir, "fill"), Buffer.alloc(room), { flag: "a" });
    } catch {
      room = Math.floor(room / 2);
    }
  }
  const now = await storage.load();
  await fails("storage_quota", () => storage.save('{"n":3}', now?.revision ?? null));
  assert.equal((await storage.load())?.text, '{"n":2}');
  assert.ok(!readdirSync(dir).some((name) => name.endsWith(".tmp") || name.endsWith(".lock")), "no litter on a full disk");
});

/** Makes a folder read-only even for this user; `undefined` where the system offers no way. */
function forbidWriting(dir: string): (() => void) | undefined {
  if (process.getuid?.() !== 0) {
    chmodSync(dir, 0o555);
    return () => chmodSync(dir, 0o755);
  }
  if (spawnSync("mount", ["-o", "remount,ro", dir]).status === 0) {
    return () => void spawnSync("mount", ["-o", "remount,rw", dir]);
  }
  if (spawnSync("chattr", ["+i", dir]).status === 0) return () => void spawnSync("chattr", ["-i", dir]);
  return undefined;
}

test("a folder that really is read-only: it can be read, and a save is denied", async (t) => {
  const dir = smallDisk() ?? temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  const revision = (await storage.save('{"n":1}', null)) as string;
  const allow = forbidWriting(dir);
  if (allow === undefined) return t.diagnostic("root without mount and chattr: the injected cases have to do");
  try {
    assert.equal((await storage.load())?.text, '{"n":1}');
    await fails("storage_denied", () => storage.save('{"n":2}', revision));
    assertIntact({ storage, dir });
  } finally {
    allow();
  }
  assert.ok(await storage.save('{"n":2}', revision), "writable again, it goes on");
});
