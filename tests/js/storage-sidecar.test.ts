// The sidecar file: where it is, what is read, what is never written over.
import assert from "node:assert/strict";
import {
  existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { sidecarStorage } from "blockedby/node";
import { fails, temporaryFolder } from "./storage-support.js";

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
const posix = process.platform !== "win32";

test("D24: the option wins over KIN_SESSION_DIR, which wins over the working directory", () => {
  const saved = process.env["KIN_SESSION_DIR"];
  try {
    delete process.env["KIN_SESSION_DIR"];
    assert.equal(sidecarStorage({ sessionId: "s" }).file, join(process.cwd(), "s.tasks.json"));
    process.env["KIN_SESSION_DIR"] = "";
    assert.equal(sidecarStorage({ sessionId: "s" }).file, join(process.cwd(), "s.tasks.json"));
    const folder = temporaryFolder();
    process.env["KIN_SESSION_DIR"] = folder;
    assert.equal(sidecarStorage({ sessionId: "s" }).file, join(folder, "s.tasks.json"));
    const other = temporaryFolder();
    assert.equal(sidecarStorage({ sessionId: "s", sessionDir: other }).file, join(other, "s.tasks.json"));
    assert.equal(sidecarStorage({ file: "x.json" }).file, join(process.cwd(), "x.json"));
  } finally {
    if (saved === undefined) delete process.env["KIN_SESSION_DIR"];
    else process.env["KIN_SESSION_DIR"] = saved;
  }
});

test("a session id is one name, never a path", async () => {
  const bad = ["", " ", ".", "..", "a/b", "../a", "/etc/passwd", "a\\b", "..\\a", "a\0b", "a\nb", "NUL", "con.x", "x".repeat(129), "é".repeat(65)];
  for (const sessionId of bad) {
    const error = await fails("invalid_value", () => sidecarStorage({ sessionId, sessionDir: "." }));
    assert.equal(error.details["field"], "sessionId");
  }
  for (const sessionId of ["a", "__proto__", "a..b", "agent:main", "Füße 👍", "-rf", "x".repeat(128)]) {
    assert.ok(sidecarStorage({ sessionId, sessionDir: "." }).file.endsWith(`${sessionId}.tasks.json`));
  }
  await fails("invalid_value", () => sidecarStorage({ file: "" }));
  await fails("invalid_value", () => sidecarStorage({ file: "a\0b" }));
  await fails("invalid_value", () => sidecarStorage({ sessionId: undefined as never }));
});

test("options that cannot be used are refused at once", async () => {
  for (const options of [undefined, null, 5, "list.json"]) {
    const error = await fails("invalid_value", () => sidecarStorage(options as never));
    assert.equal(error.details["field"], "options");
  }
  const numbers: Readonly<Record<string, readonly unknown[]>> = {
    maxBytes: [0, 2 ** 60],
    lockWaitMs: [2 ** 31],
    lockStaleMs: [0, 2 ** 31],
    renameRetryMs: [2 ** 31],
  };
  for (const [field, values] of Object.entries(numbers)) {
    for (const value of [...values, Number.NaN, Infinity, -1, 0.5, "x", "1", null, {}, 5n]) {
      const error = await fails("invalid_value", () => sidecarStorage({ file: "list.json", [field]: value }));
      assert.equal(error.details["field"], field);
    }
  }
  assert.equal(sidecarStorage({ file: "list.json", maxBytes: 1, lockWaitMs: 0, lockStaleMs: 1, renameRetryMs: 0 }).maxBytes, 1);
});

test("a save leaves the file and the generation before, both mode 0600, and nothing else", async () => {
  const dir = temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  let revision: string | null = null;
  for (let n = 1; n <= 3; n++) {
    revision = (await storage.save(`{"n":${n}}`, revision)) as string;
    assert.equal(readFileSync(storage.file, "utf8"), `{"n":${n}}`);
  }
  assert.deepEqual(readdirSync(dir).sort(), ["s.tasks.json", "s.tasks.json.bak"]);
  assert.equal(await storage.loadPrevious(), '{"n":2}');
  if (posix) for (const name of readdirSync(dir)) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600);
});

test("leftovers of a crash do not stop a save", async () => {
  const dir = temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  const revision = (await storage.save('{"n":1}', null)) as string;
  writeFileSync(`${storage.file}.tmp`, "half");
  linkSync(storage.file, `${storage.file}.bak`);
  linkSync(storage.file, `${storage.file}.bak.tmp`);
  assert.ok(await storage.save('{"n":2}', revision));
  assert.deepEqual(readdirSync(dir).sort(), ["s.tasks.json", "s.tasks.json.bak"]);
  assert.equal(await storage.loadPrevious(), '{"n":1}');
});

