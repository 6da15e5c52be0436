import type { Task, TaskStore } from "blockedby";
import { element, icon, unseen } from "./dom.js";
import { stateOf } from "./words.js";

/** Most tasks that are offered at once. */
const offers = 8;
let made = 0;

/** What a picker needs to know. */
export interface PickerOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly tasks: TaskStore;
  /** Ids that are not offered. */
  readonly without: () => ReadonlySet<string>;
  readonly pick: (task: Task) => void;
}

/**
 * A field that finds a task by words and hands it on: the combobox pattern of WAI-ARIA. Down and Up move
 * through what is offered, Enter picks, Escape closes.
 */
export class Picker {
  readonly parts: readonly HTMLElement[];
  readonly input: HTMLInputElement;
  readonly #options: PickerOptions;
  readonly #list: HTMLUListElement;
  #offered: readonly Task[] = [];
  #active = -1;

  constructor(options: PickerOptions) {
    this.#options = options;
    const id = `picker-${(made += 1)}`;
    this.#list = element("ul", { id: `${id}-list`, role: "listbox", "aria-label": options.label, hidden: true });
    this.input = element("input", {
      id,
      role: "combobox",
      type: "text",
      autocomplete: "off",
      placeholder: options.placeholder,
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-controls": this.#list.id,
      "data-key": id,
      on: {
        input: () => this.#open(),
        focus: () => this.#open(),
        // A click into the field that has the focus already.
        click: () => this.#open(),
        blur: () => this.#close(),
        keydown: (event) => this.#onKey(event),
      },
    });
    this.parts = [
      element("label", { for: id }, options.label),
      element("div", { class: "picker" }, this.input, this.#list),
    ];
  }

  #find(): readonly Task[] {
    const { tasks, without } = this.#options;
    const words = this.input.value.trim();
    const hidden = without();
    // Nothing typed yet: the newest, which is what people mostly continue from.
    const found = words === "" ? tasks.getSnapshot().slice().reverse() : tasks.search(words, { limit: 200 });
    return found.filter(({ id, status }) => !hidden.has(id) && status !== "deleted").slice(0, offers);
  }

  #open(): void {
    this.#offered = this.#find();
    this.#active = -1;
    const options = this.#offered.map((task, at) =>
      element(
        "li",
        {
          id: `${this.input.id}-${at}`,
          role: "option",
          "aria-selected": "false",
          class: `state-${task.readiness}`,
          // Before the field loses the focus, which would close the list.
          on: { pointerdown: (event) => event.preventDefault(), click: () => this.#pick(at) },
        },
        icon(task.readiness),
        element("span", { class: "text" }, task.title),
        unseen(`(${stateOf(task)})`),
      ),
    );
    if (options.length === 0 && this.input.value.trim() !== "") {
      options.push(element("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, "No such task"));
    }
    this.#list.replaceChildren(...options);
    this.#show(options.length > 0);
  }

  #close(): void {
    this.#show(false);
    this.#active = -1;
  }

  #show(open: boolean): void {
    this.#list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    this.input.removeAttribute("aria-activedescendant");
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape" && !this.#list.hidden) {
      event.stopPropagation();
      this.#close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.#list.hidden) this.#open();
      this.#move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && !this.#list.hidden && (this.#active >= 0 || this.input.value.trim() !== "")) {
      // Not the form: a half-typed blocker must not send the task off without it.
      event.preventDefault();
      this.#pick(Math.max(0, this.#active));
    }
  }

  #move(by: number): void {
    const count = this.#offered.length;
    if (count === 0) return;
    this.#active = this.#active < 0 && by < 0 ? count - 1 : (this.#active + by + count) % count;
    [...this.#list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.#active)));
    const active = this.#list.children[this.#active];
    if (active === undefined) return;
    active.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", active.id);
  }

  #pick(at: number): void {
    const task = this.#offered[at];
    if (task === undefined) return;
    this.input.value = "";
    this.#close();
    this.#options.pick(task);
  }
}
