import { fileFormats } from "../files/formats.js";
import { type CommandName, commands, everywhere, type OptionName, optionOf, specOf } from "./spec.js";

/** Names in one column, what they mean in the next. */
function columns(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
}

const usageOf = (name: CommandName): string => {
  const { argument, options } = specOf(name);
  const shown = options.map((option) => `[${flag(option)}]`);
  return [name, ...(argument === undefined ? [] : [argument]), ...shown].join(" ");
};

function flag(name: OptionName): string {
  const { takes } = optionOf(name);
  return takes === undefined ? `--${name}` : `--${name} ${takes}`;
}

const describe = (names: readonly OptionName[]): string[] =>
  columns(names.map((name) => [flag(name), optionOf(name).about] as const));

/** The formats that an option names. */
const formats = (use: "reads" | "writes"): string[] => [
  "",
  `Formats that can be ${use === "reads" ? "read" : "written"}:`,
  ...columns(fileFormats.filter((format) => format[use]).map(({ word, about }) => [word, about] as const)),
];

/** The help of one command, or of all. */
export function helpText(command?: CommandName): string {
  if (command !== undefined) {
    const { about, options } = specOf(command);
    return [
      `blockedby ${usageOf(command)}`,
      "",
      about,
      ...(options.length === 0 ? [] : ["", "Options:", ...describe(options)]),
      "",
      "Options of every command:",
      ...describe(everywhere(command)),
      ...(options.includes("from") ? formats("reads") : []),
      ...(options.includes("to") ? formats("writes") : []),
    ].join("\n");
  }
  return [
    "blockedby: a task graph in a file. What is ready follows from what waits for what.",
    "",
    "Usage: blockedby COMMAND [options]",
    "",
    "Commands:",
    ...(Object.keys(commands) as CommandName[]).flatMap((name) => [`  ${usageOf(name)}`, `      ${specOf(name).about}`]),
    "",
    "Options of every command:",
    ...describe(everywhere()),
    "",
    "With --from the commands list, get, ready, blocked and explain look at a file or folder of another tool, named by --file.",
    "An id or title that begins with a dash goes behind --, as in: blockedby complete -- -1",
    "Exit codes: 0 done, 1 refused or not sound, 2 the command line is wrong, 9 lost a race (try again).",
  ].join("\n");
}
