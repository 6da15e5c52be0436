/**
 * The public vocabulary. Written by hand and pinned to the Rust engine by golden JSON that a Rust
 * test writes and a type-checked TypeScript test reads (`tests/js/golden.test.ts`).
 */

/** What is stored about a task's progress. */
export type Status = "pending" | "in_progress" | "held" | "completed" | "cancelled" | "deleted";

/**
 * What follows from status and blockers; computed, never stored.
 *
 * - `ready`: pending, no active blocker
 * - `blocked`: pending, at least one active blocker
 * - `running`: in progress
 * - `held`: waits for a person, a time or an event
 * - `settled`: completed, cancelled or deleted
 */
export type Readiness = "ready" | "blocked" | "running" | "held" | "settled";

/** Why a task is held. */
export type HoldReason =
  | "gate"
  | "handoff"
  | "failed"
  | "limit"
  | "stuck"
  | "unassigned"
  | "until"
  | "external"
  | "manual";

/** A wait: why, since when, and the status that releasing it gives. */
export interface Hold {
  readonly reason: HoldReason;
  /** Free text for people; untrusted. */
  readonly note?: string;
  /** When the hold began, Unix milliseconds. */
  readonly at: number;
  /** The status that `release` gives. */
  readonly resume: "pending" | "in_progress" | "completed";
}

/** Who has a task right now, by `claim`. */
export interface Claim {
  /** Fencing token: a counter of the list, never reused. */
  readonly fence: number;
  /** When the lease ends, Unix milliseconds; absent when the claim has no lease. */
  readonly leaseUntil?: number;
}

/** One task as this package shows it: a frozen object that is replaced, never changed. */
export interface Task {
  readonly id: string;
  /** Creation order, never reused. */
  readonly seq: number;
  readonly title: string;
  readonly description?: string;
  /** The title in the present participle, for a progress line ("Seeding fixtures"). */
  readonly activeForm?: string;
  readonly status: Status;
  /** Computed from status and blockers. */
  readonly readiness: Readiness;
  readonly hold?: Hold;
  /** Ids of the tasks that must settle first, in the order given. */
  readonly blockedBy: readonly string[];
  /** Ids that a loaded file listed as blockers, set aside to break a ring; not part of the graph. */
  readonly asideBlockedBy?: readonly string[];
  readonly parent?: string;
  /** How the children of this task are ordered. */
  readonly children?: "group" | "sequence";
  /** Who works on it: `agent:<id>`, `user:<id>` or any name. */
  readonly owner?: string;
  readonly claim?: Claim;
  /** The actor that created it. */
  readonly createdBy?: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; never goes backwards. */
  readonly updatedAt: number;
  /** Unix milliseconds of the first start. */
  readonly startedAt?: number;
  /** Unix milliseconds. */
  readonly completedAt?: number;
  /** Free JSON of the host, kept as given. Also holds what a loaded file said and this version does not know. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Optional facets that later modules understand; kept and passed on. */
  readonly [facet: string]: unknown;
}

/** What a mutation did. */
export interface Change {
  /** The list's revision after the mutation; grows by one with each accepted change. */
  readonly revision: number;
  /** What was asked (`add`, `complete`, `batch`, ...). */
  readonly action: string;
  /** `false` when the list already was as asked (nothing saved, no event). */
  readonly changed: boolean;
  /** The task that the call was about, after it. */
  readonly task?: Task;
  /** For a batch: one task per entry that is about a task, in order. For a merge: those that are new or changed. */
  readonly tasks?: readonly Task[];
  /** For a batch: the ids that local keys stand for. For a merge: those that stand for ids that were taken. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Tasks that became ready, in creation order. */
  readonly nowReady: readonly Task[];
  /** Tasks that became blocked, in creation order. */
  readonly nowBlocked: readonly Task[];
  /** Set when the call went through although blockers are open. */
  readonly warning?: Warning;
}

/** Why an accepted call deserves a second look. */
export interface Warning {
  readonly code: "blocked";
  readonly message: string;
  /** Ids of the active blockers. */
  readonly by: readonly string[];
}

/** A person or an agent, given by the host and never by a model: `host`, `user:<id>` or `agent:<id>`. */
export type Actor = "host" | `user:${string}` | `agent:${string}`;

