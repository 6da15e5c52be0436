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
  /** For a batch: one task per entry that is about a task, in order. */
  readonly tasks?: readonly Task[];
  /** For a batch: the ids that local keys stand for. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Tasks that became ready, in creation order. */
  readonly nowReady: readonly Task[];
  /** Tasks that became blocked, in creation order. */
  readonly nowBlocked: readonly Task[];
  /** Set when the call went through although blockers or children are open. */
  readonly warning?: Warning;
}

/** Why an accepted call deserves a second look. */
export interface Warning {
  readonly code: "blocked" | "children_open";
  readonly message: string;
  /** Ids of the active blockers or open children. */
  readonly by: readonly string[];
}

/** A person or an agent, given by the host and never by a model: `host`, `user:<id>` or `agent:<id>`. */
export type Actor = "host" | `user:${string}` | `agent:${string}`;

/** Invariants of a list; stored in it. Every field has the default of the `default` preset. */
export interface Rules {
  /** Refuse to start or complete a task that is blocked, or to complete one with open children. */
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
  cycle: { path: readonly string[]; titles: readonly string[] };
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
  corrupt: { at?: number };
  unsupported_version: { found: unknown; supported: number };
  poisoned: { panic?: string };
}

/** The `details` type of a code. */
export type TaskErrorDetails<Code extends TaskErrorCode> = Code extends keyof TaskErrorDetailsByCode
  ? TaskErrorDetailsByCode[Code]
  : Readonly<Record<string, unknown>>;
