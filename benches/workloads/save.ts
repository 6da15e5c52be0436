import type { BenchEngine } from "../engine.js";
import { digestOfPlan, digestOfRows, drainPlan, fill, listPlan } from "../support/plan.js";
import { Box, expectSame, repeat, sink } from "../support/measure.js";
import type { Workload } from "./workload.js";

/**
 * Completes a task, then asks for the text; the floor is `JSON.stringify` of
 * the same data, that is of the objects in that very text.
 */
export const save: Workload = {
  name: "save",
  title: "save: the list as text after one change (the change included), per change",
  per: "step",
  floor: "JSON.stringify of the same data",
  measure(create, n, budget) {
    const list = listPlan(n);
    const { order } = drainPlan(list);
    const steps = n >= 100_000 ? 3 : 10;
    const completed = new Set(order.slice(0, steps));
    const digest = digestOfPlan(list, list.blockers, (id) => completed.has(id));
    let bytes = 0;
    const measurement = repeat(budget, n, steps, {
      setup(): { engine: BenchEngine; text: string } {
        const engine = create();
        fill(engine, list);
        return { engine, text: engine.toText() };
      },
      timed(state) {
        const box = new Box(budget.boxMs);
        const start = performance.now();
        let done = 0;
        for (; done < steps && !box.isFull(done); done += 1) {
          state.engine.complete(order[done]!);
          state.text = use(state.engine.toText());
        }
        const ms = performance.now() - start;
        const data: unknown = JSON.parse(state.text);
        if (n >= 10_000) globalThis.gc?.();
        const floorStart = performance.now();
        for (let i = 0; i < steps; i += 1) use(JSON.stringify(data));
        return { ms, done, floorMs: performance.now() - floorStart };
      },
      check({ text }, { done }) {
        bytes = Buffer.byteLength(text);
        if (done === steps) {
          const copy = create();
          copy.load(text);
          expectSame("digest", digestOfRows(copy.snapshot()), digest);
          copy.dispose?.();
        }
        return digest;
      },
      discard({ engine }) {
        engine.dispose?.();
      },
    });
    return { ...measurement, facts: { bytesPerTask: Math.round(bytes / n) } };
  },
};

/** Reads one character: text that is still a rope gets flattened here, inside the timing. */
function use(text: string): string {
  sink.value = text.charCodeAt(text.length >>> 1);
  return text;
}
