import { inspect } from "blockedby/files";
import { Random } from "../support/random.js";
import { median } from "../support/measure.js";

/** What reading a ledger costs beside what parsing its lines costs, in one process. */
export interface ImportUse {
  readonly what: string;
  readonly bytes: number;
  readonly ms: number;
  /** Splitting into lines and `JSON.parse` of each. */
  readonly floorMs: number;
}

/** The shapes of the two largest ledgers known: many edges and long texts; many short records, nearly all deleted. */
const LEDGERS = {
  "1,709 records, 3,440 edges": { records: 1709, edges: 3440, description: 2000, deleted: 0 },
  "10,360 records, 367 edges": { records: 10_360, edges: 367, description: 150, deleted: 0.93 },
} as const;

export type Ledger = keyof typeof LEDGERS;

/** The ledgers that are measured. */
export const LEDGER_NAMES = Object.keys(LEDGERS) as Ledger[];

function ledger(name: Ledger): string {
  const { records, edges, description, deleted } = LEDGERS[name];
  const random = new Random(17);
  const lines: string[] = [];
  let left = edges;
  for (let at = 0; at < records; at += 1) {
    const isDeleted = random.below(1000) < deleted * 1000;
    const dependencies = [];
    for (let most = Math.min(4, at); most > 0 && left > 0 && random.below(records * 2) < edges * 2; most -= 1, left -= 1) {
      dependencies.push({ issue_id: `bd-${at}`, depends_on_id: `bd-${random.below(at)}`, type: "blocks", created_at: "2026-02-09T21:47:33.155152120Z", created_by: "user" });
    }
    const words = "Implement the \"next\" step, then verify it.\n".repeat(1 + Math.floor((random.below(description * 2)) / 44));
    lines.push(JSON.stringify({
      id: `bd-${at}`,
      title: `Task number ${at} of the ledger`,
      description: words,
      status: isDeleted ? "tombstone" : "closed",
      priority: random.below(5),
      issue_type: "task",
      created_at: "2026-02-03T17:45:39.511174814Z",
      created_by: "user",
      updated_at: "2026-02-03T18:16:24.253365613Z",
      closed_at: "2026-02-03T18:16:24.253348050Z",
      close_reason: "Done",
      ...(dependencies.length === 0 ? {} : { dependencies }),
    }));
  }
  return `${lines.join("\n")}\n`;
}

/** Measures one ledger; fit for a fresh process. */
export async function measureImport(name: Ledger): Promise<ImportUse> {
  const text = ledger(name);
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let round = 0; round < 12; round += 1) {
    const start = performance.now();
    const parsed = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as { id: string });
    const between = performance.now();
    const report = await inspect({ path: "issues.jsonl", content: text });
    const end = performance.now();
    if (report.tasks !== parsed.length) throw new Error(`${report.tasks} tasks instead of ${parsed.length}`);
    if (round < 2) continue;
    floor.push(between - start);
    ours.push(end - between);
  }
  return { what: name, bytes: text.length, ms: median(ours), floorMs: median(floor) };
}