test("an edit by hand is noticed, even of the same length and time", async () => {
  const storage = sidecarStorage({ sessionId: "s", sessionDir: temporaryFolder() });
  const revision = (await storage.save('{"n":1}', null)) as string;
  writeFileSync(storage.file, '{"n":7}');
  assert.equal(await storage.save('{"n":2}', revision), false);
  assert.equal(readFileSync(storage.file, "utf8"), '{"n":7}');
  const found = await storage.load();
  assert.equal(found?.text, '{"n":7}');
  assert.ok(await storage.save('{"n":8}', found.revision));
});

const bytes = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const broken: [string, Buffer, number][] = [
  ["an empty file", bytes(""), 0],
  ["a byte-order mark alone", bytes([0xef, 0xbb, 0xbf]), 3],
  ["zero bytes after a power cut", Buffer.alloc(4096), 0],
  ["zero bytes at the end", bytes('{"n":1}', [0, 0, 0]), 7],
  ["UTF-16, little end first", Buffer.from('\ufeff{"n":1}', "utf16le"), 0],
  ["UTF-16 without a mark", Buffer.from('{"n":1}', "utf16le"), 1],
  ["Latin-1", bytes('{"a":"', [0xe4], '"}'), 6],
  ["a character torn at the end", bytes('{"a":"', [0xf0, 0x9f, 0x91]), 6],
  ["a surrogate in UTF-8", bytes("ab", [0xed, 0xa0, 0x80]), 2],
  ["a long form", bytes("a", [0xc0, 0xaf]), 1],
  ["beyond U+10FFFF", bytes("é", [0xf4, 0x90, 0x80, 0x80]), 2],
];
for (const [what, content, at] of broken) {
  test(`${what} is corrupt, its bytes stay, and no save goes through before a copy is kept`, async () => {
    const dir = temporaryFolder();
    const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
    writeFileSync(storage.file, content);
    const error = await fails("corrupt", () => storage.load());
    assert.equal(error.details["at"], at);
    await fails("read_only", () => storage.save("{}", null));
    assert.deepEqual(readFileSync(storage.file), content);
    assert.deepEqual(readdirSync(dir), ["s.tasks.json"]);

    const copy = await storage.quarantine("corrupt");
    assert.match(copy ?? "", /s\.tasks\.json\.corrupt-\d+$/);
    assert.deepEqual(readFileSync(copy as string), content);
    assert.deepEqual(readFileSync(storage.file), content, "the copy changes nothing");
    if (posix) assert.equal(statSync(copy as string).mode & 0o777, 0o600);
    assert.ok(await storage.save('{"n":1}', null));
    assert.equal((await storage.load())?.text, '{"n":1}');
    assert.equal(await storage.save('{"n":2}', null), false, "only the copied bytes may be replaced like this");
  });
}

test("a byte-order mark before a text is taken off, and the revision still is the file's", async () => {
  const storage = sidecarStorage({ sessionId: "s", sessionDir: temporaryFolder() });
  writeFileSync(storage.file, '\ufeff{"n":1}');
  const found = await storage.load();
  assert.equal(found?.text, '{"n":1}');
  assert.ok(await storage.save('{"n":2}', found.revision));
});

test("torn JSON is for the engine to judge: it is loaded as it is, and can be quarantined", async () => {
  const storage = sidecarStorage({ sessionId: "s", sessionDir: temporaryFolder() });
  writeFileSync(storage.file, '{"format":"blockedby","tas');
  const found = await storage.load();
  assert.equal(found?.text, '{"format":"blockedby","tas');
  const first = await storage.quarantine("torn");
  const second = await storage.quarantine("torn, asked again");
  assert.notEqual(first, second);
  assert.ok(await storage.save("{}", found.revision));
});

test("after a copy was kept, bytes that somebody changed since are not written over", async () => {
  const storage = sidecarStorage({ sessionId: "s", sessionDir: temporaryFolder() });
  writeFileSync(storage.file, "");
  await fails("corrupt", () => storage.load());
  await storage.quarantine("corrupt");
  writeFileSync(storage.file, '{"repaired":true}');
  assert.equal(await storage.save("{}", null), false);
  assert.equal((await storage.load())?.text, '{"repaired":true}');
});

