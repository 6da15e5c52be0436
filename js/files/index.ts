/** Reading and writing other tools' task files: `blockedby/files`. */
import { isWellFormed } from "../arguments.js";
import { invalid, optionOf, TaskError } from "../errors.js";
import { createTaskGraph, TaskGraph } from "../graph.js";
import { TaskStore } from "../store.js";
import type { Change } from "../types.js";
import { formatNamed, type WritableFormat } from "./formats.js";
import { checkFlag, checkFormat, gather, readOptions, type Gathered } from "./input.js";
import { withReader } from "./reader.js";
import { reportLines } from "./text.js";
import type {
  Exported,
  FilesInput,
  FilesReport,
  Imported,
  ImportOptions,
  InspectOptions,
  ReadOptions,
  TasksRead,
  WrittenFile,
} from "./types.js";

export { fileFormats, type FileFormat, type ReadableFormat, type WritableFormat } from "./formats.js";
export type * from "./types.js";

/**
 * Reports on the files of a list, and gives nothing else. Bad content never rejects: the report says it.
 *
 * Rejects with `invalid_value` for what is no input, `limit` above 256 MB or 100,000 files.
 */
export async function inspect(input: FilesInput, options?: InspectOptions): Promise<FilesReport> {
  const [asked, files] = [readOptions(options, ["from"]), gather(input)];
  return (await read(files, asked, false)).report;
}

/**
 * Reads the files of a list. What is broken is repaired and reported: rings are set aside, doubles told apart.
 * Content that is no list gives none, and does not reject; see {@link inspect} for what does.
 *
 * @example
 * ```ts
 * const { list, report } = await readTasks(text);
 * if (list !== undefined) createTaskGraph({ snapshot: list, onCycle: "setAside" }).ready();
 * ```
 */
export async function readTasks(input: FilesInput, options?: ReadOptions): Promise<TasksRead> {
  const [asked, files] = [readOptions(options, ["from", "strict"]), gather(input)];
  return read(files, asked);
}

/**
 * Reads the files of a list and merges it into another, where one is given: nothing in that one is lost, and what
 * was done is in `change`. With `dryRun` it stays as it is.
 *
 * Rejects with `corrupt` (`details.problems`: the first five, `details.report`) where no list could be read or
 * `strict` refused, with what `merge` refuses, and as {@link inspect} does.
 */
export async function importTasks(input: FilesInput, options?: ImportOptions): Promise<Imported> {
  const asked = readOptions(options, ["from", "strict", "into", "dryRun"]);
  const [into, dryRun] = [optionOf(options, "into"), optionOf(options, "dryRun")];
  if (into !== undefined && !isList(into)) throw invalid("into", into, "a list of this package");
  checkFlag("dryRun", dryRun);
  const { list, report, sound } = await read(gather(input), asked);
  if (list === undefined) throw notRead(report, optionOf(options, "strict") === true);
  if (into === undefined) return { report, sound, list };
  const change = dryRun === true ? tryMerge(into, list) : await into.merge(list);
  return { report, sound, change, list };
}

/** What merging would do, found out on a copy. */
function tryMerge(into: TaskGraph | TaskStore, list: string): Change {
  const copy = createTaskGraph({ snapshot: into.snapshot(), onCycle: "setAside" });
  try {
    return copy.merge(list);
  } finally {
    copy.dispose();
  }
}

/**
 * Writes a list in a format. What the format cannot say is in the report.
 *
 * Rejects with `invalid_value` for a word that is no format to write, `corrupt` for a text that is no list.
 */
export async function exportTasks(list: TaskGraph | TaskStore | string, format: WritableFormat): Promise<Exported> {
  checkFormat("format", format, "writes");
  const text = textOf(list);
  return withReader((glue) => {
    const isWritten = glue.write_files(text, format);
    const report = JSON.parse(glue.take_report()) as FilesReport;
    return { isWritten, report, files: JSON.parse(isWritten ? glue.take_output() : "[]") as WrittenFile[] };
  }).then(({ isWritten, report, files }) => {
    if (!isWritten) throw notRead(report, false);
    return { files, folder: formatNamed(format, "writes")?.folder === true, report };
  });
}

function textOf(list: unknown): string {
  if (isList(list)) return list.snapshot();
  if (typeof list !== "string" || !isWellFormed(list)) throw invalid("list", list, "a list of this package, or its well-formed text");
  return list;
}

const isList = (value: unknown): value is TaskGraph | TaskStore => value instanceof TaskGraph || value instanceof TaskStore;

function read({ manifest, bytes }: Gathered, options: string, withList = true): Promise<TasksRead> {
  return withReader((glue) => {
    const list = glue.read_files(manifest, bytes, options) && withList ? glue.take_list() : undefined;
    const report = JSON.parse(glue.take_report()) as FilesReport;
    const sound = glue.is_sound();
    return { list, report, sound, text: (most = 10) => `${reportLines(report, sound, most).join("\n")}\n` };
  });
}

/** The refusal of files that gave no list: because of `strict`, where there are tasks all the same. */
function notRead(report: FilesReport, strict: boolean): TaskError {
  const problems = report.problems.slice(0, 5);
  const first = problems[0]?.message ?? "There is nothing to read.";
  const isStrict = strict && report.tasks > 0;
  return new TaskError({
    code: "corrupt",
    message: isStrict ? `The files are not sound, and \`strict\` repairs nothing: ${first}` : `No list could be read: ${first}`,
    hint: isStrict ? "Leave `strict` out to have them repaired, or mend what the report names." : "Mend what the report names, or say the format with `from`.",
    details: { problems, report },
  });
}
