import { reportLines } from "../files/text.js";
import type { FilesAnswer, Merged, ReportAnswer } from "./files.js";
import type { Page } from "./print.js";
import { plain, plainLines } from "./text.js";

/** Of each kind of problem so many are printed; `--json` has them all. */
const shown = 10;

/** A report as the object that `--json` prints. It has its own `schemaVersion`. */
export function reportAsJson({ report, merged }: ReportAnswer): object {
  if (merged === undefined) return report;
  const { added, changed, renamed } = merged;
  return { ...report, change: { added, changed, renamed } };
}

/** The same for files that were written; those that were not are in it. */
export function filesAsJson({ report, files, out }: FilesAnswer): object {
  return { ...report, files: out === undefined ? files : files.map(({ path }) => ({ path })) };
}

/** A report for people, and what was done after it. */
export function reportAsText({ report, sound, merged }: ReportAnswer, { paint }: Page): string {
  const lines = reportLines(report, sound, shown).map(plain);
  const verdict = lines.pop() as string;
  return [...lines, paint(sound ? "green" : "yellow", verdict), ...(merged === undefined ? [] : mergedLines(merged, paint))].join("\n");
}

function mergedLines({ added, changed, renamed, isDryRun }: Merged, paint: Page["paint"]): string[] {
  const told = [
    ...(added === 0 ? [] : [`added ${count(added)}`]),
    ...(changed === 0 ? [] : [`changed ${count(changed)}`]),
  ];
  const names = Object.entries(renamed).map(([from, to]) => `renamed ${plain(from)} to ${plain(to)}, as the list has another task under that id`);
  return [
    paint("bold", `${told.length === 0 ? "nothing changed" : told.join(", ")}${isDryRun ? " (dry run: nothing was written)" : ""}`),
    ...names,
  ];
}

const count = (tasks: number): string => (tasks === 1 ? "1 task" : `${tasks} tasks`);

/** What was written where; or the one file itself, which a terminal gets without what it would obey. */
export function filesAsText({ files, out }: FilesAnswer, { columns }: Page): string {
  if (out !== undefined) return `wrote ${files.length === 1 ? "1 file" : `${files.length} files`} to ${plain(out)}`;
  const text = (files[0]?.text ?? "").replace(/\n$/, "");
  return columns === undefined ? text : plainLines(text).join("\n");
}
