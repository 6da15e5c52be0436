/** Throws unless `ok`. */
export function check(ok: boolean, what: string): asserts ok {
  if (!ok) throw new Error(what);
}

/** A value for a message, never longer than a line. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 200 ? `${text.slice(0, 200)}... (${text.length} characters)` : text;
}

/** Throws unless both are the same, compared as JSON if they are objects. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const same =
    Object.is(actual, expected) ||
    (typeof actual === "object" && typeof expected === "object" && JSON.stringify(actual) === JSON.stringify(expected));
  check(same, `${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

/** The error that a call throws or rejects with; throws if it does neither. */
export async function failure(run: () => unknown, what: string): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: expected a failure, got none`);
}

/** Whether `ready` becomes true within so many milliseconds. */
export async function eventually(ready: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!ready()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
