/**
 * `npm run bench [-- flags]`: compares the engine with published libraries and
 * with hand-written ones, on the same steps, with the same results asserted.
 *
 * - `--only build,rewire`     these workloads (also: memory, cold, sizes, indexeddb, import)
 * - `--engines a,b`           these engines
 * - `--n 1000,10000`          these sizes
 * - `--rounds 3`              fresh processes per cell; their medians give the median
 * - `--full`                  no extrapolation: a cell runs until 60 s
 * - `--realtime`              run the measured processes with `chrt -f 10` (needs root)
 * - `--check`                 CI: equal results only, in this process, nothing timed
 */
import { availableParallelism, cpus, loadavg } from "node:os";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { EngineName } from "./engines/index.js";
import { ENGINE_NAMES, LARGE } from "./engines/index.js";
import { runChild, spawnCell, spawnSpecial } from "./support/process.js";
import { check } from "./support/check.js";
import type { Cell, Report } from "./support/report.js";
import { mergeRounds, printReport } from "./support/report.js";
import { judge } from "./support/targets.js";
import { measureSizes } from "./workloads/sizes.js";
import { measureIndexedDb } from "./workloads/indexeddb.js";
import { COLD_STARTS } from "./workloads/cold.js";
import type { ImportUse } from "./workloads/import.js";
import type { MemoryUse } from "./workloads/memory.js";
import { SPECIALS, WORKLOADS } from "./workloads/index.js";
import { median } from "./support/measure.js";

const SIZES = [50, 1000, 10_000];
const LARGE_SIZE = 100_000;
const COLD_ROUNDS = 15;

async function main(): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      only: { type: "string" },
      engines: { type: "string" },
      n: { type: "string" },
      rounds: { type: "string", default: "3" },
      spend: { type: "string", default: "800" },
      full: { type: "boolean", default: false },
      realtime: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      child: { type: "string" },
    },
  });
  if (flags.child !== undefined) return runChild(flags.child);

  const engines = chosen(flags.engines, ENGINE_NAMES, "engine");
  const names: readonly string[] = [...WORKLOADS.map(({ name }) => name), ...SPECIALS];
  const only = chosen(flags.only, names, "workload");
  const sizes = flags.n?.split(",").map(Number);
  if (sizes?.some((n) => !Number.isInteger(n) || n < 2)) throw new Error(`--n ${flags.n}: give whole numbers from 2 on`);

  if (flags.check) {
    await check(WORKLOADS.filter(({ name }) => only.includes(name)), engines, sizes ?? [500]);
    return;
  }

  const rounds = Number(flags.rounds);
  const budget = { boxMs: flags.full ? 60_000 : 5000, spendMs: Number(flags.spend), check: false };
  mkdirSync("build", { recursive: true });
  const plans = mkdtempSync(join("build", "bench-plans-"));
  process.env["BENCH_PLANS"] = plans;
  const report: Report = {
    schemaVersion: 1,
    date: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      threads: availableParallelism(),
      node: process.version,
      loadBefore: loadavg()[0]!,
      loadAfter: 0,
    },
    rounds,
    boxMs: budget.boxMs,
    cells: [],
    memory: [],
    cold: [],
    sizes: [],
    indexedDb: [],
    imports: [],
    targets: [],
  };
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    for (const workload of WORKLOADS) {
      if (!only.includes(workload.name)) continue;
      const common = sizes ?? [...SIZES, ...(workload.extraSizes ?? []), LARGE_SIZE].sort((a, b) => a - b);
      for (const n of common) {
        const isSpecialSize = n >= LARGE_SIZE || workload.extraSizes?.includes(n) === true;
        const takePart = engines.filter((name) => !isSpecialSize || LARGE.includes(name));
        // Interleaved: each round runs every engine once, so that a slow minute hits them all.
        const results = new Map<EngineName, Cell[]>(takePart.map((name) => [name, []]));
        for (let round = 0; round < (n >= LARGE_SIZE ? Math.min(rounds, 2) : rounds); round += 1) {
          for (const engine of takePart) {
            const before = results.get(engine)!;
            // What was stopped or failed once is not run again.
            if (before.some((cell) => cell.isCut || cell.isExtrapolated || cell.failure !== undefined)) continue;
            before.push(await spawnCell(workload, n, engine, budget, flags.realtime));
          }
        }
        const merged = takePart.map((engine) => mergeRounds(results.get(engine)!));
        assertSameDigests(merged);
        report.cells.push(...merged);
        say(`${workload.name} ${n}: ${merged.map((cell) => `${cell.engine} ${cell.failure ?? cell.ms.toPrecision(3)}`).join(", ")}`);
      }
    }
    if (only.includes("memory")) {
      const n = sizes?.at(-1) ?? LARGE_SIZE;
      for (const engine of engines) {
        const use = await spawnSpecial<MemoryUse>({ kind: "memory", engine, n }, flags.realtime);
        report.memory.push({ engine, n, ...use });
        say(`memory ${engine}: ${Math.round(use.heap + use.external)} B per task`);
      }
    }
    if (only.includes("cold")) {
      const starts = COLD_STARTS.filter((name) => engines.some((engine) => name.startsWith(engine)));
      const times = new Map(starts.map((what) => [what, [] as number[]]));
      for (let round = 0; round < COLD_ROUNDS; round += 1) {
        for (const what of starts) times.get(what)!.push(await spawnSpecial<number>({ kind: "cold", what }, flags.realtime));
      }
      for (const [what, values] of times) report.cold.push({ what, ms: median(values), lowest: Math.min(...values) });
    }
    if (engines.includes("blockedby")) {
      if (only.includes("sizes")) report.sizes.push(...(await measureSizes()));
      if (only.includes("import")) {
        const { LEDGER_NAMES } = await import("./workloads/import.js");
        for (const what of LEDGER_NAMES) report.imports.push(await spawnSpecial<ImportUse>({ kind: "import", what }, flags.realtime));
      }
      if (only.includes("indexeddb")) report.indexedDb.push(...(await measureIndexedDb()));
    }
  } finally {
    rmSync(plans, { recursive: true, force: true });
  }
  report.machine.loadAfter = loadavg()[0]!;
  report.targets.push(...judge(report));
  printReport(report, WORKLOADS);
  writeFileSync(join("build", "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  say("\nWritten to build/bench.json");
  const wrong = report.cells.filter(({ failure }) => failure !== undefined && failure !== "stack overflow");
  for (const { workload, n, engine, failure } of wrong) say(`FAILED ${workload} n=${n} ${engine}: ${failure!}`);
  if (wrong.length > 0) process.exitCode = 1;
}

function chosen<T extends string>(given: string | undefined, known: readonly T[], what: string): T[] {
  if (given === undefined) return [...known];
  return given.split(",").map((name) => {
    const found = known.find((candidate) => candidate === name);
    if (found === undefined) throw new Error(`unknown ${what} ${name}; there are: ${known.join(", ")}`);
    return found;
  });
}

/** Each process has compared its result with the reference; this makes sure that they all had the same one. */
function assertSameDigests(cells: readonly Cell[]): void {
  const digests = new Set(cells.flatMap(({ digest }) => digest ?? []));
  if (digests.size > 1) throw new Error(`different references: ${JSON.stringify(cells)}`);
}

await main();
