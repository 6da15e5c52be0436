// Four processes work off one plan, and one of them is killed half-way.
//
//   node examples/four-workers.mjs FOLDER [FILE]
//
// FOLDER holds a plan as Claude Code keeps it: N.json with id, subject, description, activeForm,
// blockedBy. It is put into FILE (default: a new temporary one) as one change, all of it pending.
// Then four workers claim and complete until nothing is left. A claim is a lease: when its holder
// dies, the task is claimed anew once the lease has ended, so nobody has to notice the death.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openTasks } from "blockedby";
import { sidecarStorage } from "blockedby/node";

const leaseMs = 3_000;
const workMs = 40;

/** One worker: claims the next ready task, works, completes it; waits while others hold what it needs. */
async function work(file, name) {
  const tasks = await openTasks({ storage: sidecarStorage({ file, lockWaitMs: 60_000 }), actor: `agent:${name}` });
  /** Others may be faster many times in a row; then there is nothing wrong with trying again. */
  const insist = async (command) => {
    const answer = await tasks.attempt(command);
    return answer.ok || answer.error.code !== "conflict" ? answer : insist(command);
  };
  for (let { total, completed } = tasks.progress(); completed < total; { total, completed } = tasks.progress()) {
    const claim = await insist({ action: "claim", leaseMs });
    if (!claim.ok) throw claim.error;
    const { task, revision } = claim.change;
    if (task === undefined) {
      await sleep(20);
      await tasks.reload();
      continue;
    }
    console.log(`claimed ${task.id} ${revision}`);
    await sleep(workMs);
    if (completed >= total / 2 && isFirst(`${file}.accident`)) process.kill(process.pid, "SIGKILL");
    // The fence proves that the claim still is ours: a worker that was taken for dead is refused.
    const done = await insist({ action: "complete", id: task.id, fence: task.claim.fence });
    if (!done.ok && done.error.code !== "not_holder") throw done.error;
    if (done.ok && done.change.changed) console.log(`completed ${task.id} ${done.change.revision}`);
  }
  await tasks.close();
}

/** Whether this process is the first to ask: one creates the file, the others find it. */
function isFirst(note) {
  try {
    writeFileSync(note, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Reads the folder into a list, in one change: the plan is there as a whole or not at all. */
async function load(folder, file) {
  const names = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  if (names.length === 0) throw new Error(`${folder} holds no plan: a file <n>.json per task was expected.`);
  const plan = names.map((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8"))).sort((a, b) => a.id - b.id);
  const tasks = await openTasks({ storage: sidecarStorage({ file }) });
  await tasks.batch(
    plan.map(({ id, subject, description, activeForm, blockedBy }) => {
      // The key lets tasks name this one before it is added.
      return { action: "add", key: id, id, title: subject, description, activeForm, blockedBy };
    }),
  );
  await tasks.close();
  return plan;
}

/** The tasks as the file has them now. Opening checks the whole file; nothing is written. */
async function look(file) {
  const tasks = await openTasks({ storage: sidecarStorage({ file }), readOnly: true });
  assert.equal(tasks.edited, false, "the checksum fits");
  const rows = new Map(tasks.list().tasks.map((row) => [row.id, row]));
  await tasks.close();
  return rows;
}

async function main(folder, file = path.join(mkdtempSync(path.join(tmpdir(), "four-workers-")), "plan.tasks.json")) {
  const plan = await load(folder, file);
  const claims = [];
  const completions = new Map();
  const killed = [];
  const run = async (name) => {
    const args = [fileURLToPath(import.meta.url), "--worker", file, name];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const end = new Promise((resolve) => child.once("close", (code, signal) => resolve(signal ?? code)));
    for await (const line of createInterface(child.stdout)) {
      console.log(`${name} ${line}`);
      // The revision counts the changes of the list, whoever made them: it is the order of events.
      const [what, id, revision] = line.split(" ");
      if (what === "claimed") claims.push({ name, id, revision: Number(revision) });
      else assert.ok(!completions.has(id), `${id} was completed twice`);
      if (what === "completed") completions.set(id, Number(revision));
      const rows = await look(file);
      const begun = [...rows.values()].filter(({ status }) => status !== "pending");
      for (const { blockedBy } of begun) for (const id of blockedBy) assert.equal(rows.get(id).status, "completed");
    }
    const how = await end;
    if (how === "SIGKILL") killed.push(claims.findLast((claim) => claim.name === name));
    else assert.equal(how, 0, `how ${name} ended`);
  };
  await Promise.all(["one", "two", "three", "four"].map(run));

  const rows = await look(file);
  assert.ok([...rows.values()].every(({ status }) => status === "completed"));
  assert.equal(completions.size, plan.length, "every task was completed");
  for (const { id, blockedBy } of plan) {
    for (const { revision } of claims.filter((claim) => claim.id === id)) {
      for (const blocker of blockedBy) assert.ok(completions.get(blocker) < revision, `${id} began before ${blocker} was done`);
    }
  }
  assert.equal(killed.length, 1, "one was killed");
  const [{ id, name }] = killed;
  assert.notEqual(rows.get(id).owner, `agent:${name}`, "another one took its task over");
  const edges = plan.reduce((sum, { blockedBy }) => sum + blockedBy.length, 0);
  console.log(`${plan.length} tasks, ${edges} edges: each completed once, in a legal order; ${name} was killed, ${id} recovered`);
}

const [first, ...rest] = process.argv.slice(2);
if (first === undefined) throw new Error("Give the folder of a plan: node examples/four-workers.mjs FOLDER [FILE]");
await (first === "--worker" ? work(...rest) : main(first, ...rest));