/** Invariants of a list; stored in it. Every field has the default of the `default` preset. */
export interface Rules {
  /** Refuse to start or complete a task that is blocked, instead of warning. */
  readonly strict: boolean;
  /** What completing does to the edges of dependents: `keep` (facts stay) or `clear` (document 003). */
  readonly onComplete: "keep" | "clear";
  /** Most rows allowed, or `null`. */
  readonly maxTasks: number | null;
  readonly mode: "simple" | "issues";
  /** Whether `blockedBy` may be given. */
  readonly dependencies: boolean;
  /** Whether tasks may be updated and removed. */
  readonly revise: boolean;
  /** Order among the children of a parent that does not say its own. */
  readonly children: "group" | "sequence";
  /** Age in milliseconds after which work in progress goes back to pending when a session is opened, or `null`. */
  readonly staleAfter: number | null;
  /** Most levels of parents and children. */
  readonly depth: number;
}

/** Names of the rules presets. */
export type Preset = "default" | "strict" | "tasks";

/** A blocker of a task, as `explain` tells it. */
export interface Blocker {
  readonly id: string;
  readonly title?: string;
  /** `edge`: in `blockedBy`; `parent`: inherited from or waiting for the parent; `order`: an earlier sibling; `missing`: an id with no task. */
  readonly kind: "edge" | "parent" | "order" | "missing";
  /** Absent for a missing task. */
  readonly status?: Status;
  readonly readiness?: Readiness;
}

/** Why a task is in the state it is in, and what would move it. */
export interface Explanation {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly readiness: Readiness;
  /** Blocked, and some root cause is held with nothing running towards it. */
  readonly stalled: boolean;
  /** The active blockers. */
  readonly blockers: readonly Blocker[];
  /** Ids of the tasks at the far end that everything waits for. */
  readonly rootCauses: readonly string[];
  /** One path of ids from this task to each root cause. */
  readonly chains: readonly (readonly string[])[];
  /** Open children that bar completion. */
  readonly openChildren: readonly string[];
  /** How many open tasks wait for this one, directly or not. */
  readonly waiting: number;
  /** The same as one sentence. */
  readonly sentence: string;
}

/** Counts over the list. */
export interface Progress {
  /** Rows that are not deleted. */
  readonly total: number;
  readonly ready: number;
  /** Open tasks with at least one active blocker. */
  readonly blocked: number;
  readonly pending: number;
  readonly running: number;
  readonly held: number;
  readonly completed: number;
  readonly cancelled: number;
  readonly deleted: number;
  /** Completed over total without the cancelled, 0 to 1; 1 for an empty list. */
  readonly done: number;
}

/** Every stable error code. */
export type TaskErrorCode =
  | "not_found"
  | "unknown_blocker"
  | "self_block"
  | "cycle"
  | "duplicate_id"
  | "missing_field"
  | "invalid_value"
  | "unknown_field"
  | "nothing_to_change"
  | "invalid_transition"
  | "blocked"
  | "limit"
  | "feature_off"
  | "not_allowed"
  | "not_holder"
  | "held"
  | "children_open"
  | "invalid_plan"
  | "no_evidence"
  | "stale_decision"
  | "late_outcome"
  | "conflict"
  | "undo_conflict"
  | "rules_differ"
  | "read_only"
  | "corrupt"
  | "unsupported_version"
  | "storage_quota"
  | "storage_denied"
  | "storage_unavailable"
  | "storage_unknown"
  | "wasm_load_failed"
  | "wasm_unsupported"
  | "disposed"
  | "poisoned";

