import type { EngineFactory } from "../engine.js";
import { streamList } from "../support/plan.js";

/** Bytes per task that an engine holds after a build, by kind. */
export interface MemoryUse {
  /** Objects and strings on the JavaScript heap. */
  readonly heap: number;
  /** WebAssembly memory and array buffers. */
  readonly external: number;
}

/**
 * Fills one engine from a stream and reads what stays after collection. The
 * texts count for every engine alike: what the caller made, the engine keeps.
 * Rows handed out are dropped at once.
 */
export function measureMemory(create: EngineFactory, n: number): MemoryUse {
  // A small list first, so that code and one-off buffers are not counted.
  const warm = create();
  streamList(100, ({ id, title, description, blockedBy }) => warm.add(id, title, description, blockedBy));
  warm.dispose?.();
  const before = settled();
  const engine = create();
  streamList(n, ({ id, title, description, blockedBy }) => engine.add(id, title, description, blockedBy));
  const after = settled();
  if (engine.readyCount() + engine.blockedCount() !== n) throw new Error("memory: tasks are missing");
  return {
    heap: (after.heapUsed - before.heapUsed) / n,
    external: (after.external - before.external) / n,
  };
}

function settled(): NodeJS.MemoryUsage {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  // `external` includes `arrayBuffers` and, in Node 20, WebAssembly memory.
  return process.memoryUsage();
}
