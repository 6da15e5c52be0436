import type { FilesProblem, FilesReport } from "./types.js";

/**
 * A report for people, line by line: counts, then the problems by kind, of each the first `most`. The same as
 * `Report::to_text` in Rust, which is gone with its instance when this is asked for. A line holds text of the files.
 */
export function reportLines(report: FilesReport, sound: boolean, most: number): string[] {
  const { format, tasks, edges, statuses, problems } = report;
  const counts = Object.entries(statuses).filter(([, count]) => count > 0);
  const kinds = new Map<string, FilesProblem[]>();
  for (const problem of problems) {
    const known = kinds.get(problem.kind);
    if (known === undefined) kinds.set(problem.kind, [problem]);
    else known.push(problem);
  }
  return [
    `format ${format ?? "unknown"}: ${tasks} tasks, ${edges} edges`,
    ...(counts.length === 0 ? [] : [`  ${counts.map(([status, count]) => `${count} ${status}`).join(", ")}`]),
    ...[...kinds].flatMap(([kind, all]) => [
      `${kind}: ${all.length}`,
      ...all.slice(0, most).map(({ line, message, action }) => `  ${line === undefined ? "" : `line ${line}: `}${message} [${action}]`),
      ...(all.length > most ? [`  and ${all.length - most} more`] : []),
    ]),
    sound ? "sound" : "not sound",
  ];
}
