import type { TaskGraph } from "../graph.js";
import type { TaskStore } from "../store.js";
import type { Change, Status } from "../types.js";
import type { ReadableFormat } from "./formats.js";

/** A file with its path, as the user would name it, with `/` between folders. The path is shown, never opened. */
export interface TaskFile {
  readonly path: string;
  readonly content: string | ArrayBuffer | ArrayBufferView;
}

/** One file of a list: its text, its bytes, or either with a path. */
export type FileInput = string | ArrayBuffer | ArrayBufferView | TaskFile;

/** The files of one list. Formats that tell names apart (folders) need paths. */
export type FilesInput = FileInput | readonly FileInput[];

/** What can be odd about files. */
export type FilesProblemKind =
  | "unparseable"
  | "encoding"
  | "skipped"
  | "duplicate_same"
  | "duplicate_different"
  | "dangling_edge"
  | "dangling_parent"
  | "self_edge"
  | "repeated_edge"
  | "cycle"
  | "finished_before_blocker"
  | "waits_for_cancelled"
  | "unknown_status"
  | "unknown_kind"
  | "mirror"
  | "invalid_value"
  | "not_kept";

/** One odd thing about files. */
export interface FilesProblem {
  readonly kind: FilesProblemKind;
  /** The tasks that it is about; for a ring its path, the first id again at the end. Untrusted text. */
  readonly ids: readonly string[];
  /** The line, from 1, where there is one. */
  readonly line?: number;
  /** What was done about it, in a word or two. */
  readonly action: string;
  /** The whole of it as a sentence. Ids and words in it are the file's: untrusted text. */
  readonly message: string;
}

/** Everything there is to say about files that were read or written; plain data of a stable shape. */
export interface FilesReport {
  readonly schemaVersion: 1;
  /** The word of the format; `null` where none was recognised. */
  readonly format: string | null;
  readonly tasks: number;
  /** Every dependency entry of the files: repeated, dangling and informational ones too. */
  readonly edges: number;
  readonly counts: {
    /** Groups of tasks that wait for each other. */
    readonly cycles: number;
    readonly danglingEdges: number;
    readonly duplicateIds: number;
    readonly selfEdges: number;
    readonly repeatedEdges: number;
  };
  readonly statuses: Readonly<Record<Status, number>>;
  readonly problems: readonly FilesProblem[];
}

/** How files are looked at. */
export interface InspectOptions {
  /** The format; left out, the content decides. */
  readonly from?: ReadableFormat;
}

/** How files are read. */
export interface ReadOptions extends InspectOptions {
  /** Give no list where anything would have to be repaired. */
  readonly strict?: boolean;
}

/** What was read. */
export interface TasksRead {
  /**
   * The list's text, for `merge` or `createTaskGraph({ snapshot, onCycle: "setAside" })`; `undefined` where nothing
   * could be read, or `strict` refused.
   */
  readonly list: string | undefined;
  readonly report: FilesReport;
  /** Whether nothing is wrong with the files. */
  readonly sound: boolean;
  /** The report for people: of each kind of problem the first `most` (10). Holds text of the files: untrusted. */
  text(most?: number): string;
}

/** How files are imported. */
export interface ImportOptions extends ReadOptions {
  /** The list that takes the tasks in. Left out, nothing is merged, and `list` is the result. */
  readonly into?: TaskGraph | TaskStore;
  /** Tell what the merge would do, and leave `into` as it is. */
  readonly dryRun?: boolean;
}

/** What an import did. */
export interface Imported {
  readonly report: FilesReport;
  readonly sound: boolean;
  /** What the merge did, or would do: `tasks` are the rows added or changed, `keys` the ids that had to be changed. */
  readonly change?: Change;
  /** The text of the list that was read. */
  readonly list: string;
}

/** A file to be written. */
export interface WrittenFile {
  /** Its path below the folder that is written to. A format of one file suggests a name. */
  readonly path: string;
  readonly text: string;
}

/** What an export gives. */
export interface Exported {
  readonly files: readonly WrittenFile[];
  /** Whether the format is a folder of files rather than one file. */
  readonly folder: boolean;
  /** What the format cannot say is a problem of the kind `not_kept`. */
  readonly report: FilesReport;
}
