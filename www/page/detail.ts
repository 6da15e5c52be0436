import { type Explanation, renderDetail, type Task, type TaskStore } from "blockedby";
import { button, type Child, element, icon, keepFocus, unseen } from "./dom.js";
import { Picker } from "./picker.js";
import { type RowUse, type Verb, verbButton } from "./row.js";
import { shorten, stateOf } from "./words.js";

/** What the panel calls when it is used. */
export interface DetailUse extends RowUse {
  readonly edit: (id: string, patch: { title?: string; description?: string; addBlockedBy?: string[]; removeBlockedBy?: string[] }) => Promise<boolean>;
  readonly close: () => void;
}

type Link = ReturnType<typeof renderDetail>["blocks"][number];

/** Every verb that makes sense in a state; the engine judges. */
const verbs: Readonly<Record<Task["readiness"], readonly Verb[]>> = {
  ready: ["start", "complete", "remove"],
  running: ["complete", "remove"],
  blocked: ["start", "complete", "remove"],
  held: ["release", "remove"],
  settled: ["reopen", "remove"],
};

/** The panel of the selected task: why it is as it is, its edges, its words, what can be done. */
export class DetailPanel {
  readonly #place: HTMLElement;
  readonly #tasks: TaskStore;
  readonly #use: DetailUse;
  /** Above and below the field for new edges, which keeps what is being typed while the rest is filled anew. */
  readonly #upper = element("div", {});
  readonly #lower = element("div", {});
  #id: string | undefined;

  constructor(place: HTMLElement, tasks: TaskStore, use: DetailUse) {
    this.#place = place;
    this.#tasks = tasks;
    this.#use = use;
    place.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#id !== undefined) use.close();
    });
  }

  /** Shows a task, or that none is selected. */
  show(id: string | undefined): void {
    const task = id === undefined ? undefined : this.#tasks.get(id);
    this.#place.classList.toggle("open", task !== undefined);
    if (task === undefined) {
      this.#id = undefined;
      this.#place.replaceChildren(element("p", { class: "empty" }, "Select a task to see what it waits for and what waits for it."));
      return;
    }
    const fill = (): void => this.#fill(task);
    if (this.#id === task.id) {
      keepFocus(this.#place, fill, () => this.#place);
      return;
    }
    this.#id = task.id;
    fill();
    this.#place.replaceChildren(this.#upper, this.#edges(task.id), this.#lower, this.#words(task));
  }

  #fill(task: Task): void {
    const detail = renderDetail(this.#tasks, task.id);
    const { why } = detail;
    const allowed = verbs[task.readiness].filter((verb) => verb !== "remove" || task.status !== "deleted");
    this.#upper.replaceChildren(
      element(
        "div",
        { class: "top" },
        element("p", { class: `badge state-${task.readiness}` }, icon(task.readiness), stateOf(task)),
        button("Close", this.#use.close, { class: "quiet close", "data-key": "close" }, unseen(" details")),
      ),
      element("h2", {}, task.title),
      ...(detail.description === "" ? [] : [element("p", { class: "description" }, detail.description)]),
      element("div", { class: "verbs" }, ...allowed.map((verb) => verbButton(verb, task, this.#use.act, { "data-key": `do ${verb}` }))),
      ...this.#why(why),
      ...this.#links("Waits for", detail.blockedBy, (link) =>
        button("Unlink", () => void this.#use.edit(task.id, { removeBlockedBy: [link.id] }), { class: "quiet", "data-key": `cut ${link.id}` }, unseen(` ${shorten(link.title ?? link.id)}`)),
      ),
    );
    this.#lower.replaceChildren(
      ...this.#links("Unblocks", detail.blocks, () => null),
      element("p", { class: "id" }, `id ${task.id}`),
    );
  }

  /** What the lists of links do not say: the far end of the chains, and how much hangs on this task. */
  #why({ rootCauses, blockers, stalled, waiting }: Explanation): HTMLElement[] {
    const far = rootCauses.filter((id) => blockers.every((blocker) => blocker.id !== id));
    const lines: Child[] = [];
    if (far.length > 0) {
      const titles = far.slice(0, 3).map((id) => `“${shorten(this.#tasks.get(id)?.title ?? id)}”`);
      const more = far.length > 3 ? ` and ${far.length - 3} more` : "";
      lines.push(element("li", {}, `In the end everything waits for ${titles.join(", ")}${more}.`));
    }
    if (stalled) lines.push(element("li", {}, "Stalled: what it waits for is held, and nobody works on that."));
    if (waiting > 0) lines.push(element("li", {}, waiting === 1 ? "One task waits for this one." : `${waiting} tasks wait for this one, directly or not.`));
    return lines.length === 0 ? [] : [element("ul", { class: "why" }, ...lines)];
  }

  #links(heading: string, links: readonly Link[], more: (link: Link) => Child): HTMLElement[] {
    if (links.length === 0) return [];
    const items = links.map((link) => {
      const task = this.#tasks.get(link.id);
      const state = task === undefined ? "no such task" : stateOf(task);
      const name = task === undefined ? link.id : task.title;
      const key = { "data-key": `${heading} ${link.id}`, class: "link" };
      const told = element("span", { class: "state" }, state);
      return element(
        "li",
        { class: `state-${task?.readiness ?? "held"}${link.active ? "" : " over"}` },
        icon(task?.readiness ?? "held"),
        button(name, () => this.#use.select(link.id), key),
        told,
        more(link),
      );
    });
    return [element("h3", {}, heading), element("ul", { class: "links" }, ...items)];
  }

  #edges(id: string): HTMLElement {
    const picker = new Picker({
      label: "Let it wait for",
      placeholder: "Find a task",
      tasks: this.#tasks,
      without: () => new Set([id, ...(this.#tasks.get(id)?.blockedBy ?? [])]),
      pick: ({ id: blocker }) => void this.#use.edit(id, { addBlockedBy: [blocker] }),
    });
    return element("div", { class: "field" }, ...picker.parts);
  }

  #words(task: Task): HTMLElement {
    const title = element("input", { id: "edit-title", value: task.title, maxlength: 10_000, required: true, autocomplete: "off" });
    const description = element("textarea", { id: "edit-description", rows: 4 }, task.description ?? "");
    const form = element(
      "form",
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            const saved = this.#use.edit(task.id, { title: title.value, description: description.value });
            void saved.then((done) => {
              if (done) folded.open = false;
              if (done) folded.querySelector("summary")?.focus();
            });
          },
        },
      },
      element("div", { class: "field" }, element("label", { for: title.id }, "Title"), title),
      element("div", { class: "field" }, element("label", { for: description.id }, "Description"), description),
      element("button", { type: "submit" }, "Save"),
    );
    const folded = element("details", { class: "words" }, element("summary", {}, "Edit title and description"), form);
    // Opened anew, the fields show what the task says now.
    folded.addEventListener("toggle", () => {
      const now = this.#tasks.get(task.id);
      if (!folded.open || now === undefined) return;
      title.value = now.title;
      description.value = now.description ?? "";
    });
    return folded;
  }
}
