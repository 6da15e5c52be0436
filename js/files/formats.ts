/** What is known of a format without loading its reader. Pinned to the Rust side by `tests/js/files.test.ts`. */
interface FormatInfo {
  readonly word: string;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether it is a folder of files rather than one file. */
  readonly folder: boolean;
  readonly about: string;
}

/** The formats of task files. */
export const fileFormats = [
  { word: "blockedby", reads: true, writes: true, folder: false, about: "a list of this package" },
  { word: "tasks", reads: true, writes: false, folder: false, about: "a bare {\"tasks\":[…]}" },
  { word: "task-master", reads: true, writes: true, folder: false, about: "claude-task-master's tasks.json" },
  { word: "beads", reads: true, writes: true, folder: false, about: "a beads ledger, JSON lines" },
  { word: "claude-code", reads: true, writes: true, folder: true, about: "a folder of Claude Code tasks, 1.json, 2.json, …" },
  { word: "learn-claude-code", reads: true, writes: true, folder: true, about: "a folder of task_1.json, task_2.json, …" },
  { word: "backlog", reads: true, writes: true, folder: true, about: "a Backlog.md folder" },
  { word: "shrimp", reads: true, writes: true, folder: false, about: "mcp-shrimp-task-manager's tasks.json" },
  { word: "plan", reads: true, writes: false, folder: true, about: "Markdown plans with YAML front matter" },
  { word: "checklist", reads: false, writes: true, folder: false, about: "a Markdown checklist" },
  { word: "mermaid", reads: false, writes: true, folder: false, about: "a Mermaid flowchart" },
  { word: "dot", reads: false, writes: true, folder: false, about: "a Graphviz graph" },
  { word: "csv", reads: false, writes: true, folder: false, about: "the edges as CSV" },
] as const satisfies readonly FormatInfo[];

type Format = (typeof fileFormats)[number];

/** The word of a format. */
export type FileFormat = Format["word"];
/** The word of a format that can be read. */
export type ReadableFormat = Extract<Format, { readonly reads: true }>["word"];
/** The word of a format that can be written. */
export type WritableFormat = Extract<Format, { readonly writes: true }>["word"];

/** What is known of a format that can be read, or written; nothing for any other word. */
export function formatNamed(word: unknown, use: "reads" | "writes"): Format | undefined {
  return fileFormats.find((format) => format.word === word && format[use]);
}

/** The words of the formats that can be read, or written. */
export const wordsOf = (use: "reads" | "writes"): string[] => fileFormats.filter((format) => format[use]).map(({ word }) => word);
