/**
 * The page: a task list kept in this browser. It decides nothing; what is ready, what is blocked and
 * why comes from the package, as for any other program that uses it.
 */
import { type Change, isTaskError, openTasks, type TaskStore } from "blockedby";
import { indexedDbStorage } from "blockedby/storage";
import { setUpAdding } from "./page/add.js";
import { Board } from "./page/board.js";
import { DetailPanel } from "./page/detail.js";
import { button, byId, element } from "./page/dom.js";
import { example } from "./page/example.js";
import { clearFailure, say, sayChange, sayForeign, showFailure, type WayOut } from "./page/notices.js";

/** Opens the list of this browser; where that cannot be, tells why and what is left to do. */
async function open(onCorrupt: "refuse" | "quarantine" = "refuse"): Promise<void> {
  try {
    start(await openTasks({ storage: indexedDbStorage(), onCorrupt }));
    clearFailure();
  } catch (error) {
    const waysOut: WayOut[] = [{ text: "Go on without saving", go: () => void openInMemory() }];
    if (isTaskError(error) && error.code === "corrupt") {
      waysOut.unshift({ text: "Keep a copy and begin anew", go: () => void open("quarantine") });
    } else {
      waysOut.unshift({ text: "Try again", go: () => void open() });
    }
    showFailure(error, undefined, waysOut);
  }
}

async function openInMemory(): Promise<void> {
  start(await openTasks());
  clearFailure();
}

function start(tasks: TaskStore): void {
  let selected: string | undefined;
  const find = byId("find", HTMLInputElement);
  const place = byId("board", HTMLElement);

  /** Carries a call out and tells what came of it; answers whether it went through. */
  const attempt = async (call: () => Promise<Change>, nothing?: string): Promise<boolean> => {
    try {
      const change = await call();
      clearFailure();
      if (change.changed) sayChange(change);
      else if (nothing !== undefined) say(nothing);
      return true;
    } catch (error) {
      showFailure(error, tasks);
      return false;
    }
  };
  const select = (id: string | undefined): void => {
    selected = id;
    show();
  };
  const use = {
    select: (id: string) => {
      select(id);
      byId("detail", HTMLElement).focus();
    },
    act: (verb: "start" | "complete" | "reopen" | "release" | "remove", id: string) => void attempt(() => tasks[verb](id)),
    edit: (id: string, patch: Parameters<TaskStore["update"]>[1]) => attempt(() => tasks.update(id, patch)),
    close: () => {
      const id = selected;
      select(undefined);
      if (id !== undefined) board.focus(id);
    },
  };
  const board = new Board(place, use);
  const detail = new DetailPanel(byId("detail", HTMLElement), tasks, use);
  const begin = element(
    "div",
    { class: "begin" },
    element("p", {}, "There are no tasks yet. Add one, or look at an example first."),
    button("Try an example", () => void attempt(() => tasks.batch(example)), { class: "main" }),
  );
  place.before(begin);

  function show(): void {
    const words = find.value.trim();
    const count = tasks.getSnapshot().length;
    const only = words === "" ? undefined : new Set(tasks.search(words, { limit: count }).map(({ id }) => id));
    board.show(tasks, selected, only);
    detail.show(selected);
    begin.hidden = count > 0;
    place.hidden = count === 0;
    (find.parentElement as HTMLElement).hidden = count === 0;
    showProgress(tasks);
  }

  setUpAdding(tasks, (task) => attempt(() => tasks.add(task)));
  const undo = (): void => void attempt(() => tasks.undo(), "There is nothing to undo.");
  const redo = (): void => void attempt(() => tasks.redo(), "There is nothing to redo.");
  byId("undo", HTMLButtonElement).addEventListener("click", undo);
  byId("redo", HTMLButtonElement).addEventListener("click", redo);
  document.addEventListener("keydown", (event) => {
    // In a field these keys take back what was typed.
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (typing || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
  find.addEventListener("input", show);

  tasks.subscribe(show);
  let readyBefore: ReadonlySet<string> = new Set(tasks.ready().map(({ id }) => id));
  tasks.on("change", (change) => {
    // Told by `attempt`, unless another tab made it.
    if (change.action === "reload") sayForeign(tasks, readyBefore);
    readyBefore = new Set(tasks.ready().map(({ id }) => id));
    showProgress(tasks);
  });
  show();
}

function showProgress(tasks: TaskStore): void {
  const { total, cancelled, completed, done, ready, running, blocked } = tasks.progress();
  const bar = byId("done", HTMLProgressElement);
  bar.value = done;
  bar.hidden = total === 0;
  byId("counts", HTMLElement).textContent =
    total === 0 ? "" : `${completed} of ${total - cancelled} done · ${ready} ready · ${running} in progress · ${blocked} blocked`;
  byId("kept", HTMLElement).textContent = !tasks.durable
    ? "Not saved: this list is gone when the page is closed."
    : tasks.unsaved > 0
      ? "Saving…"
      : "Kept in this browser. Tabs stay in step.";
}

await open();
