import type { Task } from "blockedby";
import { button, element, icon, unseen } from "./dom.js";
import { shorten, stateOf } from "./words.js";

/** What can be done with a task. */
export type Verb = "start" | "complete" | "reopen" | "release" | "remove";

/** What a row calls when it is used. */
export interface RowUse {
  readonly select: (id: string) => void;
  readonly act: (verb: Verb, id: string) => void;
}

/** What may be done at once, by state; the rest is in the details. */
const quick: Readonly<Record<Task["readiness"], readonly Verb[]>> = {
  ready: ["start", "complete"],
  running: ["complete"],
  blocked: [],
  held: ["release"],
  settled: ["reopen"],
};

/** The words on the buttons. */
export const verbWords: Readonly<Record<Verb, string>> = {
  start: "Start",
  complete: "Complete",
  reopen: "Reopen",
  release: "Release",
  remove: "Remove",
};

/** A button for one verb, whose name for screen readers tells the task too. */
export function verbButton(verb: Verb, { id, title }: Task, act: RowUse["act"], attributes: Record<string, string> = {}): HTMLButtonElement {
  return button(verbWords[verb], () => act(verb, id), { class: `verb ${verb}`, ...attributes }, unseen(` ${shorten(title)}`));
}

/** One task on the board: made once, moved from list to list, filled anew only when what it shows has changed. */
export class Row {
  readonly element: HTMLLIElement = element("li", { class: "row" });
  readonly #use: RowUse;
  #shown: readonly unknown[] = [];

  constructor(use: RowUse) {
    this.#use = use;
  }

  /** Shows a task and what it waits for. Rows of the list keep their identity while nothing about them changes. */
  update(task: Task, blockers: readonly (Task | undefined)[], selected: boolean): void {
    const shows = [task, selected, ...blockers];
    if (shows.length === this.#shown.length && shows.every((part, at) => part === this.#shown[at])) return;
    this.#shown = shows;
    const { id, title } = task;
    const state = stateOf(task);
    this.element.className = `row state-${task.readiness}${selected ? " selected" : ""}`;
    const name = button(icon(task.readiness), () => this.#use.select(id), {
      class: "name",
      "data-key": `row ${id}`,
      "aria-describedby": "keys",
      "aria-current": selected ? "true" : undefined,
      tabindex: "-1",
    });
    name.append(element("span", { class: "text" }, title), unseen(`(${state})`));
    // The heading above says the rest.
    const plain = task.readiness === "settled" || task.readiness === "held";
    const about = plain ? element("span", { class: "state" }, state) : null;
    const verbs = quick[task.readiness].map((verb) =>
      verbButton(verb, task, this.#use.act, { tabindex: "-1", "data-key": `${verb} ${id}` }),
    );
    this.element.replaceChildren(
      name,
      ...[about, this.#waits(task, blockers)].filter((part) => part !== null),
      ...(verbs.length === 0 ? [] : [element("div", { class: "verbs" }, ...verbs)]),
    );
  }

  /** The edges as they are: open ones first, then those that hold nothing up any more. */
  #waits({ readiness, blockedBy }: Task, blockers: readonly (Task | undefined)[]): HTMLElement | null {
    if (readiness === "settled" || blockedBy.length === 0) return null;
    const named = blockedBy.map((id, at) => ({ title: shorten(blockers[at]?.title ?? id), settled: blockers[at]?.readiness === "settled" }));
    const open = named.filter(({ settled }) => !settled);
    const settled = named.filter((one) => one.settled);
    const parts: (Node | string)[] = [];
    if (open.length > 0) parts.push("waits for ", element("span", { class: "open" }, few(open)));
    if (settled.length > 0) parts.push(open.length > 0 ? ", no longer for " : "waited for ", element("s", {}, few(settled)));
    return element("p", { class: "waits" }, ...parts);
  }

  /** Whether Tab stops here: at one row of each list, so that a long list is one stop and not hundreds. */
  set reachable(reachable: boolean) {
    for (const part of this.element.querySelectorAll("button")) part.tabIndex = reachable ? 0 : -1;
  }

  /** Puts the focus on the title. */
  focus(): void {
    this.element.querySelector<HTMLButtonElement>("button.name")?.focus();
  }
}

function few(tasks: readonly { readonly title: string }[]): string {
  const shown = tasks.slice(0, 3).map(({ title }) => title);
  return tasks.length > 3 ? `${shown.join(", ")} and ${tasks.length - 3} more` : shown.join(", ");
}
