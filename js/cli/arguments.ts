import { parseArgs } from "node:util";
import { TaskError, type TaskErrorInit } from "../index.js";
import { fileFormats, type FileFormat, type ReadableFormat, type WritableFormat } from "../files/formats.js";
import { type CommandName, commands, everywhere, type OptionName, optionOf, options, specOf, statuses } from "./spec.js";

/** A command line that cannot be understood: exit code 2, where a refusal of the engine is 1. */
export class UsageError extends TaskError {
  constructor(init: TaskErrorInit) {
    super({ ...init, hint: init.hint ?? "Run `blockedby --help`." });
  }
}

/** A command line, understood. */
export interface Invocation {
  /** Absent when only help or the version was asked for. */
  readonly command?: CommandName;
  /** The TITLE or ID; empty for commands that take none. */
  readonly argument: string;
  /** The PATHs; none for commands that take none. */
  readonly paths: readonly string[];
  readonly values: Readonly<Partial<Record<OptionName, string>>>;
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);
const isOption = (name: string): name is OptionName => Object.hasOwn(options, name);

/**
 * Whether `--json` stands among the arguments, so that even a mistake beside it is told in the form
 * that was asked for.
 */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes("--json");
}

/** Reads a command line. Throws {@link UsageError}. */
export function readArguments(args: readonly string[]): Invocation {
  const { positionals, given } = tokens(args);
  const [name, ...rest] = positionals;
  const flags = { json: given.has("json"), help: given.has("help"), version: given.has("version") };
  if (name === undefined) {
    if (flags.help || flags.version) return { ...flags, ...nothing, values: {} };
    throw new UsageError({ code: "missing_field", message: "No command was given.", details: { field: "command" } });
  }
  // `blockedby help add` is `blockedby add --help`.
  if (name === "help") {
    const about = rest[0];
    const command = about === undefined ? {} : { command: commandNamed(about) };
    return { ...flags, ...command, ...nothing, help: true, values: {} };
  }
  const command = commandNamed(name);
  refuseForeign(command, given);
  const values = Object.fromEntries(given) as Invocation["values"];
  if (flags.help || flags.version) return { ...flags, command, ...nothing, values };
  return { ...flags, command, ...argumentsOf(command, rest), values: checkPlace(values) };
}

const nothing = { argument: "", paths: [] } as const;

/** Splits the command line into words and options, each at most once. */
function tokens(args: readonly string[]): { positionals: string[]; given: Map<OptionName, string> } {
  const known = Object.entries(options).map(
    ([name, option]) => [name, { type: "takes" in option ? ("string" as const) : ("boolean" as const) }] as const,
  );
  const parsed = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(known), help: { type: "boolean", short: "h" } },
    // The mistakes are told below, in our own words.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals: string[] = [];
  const given = new Map<OptionName, string>();
  for (const token of parsed.tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name } = token;
    if (!isOption(name)) throw unknown("option", token.rawName, Object.keys(options).map((known) => `--${known}`));
    if (given.has(name)) throw refused(name, "it twice", "it once", `Give --${name} once.`);
    given.set(name, valueOf(name, token.value, token.inlineValue));
  }
  return { positionals, given };
}

function valueOf(name: OptionName, value: string | undefined, inline: boolean | undefined): string {
  const { takes } = optionOf(name);
  if (takes === undefined) {
    if (value !== undefined) throw refused(name, value, "no value", `Write --${name} alone.`);
    return "";
  }
  if (value === undefined) {
    throw new UsageError({
      code: "missing_field",
      message: `--${name} needs a value.`,
      hint: `Write --${name} ${takes}.`,
      details: { field: name },
    });
  }
  // `--id --json` is a forgotten value far more often than an id.
  if (inline !== true && value.startsWith("-") && value.length > 1) {
    throw refused(name, value, `a value (${takes})`, `Write --${name}=${value} if that is the value.`);
  }
  return value;
}

function commandNamed(name: string): CommandName {
  if (isCommand(name)) return name;
  throw unknown("command", name, Object.keys(commands));
}

function refuseForeign(command: CommandName, given: ReadonlyMap<OptionName, string>): void {
  const allowed = [...specOf(command).options, ...everywhere(command)];
  for (const name of given.keys()) {
    if (!allowed.includes(name)) throw unknown(`option of ${command}`, `--${name}`, allowed.map((one) => `--${one}`));
  }
}

const meant = { ID: "the id of a task", TITLE: "a title", "PATH...": "the path of a file or a folder" } as const;

