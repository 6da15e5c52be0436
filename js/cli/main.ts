#!/usr/bin/env node
/**
 * The command `blockedby`: a task list in a file, for people and for scripts.
 *
 * Standard output carries the answer, standard error what went wrong and what deserves a second
 * look. Exit codes: 0 done, 1 refused or not sound, 2 the command line is wrong, 9 lost a race.
 */
import { readFileSync } from "node:fs";
import { isTaskError, TaskError } from "../index.js";
import { toStorageError } from "../storage/errors.js";
import { type Invocation, readArguments, UsageError, wantsJson } from "./arguments.js";
import { helpText } from "./help.js";
import { answerAsJson, answerAsText, errorAsJson } from "./print.js";
import { type Answer, run } from "./run.js";
import { painter } from "./style.js";
import { plain } from "./text.js";

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

function version(): string {
  // Beside the built program; read rather than built in, so that it cannot disagree with the package.
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Prints an answer; gives the exit code. */
function tell(answer: Answer, { command, json, values }: Invocation): number {
  if (json) {
    say(answerAsJson(answer));
  } else {
    const { stdout } = process;
    say(answerAsText(answer, { columns: stdout.isTTY ? stdout.columns : undefined, paint: painter(stdout, process.env) }));
    const paint = painter(process.stderr, process.env);
    for (const warning of warningsOf(answer, values)) complain(`${paint("yellow", "warning:")} ${plain(warning)}`);
  }
  if (answer.kind !== "report") return 0;
  if (answer.refused !== undefined) return report(answer.refused, json);
  return command === "doctor" && !answer.sound ? 1 : 0;
}

/** What deserves a second look beside the answer. */
function warningsOf(answer: Answer, { file }: Invocation["values"]): readonly string[] {
  if (answer.kind === "change") return answer.change.warning === undefined ? [] : [answer.change.warning.message];
  if (answer.kind === "files") return answer.report.problems.map(({ message }) => message);
  if (answer.kind === "report" || (answer.problems ?? 0) === 0) return [];
  return [`There is something to say about these files (${answer.problems}): run blockedby doctor ${file ?? ".tasks.json"}.`];
}

function report(error: unknown, json: boolean): number {
  const known = isTaskError(error);
  const told = known
    ? error
    : {
        code: "unexpected",
        message: error instanceof Error ? error.message : String(error),
        hint: "This is a mistake in blockedby. Please report it.",
        details: {},
      };
  if (json) {
    complain(errorAsJson(told));
  } else {
    const paint = painter(process.stderr, process.env);
    complain(`${paint("red", "error:")} ${plain(told.message)}`);
    if (told.hint !== "") complain(`${paint("bold", "hint:")} ${plain(told.hint)}`);
  }
  if (error instanceof UsageError) return 2;
  return told.code === "conflict" ? 9 : 1;
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const invocation = readArguments(args);
    if (invocation.version) say(version());
    else if (invocation.help || invocation.command === undefined) say(helpText(invocation.command));
    else return tell(await run(invocation.command, invocation), invocation);
    return 0;
  } catch (error) {
    return report(error, wantsJson(args));
  }
}

const given = process.argv.slice(2);
let isUnprinted = false;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads us may have seen enough (`blockedby list | head`): the work is done, that is no failure.
  if (error.code === "EPIPE" || isUnprinted) return;
  isUnprinted = true;
  const { code, message, details } = toStorageError(error, "print the answer");
  const hint = "What the command did is done: look at the list before you repeat it.";
  process.exitCode = report(new TaskError({ code, message, hint, details: { ...details }, cause: error }), wantsJson(given));
});

// There is no other place to say so; the exit code tells.
process.stderr.on("error", () => undefined);

// Not `process.exit`, which would cut off what is still being printed.
const exitCode = await main(given);
process.exitCode = isUnprinted ? 1 : exitCode;
