import type { Change, Detail, Explanation, Task } from "../index.js";
import { filesAsJson, filesAsText, reportAsJson, reportAsText } from "./print-files.js";
import type { Answer } from "./run.js";
import { colourOf, type Paint, stateOf } from "./style.js";
import { plain, plainLines, toJson } from "./text.js";
import { displayWidth, fit } from "./width.js";

/** Version of the shapes that `--json` prints. Fields may be added to them; one that goes or changes makes a new version. */
const schemaVersion = 1;

/** An answer as one line of JSON. */
export function answerAsJson(answer: Answer): string {
  switch (answer.kind) {
    case "change":
      return toJson({ schemaVersion, change: answer.change });
    case "tasks":
      return toJson({ schemaVersion, tasks: answer.tasks, total: answer.tasks.length, problems: answer.problems });
    case "task":
      return toJson({ schemaVersion, task: answer.task, problems: answer.problems });
    case "explanation":
      return toJson({ schemaVersion, explanation: answer.explanation, problems: answer.problems });
    case "report":
      return toJson(reportAsJson(answer));
    case "files":
      return toJson(filesAsJson(answer));
  }
}

/** An error as one line of JSON. */
export function errorAsJson(error: { code: string; message: string; hint: string; details: unknown }): string {
  const { code, message, hint, details } = error;
  return toJson({ schemaVersion, error: { code, message, hint, details } });
}

/** How much room there is, and how to colour. */
export interface Page {
  /** Columns of the terminal; absent where there is none. */
  readonly columns?: number | undefined;
  readonly paint: Paint;
}

/** An answer for people. */
export function answerAsText(answer: Answer, page: Page): string {
  switch (answer.kind) {
    case "change":
      return changeAsText(answer.change, page);
    case "tasks":
      return tableOf(answer, page);
    case "task":
      return detailAsText(answer.task, answer.detail, page);
    case "explanation":
      return explanationAsText(answer.explanation, page);
    case "report":
      return reportAsText(answer, page);
    case "files":
      return filesAsText(answer, page);
  }
}

/** Columns for a title where no terminal says how many there are. */
const titleColumns = 60;
const gap = "  ";

const verbs: Readonly<Record<string, string>> = {
  add: "added",
  update: "updated",
  complete: "completed",
  remove: "removed",
  undo: "undone",
  redo: "redone",
};

function changeAsText({ action, changed, task, nowReady, nowBlocked }: Change, page: Page): string {
  const { paint } = page;
  if (!changed && task === undefined) return `nothing to ${action}`;
  const first = [changed ? paint("bold", verbs[action] ?? action) : "nothing changed"];
  // "completed (completed)" says nothing.
  const isSaid = changed && task?.readiness === "settled";
  if (task !== undefined) first.push(...named(task), isSaid ? "" : paint(colourOf(task), `(${stateOf(task)})`));
  const others = (tasks: readonly Task[]): readonly Task[] => tasks.filter(({ id }) => id !== task?.id);
  return aligned([
    first,
    ...others(nowReady).map((ready) => [paint("green", "now ready"), ...named(ready)]),
    ...others(nowBlocked).map((blocked) => [paint("yellow", "now blocked"), ...named(blocked)]),
  ]).join("\n");
}

/** Id and title, or the id alone where nobody has it. */
const named = ({ id, title }: { readonly id: string; readonly title?: string | undefined }): [string, string] => [
  plain(id),
  fit(plain(title ?? ""), titleColumns),
];

