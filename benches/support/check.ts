import type { EngineName } from "../engines/index.js";
import { loadEngine } from "../engines/index.js";
import type { Workload } from "../workloads/workload.js";

/** Longer than this no engine works on one cell in a check; the finished steps are compared all the same. */
const BOX_MS = 500;

/**
 * Runs each workload once on each engine and compares the results; throws at
 * the first difference. Nothing that it prints is a measurement.
 */
export async function check(
  workloads: readonly Workload[],
  engines: readonly EngineName[],
  sizes: readonly number[],
): Promise<void> {
  for (const workload of workloads) {
    for (const n of sizes) {
      const digests = new Set<string>();
      const partly: string[] = [];
      for (const engine of engines) {
        try {
          const { digest, done, steps } = workload.measure(await loadEngine(engine), n, {
            boxMs: BOX_MS,
            spendMs: 0,
            check: true,
          });
          digests.add(digest);
          if (done < steps) partly.push(`${engine} ${done} of ${steps} steps`);
        } catch (cause) {
          throw new Error(`${workload.name}, n = ${n}, ${engine}: ${String(cause)}`, { cause });
        }
      }
      if (digests.size !== 1) throw new Error(`${workload.name}, n = ${n}: the engines differ`);
      const note = partly.length > 0 ? ` (${partly.join(", ")})` : "";
      console.log(`same results: ${workload.name}, n = ${n}, ${engines.length} engines${note}`);
    }
  }
}
