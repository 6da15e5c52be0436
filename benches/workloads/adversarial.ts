import { adversarialPlan, bareListPlan } from "../support/plan.js";
import { measureEdges } from "./edges.js";
import type { Workload } from "./workload.js";

/** Edges against the order of creation that grow into one long chain, then attempts to close it. */
export const adversarial: Workload = {
  name: "adversarial",
  title: "adversarial rewire: chains against the order of creation, joined; then up to 100 refused closing edges",
  per: "run",
  measure(create, n, budget) {
    const list = bareListPlan(n);
    return measureEdges(create, list, adversarialPlan(list), budget);
  },
};
