import { type Change, isTaskError, type TaskError, type TaskStore } from "blockedby";
import { button, byId, element } from "./dom.js";
import { listed, shorten } from "./words.js";

const said = byId("said", HTMLElement);
const failure = byId("failure", HTMLElement);

let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something in the live region. What comes at once is said together, so that a screen reader is not cut off. */
export function say(text: string): void {
  waiting.push(text);
  clearTimeout(timer);
  timer = setTimeout(() => {
    said.textContent = waiting.join(" ");
    waiting = [];
  }, 120);
}

const verbs: Readonly<Record<string, string>> = {
  add: "Added",
  update: "Changed",
  start: "Started",
  complete: "Completed",
  reopen: "Reopened",
  release: "Released",
  remove: "Removed",
  undo: "Taken back",
  redo: "Done again",
  batch: "Added the example",
};

/** What a change means for whoever waits: what was done, what became ready, what became blocked. */
export function sayChange({ action, task, nowReady, nowBlocked, warning }: Change): void {
  const subject = task === undefined ? "" : ` ${shorten(task.title)}`;
  const others = (tasks: Change["nowReady"]): Change["nowReady"] => tasks.filter(({ id }) => id !== task?.id);
  const parts = [`${verbs[action] ?? "Changed"}${subject}.`];
  if (warning !== undefined) parts.push("It was still waiting for others.");
  const [ready, blocked] = [others(nowReady), others(nowBlocked)];
  if (ready.length > 0) parts.push(`Now ready: ${listed(ready)}.`);
  if (blocked.length > 0 && action !== "batch") parts.push(`Now blocked: ${listed(blocked)}.`);
  say(parts.join(" "));
}

/** What another tab did, as far as it made tasks ready that were not. */
export function sayForeign(tasks: TaskStore, readyBefore: ReadonlySet<string>): void {
  const fresh = tasks.ready().filter(({ id }) => !readyBefore.has(id));
  say(`Changed in another tab.${fresh.length === 0 ? "" : ` Now ready: ${listed(fresh)}.`}`);
}

/** The engine names tasks by their ids; people know them by their titles. */
function withTitles(tasks: TaskStore | undefined, text: string): string {
  return text.replace(/`([^`]+)`/g, (all, id: string) => {
    const title = tasks?.get(id)?.title;
    return title === undefined ? all : `“${shorten(title)}”`;
  });
}

/** Something else to do about a failure. */
export interface WayOut {
  readonly text: string;
  readonly go: () => void;
}

/** Shows why something could not be done and what to do next. Stays until it is closed or something succeeds. */
export function showFailure(error: unknown, tasks?: TaskStore, waysOut: readonly WayOut[] = []): void {
  if (!isTaskError(error)) throw error;
  const { message, hint }: TaskError = error;
  const back = document.activeElement;
  const close = (): void => {
    clearFailure();
    if (back instanceof HTMLElement) back.focus();
  };
  failure.replaceChildren(
    element(
      "div",
      { class: "failure" },
      element("p", {}, element("strong", {}, withTitles(tasks, message)), " ", withTitles(tasks, hint)),
      ...waysOut.map(({ text, go }) => button(text, go)),
      waysOut.length > 0 ? null : button("Close", close),
    ),
  );
}

/** Takes the failure away. */
export function clearFailure(): void {
  failure.replaceChildren();
}
