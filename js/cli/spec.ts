import type { Status } from "../index.js";

/** The options there are. A `value` option takes the argument after it, a flag none. */
export const options = {
  id: { takes: "ID", about: "the id of the new task; left out, one is made" },
  title: { takes: "TITLE", about: "the new title" },
  description: { takes: "TEXT", about: "free text" },
  "blocked-by": { takes: "ID,ID", about: "the tasks that must settle first; replaces the whole set, \"\" empties it" },
  status: { takes: "STATUS", about: "pending, in_progress, completed, cancelled or deleted (list: held too, several with commas)" },
  from: { takes: "FORMAT", about: "the format of the file or folder, or auto" },
  to: { takes: "FORMAT", about: "the format to write" },
  into: { takes: "FILE", about: "the file of the list that takes the tasks in (default: that of --file)" },
  out: { takes: "PATH", about: "the file or folder to write; left out, one file goes to standard output" },
  replace: { about: "write over files that are there" },
  "dry-run": { about: "tell what would be done, and write nothing" },
  strict: { about: "refuse what would have to be repaired" },
  file: { takes: "PATH", about: "the file that holds the list (default: ./.tasks.json)" },
  session: { takes: "ID", about: "the list of a session: <ID>.tasks.json" },
  "session-dir": { takes: "FOLDER", about: "folder of the session (default: KIN_SESSION_DIR, else the working folder)" },
  actor: { takes: "ACTOR", about: "who calls: host (default), user:<id> or agent:<id>" },
  json: { about: "print JSON, the same shapes in every version of this schema" },
  help: { about: "print this, or the help of a command" },
  version: { about: "print the version" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

interface OptionSpec {
  /** What the help calls its value; a flag has none. */
  readonly takes?: string;
  readonly about: string;
}

/** The name of an option, without its dashes. */
export type OptionName = keyof typeof options;

/** Options that say which list, and who calls. */
const ofList: readonly OptionName[] = ["file", "session", "session-dir", "actor"];

interface CommandSpec {
  /** What the argument is, where there is one; of paths there may be several. */
  readonly argument?: "TITLE" | "ID" | "PATH...";
  readonly options: readonly OptionName[];
  readonly about: string;
  /** It opens no list. */
  readonly withoutList?: boolean;
}

/** The commands there are. */
export const commands = {
  add: { argument: "TITLE", options: ["id", "blocked-by", "description"], about: "Add a task." },
  update: { argument: "ID", options: ["title", "status", "blocked-by", "description"], about: "Edit a task." },
  complete: { argument: "ID", options: [], about: "Complete a task; tells what became ready." },
  remove: { argument: "ID", options: [], about: "Remove a task. Its row stays as deleted and blocks nobody." },
  list: { options: ["status", "from"], about: "List the tasks, all but the deleted ones unless --status asks for them." },
  get: { argument: "ID", options: ["from"], about: "Show one task." },
  ready: { options: ["from"], about: "List what can be started now." },
  blocked: { options: ["from"], about: "List open tasks that wait for others." },
  explain: { argument: "ID", options: ["from"], about: "Say why a task is as it is, and what would move it." },
  undo: { options: [], about: "Take back the newest change." },
  redo: { options: [], about: "Take back the newest undo." },
  import: {
    argument: "PATH...",
    options: ["into", "from", "dry-run", "strict"],
    about: "Merge task files of another tool into the list; tells all that is odd about them.",
  },
  export: { options: ["to", "out", "replace"], about: "Write the list as task files of another tool, or as a drawing." },
  doctor: {
    argument: "PATH...",
    options: ["from"],
    about: "Say what is wrong with task files, and change nothing. Exit code 0: sound, 1: not sound.",
    withoutList: true,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** The name of a command. */
export type CommandName = keyof typeof commands;

/** What is known of a command, whichever it is. */
export const specOf = (name: CommandName): CommandSpec => commands[name];

/** Options that a command takes beside its own. */
export const everywhere = (name?: CommandName): readonly OptionName[] => [
  ...(name !== undefined && specOf(name).withoutList === true ? [] : ofList),
  "json",
  "help",
  "version",
];

/** What is known of an option, whichever it is. */
export const optionOf = (name: OptionName): OptionSpec => options[name];

/** The words of `list --status`. */
export const statuses = ["pending", "in_progress", "held", "completed", "cancelled", "deleted"] as const satisfies readonly Status[];
