/**
 * Runs in the page: opens one store per size, fills it, then changes single
 * tasks in each store by turns and times each change until it is durable.
 */
import { openTasks } from "blockedby";
import { indexedDbStorage } from "blockedby/storage";

const WARM_UP = 10;
const CHANGES = 60;

async function runBench(sizes: readonly number[]): Promise<number[][]> {
  const stores = await Promise.all(
    sizes.map(async (n) => {
      const tasks = await openTasks({ storage: indexedDbStorage({ database: `bench-${n}` }) });
      // One save covers all that is pending when it begins.
      await Promise.all(
        Array.from({ length: n }, (_, i) =>
          tasks.add({
            id: `task-${i}`,
            title: `Task number ${i} of the stored list`,
            description: "What is to be done here, in about as many words as people write into such a field.",
            blockedBy: i === 0 ? [] : [`task-${i >>> 1}`],
          }),
        ),
      );
      return tasks;
    }),
  );
  const times: number[][] = sizes.map(() => []);
  for (let change = 0; change < WARM_UP + CHANGES; change += 1) {
    for (const [i, tasks] of stores.entries()) {
      const id = `task-${(change * 7919) % sizes[i]!}`;
      const start = performance.now();
      await tasks.update(id, { title: `Changed for the ${change}th time, durably` });
      if (change >= WARM_UP) times[i]!.push(performance.now() - start);
    }
  }
  for (const tasks of stores) await tasks.close();
  return times;
}

Object.assign(globalThis, { runBench });
