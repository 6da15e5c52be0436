// What several tests of storages need.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** The full counts of the issue under BLOCKEDBY_SOAK=1, else counts that keep `npm test` short. */
export const soak = process.env["BLOCKEDBY_SOAK"] === "1";

/** A fresh folder that goes away with the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "blockedby-storage-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Checks that a call fails with a TaskError of this code that says what to do next, and returns it. */
export async function fails(
  code: string,
  run: () => unknown,
): Promise<{ code: string; message: string; hint: string; details: Record<string, unknown>; cause?: unknown }> {
  try {
    await run();
  } catch (error) {
    const typed = error as Awaited<ReturnType<typeof fails>>;
    assert.equal(typed.code, code, `the code of: ${String(error)}`);
    assert.ok(typed.message.length > 10 && typed.hint.length > 10, "message and hint are there");
    return typed;
  }
  assert.fail(`expected a failure ${code}, got none`);
}

/** A Web Storage in memory that a test can fill up. */
export class FakeWebStorage {
  readonly values = new Map<string, string>();
  /** Most UTF-16 units over all values. */
  room = Infinity;

  getItem(key: string): string | null {
    return this.values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    let used = value.length;
    for (const [other, text] of this.values) if (other !== key) used += text.length;
    if (used > this.room) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    this.values.set(key, value);
  }
}

const opening = (file: string): string => `
  import { sidecarStorage } from ${JSON.stringify(import.meta.resolve("blockedby/node"))};
  const storage = sidecarStorage({ file: ${JSON.stringify(file)}, lockWaitMs: 60_000 });
`;

/** Another Node process that runs `body` with `storage` on the file. */
export function childOn(file: string, body: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--input-type=module", "--eval", opening(file) + body], {
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** What a child printed, once it has ended; throws with its errors if it failed. */
export async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let out = "";
  let errors = "";
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, errors);
  return out;
}