function argumentsOf(command: CommandName, words: readonly string[]): Pick<Invocation, "argument" | "paths"> {
  const { argument } = specOf(command);
  const [first, second] = words;
  if (argument !== undefined && (first === undefined || (argument === "PATH..." && words.includes("")))) {
    throw new UsageError({
      code: "missing_field",
      message: `${command} needs ${meant[argument]}.`,
      hint: `Write blockedby ${command} ${argument}.`,
      details: { field: argument.replace("...", "").toLowerCase() },
    });
  }
  if (argument === "PATH...") return { argument: "", paths: words };
  const extra = argument === undefined ? first : second;
  if (extra !== undefined) {
    const hint = argument === "TITLE" ? "Put a title of several words in quotes." : `Run \`blockedby ${command} --help\`.`;
    throw new UsageError({
      code: "invalid_value",
      message: `${command} takes ${argument === undefined ? "no argument" : "one argument"}, but ${JSON.stringify(extra)} was given too.`,
      hint,
      details: { field: "arguments", got: extra, expected: argument ?? "nothing" },
    });
  }
  return { argument: first ?? "", paths: [] };
}

function checkPlace(values: Invocation["values"]): Invocation["values"] {
  if (values.file !== undefined && values.session !== undefined) {
    throw refused("session", "--file too", "one of both", "Name the list by --file or by --session.");
  }
  if (values.into !== undefined && (values.file ?? values.session) !== undefined) {
    throw refused("into", `--${values.file === undefined ? "session" : "file"} too`, "one of both", "Name the list by --into alone.");
  }
  if (values.from !== undefined && values.session !== undefined) {
    throw refused("from", "--session too", "the path of a file or folder by --file", "Sessions are lists of this package: leave --from out.");
  }
  if (values["session-dir"] !== undefined && values.session === undefined) {
    throw new UsageError({
      code: "missing_field",
      message: "--session-dir needs --session.",
      hint: "Name the session, or give the file's path with --file.",
      details: { field: "session" },
    });
  }
  return values;
}

function refused(field: OptionName, got: string, expected: string, hint: string): UsageError {
  return new UsageError({
    code: "invalid_value",
    message: `--${field} was given ${got}; expected ${expected}.`,
    hint,
    details: { field, got, expected },
  });
}

function unknown(kind: string, name: string, known: readonly string[]): UsageError {
  const nearest = nearestOf(name, known);
  return new UsageError({
    code: "unknown_field",
    message: `There is no ${kind} ${JSON.stringify(name)}.`,
    hint: nearest === undefined ? "Run `blockedby --help`." : `Did you mean ${nearest}?`,
    details: { field: name, ...(nearest === undefined ? {} : { didYouMean: nearest }) },
  });
}

/** The ids of `--blocked-by`; `\,` is a comma that belongs to an id. */
export function readIds(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((id) => id.replaceAll("\\,", ",").trim())
    .filter((id) => id !== "");
}

/** The format that `--from` or `--to` names. Throws {@link UsageError}. */
export function readFormat(option: "from", text: string): ReadableFormat;
export function readFormat(option: "to", text: string): WritableFormat;
export function readFormat(option: "from" | "to", text: string): FileFormat {
  const use = option === "from" ? "reads" : "writes";
  const known: readonly FileFormat[] = fileFormats.filter((format) => format[use]).map(({ word }) => word);
  const found = known.find((word) => word === text);
  if (found !== undefined) return found;
  const nearest = nearestOf(text, known);
  const hint = nearest === undefined ? `Run \`blockedby help ${option === "from" ? "import" : "export"}\`.` : `Did you mean ${nearest}?`;
  throw refused(option, JSON.stringify(text), `one of ${known.join(", ")}`, hint);
}

/** The statuses of `list --status`. Throws {@link UsageError}. */
export function readStatuses(text: string): (typeof statuses)[number][] {
  const known: readonly string[] = statuses;
  const words = text.split(",").map((word) => word.trim());
  const stranger = words.find((word) => !known.includes(word));
  if (stranger === undefined) return words as (typeof statuses)[number][];
  const nearest = nearestOf(stranger, known);
  throw refused(
    "status",
    JSON.stringify(stranger),
    `one of ${known.join(", ")}`,
    nearest === undefined ? "Separate several by commas." : `Did you mean ${nearest}?`,
  );
}

/** The known name that a mistyped one most likely meant: at most a third of its letters are wrong. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** How many letters must be put in, taken out or replaced. */
function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > to.length) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
