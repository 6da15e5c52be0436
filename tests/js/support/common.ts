// What the tests of the wrapper share.
import assert from "node:assert/strict";
import { isTaskError, type ListOptions, type TaskError, type TaskErrorCode } from "blockedby";

/** The full counts of the issue under BLOCKEDBY_SOAK=1, else counts that keep `npm test` short. */
export const soak = process.env["BLOCKEDBY_SOAK"] === "1";

/** Options that make a list the same every time; `tick` moves its clock. */
export function fixed(options: ListOptions = {}): ListOptions & { readonly now: () => number; tick(ms?: number): number } {
  let time = 1_720_600_000_000;
  return {
    random: (bytes) => new Uint8Array(bytes).fill(7),
    ...options,
    now: () => time,
    tick: (ms = 1000) => (time += ms),
  };
}

/** A value as the JSON that it stands for. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const ids = (tasks: readonly { readonly id: string }[]): string[] => tasks.map((task) => task.id);

/** The TaskError that a call throws. */
export function refused(code: TaskErrorCode, run: () => unknown): TaskError {
  try {
    run();
  } catch (error) {
    assert.ok(isTaskError(error), `expected ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.length > 5, "there is a message");
    return error;
  }
  assert.fail(`expected ${code}, got nothing`);
}

/** The TaskError that a promise rejects with. */
export async function rejected(code: TaskErrorCode, promise: Promise<unknown>): Promise<TaskError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(isTaskError(error), `expected ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  assert.fail(`expected ${code}, got nothing`);
}

/** Lets what is ready run: promises, and one turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
