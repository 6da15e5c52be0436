// The packed tarball in Node.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import path from "node:path";
import { makeProject, manifest, type Project } from "./project.js";

const example = "Provision the dev DB\nSeed fixtures";
let project: Project;

before(async () => {
  project = await makeProject();
});
after(() => project.remove());

test("the package has no dependencies", () => {
  assert.deepEqual(manifest.dependencies ?? {}, {});
});

test("import", async () => {
  assert.equal(await project.node("example.mjs"), example);
});

test("require", async () => {
  assert.equal(await project.node("example.cjs"), example);
});

// What Jest and older tools see: no `module-sync`, the CommonJS files.
test("require, in a Node that cannot require ES modules", async () => {
  assert.equal(await project.node("--no-experimental-require-module", "example.cjs"), example);
  assert.equal(
    await project.node("--no-experimental-require-module", "subpaths.cjs"),
    "storage true\nnode true\ntools true\nfiles true\ntesting true\nfiles with an engine 1",
  );
});

test("import and require give the same classes", async () => {
  assert.equal(await project.node("one-instance.mjs"), "true");
});

test("worker_threads", async () => {
  assert.equal(await project.node("worker.mjs"), example);
});

test("slim and url", async () => {
  assert.equal(await project.node("slim.mjs"), "Provision the dev DB");
});

test("every subpath can be imported", async () => {
  assert.equal(
    await project.node("subpaths.mjs"),
    ["storage", "node", "tools", "files", "testing", "slim", "url"].map((name) => `${name} true`).join("\n"),
  );
});

const imported = "before 0\nbeads 2 tasks, ready: Seed fixtures\nafter 1";

test("files: import, and require where ES modules cannot be required", async () => {
  assert.equal(await project.node("files.mjs"), "beads 2 tasks, ready: Seed fixtures");
  assert.equal(await project.node("--no-experimental-require-module", "files.cjs"), imported);
});

test("the command starts", async () => {
  await project.node(path.join(project.installed, "dist/cli.js"), "--version");
});
