// What other people's tools say about the packed tarball.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pack } from "./project.js";

const execute = promisify(execFile);
let tarball: string;

before(async () => {
  tarball = await pack();
});
after(() => rmSync(path.dirname(tarball), { recursive: true, force: true }));

/** Runs a tool of the repository; its complaint becomes the failure's text. */
async function tool(script: string, ...args: string[]): Promise<void> {
  try {
    await execute(process.execPath, [path.resolve("node_modules", script), ...args]);
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    assert.fail(`${script} complains:\n${stdout ?? ""}${stderr ?? ""}`);
  }
}

test("publint", () => tool("publint/src/cli.js", "run", tarball, "--strict"));

test("are the types wrong?", () =>
  tool(
    "@arethetypeswrong/cli/dist/index.js", tarball,
    // `node10` knows no exports map; nothing we support resolves like that.
    "--profile", "node16",
    "--exclude-entrypoints", "./core.wasm", "./files.wasm", "slim", "url",
  ));

test("are the types wrong, in the entries that are ES modules only?", () =>
  tool(
    "@arethetypeswrong/cli/dist/index.js", tarball,
    "--entrypoints", "slim", "url",
    "--profile", "esm-only",
  ));