/** The `details` of each code that has a fixed shape. */
export interface TaskErrorDetailsByCode {
  not_found: { id: string; didYouMean?: string };
  unknown_blocker: { id: string; blocker: string; didYouMean?: string };
  self_block: { id: string };
  /** From the task through its would-be blockers back to itself: a ring of three has four ids. */
  cycle: {
    path: readonly string[];
    titles: readonly string[];
    /** Why each task of the path waits for the next: `edge`, `parent` or `order`; absent where all are edges of one quick call. */
    kinds?: readonly string[];
    /** On opening a text: edges that can be taken out so that no ring is left; none of them can be put back. */
    cut?: readonly { readonly id: string; readonly blocker: string }[];
  };
  duplicate_id: { id: string };
  missing_field: { field: string };
  invalid_value: { field: string; got: string; expected: string };
  unknown_field: { field: string; didYouMean?: string };
  invalid_transition: { id: string; from: Status; to: Status };
  blocked: { id: string; by: readonly string[] };
  limit: { limit: string; max: number };
  feature_off: { feature: string };
  not_allowed: { who: string };
  not_holder: { id: string; holder?: string };
  held: { id: string; reason: HoldReason; who: string };
  children_open: { id: string; open: readonly string[] };
  undo_conflict: { id?: string; field?: string };
  rules_differ: { field: string; stored: unknown; asked: unknown };
  /** `at`: byte offset; `path`: the file, where there is one. */
  corrupt: { at?: number; path?: string; problems?: readonly object[]; report?: object };
  unsupported_version: { found: unknown; supported: number };
  poisoned: { panic?: string };
  read_only: StorageDetails;
  storage_quota: StorageDetails;
  storage_denied: StorageDetails;
  storage_unavailable: StorageDetails;
  storage_unknown: StorageDetails;
}

/** What the failure of a storage says about itself, as far as it is known. */
export interface StorageDetails {
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  /** A word such as `locked`, `blocked`, `timeout`, or the system's own code. */
  readonly reason?: string;
  readonly path?: string;
  readonly size?: number;
  readonly max?: number;
  /** `false`: a save failed before anything of it can have been stored. */
  readonly landed?: boolean;
  readonly [more: string]: unknown;
}

/** The `details` type of a code. In a refused batch `entry` is the number of the entry at fault, from 1. */
export type TaskErrorDetails<Code extends TaskErrorCode> = Code extends keyof TaskErrorDetailsByCode
  ? TaskErrorDetailsByCode[Code] & { readonly entry?: number }
  : Readonly<Record<string, unknown>>;

