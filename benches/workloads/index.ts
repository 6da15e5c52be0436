import { adversarial } from "./adversarial.js";
import { build } from "./build.js";
import { drain } from "./drain.js";
import { load } from "./load.js";
import { rewire } from "./rewire.js";
import { save } from "./save.js";
import { snapshot } from "./snapshot.js";
import type { Workload } from "./workload.js";

/** The workloads that run on every engine, in the order of the report. */
export const WORKLOADS: readonly Workload[] = [build, rewire, adversarial, drain, snapshot, load, save];

/** What is measured in other ways. */
export const SPECIALS = ["memory", "cold", "sizes", "indexeddb", "import"] as const;

export type Special = (typeof SPECIALS)[number];
