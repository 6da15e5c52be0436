import type { BenchEngine, BenchRow } from "../engine.js";

interface Task {
  id: string;
  title: string;
  description: string;
  status: "pending" | "completed";
  blockedBy: string[];
  blocks: string[];
  createdAt: number;
  updatedAt: number;
}

/**
 * The engine that a developer writes in an hour: a `Map` of mutable tasks,
 * scans for ready and blocked, one depth-first check with a visited set, and
 * copies handed out so that nobody can change the inside.
 */
export class PlainMapEngine implements BenchEngine {
  readonly name = "plain-map";
  readonly #tasks = new Map<string, Task>();

  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow {
    if (this.#tasks.has(id)) throw new Error(`duplicate id: ${id}`);
    if (this.#closesRing(id, blockedBy)) throw new Error(`cycle at ${id}`);
    const now = Date.now();
    const task: Task = {
      id,
      title,
      description,
      status: "pending",
      blockedBy: [...blockedBy],
      blocks: [],
      createdAt: now,
      updatedAt: now,
    };
    this.#tasks.set(id, task);
    for (const blocker of blockedBy) this.#get(blocker).blocks.push(id);
    return copy(task);
  }

  setBlockedBy(id: string, blockedBy: readonly string[]): boolean {
    const task = this.#get(id);
    if (this.#closesRing(id, blockedBy.filter((blocker) => !task.blockedBy.includes(blocker)))) return false;
    for (const old of task.blockedBy) {
      if (blockedBy.includes(old)) continue;
      const blocks = this.#get(old).blocks;
      blocks.splice(blocks.indexOf(id), 1);
    }
    for (const blocker of blockedBy) {
      if (!task.blockedBy.includes(blocker)) this.#get(blocker).blocks.push(id);
    }
    task.blockedBy = [...blockedBy];
    task.updatedAt = Date.now();
    return true;
  }

  complete(id: string): BenchRow {
    const task = this.#get(id);
    task.status = "completed";
    task.updatedAt = Date.now();
    return copy(task);
  }

  firstReady(): string | undefined {
    for (const task of this.#tasks.values()) {
      if (task.status === "pending" && !this.#isBlocked(task)) return task.id;
    }
    return undefined;
  }

  readyCount(): number {
    let count = 0;
    for (const task of this.#tasks.values()) {
      if (task.status === "pending" && !this.#isBlocked(task)) count += 1;
    }
    return count;
  }

  blockedCount(): number {
    let count = 0;
    for (const task of this.#tasks.values()) {
      if (task.status === "pending" && this.#isBlocked(task)) count += 1;
    }
    return count;
  }

  snapshot(): readonly BenchRow[] {
    const rows: BenchRow[] = [];
    for (const task of this.#tasks.values()) rows.push(copy(task));
    return rows;
  }

  toText(): string {
    return JSON.stringify([...this.#tasks.values()]);
  }

  load(text: string): void {
    for (const task of JSON.parse(text) as Task[]) {
      if (this.#tasks.has(task.id)) throw new Error(`duplicate id: ${task.id}`);
      this.#tasks.set(task.id, task);
    }
    const done = new Set<string>();
    const onPath = new Set<string>();
    for (const root of this.#tasks.values()) {
      // Depth first with an explicit stack: a task is left when it is met again.
      const stack = [root];
      let task: Task | undefined;
      while ((task = stack[stack.length - 1]) !== undefined) {
        if (done.has(task.id)) {
          stack.pop();
        } else if (onPath.has(task.id)) {
          onPath.delete(task.id);
          done.add(task.id);
          stack.pop();
        } else {
          onPath.add(task.id);
          for (const blocker of task.blockedBy) {
            if (onPath.has(blocker)) throw new Error(`cycle at ${blocker}`);
            if (!done.has(blocker)) stack.push(this.#get(blocker));
          }
        }
      }
    }
  }

  #get(id: string): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new Error(`unknown task: ${id}`);
    return task;
  }

  #isBlocked(task: Task): boolean {
    for (const id of task.blockedBy) {
      if (this.#get(id).status !== "completed") return true;
    }
    return false;
  }

  /** Whether `id` can be reached from one of `blockers` by going from blocker to blocker. */
  #closesRing(id: string, blockers: readonly string[]): boolean {
    const visited = new Set<string>();
    const stack = [...blockers];
    let next: string | undefined;
    while ((next = stack.pop()) !== undefined) {
      if (next === id) return true;
      if (visited.has(next)) continue;
      visited.add(next);
      for (const blocker of this.#get(next).blockedBy) stack.push(blocker);
    }
    return false;
  }
}

function copy(task: Task): BenchRow & { createdAt: number; updatedAt: number } {
  return {
    id: task.id,
    title: task.title,
    description: task.description,
    status: task.status,
    blockedBy: task.blockedBy.slice(),
    blocks: task.blocks.slice(),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  };
}
