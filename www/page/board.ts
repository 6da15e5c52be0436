import type { Task, TaskStore } from "blockedby";
import { element, icon } from "./dom.js";
import { Row, type RowUse } from "./row.js";
import { type Section, sections } from "./words.js";

/** Headings of sections have drawings too; removed tasks share that of done ones. */
const iconOf = (key: string): SVGElement => icon(key === "deleted" ? "settled" : key);

/** One list of the board. */
class Lane {
  readonly element: HTMLElement;
  readonly list: HTMLUListElement = element("ul", {});
  readonly section: Section;
  readonly #heading: HTMLElement;
  readonly #count = element("span", { class: "count" });
  readonly #empty: HTMLElement;
  rows: readonly Row[] = [];
  /** The row where Tab stops. */
  #current: Row | undefined;

  constructor(section: Section) {
    this.section = section;
    const id = `heading-${section.key}`;
    this.#heading = element("h2", { id, tabindex: "-1" }, iconOf(section.key), `${section.heading} `, this.#count);
    this.#empty = element("p", { class: "empty" }, section.empty ?? "");
    const attributes = { class: `lane lane-${section.key}`, "data-key": `lane ${section.key}` };
    if (section.folds === undefined) {
      this.element = element("section", { ...attributes, "aria-labelledby": id }, this.#heading, this.#empty, this.list);
    } else {
      const open = section.folds === "open";
      this.element = element("details", { ...attributes, open }, element("summary", {}, this.#heading), this.list);
    }
    this.list.setAttribute("aria-labelledby", id);
    this.list.addEventListener("keydown", (event) => this.#onKey(event));
    this.list.addEventListener("focusin", ({ target }) => {
      const row = this.rows.find((candidate) => target instanceof Node && candidate.element.contains(target));
      if (row !== undefined) this.#stopAt(row);
    });
  }

  /** Puts the rows in this order, moving as few as it can. */
  show(rows: readonly Row[]): void {
    const wanted = new Set<Element>(rows.map((row) => row.element));
    for (const child of [...this.list.children]) if (!wanted.has(child)) child.remove();
    let at = this.list.firstElementChild;
    for (const row of rows) {
      if (row.element === at) at = at.nextElementSibling;
      else this.list.insertBefore(row.element, at);
    }
    this.rows = rows;
    this.#count.textContent = String(rows.length);
    this.#empty.hidden = rows.length > 0;
    this.element.hidden = rows.length === 0 && this.section.empty === undefined;
    this.#stopAt(this.#current !== undefined && rows.includes(this.#current) ? this.#current : rows[0]);
  }

  #stopAt(row: Row | undefined): void {
    for (const other of [this.#current, row]) if (other !== undefined && this.rows.includes(other)) other.reachable = other === row;
    this.#current = row;
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.rows.findIndex(({ element: one }) => event.target instanceof Node && one.contains(event.target));
    const last = this.rows.length - 1;
    const next = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    this.rows[next]?.focus();
  }

  /** Puts the focus where row number `at` was, or on the heading of an empty list. */
  focusNear(at: number): void {
    const row = this.rows[Math.min(at, this.rows.length - 1)];
    if (row === undefined) this.#heading.focus();
    else row.focus();
  }
}

/** All lists, filled from the store. */
export class Board {
  readonly #lanes: readonly Lane[] = sections.map((section) => new Lane(section));
  readonly #rows = new Map<string, Row>();
  readonly #use: RowUse;

  constructor(place: HTMLElement, use: RowUse) {
    this.#use = use;
    place.replaceChildren(...this.#lanes.map((lane) => lane.element));
  }

  /** Shows the tasks, or those of `only`. A focus in the board stays in its list, whatever leaves that. */
  show(tasks: TaskStore, selected: string | undefined, only: ReadonlySet<string> | undefined): void {
    const focus = this.#whereFocusIs();
    const all = tasks.getSnapshot();
    const present = new Set(all.map(({ id }) => id));
    for (const id of this.#rows.keys()) if (!present.has(id)) this.#rows.delete(id);
    for (const lane of this.#lanes) {
      const shown = all.filter((task) => lane.section.holds(task) && (only === undefined || only.has(task.id)));
      lane.show(shown.map((task) => this.#row(tasks, task, task.id === selected)));
    }
    if (focus === undefined || focus.element === document.activeElement) return;
    const key = focus.element.dataset["key"];
    const again = key === undefined ? null : focus.lane.list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (again === null) focus.lane.focusNear(focus.at);
    else again.focus();
  }

  #row(tasks: TaskStore, task: Task, selected: boolean): Row {
    let row = this.#rows.get(task.id);
    if (row === undefined) this.#rows.set(task.id, (row = new Row(this.#use)));
    row.update(task, task.blockedBy.map((id) => tasks.get(id)), selected);
    return row;
  }

  #whereFocusIs(): { readonly element: HTMLElement; readonly lane: Lane; readonly at: number } | undefined {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement)) return undefined;
    for (const lane of this.#lanes) {
      const at = lane.rows.findIndex((row) => row.element.contains(activeElement));
      if (at >= 0) return { element: activeElement, lane, at };
    }
    return undefined;
  }

  /** Puts the focus on the row of a task. */
  focus(id: string): void {
    this.#rows.get(id)?.focus();
  }
}
