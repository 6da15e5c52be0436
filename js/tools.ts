import { guard, readAnswer, writeText } from "./boundary.js";
import { report } from "./emitter.js";
import { invalid, isTaskError, optionOf, TaskError, withStack } from "./errors.js";
import type { TaskGraph } from "./graph.js";
import { sessionIn, type TaskReads } from "./reads.js";
import { refusal } from "./session.js";
import type { TaskStore } from "./store.js";
import type { Actor } from "./types.js";

/** Names of the dialects: tool names, argument names and result shapes of one system each. */
export type Dialect = "tasks";

/** What a tool call may be given. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  /** Called with events of the dialect that the call caused. */
  readonly onEvent?: (event: ToolEvent) => void;
}

/** An event of a dialect. */
export interface ToolEvent {
  readonly type: "tasks_changed";
  /** The full snapshot, after the write. */
  readonly tasks: readonly unknown[];
}

/** The result of checking a value against a schema (Standard Schema v1). */
type Checked = { readonly value: unknown } | { readonly issues: readonly { readonly message: string }[] };

/** A Standard Schema that also knows its JSON Schema. The engine checks arguments itself, when the tool runs. */
export interface ToolSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "blockedby";
    readonly validate: (value: unknown) => Checked;
    readonly jsonSchema: {
      readonly input: (options?: unknown) => Record<string, unknown>;
      readonly output: (options?: unknown) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Record<string, unknown>; readonly output: Record<string, unknown> };
  };
}

/** One tool as plain data, which agent frameworks take as it is or through a line of their own. */
export interface ToolRecord {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments: flat, one type each, no references. */
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  /** Whether it never changes anything. */
  readonly readOnly: boolean;
  readonly schema: ToolSchema;
  /**
   * Calls the tool. What is refused is a result that the model can read, never a rejection. Rejects only with the
   * reason of a signal that had aborted before: then nothing was done.
   */
  readonly run: (args: unknown, options?: ToolCallOptions) => Promise<Record<string, unknown>>;
}

/** How tools are made. */
export interface ToolOptions {
  readonly dialect: Dialect;
  /** The agent that calls them; from the host, never from a model. */
  readonly actor: Actor;
}

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
}

/**
 * The tools of a dialect over a list, for one agent.
 *
 * @example
 * ```ts
 * const [tool] = taskTools(store, { dialect: "tasks", actor: "agent:coder" });
 * await tool.run({ action: "add", content: "Provision the dev DB" });
 * ```
 */
export function taskTools(list: TaskGraph | TaskStore, options: ToolOptions): ToolRecord[] {
  if (typeof options !== "object" || options === null) throw invalid("options", options, "an object");
  const { dialect, actor } = options;
  // Refuses an actor that is none now, rather than at the first call.
  sessionIn(list).actAs(actor);
  const size = writeText(String(dialect));
  if (guard((core) => core.describe_tools(size)) < 0) throw withStack(refusal());
  const described = JSON.parse(readAnswer()) as Described[];
  return described.map((tool) => ({
    ...tool,
    schema: schemaOf(tool),
    run: async (args, options) => {
      if (options?.signal?.aborted === true) throw options.signal.reason;
      try {
        const onEvent = optionOf(options, "onEvent");
        const { result, change } = await list.callTool(dialect, tool.name, args, actor);
        if (change?.changed === true && onEvent !== undefined) tell(onEvent, tasksChanged(list));
        return result as Record<string, unknown>;
      } catch (error) {
        const refused = isTaskError(error) ? error : hostFailed(error);
        return { action: actionOf(args), error: refused.toJSON() };
      }
    },
  }));
}

/** The call stands, whatever a listener makes of its event. */
function tell(onEvent: (event: ToolEvent) => void, event: ToolEvent): void {
  try {
    onEvent(event);
  } catch (error) {
    report(error);
  }
}

/** What the host's own code threw, as an answer. */
function hostFailed(cause: unknown): TaskError {
  return new TaskError({
    code: "not_allowed",
    message: "The host could not carry this call out.",
    hint: "Go on with something else; a person has to look at the host.",
    details: { who: "the host" },
    cause,
  });
}

/** The event `tasks_changed`, with the full snapshot of the list as it stands. */
export function tasksChanged(list: TaskReads): ToolEvent {
  const { tasks } = sessionIn(list).wireSnapshot() as { tasks: readonly unknown[] };
  return { type: "tasks_changed", tasks };
}

function actionOf(args: unknown): string {
  try {
    const action = (args as { action?: unknown } | null | undefined)?.action;
    return typeof action === "string" ? action : "";
  } catch {
    return "";
  }
}

function schemaOf(tool: Described): ToolSchema {
  const isObject = (value: unknown): boolean => {
    try {
      return typeof value === "object" && value !== null && !Array.isArray(value);
    } catch {
      // A revoked proxy.
      return false;
    }
  };
  return {
    "~standard": {
      version: 1,
      vendor: "blockedby",
      validate: (value) => (isObject(value) ? { value } : { issues: [{ message: `${tool.name} takes one object of arguments.` }] }),
      jsonSchema: { input: () => tool.inputSchema, output: () => tool.outputSchema },
    },
  };
}
