// The cases of tests/conformance/ through the built package, in a real browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { bundle, openPages, outputOf, pageFor, type Pages } from "./harness.js";

const folder = "tests/conformance";
const cases = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .sort()
  .flatMap((file) => (JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as { name: string }[]).map((one) => ({ file, ...one })));

let pages: Pages;

before(async () => {
  const script = await bundle(`
    import { runCase, type Case, type Kind } from "../js/support/conformance.js";
    const cases = (await (await fetch("/cases.json")).json()) as (Case & { file: string })[];
    const failures: string[] = [];
    for (const one of cases) {
      for (const kind of ["graph", "store"] as Kind[]) {
        try {
          await runCase(one, kind);
        } catch (error) {
          failures.push(one.file + ": " + one.name + " (" + kind + "): " + (error as Error).message);
        }
      }
    }
    document.querySelector("output")!.textContent = JSON.stringify({ ran: cases.length, failures });
  `);
  pages = await openPages({
    pages: { "/": pageFor("/script.js"), "/script.js": script, "/cases.json": JSON.stringify(cases) },
  });
});

after(() => pages.close());

test("the cases hold in Chromium, on a graph and on a store", async () => {
  const page = await pages.open("/");
  const { ran, failures } = JSON.parse(await outputOf(page)) as { ran: number; failures: string[] };
  assert.equal(ran, cases.length);
  assert.ok(ran >= 60, `only ${ran} cases`);
  assert.equal(failures.length, 0, failures.join("\n\n"));
  assert.deepEqual(page.mistakes, []);
});
