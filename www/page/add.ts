import type { Task, TaskStore } from "blockedby";
import { button, byId, element, unseen } from "./dom.js";
import { Picker } from "./picker.js";
import { shorten } from "./words.js";

/** Wires up the form for new tasks. `add` answers whether the task was added; if not, what was typed stays. */
export function setUpAdding(tasks: TaskStore, add: (task: { title: string; blockedBy: string[] }) => Promise<boolean>): void {
  const form = byId("add", HTMLFormElement);
  const title = byId("title", HTMLInputElement);
  const place = byId("waits-for", HTMLElement);
  const chosen = new Map<string, Task>();
  const chips = element("ul", { class: "chips", "aria-label": "What the new task waits for" });

  const showChips = (): void => {
    chips.hidden = chosen.size === 0;
    chips.replaceChildren(
      ...[...chosen.values()].map((task) => {
        const drop = (): void => {
          chosen.delete(task.id);
          showChips();
          picker.input.focus();
        };
        return element(
          "li",
          {},
          element("span", { class: "text" }, shorten(task.title)),
          button("×", drop, { class: "quiet", "aria-label": `Do not wait for ${shorten(task.title)}` }),
        );
      }),
    );
  };
  const picker = new Picker({
    label: "Waits for",
    placeholder: "Find tasks that must be done first",
    tasks,
    without: () => new Set(chosen.keys()),
    pick: (task) => {
      chosen.set(task.id, task);
      showChips();
    },
  });
  picker.input.setAttribute("aria-describedby", "optional");
  const note = unseen("Optional. Several may be chosen.");
  note.id = "optional";
  place.replaceChildren(...picker.parts, chips, note);
  showChips();

  const submit = async (): Promise<void> => {
    if (!(await add({ title: title.value, blockedBy: [...chosen.keys()] }))) return;
    title.value = "";
    chosen.clear();
    showChips();
    title.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
}
