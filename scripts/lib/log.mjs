// One way to say what is going on, so that every script reads alike.

/** @param {number} ms */
export const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** @param {string} text */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Says what begins, does it, says how long it took.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function timed(title, work) {
  say(`- ${title} ...`);
  const start = performance.now();
  const result = await work();
  say(`  done in ${seconds(performance.now() - start)}`);
  return result;
}

/**
 * What to print of an error. Failures that we foresaw, and what a bundler says about the sources,
 * are for the reader as they are; anything else keeps its stack, as the script itself is at fault.
 *
 * @param {unknown} error
 */
export function explain(error) {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Foreseen || "errors" in error ? error.message : String(error.stack);
}

/**
 * Runs a script's main function.
 *
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    process.exitCode = 1;
    console.error(`\n${explain(error)}`);
  }
}

/** A failure whose message says everything a person needs. */
export class Foreseen extends Error {}
