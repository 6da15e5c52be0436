// Every case of tests/conformance/ through the built package: on a graph, and on a store of records.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { runCase, type Case } from "./support/conformance.js";

const folder = "tests/conformance";
const files = readdirSync(folder).filter((file) => file.endsWith(".json")).sort();
let count = 0;

for (const file of files) {
  const cases = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as Case[];
  count += cases.length;
  for (const one of cases) {
    test(`${file}: ${one.name}`, () => runCase(one));
    test(`${file}: ${one.name} (store)`, () => runCase(one, "store"));
  }
}

test("there are enough cases", () => {
  assert.ok(count >= 60, `only ${count} cases`);
});
