import type { EngineFactory } from "../engine.js";

/** All engines, ours first. */
export const ENGINE_NAMES = [
  "blockedby",
  "plain-map",
  "optimised-map",
  "graphology",
  "dependency-graph",
  "graphlib",
] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** The published libraries: "the fastest library" is the fastest of these. */
export const LIBRARIES: readonly EngineName[] = ["graphology", "dependency-graph", "graphlib"];

/** The engines that are measured at 100,000 tasks. */
export const LARGE: readonly EngineName[] = ["blockedby", "plain-map", "optimised-map"];

/** Loads one engine and nothing of the others. */
export async function loadEngine(name: EngineName): Promise<EngineFactory> {
  switch (name) {
    case "blockedby": {
      const { BlockedByEngine } = await import("./blockedby.js");
      return () => new BlockedByEngine();
    }
    case "plain-map": {
      const { PlainMapEngine } = await import("./plain-map.js");
      return () => new PlainMapEngine();
    }
    case "optimised-map": {
      const { OptimisedMapEngine } = await import("./optimised-map.js");
      return () => new OptimisedMapEngine();
    }
    case "graphology": {
      const { GraphologyEngine } = await import("./graphology.js");
      return () => new GraphologyEngine();
    }
    case "dependency-graph": {
      const { DependencyGraphEngine } = await import("./dependency-graph.js");
      return () => new DependencyGraphEngine();
    }
    case "graphlib": {
      const { GraphlibEngine } = await import("./graphlib.js");
      return () => new GraphlibEngine();
    }
  }
}
