import type { BenchEngine, BenchRow } from "../engine.js";
import { digestOfPlan, digestOfRows, drainPlan, fill, listPlan } from "../support/plan.js";
import { Box, expectSame, repeat, sink } from "../support/measure.js";
import type { Workload } from "./workload.js";

/** Completes a task, then asks for all rows; the floor is `array.slice` of as many rows. */
export const snapshot: Workload = {
  name: "snapshot",
  title: "snapshot: all rows as objects after one change (the change included), per change",
  per: "step",
  floor: "array.slice",
  measure(create, n, budget) {
    const list = listPlan(n);
    const { order } = drainPlan(list);
    const steps = Math.min(200, n >>> 1);
    const completed = new Set(order.slice(0, steps));
    const digest = digestOfPlan(list, list.blockers, (id) => completed.has(id));
    let unchangedSame = true;
    const measurement = repeat(budget, n, steps, {
      setup(): BenchEngine {
        const engine = create();
        fill(engine, list);
        sink.value = engine.snapshot();
        return engine;
      },
      timed(engine) {
        const box = new Box(budget.boxMs);
        let rows: readonly BenchRow[] = [];
        const start = performance.now();
        let done = 0;
        for (; done < steps && !box.isFull(done); done += 1) {
          engine.complete(order[done]!);
          rows = engine.snapshot();
          sink.value = rows;
        }
        const ms = performance.now() - start;
        // As many copies of as many rows, from an ordinary array.
        const plain = Array.from(rows);
        const floorStart = performance.now();
        for (let i = 0; i < steps; i += 1) sink.value = plain.slice();
        return { ms, done, floorMs: performance.now() - floorStart };
      },
      check(engine, { done }) {
        const rows = engine.snapshot();
        unchangedSame &&= rows === engine.snapshot();
        if (done === steps) expectSame("digest", digestOfRows(rows), digest);
        return digest;
      },
      discard(engine) {
        engine.dispose?.();
      },
    });
    return { ...measurement, facts: { unchangedSame } };
  },
};
