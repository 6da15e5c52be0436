import {
  type Change,
  type Detail,
  type Explanation,
  openTasks,
  renderDetail,
  type Task,
  type TaskPatch,
  type TaskReads,
  type TaskStore,
} from "../index.js";
import { sidecarStorage } from "../node/index.js";
import { type Invocation, readIds, readStatuses, UsageError } from "./arguments.js";
import { examine, exportFiles, type FilesAnswer, importFiles, openForeign, type ReportAnswer } from "./files.js";
import { type CommandName, statuses } from "./spec.js";

/** What a command has to say. */
export type Answer =
  | { readonly kind: "change"; readonly change: Change }
  | (Looked & { readonly kind: "tasks"; readonly tasks: readonly Task[]; readonly waitsFor: ReadonlyMap<string, readonly string[]> })
  | (Looked & { readonly kind: "task"; readonly task: Task; readonly detail: Detail })
  | (Looked & { readonly kind: "explanation"; readonly explanation: Explanation })
  | ReportAnswer
  | FilesAnswer;

interface Looked {
  /** How many things are odd about the files of another tool that were looked at. */
  readonly problems?: number;
}

type Values = Invocation["values"];

/** Commands that only look: they open the list without a write and without recovery (D15). */
const questions = ["list", "get", "ready", "blocked", "explain"] as const satisfies readonly CommandName[];
type Question = (typeof questions)[number];
const isQuestion = (command: CommandName): command is Question => (questions as readonly CommandName[]).includes(command);

/** Opens the list, carries out the command, closes the list. Throws `TaskError`s. */
export async function run(command: CommandName, invocation: Invocation): Promise<Answer> {
  const { argument, values } = invocation;
  if (command === "doctor") return examine(invocation);
  // Before the list is opened: a mistake in writing must not touch it.
  if (isQuestion(command)) return look(command, argument, values);
  const options = optionsOf(values);
  if (command === "import") return importFiles(invocation, options);
  if (command === "export") return exportFiles(invocation, options);
  const tasks = await openTasks(options);
  try {
    return { kind: "change", change: await change(tasks, command, argument, values) };
  } finally {
    await tasks.close();
  }
}

function optionsOf(values: Values): { storage: ReturnType<typeof sidecarStorage>; actor?: ReturnType<typeof actorOf> } {
  return { storage: sidecarStorage(placeOf(values)), ...(values.actor === undefined ? {} : { actor: actorOf(values.actor) }) };
}

async function look(command: Question, argument: string, values: Values): Promise<Answer> {
  const statuses = values.status === undefined ? unlessDeleted : readStatuses(values.status);
  if (values.from !== undefined) {
    const { tasks, problems } = await openForeign(values);
    return { ...ask(tasks, command, argument, statuses), problems };
  }
  const tasks = await openTasks({ ...optionsOf(values), readOnly: true });
  try {
    return ask(tasks, command, argument, statuses);
  } finally {
    await tasks.close();
  }
}

function ask(tasks: TaskReads, command: Question, argument: string, status: typeof unlessDeleted): Extract<Answer, Looked> {
  switch (command) {
    case "list":
      return listed(tasks, tasks.list({ status }).tasks);
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
  }
}

const unlessDeleted: readonly (typeof statuses)[number][] = statuses.filter((status) => status !== "deleted");

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
function listed(tasks: TaskReads, rows: readonly Task[]): Extract<Answer, { kind: "tasks" }> {
  const isOpen = (id: string): boolean => tasks.get(id)?.readiness !== "settled";
  const waiting = rows.filter(({ readiness }) => readiness !== "settled");
  const waitsFor = new Map(waiting.map(({ id, blockedBy }) => [id, blockedBy.filter(isOpen)]));
  return { kind: "tasks", tasks: rows, waitsFor };
}

type Mutation = Exclude<CommandName, Question | "import" | "export" | "doctor">;

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
