// The example `examples/four-workers.mjs`, on plans of the shape that Claude Code keeps.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { openTasks } from "blockedby";
import { sidecarStorage } from "blockedby/node";
import { outputOf, soak, temporaryFolder } from "./storage-support.js";

/** Runs the example on a plan; what it said last, and the list it left behind. */
async function workOff(folder: string): Promise<{ said: string; file: string }> {
  const file = join(temporaryFolder(), "plan.tasks.json");
  const child = spawn(process.execPath, [resolve("examples/four-workers.mjs"), folder, file], { stdio: "pipe" });
  const said = (await outputOf(child)).trimEnd().split("\n").at(-1) ?? "";
  return { said, file };
}

/** Made-up tasks; each waits for a few others, some of which come later in the folder. */
function makePlan(count: number): string {
  const folder = join(temporaryFolder(), "plan");
  mkdirSync(folder);
  for (let n = 1; n <= count; n++) {
    // Odd ones wait for smaller odd ones, even ones for larger even ones: no ring, both directions.
    const blockedBy = [n - 2, n - 6].filter((id) => n % 2 === 1 && id > 0);
    if (n % 2 === 0 && n + 4 <= count) blockedBy.push(n + 4);
    const task = {
      id: String(n),
      subject: `F${n}: Einträge prüfen – 確認`,
      description: `Task ${n}.\nIts "text" has lines, quotes and a backslash \\.`,
      activeForm: `Doing F${n}`,
      status: n === 1 ? "completed" : "pending",
      blocks: [],
      blockedBy: blockedBy.map(String),
    };
    writeFileSync(join(folder, `${n}.json`), JSON.stringify(task, null, 2));
  }
  writeFileSync(join(folder, ".lock"), "");
  return folder;
}

test("four workers, one killed: every order legal, no task done twice, the file sound", { timeout: 300_000 }, async () => {
  for (let round = 0; round < (soak ? 10 : 1); round++) {
    const { said, file } = await workOff(makePlan(18));
    assert.match(said, /^18 tasks, 21 edges: each completed once, in a legal order; \w+ was killed, \d+ recovered$/);
    const tasks = await openTasks({ storage: sidecarStorage({ file }), readOnly: true });
    assert.deepEqual([tasks.progress().completed, tasks.progress().total], [18, 18]);
    const { title, description, activeForm, blockedBy } = tasks.get("7") ?? {};
    assert.deepEqual([title, activeForm, blockedBy], ["F7: Einträge prüfen – 確認", "Doing F7", ["5", "1"]]);
    assert.equal(description, 'Task 7.\nIts "text" has lines, quotes and a backslash \\.');
    await tasks.close();
  }
});

const real = "../shared/data/claude-code-tasks";
const plans = existsSync(real) ? readdirSync(real) : [];

for (const plan of plans) {
  test(`the same on real files: ${plan}`, { timeout: 300_000 }, async () => {
    const { said } = await workOff(join(real, plan));
    assert.match(said, /^16 tasks, 38 edges: each completed once, /);
  });
}
