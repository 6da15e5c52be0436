import { DepGraph } from "dependency-graph";
import type { BenchEngine, BenchRow } from "../engine.js";

interface Task {
  title: string;
  description: string;
  status: string;
  createdAt: number;
  updatedAt: number;
}

/**
 * `dependency-graph`.
 *
 * The cheapest documented check is `dependantsOf`: one walk with a visited set
 * for any number of new blockers, and no walk for a new task. (`overallOrder`
 * walks the whole graph.) The library gives no iteration over its nodes short of
 * a topological sort, so the ids are kept beside it in order of creation.
 */
export class DependencyGraphEngine implements BenchEngine {
  readonly name = "dependency-graph";
  readonly #graph = new DepGraph<Task>();
  readonly #ids: string[] = [];

  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow {
    const graph = this.#graph;
    if (graph.hasNode(id)) throw new Error(`duplicate id: ${id}`);
    const now = Date.now();
    const task: Task = { title, description, status: "pending", createdAt: now, updatedAt: now };
    graph.addNode(id, task);
    this.#ids.push(id);
    if (blockedBy.length > 0) {
      const below = graph.dependantsOf(id);
      for (const blocker of blockedBy) {
        if (blocker === id || below.includes(blocker)) throw new Error(`cycle at ${id}`);
        graph.addDependency(id, blocker);
      }
    }
    return this.#row(id, task);
  }

  setBlockedBy(id: string, blockedBy: readonly string[]): boolean {
    const graph = this.#graph;
    const old = graph.directDependenciesOf(id);
    const added = blockedBy.filter((blocker) => !old.includes(blocker));
    if (added.length > 0) {
      const below = graph.dependantsOf(id);
      for (const blocker of added) {
        if (blocker === id || below.includes(blocker)) return false;
      }
    }
    for (const blocker of old) {
      if (!blockedBy.includes(blocker)) graph.removeDependency(id, blocker);
    }
    for (const blocker of added) graph.addDependency(id, blocker);
    graph.getNodeData(id).updatedAt = Date.now();
    return true;
  }

  complete(id: string): BenchRow {
    const task = this.#graph.getNodeData(id);
    task.status = "completed";
    task.updatedAt = Date.now();
    return this.#row(id, task);
  }

  firstReady(): string | undefined {
    return this.#ids.find((id) => this.#isPending(id) && !this.#isBlocked(id));
  }

  readyCount(): number {
    let count = 0;
    for (const id of this.#ids) {
      if (this.#isPending(id) && !this.#isBlocked(id)) count += 1;
    }
    return count;
  }

  blockedCount(): number {
    let count = 0;
    for (const id of this.#ids) {
      if (this.#isPending(id) && this.#isBlocked(id)) count += 1;
    }
    return count;
  }

  snapshot(): readonly BenchRow[] {
    return this.#ids.map((id) => this.#row(id, this.#graph.getNodeData(id)));
  }

  toText(): string {
    return JSON.stringify(this.snapshot());
  }

  load(text: string): void {
    const graph = this.#graph;
    const rows = JSON.parse(text) as (BenchRow & Task)[];
    for (const row of rows) {
      if (graph.hasNode(row.id)) throw new Error(`duplicate id: ${row.id}`);
      graph.addNode(row.id, {
        title: row.title,
        description: row.description,
        status: row.status,
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
      });
      this.#ids.push(row.id);
    }
    for (const row of rows) {
      for (const blocker of row.blockedBy) graph.addDependency(row.id, blocker);
    }
    // Throws where there is a ring.
    graph.overallOrder();
  }

  #isPending(id: string): boolean {
    return this.#graph.getNodeData(id).status === "pending";
  }

  #isBlocked(id: string): boolean {
    for (const blocker of this.#graph.directDependenciesOf(id)) {
      if (this.#graph.getNodeData(blocker).status !== "completed") return true;
    }
    return false;
  }

  #row(id: string, task: Task): BenchRow & Task {
    return {
      id,
      title: task.title,
      description: task.description,
      status: task.status,
      blockedBy: this.#graph.directDependenciesOf(id),
      blocks: this.#graph.directDependantsOf(id),
      createdAt: task.createdAt,
      updatedAt: task.updatedAt,
    };
  }
}
