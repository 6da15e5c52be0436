import type { EngineName } from "../engines/index.js";
import { LIBRARIES } from "../engines/index.js";
import type { Cell, Report } from "./report.js";
import { digits, time } from "./report.js";

/** A target of the plan beside what was measured. */
export interface Verdict {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly value: number;
  readonly isMet: boolean;
  /** `met`, or by how much it was missed. */
  readonly verdict: string;
}

/** All targets that this run has figures for. */
export function judge(report: Report): Verdict[] {
  const verdicts: Verdict[] = [];
  const cell = (workload: string, n: number, engine: EngineName): Cell | undefined =>
    report.cells.find((found) => found.workload === workload && found.n === n && found.engine === engine && found.failure === undefined);

  const atLeast = (what: string, bound: number, value: number, mark = ""): void => {
    const isMet = value >= bound;
    verdicts.push({
      what,
      target: `≥ ${digits(bound)}×`,
      measured: `${mark}${digits(value)}×`,
      value,
      isMet,
      verdict: isMet ? "met" : `missed by ${digits((1 - value / bound) * 100)} %`,
    });
  };
  const atMost = (what: string, bound: number, value: number, show: (value: number) => string): void => {
    const isMet = value <= bound;
    verdicts.push({
      what,
      target: `≤ ${show(bound)}`,
      measured: show(value),
      value,
      isMet,
      verdict: isMet ? "met" : `missed by ${digits((value / bound - 1) * 100)} %`,
    });
  };
  const times = (value: number): string => `${digits(value)}×`;

  /** How many times faster than another cell; a cut one counts as 60 s. */
  const faster = (workload: string, n: number, other: Cell | undefined, what: string, bound: number): void => {
    const ours = cell(workload, n, "blockedby");
    if (ours === undefined || other === undefined) return;
    const mark = other.isCut ? "> " : other.isExtrapolated ? "~" : "";
    atLeast(`${workload}, n = ${n.toLocaleString("en-US")}: faster than ${what}`, bound, Math.min(other.ms, other.isCut ? 60_000 : Infinity) / ours.ms, mark);
  };
  const fastestLibrary = (workload: string, n: number): Cell | undefined =>
    LIBRARIES.flatMap((name) => cell(workload, n, name) ?? []).sort((a, b) => a.ms - b.ms)[0];
  const versusLibrary = (workload: string, n: number, bound: number): void => {
    const library = fastestLibrary(workload, n);
    faster(workload, n, library, `the fastest library (${library?.engine ?? ""})`, bound);
  };
  const versusMap = (workload: string, n: number, bound: number): void =>
    faster(workload, n, cell(workload, n, "optimised-map"), "optimised-map", bound);

  for (const n of [1000, 10_000]) {
    versusLibrary("build", n, 5);
    versusMap("build", n, 1);
  }
  const small = [cell("build", 50, "blockedby"), cell("build", 50, "optimised-map")] as const;
  if (small[0] !== undefined && small[1] !== undefined) {
    atMost("build, n = 50: time over optimised-map's", 1.3, small[0].ms / small[1].ms, times);
  }
  versusLibrary("rewire", 10_000, 120);
  versusMap("rewire", 10_000, 2.5);
  versusLibrary("adversarial", 10_000, 300);
  versusLibrary("drain", 10_000, 2000);
  const [few, many] = [cell("drain", 100, "blockedby"), cell("drain", 100_000, "blockedby")];
  if (few !== undefined && many !== undefined) {
    atMost("drain: a step at 100,000 over one at 100", 3, many.ms / 100_000 / (few.ms / 100), times);
  }
  const snapshot = cell("snapshot", 10_000, "blockedby");
  if (snapshot?.floorRatio !== undefined) {
    atMost("snapshot after one change, n = 10,000: over array.slice", 3, snapshot.floorRatio, times);
    const isSame = snapshot.facts?.["unchangedSame"] === true;
    verdicts.push({
      what: "snapshot, unchanged: the same array",
      target: "yes",
      measured: isSame ? "yes" : "no",
      value: isSame ? 1 : 0,
      isMet: isSame,
      verdict: isSame ? "met" : "missed",
    });
  }
  const load = cell("load", 10_000, "blockedby");
  if (load?.floorRatio !== undefined) atMost("load, n = 10,000: over JSON.parse of the same text", 1, load.floorRatio, times);
  const save = cell("save", 10_000, "blockedby");
  if (save?.floorRatio !== undefined) {
    atMost("save after one change, n = 10,000: over JSON.stringify", 0.5, save.floorRatio, times);
  }
  const memory = (engine: EngineName): number | undefined => {
    const use = report.memory.find((found) => found.engine === engine && found.n === 100_000);
    return use === undefined ? undefined : use.heap + use.external;
  };
  const [ours, plain] = [memory("blockedby"), memory("plain-map")];
  if (ours !== undefined && plain !== undefined) atMost("memory per task, n = 100,000: over plain-map's", 1.5, ours / plain, times);
  const bytes = (value: number): string => `${digits(value / 1000)} kB`;
  for (const { what, brotli, limit } of report.sizes) {
    if (limit !== undefined) atMost(`${what}, brotli`, limit, brotli, bytes);
  }
  const [hundred, large] = [100, 10_000].map((n) => report.indexedDb.find((found) => found.n === n));
  if (hundred !== undefined && large !== undefined) {
    atMost("durable mutation on IndexedDB: n = 10,000 over n = 100", 2, large.ms / hundred.ms, times);
  }
  for (const { what, ms, floorMs } of report.imports) {
    atMost(`import, ${what}: over JSON.parse of each line`, 5, ms / floorMs, times);
  }
  const cold = (what: string): number | undefined => report.cold.find((found) => found.what === what)?.ms;
  const [start, library] = [cold("blockedby"), cold("graphology")];
  if (start !== undefined && library !== undefined) {
    const extra = start - library;
    verdicts.push({
      what: "cold start: more than importing graphology",
      target: "≤ 15 ms",
      measured: extra < 0 ? `−${time(-extra)}` : time(extra),
      value: extra,
      isMet: extra <= 15,
      verdict: extra <= 15 ? "met" : `missed by ${time(extra - 15)}`,
    });
  }
  return verdicts;
}