/** Rows as lines whose cells stand below each other. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const columns: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (columns[at] = Math.max(columns[at] ?? 0, displayWidth(unpainted(cell)))));
  return rows.map((row) =>
    row
      .map((cell, at) => cell + " ".repeat((columns[at] as number) - displayWidth(unpainted(cell))))
      .join(gap)
      .trimEnd(),
  );
}

/** A cell without our own colours. */
const unpainted = (cell: string): string => cell.replace(/\u001b\[\d+m/g, "");

function tableOf({ tasks, waitsFor }: Extract<Answer, { kind: "tasks" }>, page: Page): string {
  if (tasks.length === 0) return "no tasks";
  const { paint } = page;
  const waits = tasks.map((task) => waitsOf(task, waitsFor.get(task.id) ?? []));
  const heading = ["ID", "STATE", "TITLE", ...(waits.every((text) => text === "") ? [] : ["WAITS FOR"])];
  const rows = tasks.map((task, at) => [plain(task.id), stateOf(task), plain(task.title), waits[at] as string]);
  const widest = (column: number): number => Math.max(...[heading, ...rows].map((row) => displayWidth(row[column] ?? "")));
  const beside = [0, 1, 3].map(widest).filter((columns) => columns > 0);
  const room = page.columns === undefined ? titleColumns : page.columns - beside.reduce((sum, columns) => sum + columns + gap.length, 0);
  return aligned([
    heading.map((word) => paint("dim", word)),
    ...rows.map(([id, state, title, waiting], at) => [
      id as string,
      paint(colourOf(tasks[at] as Task), state as string),
      fit(title as string, Math.max(20, room)),
      waiting as string,
    ]),
  ]).join("\n");
}

/** At most three ids: a row is for looking over, `explain` tells all. */
function waitsOf({ readiness }: Task, ids: readonly string[]): string {
  if (ids.length === 0) return readiness === "blocked" ? "(see explain)" : "";
  const shown = ids.slice(0, 3).map(plain).join(", ");
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}

/** A label, and what it says; more of the same goes below without the label. */
type Field = readonly [label: string, ...values: readonly (readonly string[])[]];

function fields(all: readonly Field[], { paint }: Page): string[] {
  return aligned(all.flatMap(([label, ...values]) => values.map((cells, at) => [paint("dim", at === 0 ? label : ""), ...cells])));
}

/** A field of one text, or nothing where there is none. */
const one = (label: string, text: string | undefined): readonly Field[] => (text === undefined ? [] : [[label, [text]]]);

const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());

function detailAsText(task: Task, detail: Detail, page: Page): string {
  const { paint } = page;
  const link = ({ id, title, status, active }: Detail["blocks"][number]): string[] => [
    ...named({ id, title }),
    paint(active ? "yellow" : "dim", `(${status ?? "no such task"})`),
  ];
  const facts = [
    ...one("id", plain(task.id)),
    ...one("title", plain(task.title)),
    ...one("state", paint(colourOf(task), stateOf(task))),
    ...one("parent", task.parent && plain(task.parent)),
    ...one("owner", task.owner && plain(task.owner)),
    ...one("note", task.hold?.note && plain(task.hold.note)),
    ...one("created", time(task.createdAt)),
    ...one("updated", time(task.updatedAt)),
    ...one("started", time(task.startedAt)),
    ...one("completed", time(task.completedAt)),
  ];
  const links: Field[] = [
    ["waits for", ...detail.blockedBy.map(link)],
    ["blocks", ...detail.blocks.map(link)],
  ];
  const linked = fields(links, page);
  return [
    ...fields(facts, page),
    ...(linked.length === 0 ? [] : ["", ...linked]),
    ...(detail.description === "" ? [] : ["", ...plainLines(detail.description)]),
  ].join("\n");
}

function explanationAsText({ sentence, blockers, chains, openChildren, waiting }: Explanation, page: Page): string {
  const blocker = (blocker: Explanation["blockers"][number]): string[] => {
    const state = [blocker.readiness ?? "no such task", ...(blocker.kind === "edge" ? [] : [blocker.kind])].join(", ");
    return [...named(blocker), page.paint(colourOf({ readiness: blocker.readiness ?? "held" }), `(${state})`)];
  };
  // A chain of two says no more than the line of its blocker.
  const far = chains.filter((chain) => chain.length > 2);
  return [
    plain(sentence),
    ...fields([["waits for", ...blockers.map(blocker)]], page),
    ...fields([["chain", ...far.map((chain) => [chain.map(plain).join(" <- ")])]], page),
    ...fields([["open steps", ...openChildren.map((id) => [plain(id)])]], page),
    ...fields(waiting === 0 ? [] : one("behind it", waiting === 1 ? "1 task waits" : `${waiting} tasks wait`), page),
  ].join("\n");
}
