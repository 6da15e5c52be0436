// One build at a time: `npm start` and `npm test` in two terminals share the same outputs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./log.mjs";
import { buildDir } from "./paths.mjs";

const file = path.join(buildDir, "lock");

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

function tryTake() {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    return false;
  }
}

function holder() {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0; // Released between our two looks.
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(work) {
  mkdirSync(buildDir, { recursive: true });
  let told = 0;
  while (!tryTake()) {
    const pid = holder();
    if (pid > 0 && !isAlive(pid)) {
      rmSync(file, { force: true }); // Its owner was killed.
    } else if (pid !== told) {
      told = pid;
      say(`- waiting for another build (process ${pid}) ...`);
    }
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
