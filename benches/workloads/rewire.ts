import { listPlan, rewirePlan } from "../support/plan.js";
import { measureEdges } from "./edges.js";
import type { Workload } from "./workload.js";

/** Random edge changes on a built list; about a quarter must be refused. */
export const rewire: Workload = {
  name: "rewire",
  title: "rewire: 10,000 random edge changes (one blocker comes, one goes), about a quarter refused",
  per: "run",
  measure(create, n, budget) {
    const list = listPlan(n);
    return measureEdges(create, list, rewirePlan(list, budget.check ? 2000 : 10_000), budget);
  },
};
