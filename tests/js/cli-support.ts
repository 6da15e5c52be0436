// Running the built command as a user does.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { temporaryFolder } from "./storage-support.js";

export const program: string = resolve("pkg/dist/cli.js");

/** How a command ended and what it said. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What to run it with. */
export interface How {
  readonly env?: Record<string, string>;
  /** Options for Node itself. */
  readonly node?: readonly string[];
}

const environment = (env: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const { KIN_SESSION_DIR: _folder, NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...own } = process.env;
  return { ...own, ...env };
};

/** A folder of its own and the command run in it. */
export class Terminal {
  readonly folder: string = temporaryFolder();

  /** Runs the command to its end. */
  run(args: readonly string[], { env, node = [] }: How = {}): Ran {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...node, program, ...args], {
      cwd: this.folder,
      env: environment(env),
      encoding: "utf8",
    });
    return { code: status, out: stdout, err: stderr };
  }

  /** Runs it beside others. */
  start(args: readonly string[]): Promise<Ran> {
    const child = spawn(process.execPath, [program, ...args], { cwd: this.folder, env: environment() });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    return new Promise((done) => child.on("close", (code) => done({ code, out, err })));
  }

  /** What it prints when all goes well and there is nothing to remark, without the last line's end. */
  says(...args: readonly string[]): string {
    const { code, out, err } = this.run(args);
    assert.deepEqual([code, err], [0, ""], `${args.join(" ")}: ${err}`);
    assert.ok(out.endsWith("\n"));
    return out.slice(0, -1);
  }

  /** The same as JSON; checks the version of the shapes and that it is one line. */
  json(...args: readonly string[]): Json {
    const out = this.says(...args.slice(0, 1), "--json", ...args.slice(1));
    assert.ok(!out.includes("\n"), "one line");
    const { schemaVersion, ...rest } = JSON.parse(out) as Json & { schemaVersion: number };
    assert.equal(schemaVersion, 1);
    return rest as Json;
  }

  /** Runs it to a failure, told as JSON. */
  fails(code: number, ...args: readonly string[]): Failure {
    const told = this.run([...args.slice(0, 1), "--json", ...args.slice(1)]);
    assert.deepEqual([told.code, told.out], [code, ""], told.err);
    const { schemaVersion, error } = JSON.parse(told.err) as { schemaVersion: number; error: Failure };
    assert.equal(schemaVersion, 1);
    assert.deepEqual(Object.keys(error), ["code", "message", "hint", "details"]);
    return error;
  }
}

/** An error of the stable contract. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details: Record<string, unknown>;
}

/** A task as `--json` tells it, as far as the tests look at it. */
export interface JsonTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly readiness: string;
  readonly blockedBy: readonly string[];
  readonly description?: string;
  readonly createdBy?: string;
}

/** What `--json` prints, without `schemaVersion`. */
export interface Json {
  readonly change: {
    readonly revision: number;
    readonly action: string;
    readonly changed: boolean;
    readonly task?: JsonTask;
    readonly nowReady: readonly JsonTask[];
    readonly nowBlocked: readonly JsonTask[];
    readonly warning?: { readonly code: string; readonly by: readonly string[] };
  };
  readonly tasks: readonly JsonTask[];
  readonly total: number;
  readonly task: JsonTask;
  readonly explanation: { readonly blockers: readonly { readonly id: string }[]; readonly waiting: number; readonly sentence: string };
}

/** The ids of tasks. */
export const idsOf = (tasks: readonly JsonTask[]): string[] => tasks.map(({ id }) => id);
