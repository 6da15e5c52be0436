import type { Readiness, Task } from "blockedby";

/** The word for where a task stands. */
export function stateOf({ status, readiness, hold }: Task): string {
  if (readiness === "running") return "in progress";
  if (readiness === "held") return hold === undefined ? "held" : `held (${hold.reason})`;
  return readiness === "settled" ? status : readiness;
}

/** A section of the board: a heading and the tasks below it. */
export interface Section {
  readonly key: string;
  readonly heading: string;
  /** What stands there when there are no tasks. Sections without it are left out when empty. */
  readonly empty?: string;
  /** Opened and closed by its heading. */
  readonly folds?: "open" | "closed";
  readonly holds: (task: Task) => boolean;
}

const stands =
  (readiness: Readiness) =>
  (task: Task): boolean =>
    task.readiness === readiness;

/** The board, left to right. */
export const sections: readonly Section[] = [
  { key: "ready", heading: "Ready", empty: "Nothing is ready.", holds: stands("ready") },
  { key: "running", heading: "In progress", empty: "Nothing is in progress.", holds: stands("running") },
  { key: "blocked", heading: "Blocked", empty: "Nothing is blocked.", holds: stands("blocked") },
  { key: "held", heading: "Held", holds: stands("held") },
  { key: "settled", heading: "Done", folds: "open", holds: (task) => task.readiness === "settled" && task.status !== "deleted" },
  { key: "deleted", heading: "Removed", folds: "closed", holds: (task) => task.status === "deleted" },
];

/** Titles as a sentence lists them: at most three, and how many more. */
export function listed(tasks: readonly { readonly title: string }[]): string {
  const shown = tasks.slice(0, 3).map(({ title }) => shorten(title));
  if (tasks.length > 3) shown.push(`${tasks.length - 3} more`);
  return new Intl.ListFormat("en").format(shown);
}

/** A title short enough for a sentence. */
export const shorten = (title: string): string => (title.length > 80 ? `${title.slice(0, 79)}…` : title);
