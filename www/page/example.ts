import type { Command } from "blockedby";

/** A plan to play with; keys stand for the ids that the batch will make. */
export const example: readonly Command[] = [
  { action: "add", key: "db", title: "Provision the dev DB" },
  { action: "add", key: "schema", title: "Write the schema", blockedBy: ["db"] },
  { action: "add", key: "seed", title: "Seed fixtures", blockedBy: ["schema"] },
  { action: "add", key: "api", title: "Build the API", blockedBy: ["schema"] },
  { action: "add", key: "tests", title: "Test the API against the fixtures", blockedBy: ["api", "seed"] },
  { action: "add", key: "docs", title: "Write the docs" },
  { action: "add", key: "release", title: "Release", blockedBy: ["tests", "docs"] },
];
