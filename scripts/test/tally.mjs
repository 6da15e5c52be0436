// Reading how many tests passed out of what the test runners print.

/** @typedef {{ passed: number, failed: number }} Tally */

/**
 * `cargo test` and the WebAssembly runner: one "test result" line per binary.
 *
 * @param {string} text
 * @returns {Tally}
 */
export function tallyOfCargo(text) {
  const tally = { passed: 0, failed: 0 };
  for (const [, passed, failed] of text.matchAll(/test result: \S+?\.? (\d+) passed; (\d+) failed/g)) {
    tally.passed += Number(passed);
    tally.failed += Number(failed);
  }
  return tally;
}

/**
 * `node --test`: one summary at the end.
 *
 * @param {string} text
 * @returns {Tally}
 */
export function tallyOfNode(text) {
  /** @param {string} word */
  const count = (word) => Number(text.match(new RegExp(`^(?:#|ℹ) ${word} (\\d+)`, "m"))?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail") + count("cancelled") };
}

/**
 * A program that ended badly counts as a failure even when no test says so (a compile error, a crash).
 *
 * @param {Tally} tally
 * @param {number} code
 * @returns {Tally}
 */
export const withExitCode = (tally, code) =>
  code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
