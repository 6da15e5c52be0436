import type { EngineFactory } from "../engine.js";
import type { Budget, Measurement } from "../support/measure.js";

/** One kind of work, the same for each engine. */
export interface Workload {
  readonly name: string;
  /** One line for the head of its table. */
  readonly title: string;
  /** Sizes beside the usual ones, for our engine and the Map engines. */
  readonly extraSizes?: readonly number[];
  /** What the printed time stands for: all steps, or one of them. */
  readonly per: "run" | "step";
  /** What the floor is, where there is one. */
  readonly floor?: string;
  measure(create: EngineFactory, n: number, budget: Budget): Measurement;
}
