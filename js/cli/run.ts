import { type Change, type Detail, type Explanation, openTasks, renderDetail, type Task, type TaskPatch, type TaskStore } from "../index.js";
import { sidecarStorage } from "../node/index.js";
import { type Invocation, readIds, readStatuses, UsageError } from "./arguments.js";
import { type CommandName, statuses } from "./spec.js";

/** What a command has to say. */
export type Answer =
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "tasks"; readonly tasks: readonly Task[]; readonly waitsFor: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: "task"; readonly task: Task; readonly detail: Detail }
  | { readonly kind: "explanation"; readonly explanation: Explanation };

type Values = Invocation["values"];

/** Commands that only look: they open the list without a write and without recovery (D15). */
const reading: ReadonlySet<CommandName> = new Set(["list", "get", "ready", "blocked", "explain"]);

/** Opens the list, carries out the command, closes the list. Throws `TaskError`s. */
export async function run(command: CommandName, { argument, values }: Invocation): Promise<Answer> {
  // Before the list is opened: a mistake in writing must not touch it.
  const question = command === "list" ? { status: values.status === undefined ? unlessDeleted : readStatuses(values.status) } : {};
  const tasks = await openTasks({
    storage: sidecarStorage(placeOf(values)),
    readOnly: reading.has(command),
    ...(values.actor === undefined ? {} : { actor: actorOf(values.actor) }),
  });
  try {
    switch (command) {
      case "list":
        return listed(tasks, tasks.list(question).tasks);
      case "ready":
        return listed(tasks, tasks.ready());
      case "blocked":
        return listed(tasks, tasks.blocked());
      case "get": {
        const detail = renderDetail(tasks, argument);
        return { kind: "task", task: tasks.get(detail.id) as Task, detail };
      }
      case "explain":
        return { kind: "explanation", explanation: tasks.explain(argument) };
      default:
        return { kind: "change", change: await change(tasks, command, argument, values) };
    }
  } finally {
    await tasks.close();
  }
}

const unlessDeleted = statuses.filter((status) => status !== "deleted");

function placeOf({ file, session, "session-dir": sessionDir }: Values): Parameters<typeof sidecarStorage>[0] {
  return session === undefined ? { file: file ?? ".tasks.json" } : { sessionId: session, sessionDir };
}

function actorOf(text: string): "host" | `user:${string}` | `agent:${string}` {
  if (text === "host" || /^(user|agent):./.test(text)) return text as "host";
  throw new UsageError({
    code: "invalid_value",
    message: `--actor was given ${JSON.stringify(text)}; expected host, user:<id> or agent:<id>.`,
    hint: `Write --actor user:${text.replace(/^.*:/, "") || "<id>"}.`,
    details: { field: "actor", got: text, expected: "host, user:<id> or agent:<id>" },
  });
}

/**
 * Rows, and for each open one the ids in `blockedBy` that are not settled. Asking the engine to explain
 * every row would cost the square of the list; what waits for its parent or for an earlier step alone
 * is told by `explain`.
 */
function listed(tasks: TaskStore, rows: readonly Task[]): Answer {
  const isOpen = (id: string): boolean => tasks.get(id)?.readiness !== "settled";
  const waiting = rows.filter(({ readiness }) => readiness !== "settled");
  const waitsFor = new Map(waiting.map(({ id, blockedBy }) => [id, blockedBy.filter(isOpen)]));
  return { kind: "tasks", tasks: rows, waitsFor };
}

type Mutation = Exclude<CommandName, "list" | "ready" | "blocked" | "get" | "explain">;

function change(tasks: TaskStore, command: Mutation, argument: string, values: Values): Promise<Change> {
  const blockedBy = values["blocked-by"] === undefined ? {} : { blockedBy: readIds(values["blocked-by"]) };
  const { id, title, description, status } = given(values);
  switch (command) {
    case "add":
      return tasks.add({ title: argument, ...id, ...description, ...blockedBy });
    case "update":
      return tasks.update(argument, { ...title, ...description, ...(status as Pick<TaskPatch, "status">), ...blockedBy });
    case "complete":
      return tasks.complete(argument);
    case "remove":
      return tasks.remove(argument);
    case "undo":
      return tasks.undo();
    case "redo":
      return tasks.redo();
  }
}

/** Each option as a field of its own, or nothing where it was not given; what it says is the engine's to judge. */
function given(values: Values) {
  const field = <Name extends "id" | "title" | "description" | "status">(name: Name): { [Key in Name]?: string } =>
    values[name] === undefined ? {} : ({ [name]: values[name] } as { [Key in Name]: string });
  return { id: field("id"), title: field("title"), description: field("description"), status: field("status") };
}