test("a repaired file lifts the bar by itself; nothing stored needs no copy", async () => {
  const storage = sidecarStorage({ sessionId: "s", sessionDir: temporaryFolder() });
  assert.equal(await storage.quarantine("nothing"), undefined);
  writeFileSync(storage.file, "\0");
  await fails("corrupt", () => storage.load());
  writeFileSync(storage.file, "{}");
  const found = await storage.load();
  assert.ok(await storage.save('{"n":1}', found?.revision ?? null));
});

test("100 MB is refused unread, its bytes stay; a copy can be kept", async () => {
  const dir = temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  writeFileSync(storage.file, '{"n":1}');
  truncateSync(storage.file, 100 * 1024 * 1024);
  const before = hashOf(storage.file);
  const error = await fails("limit", () => storage.load());
  assert.deepEqual([error.details["limit"], error.details["max"]], ["maxBytes", 64 * 1024 * 1024]);
  await fails("read_only", () => storage.save("{}", null));
  assert.equal(hashOf(storage.file), before);
  const copy = await storage.quarantine("too large");
  assert.equal(hashOf(copy as string), before);
  assert.ok(await storage.save("{}", null));
});

test("a text above maxBytes, or with half a surrogate pair, is refused before anything is written", async () => {
  const dir = temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir, maxBytes: 100 });
  const error = await fails("storage_quota", () => storage.save("é".repeat(51), null));
  assert.deepEqual([error.details["max"], error.details["size"]], [100, 102]);
  await fails("invalid_value", () => storage.save('"\ud800"', null));
  assert.deepEqual(readdirSync(dir), []);
  assert.ok(await storage.save("é".repeat(50), null));
});

test("a missing file is an empty list, a missing folder is not; createFolder makes it once", async () => {
  const dir = join(temporaryFolder(), "deep", "er");
  await fails("storage_unavailable", () => sidecarStorage({ sessionId: "s", sessionDir: dir }).load());
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir, createFolder: true });
  assert.equal(await storage.load(), null);
  if (posix) assert.equal(statSync(dir).mode & 0o777, 0o700);
  assert.ok(await storage.save("{}", null));
});

test("no link is followed out of the folder; within it it is, and stays a link", { skip: !posix }, async () => {
  const dir = temporaryFolder();
  const outside = join(temporaryFolder(), "victim.json");
  writeFileSync(outside, "{}");
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  symlinkSync(outside, storage.file);
  await fails("storage_denied", () => storage.load());
  await fails("storage_denied", () => storage.save("{}", null));
  await fails("storage_denied", () => storage.quarantine("x"));

  const dangling = sidecarStorage({ sessionId: "dangling", sessionDir: dir });
  symlinkSync(join(dir, "nowhere"), dangling.file);
  await fails("storage_denied", () => dangling.load());

  const inner = sidecarStorage({ sessionId: "inner", sessionDir: dir });
  writeFileSync(join(dir, "real.json"), '{"n":1}');
  symlinkSync("real.json", inner.file);
  const found = await inner.load();
  assert.ok(await inner.save('{"n":2}', found?.revision ?? null));
  assert.equal(readFileSync(join(dir, "real.json"), "utf8"), '{"n":2}');

  for (const [name, suffix] of [["draft", ".tmp"], ["before", ".bak"], ["before-draft", ".bak.tmp"]] as const) {
    const trapped = sidecarStorage({ sessionId: name, sessionDir: dir });
    symlinkSync(outside, trapped.file + suffix);
    const first = (await trapped.save('{"n":1}', null)) as string;
    assert.ok(await trapped.save('{"n":2}', first));
  }
  assert.equal(readFileSync(outside, "utf8"), "{}", "what the links point to is as it was");
});

test("a folder or a pipe in the file's place is refused, and never waited for", async () => {
  const dir = temporaryFolder();
  const storage = sidecarStorage({ sessionId: "s", sessionDir: dir });
  mkdirSync(storage.file);
  await fails("storage_denied", () => storage.load());
  await fails("storage_denied", () => storage.save("{}", null));
  assert.ok(existsSync(storage.file));

  const pipe = sidecarStorage({ sessionId: "pipe", sessionDir: dir });
  if (spawnSync("mkfifo", [pipe.file]).status === 0) {
    await fails("storage_denied", () => pipe.load());
    await fails("storage_denied", () => pipe.save("{}", null));
  }
});
