import { alg, Graph } from "@dagrejs/graphlib";
import type { BenchEngine, BenchRow } from "../engine.js";

interface Task {
  title: string;
  description: string;
  status: string;
  createdAt: number;
  updatedAt: number;
}

/**
 * `@dagrejs/graphlib`.
 *
 * Its own `alg.isAcyclic` sorts the whole graph for each edge; `alg.preorder`
 * answers the same question from what lies behind one task, so that is used.
 * An edge goes from the blocker to the dependent, hence a new task costs no walk.
 * Both recurse: a chain of about 10,000 overflows the stack.
 */
export class GraphlibEngine implements BenchEngine {
  readonly name = "graphlib";
  readonly #graph = new Graph({ directed: true });

  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow {
    const graph = this.#graph;
    if (graph.hasNode(id)) throw new Error(`duplicate id: ${id}`);
    const now = Date.now();
    const task: Task = { title, description, status: "pending", createdAt: now, updatedAt: now };
    graph.setNode(id, task);
    if (blockedBy.length > 0) {
      const below = alg.preorder(graph, id);
      for (const blocker of blockedBy) {
        if (!graph.hasNode(blocker)) throw new Error(`unknown task: ${blocker}`);
        if (below.includes(blocker)) throw new Error(`cycle at ${id}`);
        graph.setEdge(blocker, id);
      }
    }
    return this.#row(id, task);
  }

  setBlockedBy(id: string, blockedBy: readonly string[]): boolean {
    const graph = this.#graph;
    const old = graph.predecessors(id) ?? [];
    const added = blockedBy.filter((blocker) => !old.includes(blocker));
    if (added.length > 0) {
      const below = alg.preorder(graph, id);
      for (const blocker of added) {
        if (below.includes(blocker)) return false;
      }
    }
    for (const blocker of old) {
      if (!blockedBy.includes(blocker)) graph.removeEdge(blocker, id);
    }
    for (const blocker of added) graph.setEdge(blocker, id);
    this.#task(id).updatedAt = Date.now();
    return true;
  }

  complete(id: string): BenchRow {
    const task = this.#task(id);
    task.status = "completed";
    task.updatedAt = Date.now();
    return this.#row(id, task);
  }

  firstReady(): string | undefined {
    return this.#graph.nodes().find((id) => this.#task(id).status === "pending" && !this.#isBlocked(id));
  }

  readyCount(): number {
    let count = 0;
    for (const id of this.#graph.nodes()) {
      if (this.#task(id).status === "pending" && !this.#isBlocked(id)) count += 1;
    }
    return count;
  }

  blockedCount(): number {
    let count = 0;
    for (const id of this.#graph.nodes()) {
      if (this.#task(id).status === "pending" && this.#isBlocked(id)) count += 1;
    }
    return count;
  }

  snapshot(): readonly BenchRow[] {
    return this.#graph.nodes().map((id) => this.#row(id, this.#task(id)));
  }

  toText(): string {
    return JSON.stringify(this.snapshot());
  }

  load(text: string): void {
    const graph = this.#graph;
    const rows = JSON.parse(text) as (BenchRow & Task)[];
    for (const row of rows) {
      if (graph.hasNode(row.id)) throw new Error(`duplicate id: ${row.id}`);
      const { title, description, status, createdAt, updatedAt } = row;
      graph.setNode(row.id, { title, description, status, createdAt, updatedAt });
    }
    for (const row of rows) {
      for (const blocker of row.blockedBy) {
        if (!graph.hasNode(blocker)) throw new Error(`unknown task: ${blocker}`);
        graph.setEdge(blocker, row.id);
      }
    }
    if (!alg.isAcyclic(graph)) throw new Error("cycle in the loaded list");
  }

  #task(id: string): Task {
    return this.#graph.node(id) as Task;
  }

  #isBlocked(id: string): boolean {
    for (const blocker of this.#graph.predecessors(id) ?? []) {
      if (this.#task(blocker).status !== "completed") return true;
    }
    return false;
  }

  #row(id: string, task: Task): BenchRow & Task {
    return {
      id,
      title: task.title,
      description: task.description,
      status: task.status,
      blockedBy: this.#graph.predecessors(id) ?? [],
      blocks: this.#graph.successors(id) ?? [],
      createdAt: task.createdAt,
      updatedAt: task.updatedAt,
    };
  }
}
