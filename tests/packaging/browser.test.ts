// The packed tarball in Chromium: built by Vite, and without any bundler.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";
import { openPages, outputOf, type Pages } from "../browser/harness.js";
import { makeProject, type Project } from "./project.js";

let project: Project;
const opened: Pages[] = [];

before(async () => {
  project = await makeProject();
});

after(async () => {
  await Promise.all(opened.map((pages) => pages.close()));
  project.remove();
});

async function openProject(folder: string, policy?: string): Promise<Pages> {
  const pages = await openPages({ folders: { "/": folder }, ...(policy === undefined ? {} : { policy }) });
  opened.push(pages);
  return pages;
}

test("Vite, without plugins or settings", async () => {
  const root = path.join(project.folder, "vite");
  const dist = path.join(root, "dist");
  await build({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      rollupOptions: { input: Object.fromEntries(["index", "slim", "files"].map((name) => [name, path.join(root, `${name}.html`)])) },
    },
  });
  const pages = await openProject(dist);
  for (const [url, expected] of [["/", "Seed fixtures"], ["/slim.html", "Provision the dev DB"], ["/files.html", "Seed fixtures, 2"]] as const) {
    const page = await pages.open(url);
    assert.equal(await outputOf(page), expected);
    assert.deepEqual(page.mistakes, []);
  }
  // The default entry carries its bytes; the one file is what `url` asked for.
  const files = readdirSync(path.join(dist, "assets")).filter((file) => file.endsWith(".wasm"));
  assert.equal(files.length, 1);
});

test("no bundler, an import map", async () => {
  const pages = await openProject(project.folder, "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
  const page = await pages.open("/plain/");
  assert.equal(await outputOf(page), "Seed fixtures");
  assert.deepEqual(page.mistakes, []);
});

test("no bundler: the reader of task files comes with its first use", async () => {
  const pages = await openProject(project.folder, "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
  const page = await pages.open("/plain/files.html");
  assert.equal(await outputOf(page), "Seed fixtures, 2");
  assert.deepEqual(page.mistakes, []);
});

test("a strict policy that allows WebAssembly", async () => {
  const pages = await openProject(project.folder);
  const page = await pages.open("/plain/strict.html");
  assert.equal(await outputOf(page), "Provision the dev DB");
  assert.deepEqual(page.mistakes, []);
});

test("a policy that forbids WebAssembly: importing works, using it is a catchable error", async () => {
  const pages = await openProject(project.folder, "script-src 'self'");
  const page = await pages.open("/plain/strict.html");
  assert.match(await outputOf(page), /^refused: /);
});
