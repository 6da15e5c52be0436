/** What a cold process does, from before the import to the first result. */
export const COLD_STARTS = ["blockedby", "graphology", "graphology + first add", "dependency-graph", "optimised-map"] as const;

export type ColdStart = (typeof COLD_STARTS)[number];

/** Milliseconds from before the import until the first task is in. Fit for a fresh process only. */
export async function measureCold(what: ColdStart): Promise<number> {
  const start = performance.now();
  switch (what) {
    case "blockedby": {
      const { createTaskGraph } = await import("blockedby");
      createTaskGraph().add({ id: "a", title: "first" });
      break;
    }
    case "graphology":
      await import("graphology");
      break;
    case "graphology + first add": {
      const { GraphologyEngine } = await import("../engines/graphology.js");
      new GraphologyEngine().add("a", "first", "", []);
      break;
    }
    case "dependency-graph": {
      const { DependencyGraphEngine } = await import("../engines/dependency-graph.js");
      new DependencyGraphEngine().add("a", "first", "", []);
      break;
    }
    case "optimised-map": {
      const { OptimisedMapEngine } = await import("../engines/optimised-map.js");
      new OptimisedMapEngine().add("a", "first", "", []);
      break;
    }
  }
  return performance.now() - start;
}
