import type { TaskErrorCode, TaskErrorDetails } from "./types.js";

/** What a {@link TaskError} is made of. */
export interface TaskErrorInit {
  /** The stable code; never reused for another meaning. */
  readonly code: TaskErrorCode;
  /** One sentence: what was wrong. */
  readonly message: string;
  /** One sentence: what to do next. */
  readonly hint?: string | undefined;
  /** Structured facts; the shape depends on the code (see {@link TaskErrorDetails}). */
  readonly details?: Record<string, unknown> | undefined;
  /** What was caught underneath, for example the storage's own error. */
  readonly cause?: unknown;
}

const brand = Symbol.for("blockedby.TaskError");

/**
 * A refusal or a failure with a stable `code`.
 *
 * Use {@link isTaskError} rather than `instanceof`: two copies of this package in one program
 * have two classes, but one brand.
 */
export class TaskError<Code extends TaskErrorCode = TaskErrorCode> extends Error {
  /** The stable code, lower snake case. */
  readonly code: Code;
  /** What to do next, for a model or a person. Empty when there is nothing to add. */
  readonly hint: string;
  /** Structured facts about the refusal. */
  readonly details: TaskErrorDetails<Code>;

  constructor(init: TaskErrorInit & { readonly code: Code }) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.hint = init.hint ?? "";
    this.details = (init.details ?? {}) as TaskErrorDetails<Code>;
  }

  override get name(): string {
    return "TaskError";
  }

  /** @internal */
  get [brand](): true {
    return true;
  }

  /** The error as plain data, as tools and the command line print it. */
  toJSON(): { code: Code; message: string; hint: string; details: TaskErrorDetails<Code> } {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details };
  }
}

interface StackOfErrors {
  stackTraceLimit?: number;
  captureStackTrace?: (error: object) => void;
}

/**
 * An error without a stack. Most refusals are answers and are never thrown, and the stack is nine tenths of
 * what an error costs.
 */
export function withoutStack(make: () => TaskError): TaskError {
  const host = Error as StackOfErrors;
  const limit = host.stackTraceLimit;
  if (typeof limit !== "number") return make();
  try {
    host.stackTraceLimit = 0;
    const error = make();
    host.stackTraceLimit = limit;
    return error;
  } catch {
    // Hardened environments forbid it.
    return make();
  }
}

/** The same error with the stack of whoever asks, who is about to throw it. */
export function withStack<E extends Error>(error: E): E {
  try {
    (Error as StackOfErrors).captureStackTrace?.(error);
  } catch {
    // The error has to arrive, with a stack or without.
  }
  return error;
}

/** The refusal of an argument that the wrapper itself reads. */
export function invalid(field: string, got: unknown, expected: string, cause?: unknown): TaskError {
  const shown = typeof got === "string" ? "text" : got === null ? "null" : typeof got === "number" ? String(got) : typeof got;
  return new TaskError({
    code: "invalid_value",
    message: `\`${field}\` is ${shown}, but it must be ${expected}.`,
    hint: `Call again with \`${field}\` as ${expected}.`,
    details: { field, got: shown, expected },
    cause,
  });
}

/** An option of a call; reading it may run code of the caller, whose failure is the caller's mistake. */
export function optionOf<Options extends object, Name extends keyof Options>(options: Options | undefined, name: Name): Options[Name] | undefined {
  try {
    return options?.[name] ?? undefined;
  } catch (cause) {
    throw invalid(String(name), options, "readable", cause);
  }
}

/** Whether a value is a {@link TaskError}, from this copy of the package or another. */
export function isTaskError(value: unknown): value is TaskError {
  return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
