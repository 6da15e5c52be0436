import type { EngineName } from "../engines/index.js";
import { ENGINE_NAMES } from "../engines/index.js";
import type { SizeOf } from "../workloads/sizes.js";
import type { ImportUse } from "../workloads/import.js";
import type { IndexedDbUse } from "../workloads/indexeddb.js";
import type { MemoryUse } from "../workloads/memory.js";
import type { Workload } from "../workloads/workload.js";
import { median } from "./measure.js";
import type { Verdict } from "./targets.js";

/** One engine on one workload at one size. */
export interface Cell {
  readonly workload: string;
  readonly n: number;
  readonly engine: EngineName;
  /** The median over the rounds; per step where the workload is counted so. */
  readonly ms: number;
  /** The lowest and the highest round. */
  readonly range?: readonly [number, number];
  readonly rounds: number;
  readonly iterations?: number;
  /** More than 60 s: `ms` is what is known at least, or an extrapolation beyond it. */
  readonly isCut: boolean;
  /** Stopped early and extrapolated from the steps that were done. */
  readonly isExtrapolated: boolean;
  readonly failure?: string;
  readonly digest?: string;
  readonly floorMs?: number;
  /** Time over the floor for the same data in the same process. */
  readonly floorRatio?: number;
  readonly facts?: Readonly<Record<string, number | string | boolean>>;
}

/** What is written to `build/bench.json`. */
export interface Report {
  readonly schemaVersion: 1;
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly threads: number; readonly node: string; readonly loadBefore: number; loadAfter: number };
  readonly rounds: number;
  readonly boxMs: number;
  readonly cells: Cell[];
  readonly memory: (MemoryUse & { readonly engine: EngineName; readonly n: number })[];
  readonly cold: { readonly what: string; readonly ms: number; readonly lowest: number }[];
  readonly sizes: SizeOf[];
  readonly indexedDb: IndexedDbUse[];
  readonly imports: ImportUse[];
  readonly targets: Verdict[];
}

/** One cell out of its rounds. */
export function mergeRounds(rounds: readonly Cell[]): Cell {
  const bad = rounds.find((cell) => cell.failure !== undefined || cell.isCut);
  if (bad !== undefined) return bad;
  const times = rounds.map(({ ms }) => ms);
  const floors = rounds.flatMap(({ floorMs }) => floorMs ?? []);
  const ratios = rounds.flatMap(({ floorRatio }) => floorRatio ?? []);
  return {
    ...rounds[0]!,
    ms: median(times),
    range: [Math.min(...times), Math.max(...times)],
    rounds: rounds.length,
    isExtrapolated: rounds.some(({ isExtrapolated }) => isExtrapolated),
    ...(floors.length > 0 ? { floorMs: median(floors), floorRatio: median(ratios) } : {}),
  };
}

/** Milliseconds for people. */
export function time(ms: number): string {
  if (ms >= 60_000) return `${digits(ms / 60_000)} min`;
  if (ms >= 1000) return `${digits(ms / 1000)} s`;
  if (ms >= 1) return `${digits(ms)} ms`;
  return `${digits(ms * 1000)} µs`;
}

/** Three significant digits, no exponent. */
export function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

function shown(cell: Cell | undefined, ours: Cell | undefined): string {
  if (cell === undefined) return "";
  if (cell.failure !== undefined) return cell.failure === "stack overflow" ? cell.failure : "FAILED";
  const value = cell.isCut ? "> 60 s" : `${cell.isExtrapolated ? "~" : ""}${time(cell.ms)}`;
  if (ours === undefined || ours === cell || ours.failure !== undefined || ours.isCut) return value;
  const ratio = Math.min(cell.ms, cell.isCut ? 60_000 : Infinity) / ours.ms;
  return `${value} (${cell.isCut ? ">" : ""}${digits(ratio)}×)`;
}

/** Prints all tables to standard output. */
export function printReport(report: Report, workloads: readonly Workload[]): void {
  const { machine } = report;
  console.log(`\n${machine.cpu}, ${machine.threads} threads, Node ${machine.node}, load ${machine.loadBefore.toFixed(1)} → ${machine.loadAfter.toFixed(1)}`);
  console.log("Median over fresh, interleaved processes; (×) is the time over blockedby's; ~ is extrapolated from the steps done.");
  for (const workload of workloads) {
    const cells = report.cells.filter((cell) => cell.workload === workload.name);
    if (cells.length === 0) continue;
    console.log(`\n${workload.title}`);
    const sizes = [...new Set(cells.map(({ n }) => n))];
    const at = (engine: EngineName, n: number): Cell | undefined => cells.find((cell) => cell.engine === engine && cell.n === n);
    const engines = ENGINE_NAMES.filter((engine) => cells.some((cell) => cell.engine === engine));
    const rows = engines.map((engine) => [engine, ...sizes.map((n) => shown(at(engine, n), at("blockedby", n)))]);
    if (workload.floor !== undefined) {
      for (const engine of engines) {
        const ratios = sizes.map((n) => {
          const { floorMs, floorRatio } = at(engine, n) ?? {};
          return floorMs === undefined ? "" : `${digits(floorRatio!)}× of ${time(floorMs)}`;
        });
        rows.push([`${engine} ÷ ${workload.floor}`, ...ratios]);
      }
    }
    printTable(["", ...sizes.map((n) => `n = ${n.toLocaleString("en-US")}`)], rows);
  }
  if (report.memory.length > 0) {
    console.log(`\nmemory per task at n = ${report.memory[0]!.n.toLocaleString("en-US")}, after collection`);
    printTable(
      ["", "together", "JavaScript heap", "wasm and buffers"],
      report.memory.map(({ engine, heap, external }) => [engine, ...[heap + external, heap, external].map((bytes) => `${Math.round(bytes)} B`)]),
    );
  }
  if (report.cold.length > 0) {
    console.log("\ncold start: fresh process, import until the first add has returned (graphology: the import alone)");
    printTable(["", "median", "lowest"], report.cold.map(({ what, ms, lowest }) => [what, time(ms), time(lowest)]));
  }
  if (report.sizes.length > 0) {
    console.log("\nsizes in bytes");
    printTable(["", "raw", "brotli"], report.sizes.map(({ what, raw, brotli }) => [what, digits(raw), digits(brotli)]));
  }
  if (report.indexedDb.length > 0) {
    console.log("\ndurable mutation on IndexedDB, headless Chromium");
    printTable(["", "median", "lowest"], report.indexedDb.map(({ n, ms, lowest }) => [`n = ${n.toLocaleString("en-US")}`, time(ms), time(lowest)]));
  }
  if (report.imports.length > 0) {
    console.log("\nimport of a ledger, the report included, beside splitting it into lines and JSON.parse of each");
    const row = ({ what, bytes, ms, floorMs }: ImportUse): string[] => [what, `${digits(bytes / 1e6)} MB`, time(ms), `${digits(ms / floorMs)}× of ${time(floorMs)}`];
    printTable(["", "text", "import", "over JSON.parse"], report.imports.map(row));
  }
  if (report.targets.length > 0) {
    console.log("\ntargets (differences under 1.3 times are noise on a shared machine)");
    printTable(["", "target", "measured", ""], report.targets.map(({ what, target, measured, verdict }) => [what, target, measured, verdict]));
  }
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[column] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width))).join(" | ")} |`;
  console.log(line(head));
  console.log(`|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`);
  for (const row of rows) console.log(line(row));
}
