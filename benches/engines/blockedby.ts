import { createTaskGraph } from "blockedby";
import type { TaskGraph } from "blockedby";
import type { BenchEngine, BenchRow } from "../engine.js";

/** The package itself, through nothing but its public surface. */
export class BlockedByEngine implements BenchEngine {
  readonly name = "blockedby";
  #graph: TaskGraph = createTaskGraph();

  add(id: string, title: string, description: string, blockedBy: readonly string[]): BenchRow {
    return this.#graph.add({ id, title, description, blockedBy }).task as BenchRow;
  }

  setBlockedBy(id: string, blockedBy: readonly string[]): boolean {
    // A refusal is a normal answer here, as for an agent: `attempt` does not throw it.
    const attempt = this.#graph.attempt({ action: "update", id, blockedBy });
    if (attempt.ok) return true;
    if (attempt.error.code === "cycle") return false;
    throw attempt.error;
  }

  complete(id: string): BenchRow {
    return this.#graph.complete(id).task as BenchRow;
  }

  firstReady(): string | undefined {
    return this.#graph.ready({ limit: 1 })[0]?.id;
  }

  readyCount(): number {
    return this.#graph.readyCount;
  }

  blockedCount(): number {
    return this.#graph.blockedCount;
  }

  snapshot(): readonly BenchRow[] {
    return this.#graph.getSnapshot() as readonly BenchRow[];
  }

  toText(): string {
    return this.#graph.snapshot();
  }

  load(text: string): void {
    this.#graph.dispose();
    this.#graph = createTaskGraph({ snapshot: text });
  }

  dispose(): void {
    this.#graph.dispose();
  }
}
