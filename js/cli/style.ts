import type { Task } from "../index.js";

/** Colours a text, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

const codes = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33", blue: "34" } as const;

/** The colours in use; a word always says the same. */
export type Colour = keyof typeof codes;

/** Paints with escape sequences where a person sees them: on a terminal, unless NO_COLOR is set. */
export function painter(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const wanted = stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return wanted ? (colour, text) => (text === "" ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`) : (_colour, text) => text;
}

/** The one word for where a task stands. */
export const stateOf = ({ status, readiness, hold }: Task): string => {
  if (readiness === "held") return hold === undefined ? "held" : `held: ${hold.reason}`;
  return readiness === "settled" ? status : readiness;
};

const colours: Readonly<Record<string, Colour>> = { ready: "green", running: "blue", blocked: "yellow", held: "red", settled: "dim" };

/** The colour of where a task stands. */
export const colourOf = (task: Pick<Task, "readiness">): Colour => colours[task.readiness] ?? "bold";
