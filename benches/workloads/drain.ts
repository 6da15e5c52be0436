import type { BenchEngine } from "../engine.js";
import { digestOfPlan, digestOfRows, drainPlan, fill, listPlan } from "../support/plan.js";
import { Box, expectSame, repeat, sink } from "../support/measure.js";
import type { Workload } from "./workload.js";

/** Takes the first ready task, completes it, asks both counts; until nothing is left. */
export const drain: Workload = {
  name: "drain",
  title: "drain: take a ready task, complete it, ask ready and blocked counts, until empty",
  extraSizes: [100],
  per: "run",
  measure(create, n, budget) {
    const list = listPlan(n);
    const plan = drainPlan(list);
    const digest = digestOfPlan(list, list.blockers, () => true);
    return repeat(budget, n, n, {
      setup(): { engine: BenchEngine; order: string[]; ready: Int32Array; blocked: Int32Array } {
        const engine = create();
        fill(engine, list);
        return { engine, order: [], ready: new Int32Array(n), blocked: new Int32Array(n) };
      },
      timed({ engine, order, ready, blocked }) {
        const box = new Box(budget.boxMs);
        const start = performance.now();
        let done = 0;
        for (; !box.isFull(done); done += 1) {
          const id = engine.firstReady();
          if (id === undefined) break;
          sink.value = engine.complete(id);
          ready[done] = engine.readyCount();
          blocked[done] = engine.blockedCount();
          order.push(id);
        }
        return { ms: performance.now() - start, done };
      },
      check({ engine, order, ready, blocked }, { done }) {
        for (let step = 0; step < done; step += 1) {
          expectSame(`task of step ${step}`, order[step], plan.order[step]);
          expectSame(`ready after step ${step}`, ready[step], plan.ready[step]);
          expectSame(`blocked after step ${step}`, blocked[step], plan.blocked[step]);
        }
        if (done === n) expectSame("digest", digestOfRows(engine.snapshot()), digest);
        return digest;
      },
      discard({ engine }) {
        engine.dispose?.();
      },
    });
  },
};
