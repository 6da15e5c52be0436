// Files and folders for `blockedby/files`: what is read of a folder, and that writing keeps what is there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "blockedby/files";
import { readTaskFiles, writeTaskFiles, type TaskFilesPlace } from "blockedby/node";
import { fails, temporaryFolder } from "./storage-support.js";

/** Makes files below a folder; gives the folder. */
function withFiles(files: Readonly<Record<string, string>>, folder = temporaryFolder()): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const namesOf = async (...args: Parameters<typeof readTaskFiles>): Promise<string[]> => (await readTaskFiles(...args)).map(({ path }) => path);

test("a folder: natural order of names, folders within it, only what task files are", async () => {
  const folder = withFiles({
    "10.json": "{}", "2.json": "{}", "1.json": "{}", ".lock": "", ".highwatermark": "3", "beads.db": "\0", "notes.txt": "",
    "deep/er/b.md": "", "deep/a.md": "", ".git/x.json": "{}", "node_modules/y.json": "{}", "A.JSON": "{}",
  });
  const below = (...names: string[]): string[] => names.map((name) => `${folder}/${name}`);
  const expected = below("1.json", "2.json", "10.json", "A.JSON", "deep/a.md", "deep/er/b.md");
  assert.deepEqual(await namesOf(folder), expected);
  assert.deepEqual(await namesOf(`${folder}/`), expected);
  assert.deepEqual(await namesOf([join(folder, "notes.txt"), join(folder, ".git")]), below("notes.txt", ".git/x.json"), "what is named is read");
  const [file] = await readTaskFiles(join(folder, "10.json"));
  assert.deepEqual([file?.path, Buffer.from(file?.content ?? []).toString()], [`${folder}/10.json`, "{}"]);
  assert.equal((await inspect(await readTaskFiles(folder))).schemaVersion, 1);
  assert.deepEqual(await readTaskFiles([]), []);
});

test("links out of a folder and other things than files are passed over", { skip: process.platform === "win32" }, async () => {
  const outside = withFiles({ "secret.json": "{}" });
  const folder = withFiles({ "1.json": "{}", "in/2.json": "{}" });
  symlinkSync(join(outside, "secret.json"), join(folder, "out.json"));
  symlinkSync(outside, join(folder, "away"));
  symlinkSync(folder, join(folder, "in", "round"));
  symlinkSync(join(folder, "nowhere"), join(folder, "dead.json"));
  symlinkSync(join(folder, "in/2.json"), join(folder, "same.json"));
  execFileSync("mkfifo", [join(folder, "pipe.json")]);
  assert.deepEqual(await namesOf(folder), ["1.json", "in/2.json", "same.json"].map((name) => `${folder}/${name}`));
  assert.deepEqual(await namesOf(join(folder, "out.json")), [`${folder}/out.json`], "a link that is named is meant");
  await fails("storage_denied", () => readTaskFiles(join(folder, "pipe.json")));
});

test("what is not there, cannot be named or is too much", async () => {
  const folder = withFiles({ "1.json": "1234", "2.json": "1234", "3.json": "1234" });
  const missing = await fails("storage_unavailable", () => readTaskFiles(join(folder, "none")));
  assert.equal(missing.details["path"], join(folder, "none"));
  for (const wrong of ["", "a\0b", undefined, 7, [undefined], [""]]) await fails("invalid_value", () => readTaskFiles(wrong as string));
  await fails("invalid_value", () => readTaskFiles(folder, { maxFiles: 0 }));
  assert.equal((await fails("limit", () => readTaskFiles(folder, { maxFiles: 2 }))).details["limit"], "maxFiles");
  assert.equal((await fails("limit", () => readTaskFiles(folder, { maxBytes: 11 }))).details["limit"], "maxBytes");
  assert.equal((await readTaskFiles(folder, { maxBytes: 12, maxFiles: 3 })).length, 3);
});

const two = [{ path: "1.json", text: "one" }, { path: "sub/2.json", text: "zwei ü" }];

test("writing: a file, and a folder that is made", async () => {
  const root = temporaryFolder();
  const file = join(root, "tasks.json");
  assert.deepEqual(await writeTaskFiles({ file }, [{ path: "other.json", text: "{}" }]), [file]);
  assert.equal(readFileSync(file, "utf8"), "{}");
  const folder = join(root, "new", "er");
  assert.deepEqual(await writeTaskFiles({ folder }, two), [join(folder, "1.json"), join(folder, "sub/2.json")]);
  assert.equal(readFileSync(join(folder, "sub/2.json"), "utf8"), "zwei ü");
  if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ["1.json", "sub"], "no drafts are left");
});

test("what is there stays, byte for byte, unless it may be replaced", async () => {
  const folder = withFiles({ "sub/2.json": "old", "3.json": "mine" });
  const refused = await fails("storage_denied", () => writeTaskFiles({ folder }, two));
  assert.deepEqual([refused.details["reason"], refused.details["path"]], ["EEXIST", join(folder, "sub/2.json")]);
  assert.deepEqual([readFileSync(join(folder, "sub/2.json"), "utf8"), existsSync(join(folder, "1.json"))], ["old", false]);
  await fails("storage_denied", () => writeTaskFiles({ file: join(folder, "3.json") }, [{ path: "x", text: "" }]));
  await writeTaskFiles({ folder }, two, { replace: true });
  const contents = ["1.json", "sub/2.json", "3.json"].map((name) => readFileSync(join(folder, name), "utf8"));
  assert.deepEqual(contents, ["one", "zwei ü", "mine"], "other files stay");
});

test("paths that are no plain names below the folder are refused, and nothing is written", async () => {
  const root = temporaryFolder();
  const folder = join(root, "out");
  const paths = ["../x", "/x", "a/../../x", "", ".", "a//b", "a\\b", "C:x", "nul", "con.json", "a\0", "a\nb", "a.", "x".repeat(300), "\ud800"];
  for (const path of paths) await fails("invalid_value", () => writeTaskFiles({ folder }, [two[0] as never, { path, text: "" }]));
  await fails("invalid_value", () => writeTaskFiles({ folder }, [{ path: "a.json", text: "" }, { path: "A.json", text: "" }]));
  assert.deepEqual(readdirSync(root), []);
  const places = [undefined, {}, { file: "" }, { folder: "a\0" }, { file: "a", folder: "b" }, "a"];
  for (const place of places) await fails("invalid_value", () => writeTaskFiles(place as TaskFilesPlace, two));
  await fails("invalid_value", () => writeTaskFiles({ file: join(root, "a") }, two));
  for (const files of [undefined, [undefined], [{ path: "a", text: "\ud800" }], [{ path: "a" }]]) {
    await fails("invalid_value", () => writeTaskFiles({ folder }, files as never));
  }
});

test("links within the folder lead nowhere", { skip: process.platform === "win32" }, async () => {
  const outside = temporaryFolder();
  const folder = withFiles({ "a.json": "" });
  symlinkSync(outside, join(folder, "sub"));
  await fails("storage_denied", () => writeTaskFiles({ folder }, two, { replace: true }));
  symlinkSync(join(outside, "target"), join(folder, "link.json"));
  await fails("storage_denied", () => writeTaskFiles({ folder }, [{ path: "link.json", text: "" }], { replace: true }));
  await fails("storage_denied", () => writeTaskFiles({ file: join(folder, "link.json") }, [{ path: "x", text: "" }], { replace: true }));
  assert.deepEqual([readdirSync(outside), existsSync(join(folder, "1.json"))], [[], false]);
});
