/**
 * Commands about files of other tools. Their reader is loaded here and by nothing else, so the other commands start
 * as quickly as if there were none.
 */
import path from "node:path";
import { createTaskGraph, isTaskError, openTasks, TaskError, type Change, type TaskGraph, type TaskStore } from "../index.js";
import { formatNamed } from "../files/formats.js";
import type { FilesReport, ImportOptions, TaskFile } from "../files/index.js";
import { type ReadTaskFile, readTaskFiles, sidecarStorage, writeTaskFiles } from "../node/index.js";
import { type Invocation, readFormat, UsageError } from "./arguments.js";

type Values = Invocation["values"];

/** What a merge did to the list, in numbers. */
export interface Merged {
  readonly added: number;
  readonly changed: number;
  /** The ids that had to be changed, because another task of the list has them. */
  readonly renamed: Readonly<Record<string, string>>;
  readonly isDryRun: boolean;
}

/** A report, and what was done after it. */
export interface ReportAnswer {
  readonly kind: "report";
  readonly report: FilesReport;
  readonly sound: boolean;
  readonly merged?: Merged;
  /** Why nothing was imported. */
  readonly refused?: TaskError;
}

/** Files that were written or are to be printed. */
export interface FilesAnswer {
  readonly kind: "files";
  readonly report: FilesReport;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Where they were written; without it they are the answer. */
  readonly out?: string;
}

const library = () => import("../entries/files.js");

/** `doctor`: the report, and nothing else. */
export async function examine({ paths, values }: Invocation): Promise<ReportAnswer> {
  const from = fromOf(values);
  const files = await readTaskFiles(paths);
  const { report, sound } = await (await library()).readTasks(files, from);
  return { kind: "report", report, sound };
}

/** `import`: reads, reports, merges. */
export async function importFiles({ paths, values }: Invocation, options: Parameters<typeof openTasks>[0]): Promise<ReportAnswer> {
  const isDryRun = values["dry-run"] !== undefined;
  const asked = { ...fromOf(values), strict: values.strict !== undefined };
  const files = await readTaskFiles(paths);
  const storage = values.into === undefined ? {} : { storage: sidecarStorage({ file: values.into }) };
  const tasks = await openTasks({ ...options, ...storage, readOnly: isDryRun, recover: false });
  try {
    return await merge(files, tasks, { ...asked, dryRun: isDryRun });
  } finally {
    await tasks.close();
  }
}

async function merge(files: readonly TaskFile[], into: TaskStore, options: ImportOptions & { readonly dryRun: boolean }): Promise<ReportAnswer> {
  const before = new Set(into.getSnapshot().map(({ id }) => id));
  try {
    const { importTasks } = await library();
    const { report, sound, change } = await importTasks(files, { ...options, into });
    return { kind: "report", report, sound, merged: counted(change as Change, before, options.dryRun) };
  } catch (error) {
    const report = isTaskError(error) && error.code === "corrupt" ? reportIn(error) : undefined;
    if (report === undefined) throw error;
    // The report is told in full beside it.
    const { code, message, hint } = error as TaskError;
    return { kind: "report", report, sound: false, refused: new TaskError({ code, message, hint }) };
  }
}

const reportIn = ({ details }: TaskError): FilesReport | undefined => (details as { readonly report?: FilesReport }).report;

function counted({ tasks = [], keys = {} }: Change, before: ReadonlySet<string>, isDryRun: boolean): Merged {
  const changed = tasks.filter(({ id }) => before.has(id)).length;
  return { added: tasks.length - changed, changed, renamed: keys, isDryRun };
}

/** `export`: the list in another format. */
export async function exportFiles({ values }: Invocation, options: Parameters<typeof openTasks>[0]): Promise<FilesAnswer> {
  if (values.to === undefined) {
    throw new UsageError({
      code: "missing_field",
      message: "export needs the format to write.",
      hint: "Write blockedby export --to FORMAT; `blockedby help export` lists them.",
      details: { field: "to" },
    });
  }
  const format = readFormat("to", values.to);
  const isFolder = formatNamed(format, "writes")?.folder === true;
  const { out } = values;
  // With --json the files are part of the answer.
  if (isFolder && out === undefined && values.json === undefined) {
    throw new UsageError({
      code: "missing_field",
      message: `${format} is a folder of files, so --out has to say where.`,
      hint: `Write blockedby export --to ${format} --out FOLDER.`,
      details: { field: "out" },
    });
  }
  const list = values.file ?? (values.session === undefined ? ".tasks.json" : undefined);
  if (out !== undefined && list !== undefined && path.resolve(out) === path.resolve(list)) {
    throw new UsageError({
      code: "invalid_value",
      message: `--out names the list itself, ${list}.`,
      hint: "Write to another place; the list would be lost.",
      details: { field: "out", got: out, expected: "a place other than the list's" },
    });
  }
  const tasks = await openTasks({ ...options, readOnly: true });
  try {
    const { exportTasks } = await library();
    const { files, report } = await exportTasks(tasks, format);
    if (out === undefined) return { kind: "files", report, files };
    await writeTaskFiles(isFolder ? { folder: out } : { file: out }, files, { replace: values.replace !== undefined });
    return { kind: "files", report, files, out };
  } finally {
    await tasks.close();
  }
}

/** A file or folder of another tool as a list to be looked at. Nothing of it is written back. */
export async function openForeign(values: Values): Promise<{ readonly tasks: TaskGraph; readonly problems: number }> {
  const from = fromOf(values);
  const files: readonly ReadTaskFile[] = await readTaskFiles(values.file ?? ".tasks.json");
  const { importTasks } = await library();
  const { list, report } = await importTasks(files, from);
  return { tasks: createTaskGraph({ snapshot: list, onCycle: "setAside" }), problems: report.problems.length };
}

function fromOf({ from }: Values): Pick<ImportOptions, "from"> {
  return from === undefined || from === "auto" ? {} : { from: readFormat("from", from) };
}
