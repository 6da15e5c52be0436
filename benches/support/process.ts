/** Fresh processes: one per cell and round, so that no engine runs in code that another one warmed or spoilt. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { EngineName } from "../engines/index.js";
import { loadEngine } from "../engines/index.js";
import type { ColdStart } from "../workloads/cold.js";
import { measureCold } from "../workloads/cold.js";
import type { Ledger } from "../workloads/import.js";
import { WORKLOADS } from "../workloads/index.js";
import { measureMemory } from "../workloads/memory.js";
import type { Workload } from "../workloads/workload.js";
import type { Budget, Measurement } from "./measure.js";
import type { Cell } from "./report.js";

/** A cell that has worked for this long is cut. */
export const CUT_MS = 60_000;

/** What a process may take before its first timed step. */
const PREPARE_MS = 180_000;

type Job =
  | { readonly kind: "cell"; readonly workload: string; readonly n: number; readonly engine: EngineName; readonly budget: Budget }
  | { readonly kind: "memory"; readonly engine: EngineName; readonly n: number }
  | { readonly kind: "cold"; readonly what: ColdStart }
  | { readonly kind: "import"; readonly what: Ledger };

type Answer = { readonly result: unknown } | { readonly failure: string };

/** The other end of {@link spawnJob}: does the job and writes one line of JSON. */
export async function runChild(text: string): Promise<void> {
  const job = JSON.parse(text) as Job;
  let answer: Answer;
  try {
    answer = { result: await work(job) };
  } catch (error) {
    const isOverflow = error instanceof RangeError && error.message.includes("call stack");
    answer = { failure: isOverflow ? "stack overflow" : error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function work(job: Job): Promise<unknown> {
  switch (job.kind) {
    case "cold":
      return measureCold(job.what);
    case "import":
      return (await import("../workloads/import.js")).measureImport(job.what);
    case "memory":
      return measureMemory(await loadEngine(job.engine), job.n);
    case "cell": {
      const workload = WORKLOADS.find(({ name }) => name === job.workload)!;
      const onStart = (): void => void process.stdout.write("start\n");
      return workload.measure(await loadEngine(job.engine), job.n, { ...job.budget, onStart });
    }
  }
}

/** Measures one cell once. */
export async function spawnCell(
  workload: Workload,
  n: number,
  engine: EngineName,
  budget: Budget,
  realtime: boolean,
): Promise<Cell> {
  const head = { workload: workload.name, n, engine };
  const answer = await spawnJob({ kind: "cell", ...head, budget }, realtime);
  if (answer === "cut") return { ...head, ms: CUT_MS, rounds: 1, isCut: true, isExtrapolated: false };
  if ("failure" in answer) return { ...head, ms: Number.NaN, rounds: 1, isCut: false, isExtrapolated: false, failure: answer.failure };
  const { ms, steps, done, iterations, floorMs, digest, facts } = answer.result as Measurement;
  const parts = workload.per === "step" ? steps : 1;
  return {
    ...head,
    ms: ms / parts,
    rounds: 1,
    iterations,
    isCut: ms > CUT_MS,
    isExtrapolated: done < steps,
    digest,
    ...(floorMs === undefined ? {} : { floorMs: floorMs / parts, floorRatio: ms / floorMs }),
    ...(facts === undefined ? {} : { facts }),
  };
}

/** Measures something that has no steps. */
export async function spawnSpecial<T>(job: Exclude<Job, { kind: "cell" }>, realtime: boolean): Promise<T> {
  const answer = await spawnJob(job, realtime);
  if (answer === "cut") throw new Error(`${JSON.stringify(job)} took too long`);
  if ("failure" in answer) throw new Error(`${JSON.stringify(job)}: ${answer.failure}`);
  return answer.result as T;
}

function spawnJob(job: Job, realtime: boolean): Promise<Answer | "cut"> {
  const script = fileURLToPath(new URL("run.mjs", import.meta.url));
  const command = [process.execPath, "--expose-gc", script, "--child", JSON.stringify(job)];
  if (realtime) command.unshift("chrt", "-f", "10");
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    let isCut = false;
    const cut = (): void => {
      isCut = true;
      child.kill("SIGKILL");
    };
    let timer = setTimeout(cut, PREPARE_MS);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (output.startsWith("start\n")) {
        output = output.slice("start\n".length);
        clearTimeout(timer);
        // The box stops a cell at 60 s between two steps; this is for a single step that does not end.
        timer = setTimeout(cut, CUT_MS + 15_000);
      }
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (isCut) resolve("cut");
      else if (output === "") resolve({ failure: `the process ended with code ${String(code)}` });
      else resolve(JSON.parse(output) as Answer);
    });
  });
}
