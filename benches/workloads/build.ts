import { digestOfPlan, digestOfRows, listPlan } from "../support/plan.js";
import { Box, expectSame, repeat, sink } from "../support/measure.js";
import type { Workload } from "./workload.js";

/** Adds n tasks one by one, each with 0 to 4 blockers and its cycle check, and takes the new row each time. */
export const build: Workload = {
  name: "build",
  title: "build: add n tasks with 0 to 4 blockers each, checked one by one, row returned",
  per: "run",
  measure(create, n, budget) {
    const list = listPlan(n);
    const { inputs } = list;
    const digest = digestOfPlan(list);
    return repeat(budget, n, n, {
      setup: create,
      timed(engine) {
        const box = new Box(budget.boxMs);
        const start = performance.now();
        let done = 0;
        for (; done < n && !box.isFull(done); done += 1) {
          const { id, title, description, blockedBy } = inputs[done]!;
          sink.value = engine.add(id, title, description, blockedBy);
        }
        return { ms: performance.now() - start, done };
      },
      check(engine, { done }) {
        const rows = engine.snapshot();
        expectSame("rows", rows.length, done);
        if (done === n) {
          expectSame("digest", digestOfRows(rows), digest);
          const ready = list.blockers.filter((blockers) => blockers.length === 0).length;
          expectSame("ready", engine.readyCount(), ready);
          expectSame("blocked", engine.blockedCount(), n - ready);
        }
        return digest;
      },
      discard(engine) {
        engine.dispose?.();
      },
    });
  },
};
