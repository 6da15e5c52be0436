import { guard, readAnswer, writeText } from "./boundary.js";
import { isTaskError, withStack } from "./errors.js";
import type { TaskGraph } from "./graph.js";
import { sessionOf, type TaskReads } from "./reads.js";
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
  /** Calls the tool. What is refused is a result that the model can read, never a rejection. */
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
  const { dialect, actor } = options;
  const size = writeText(String(dialect));
  if (guard((core) => core.describe_tools(size)) < 0) throw withStack(refusal());
  const described = JSON.parse(readAnswer()) as Described[];
  // Refuses an actor that is none now, rather than at the first call.
  list[sessionOf].actAs(actor);
  return described.map((tool) => ({
    ...tool,
    schema: schemaOf(tool),
    run: async (args, { signal, onEvent } = {}) => {
      signal?.throwIfAborted();
      try {
        const { result, change } = await list.callTool(dialect, tool.name, args, actor);
        if (change?.changed === true && onEvent !== undefined) onEvent(tasksChanged(list));
        return result as Record<string, unknown>;
      } catch (error) {
        if (!isTaskError(error)) throw error;
        return { action: actionOf(args), error: error.toJSON() };
      }
    },
  }));
}

/** The event `tasks_changed`, with the full snapshot of the list as it stands. */
export function tasksChanged(list: TaskReads): ToolEvent {
  const { tasks } = list[sessionOf].wireSnapshot() as { tasks: readonly unknown[] };
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
