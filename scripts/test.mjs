// npm test: every kind of test, cheapest first, ending with "N passed, N failed".
//
//   npm test                              everything
//   npm test -- --only js,browser         some steps (and the build they need)
//   npm test -- --only js storage         only the test files whose path contains "storage"
//   npm test -- --list                    the steps
//   npm run test:soak                     the same tests at their full counts (BLOCKEDBY_SOAK=1)
import { parseArgs } from "node:util";
import { explain, Foreseen, runMain, say, seconds } from "./lib/log.mjs";
import { setup } from "./lib/setup.mjs";
import { steps } from "./test/steps.mjs";

/** @typedef {import("./test/steps.mjs").Step} Step @typedef {import("./test/steps.mjs").Outcome} Outcome */

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: "string" },
      soak: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  return { ...values, words: positionals };
}

/** @param {string | undefined} only @returns {readonly Step[]} */
function choose(only) {
  if (only === undefined) return steps;
  const names = new Set(only.split(","));
  for (const name of names) {
    if (!steps.some((step) => step.name === name)) {
      throw new Foreseen(`There is no step "${name}". Steps: ${steps.map((step) => step.name).join(", ")}.`);
    }
  }
  for (const { name, needs } of steps) {
    if (needs !== undefined && names.has(name)) names.add(needs);
  }
  return steps.filter((step) => names.has(step.name));
}

/**
 * @param {Step} step
 * @param {string[]} words
 * @param {ReadonlySet<string>} broken names of steps that failed
 * @returns {Promise<Outcome>}
 */
async function runStep(step, words, broken) {
  if (step.needs !== undefined && broken.has(step.needs)) {
    return { passed: 0, failed: 1, text: `not run: ${step.needs} failed\n` };
  }
  try {
    return await step.run({ words });
  } catch (error) {
    return { passed: 0, failed: 1, text: explain(error) };
  }
}

/** A machine without a browser may skip those tests, but CI may not: it would prove nothing. */
/** @param {Outcome} outcome @returns {Outcome} */
function judgeMissing(outcome) {
  if (outcome.missing === undefined) return outcome;
  return process.env["CI"] === "true"
    ? { passed: 0, failed: 1, text: outcome.missing }
    : { ...outcome, note: `skipped\n${outcome.missing}` };
}

/** @param {Outcome} outcome */
function describe({ passed, failed, note }) {
  if (failed > 0) return `FAILED (${passed} passed, ${failed} failed)`;
  return note ?? `ok (${passed} passed)`;
}

await runMain(async () => {
  const { only, soak, list, words } = readArguments();
  if (list) return void steps.forEach((step) => say(`${step.name.padEnd(14)}${step.title}`));
  const chosen = choose(only);
  if (soak) process.env["BLOCKEDBY_SOAK"] = "1";
  await setup();

  /** @type {Set<string>} */
  const broken = new Set();
  let passed = 0;
  let failed = 0;
  for (const [index, step] of chosen.entries()) {
    say(`[${index + 1}/${chosen.length}] ${step.name}: ${step.title}`);
    const start = performance.now();
    const outcome = judgeMissing(await runStep(step, words, broken));
    passed += outcome.passed;
    failed += outcome.failed;
    if (outcome.failed > 0) {
      broken.add(step.name);
      say(`${outcome.text?.trimEnd() ?? ""}\n`);
    }
    say(`  ${describe(outcome)} in ${seconds(performance.now() - start)}`);
  }
  if (broken.size > 0) say(`\nfailed: ${[...broken].join(", ")}`);
  say(`\n${passed} passed, ${failed} failed`);
  // Nothing run is not a success: a wrong filter must not look green.
  if (failed > 0 || passed === 0) process.exitCode = 1;
});
