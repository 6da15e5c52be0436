import { digestOfPlan, digestOfRows, drainPlan, fill, listPlan } from "../support/plan.js";
import { expectSame, repeat, sink } from "../support/measure.js";
import type { Workload } from "./workload.js";

/** Text to an engine that has validated it and can say what is ready; the floor is `JSON.parse` of the same text. */
export const load: Workload = {
  name: "load",
  title: "load: parse text, validate (duplicates, unknown ids, rings), say what is ready",
  per: "run",
  floor: "JSON.parse of the same text",
  measure(create, n, budget) {
    const list = listPlan(n);
    const plan = drainPlan(list);
    const completed = Math.floor(n / 10);
    const done = new Set(plan.order.slice(0, completed));
    const digest = digestOfPlan(list, list.blockers, (id) => done.has(id));
    const source = create();
    fill(source, list);
    for (const id of done) source.complete(id);
    const text = source.toText();
    source.dispose?.();
    return repeat(budget, n, 1, {
      setup: create,
      timed(engine) {
        const start = performance.now();
        engine.load(text);
        sink.value = [engine.readyCount(), engine.firstReady()];
        const ms = performance.now() - start;
        if (n >= 10_000) globalThis.gc?.();
        const floorStart = performance.now();
        sink.value = JSON.parse(text);
        return { ms, done: 1, floorMs: performance.now() - floorStart };
      },
      check(engine) {
        expectSame("ready", engine.readyCount(), plan.ready[completed - 1]);
        expectSame("blocked", engine.blockedCount(), plan.blocked[completed - 1]);
        expectSame("first ready", engine.firstReady(), plan.order[completed]);
        expectSame("digest", digestOfRows(engine.snapshot()), digest);
        return digest;
      },
      discard(engine) {
        engine.dispose?.();
      },
    });
  },
};