/** A new task. */
export interface NewTask {
  /** What is to be done. 1 to 10,000 characters, not blank. */
  readonly title: string;
  /** Your own id (1 to 128 bytes, no control characters); left out, one is made. */
  readonly id?: string;
  readonly description?: string;
  readonly activeForm?: string;
  /** Ids of the tasks that must settle first. In a batch, local keys too. */
  readonly blockedBy?: readonly string[];
  /** The task that this one is a step of. */
  readonly parent?: string;
  readonly children?: "group" | "sequence";
  readonly owner?: string;
  /** The status it starts with; default `pending`. */
  readonly status?: "pending" | "in_progress" | "completed" | "cancelled";
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Changes to a task: a missing key leaves alone, `null` takes away. */
export interface TaskPatch {
  readonly title?: string;
  readonly description?: string | null;
  readonly activeForm?: string | null;
  readonly status?: Exclude<Status, "held">;
  /** The whole new set. */
  readonly blockedBy?: readonly string[] | null;
  readonly addBlockedBy?: readonly string[];
  readonly removeBlockedBy?: readonly string[];
  readonly parent?: string | null;
  readonly children?: "group" | "sequence" | null;
  readonly owner?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** What `claim` may be asked. */
export interface ClaimRequest {
  /** This task only. */
  readonly id?: string;
  /** One of these only. */
  readonly ids?: readonly string[];
  /** Milliseconds the claim holds without a heartbeat; left out, it holds until released. */
  readonly leaseMs?: number;
}

/** What `hold` may be told. */
export interface HoldRequest {
  /** Default `manual`. */
  readonly reason?: HoldReason;
  readonly note?: string;
  /** The status that releasing gives; default `pending`. */
  readonly resume?: "pending" | "in_progress" | "completed";
}

/** How a task is removed: the row stays as `deleted`, the row goes and its id leaves every other row, or it is cancelled. */
export type Removal = "tombstone" | "strip" | "cancel";

/** One call as plain data: what `batch` takes and `attempt` runs. */
export type Command =
  | ({ readonly action: "add"; readonly key?: string } & NewTask)
  | ({ readonly action: "update"; readonly id: string } & TaskPatch)
  | { readonly action: "start" | "cancel" | "reopen"; readonly id: string }
  | { readonly action: "complete" | "release"; readonly id: string; readonly fence?: number }
  | { readonly action: "remove"; readonly id: string; readonly removal?: Removal }
  | ({ readonly action: "claim" } & ClaimRequest)
  | { readonly action: "heartbeat"; readonly id: string; readonly fence: number; readonly leaseMs?: number }
  | ({ readonly action: "hold"; readonly id: string } & HoldRequest)
  | { readonly action: "batch"; readonly commands: readonly Command[] }
  | { readonly action: "merge"; readonly text: string }
  | { readonly action: "undo" | "redo" }
  | { readonly action: "archive"; readonly settledBefore: number }
  | { readonly action: "recoverStale"; readonly olderThan: number };

/** The answer of a call that does not throw. */
export type Attempt<E = Error> =
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly error: E };

/** Changes as they come; `return()` lets the list forget whoever takes them. */
export interface ChangeStream extends AsyncIterableIterator<Change, undefined, void> {
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** What `list` may be asked. */
export interface ListQuery {
  readonly status?: Status | readonly Status[];
  readonly readiness?: Readiness | readonly Readiness[];
  readonly owner?: string;
  readonly parent?: string;
  /** Most tasks in the answer. */
  readonly limit?: number;
  /** The `nextCursor` of the answer before. */
  readonly cursor?: string;
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  /** How many tasks match in all. */
  readonly total: number;
  /** Present when there are more. */
  readonly nextCursor?: string;
}

/** Whether an edge would close a ring. */
export interface WouldCycle {
  readonly cycle: boolean;
  /** From the task through its would-be blocker back to itself. */
  readonly path?: readonly string[];
}

/** One accepted call, as a host's journal keeps it; `replay` takes them back in. */
export interface Operation {
  /** `<session>.<number>`. */
  readonly id: string;
  readonly actor: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: string;
  readonly role: "plain" | "fixed" | "undo" | "redo";
  /** What happened; shapes are the engine's own. */
  readonly events: readonly unknown[];
}

/** What a list may be opened with. */
export interface ListOptions {
  /** A preset's name or an object of rules; default: the `default` preset, or what the stored list says. */
  readonly rules?: Preset | Partial<Rules>;
  /** Take `rules` where the stored list holds others, instead of refusing with `rules_differ`. */
  readonly adopt?: boolean;
  /** Keep stored edges that close a ring in `asideBlockedBy`, instead of refusing with `cycle`. */
  readonly onCycle?: "refuse" | "setAside";
  /** Who calls; default `host`. */
  readonly actor?: Actor;
  /** The clock, Unix milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Randomness: that many bytes. Default: the platform's. */
  readonly random?: (bytes: number) => Uint8Array;
  /** The host's veto, synchronous: all but `true` refuses the call with `not_allowed`. */
  readonly authorize?: (operation: AuthorizedOperation, actor: Actor) => boolean;
}

/** What `authorize` is asked about: a command, or a tool call as the model made it. */
export type AuthorizedOperation = Command | { readonly action: "tool"; readonly tool: string; readonly arguments: unknown };

/** One line of the pinned panel. */
export interface PanelEntry {
  readonly id: string;
  /** The active form of work in progress, else the title; untrusted text. */
  readonly label: string;
  readonly status: "in_progress" | "pending" | "held";
  readonly blocked: boolean;
  readonly hold?: HoldReason;
}

/** The pinned panel: all work in progress, then at most five pending or held tasks. */
export interface Panel {
  /** Nothing is open. */
  readonly hidden: boolean;
  readonly entries: readonly PanelEntry[];
  /** How many more pending or held tasks there are. */
  readonly more: number;
  readonly completed: number;
  /** Tasks that are neither deleted nor cancelled. */
  readonly total: number;
}

/** One line of the full list. */
export interface RowLine {
  readonly id: string;
  readonly status: Status;
  readonly readiness: Readiness;
  /** Untrusted text. */
  readonly title: string;
  /** `id · status · title` on one line. */
  readonly line: string;
}

/** A task that a dialog links to. */
export interface TaskLink {
  readonly id: string;
  /** Absent for an id that nobody has. */
  readonly title?: string;
  readonly status?: Status;
  /** Whether it still holds the other one up. */
  readonly active: boolean;
}

/** The read-only dialog of one task. */
export interface Detail {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: Status;
  readonly blockedBy: readonly TaskLink[];
  readonly blocks: readonly TaskLink[];
  readonly why: Explanation;
}
