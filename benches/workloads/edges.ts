import type { BenchEngine, EngineFactory } from "../engine.js";
import type { EdgePlan, ListPlan } from "../support/plan.js";
import { digestOfRows, fill } from "../support/plan.js";
import type { Budget, Measurement } from "../support/measure.js";
import { Box, expectSame, repeat } from "../support/measure.js";

/** Runs the changes of a plan on a list built before, and compares each answer with the reference. */
export function measureEdges(
  create: EngineFactory,
  list: ListPlan,
  plan: EdgePlan,
  budget: Budget,
): Measurement {
  const steps = plan.changes.length;
  const refused = plan.accepted.reduce((count, answer) => count + 1 - answer, 0);
  const measurement = repeat(budget, list.inputs.length, steps, {
    setup(): { engine: BenchEngine; answers: Uint8Array } {
      const engine = create();
      fill(engine, list);
      return { engine, answers: new Uint8Array(steps) };
    },
    timed({ engine, answers }) {
      const box = new Box(budget.boxMs);
      const start = performance.now();
      let done = 0;
      for (; done < steps && !box.isFull(done); done += 1) {
        const { id, blockedBy } = plan.changes[done]!;
        if (engine.setBlockedBy(id, blockedBy)) answers[done] = 1;
      }
      return { ms: performance.now() - start, done };
    },
    check({ engine, answers }, { done }) {
      for (let step = 0; step < done; step += 1) {
        expectSame(`accepted, step ${step}`, answers[step], plan.accepted[step]);
      }
      if (done === steps) expectSame("digest", digestOfRows(engine.snapshot()), plan.digest);
      return plan.digest;
    },
    discard({ engine }) {
      engine.dispose?.();
    },
  });
  return { ...measurement, facts: { refused: refused / steps } };
}
