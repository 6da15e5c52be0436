// The page that `npm start` serves, as a person uses it: mouse, keyboard, screen reader, two tabs.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { bundle, openPages, pageFor, type Pages } from "./harness.js";

let pages: Pages;

/** Fills the list of the browser with `?n=` tasks, each of which waits for up to three earlier ones. */
const seeding = `
  import { openTasks } from "blockedby";
  import { indexedDbStorage } from "blockedby/storage";
  const tasks = await openTasks({ storage: indexedDbStorage() });
  const n = Number(new URLSearchParams(location.search).get("n"));
  await tasks.batch(Array.from({ length: n }, (_, at) => ({
    action: "add", id: "t" + at, title: "Task " + at, blockedBy: at < 50 ? [] : ["t" + (at % 50), "t" + (at - 50)].slice(0, at < 100 ? 1 : 2),
  })));
  await tasks.close();
  document.querySelector("output").textContent = "seeded";
`;

before(async () => {
  pages = await openPages({
    folders: { "/": path.resolve("build/www") },
    pages: { "/seed": pageFor("/seed.js"), "/seed.js": await bundle(seeding) },
  });
});
after(() => pages.close());

const lane = (page: Page, name: string): Locator => page.getByRole("region", { name: new RegExp(`^${name}`) });
/** The titles in a section of the board, in order. */
const titles = (page: Page, name: string): Promise<string[]> => lane(page, name).locator(".row .name .text").allTextContents();
const said = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole("status").filter({ hasText: text }).waitFor({ timeout: 5_000 });

async function add(page: Page, title: string, ...blockers: string[]): Promise<void> {
  await page.getByRole("textbox", { name: "Title", exact: true }).fill(title);
  for (const blocker of blockers) {
    await page.getByRole("combobox", { name: "Waits for" }).fill(blocker);
    await page.getByRole("option", { name: blocker }).first().click();
  }
  await page.getByRole("button", { name: "Add task" }).click();
  await said(page, `Added ${title}.`);
}

const click = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();

test("add tasks and edges, complete, reopen, remove: and after a reload everything is still there", async () => {
  const page = await pages.open("/");
  await add(page, "Provision the dev DB");
  await add(page, "Seed fixtures", "Provision");
  await add(page, "Write the API", "Provision", "Seed");
  assert.deepEqual(await titles(page, "Ready"), ["Provision the dev DB"]);
  assert.deepEqual(await titles(page, "Blocked"), ["Seed fixtures", "Write the API"]);

  await click(page, "Start Provision the dev DB");
  assert.deepEqual(await titles(page, "In progress"), ["Provision the dev DB"]);
  await click(page, "Complete Provision the dev DB");
  await said(page, "Completed Provision the dev DB. Now ready: Seed fixtures.");
  await page.getByText("Kept in this browser").waitFor();
  await page.reload();
  await page.getByText("1 of 3 done").waitFor();
  assert.deepEqual(await titles(page, "Ready"), ["Seed fixtures"]);
  assert.deepEqual(await titles(page, "Blocked"), ["Write the API"]);

  await click(page, "Reopen Provision the dev DB");
  await said(page, "Reopened Provision the dev DB. Now blocked: Seed fixtures.");
  await click(page, "Seed fixtures (blocked)");
  await page.getByLabel("Details of the selected task").getByRole("button", { name: "Remove Seed fixtures" }).click();
  await said(page, "Removed Seed fixtures.");
  assert.deepEqual(await titles(page, "Blocked"), ["Write the API"]);
  await page.reload();
  await page.getByText("0 of 2 done").waitFor();
  assert.deepEqual(page.mistakes, []);
  await page.close();
});

test("why a task is blocked, edges cut and refused, undo and redo", async () => {
  const page = await pages.open("/");
  await click(page, "Try an example");
  await said(page, "Added the example.");
  await click(page, "Release (blocked)");
  const detail = page.getByLabel("Details of the selected task");
  await detail.getByText("In the end everything waits for “Provision the dev DB”.").waitFor();
  assert.deepEqual(await detail.locator(".links .link").allTextContents(), ["Test the API against the fixtures", "Write the docs"]);

  // To what it waits for, and on: the panel follows the edges.
  await detail.getByRole("button", { name: "Test the API against the fixtures", exact: true }).click();
  await detail.getByRole("heading", { name: "Test the API against the fixtures" }).waitFor();
  await detail.getByRole("combobox", { name: "Let it wait for" }).fill("Release");
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alert");
  await alert.getByText("“Test the API against the fixtures” → “Release” → “Test the API against the fixtures”").waitFor();
  await alert.getByText("Leave out one of these dependencies.").waitFor();
  await alert.getByRole("button", { name: "Close" }).click();
  assert.equal(await alert.textContent(), "");

  await detail.getByRole("button", { name: "Unlink Build the API" }).click();
  await said(page, "Changed Test the API against the fixtures.");
  assert.deepEqual(await detail.locator(".links .link").allTextContents(), ["Seed fixtures", "Release"]);
  await click(page, "Undo");
  await said(page, "Taken back.");
  assert.equal(await detail.locator(".links .link").count(), 3);
  await click(page, "Redo");
  await detail.locator(".links .link").nth(2).waitFor({ state: "detached" });

  await detail.getByText("Edit title and description").click();
  await detail.getByRole("textbox", { name: "Title" }).fill("Test it");
  await detail.getByRole("textbox", { name: "Description" }).fill("Twice.\nAt night.");
  await detail.getByRole("button", { name: "Save" }).click();
  await detail.getByRole("heading", { name: "Test it" }).waitFor();
  await detail.getByText("Twice.\nAt night.").first().waitFor();
  await click(page, "Complete Test it");
  await said(page, "Completed Test it. It was still waiting for others.");
  assert.deepEqual(page.mistakes, []);
  await page.close();
});

test("two tabs stay in step, and neither loses what the other does", async () => {
  const context = await pages.browser.newContext();
  const [one, two] = [await context.newPage(), await context.newPage()];
  for (const page of [one, two]) {
    await page.goto(pages.url);
    await page.getByRole("button", { name: "Add task" }).waitFor();
  }
  await add(one, "First");
  await add(one, "Second", "First");
  await two.getByRole("button", { name: "Second (blocked)" }).waitFor();
  await two.getByRole("button", { name: "Complete First", exact: true }).click();
  await said(one, "Changed in another tab. Now ready: Second.");
  assert.deepEqual(await titles(one, "Ready"), ["Second"]);
  await Promise.all([add(one, "From one"), add(two, "From two")]);
  for (const page of [one, two]) {
    await page.getByText("1 of 4 done").waitFor();
    assert.deepEqual((await titles(page, "Ready")).sort(), ["From one", "From two", "Second"]);
  }
  await context.close();
});

test("by keyboard alone, and the focus is never lost", async () => {
  const page = await pages.open("/");
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.getByRole("textbox", { name: "Title", exact: true }).focus();
  for (const title of ["One", "Two", "Three"]) {
    await page.keyboard.type(title);
    await press("Enter");
    await said(page, `Added ${title}.`);
  }
  await page.keyboard.type("Four");
  await press("Tab");
  await page.keyboard.type("Thr");
  await press("ArrowDown");
  const active = await page.getByRole("combobox", { name: "Waits for" }).getAttribute("aria-activedescendant");
  assert.match(await page.locator(`#${active ?? "none"}`).innerText(), /^Three/);
  await press("Enter", "Tab", "Tab");
  assert.equal(await focused(), "Add task");
  await press("Enter");
  await said(page, "Added Four.");
  assert.deepEqual(await titles(page, "Blocked"), ["Four"]);

  // Each list is one stop; arrows move within it; Tab goes on to what can be done.
  await page.getByRole("searchbox", { name: "Find" }).focus();
  await press("Tab");
  assert.equal(await focused(), "One(ready)");
  await press("End", "ArrowUp", "Tab", "Tab");
  assert.equal(await focused(), "Complete Two");
  await press("Enter");
  await said(page, "Completed Two.");
  assert.equal(await focused(), "Three(ready)", "the focus stays in the list");
  await press("Tab", "Tab", "Enter");
  await said(page, "Completed Three. Now ready: Four.");
  assert.equal(await focused(), "Four(ready)");
  await press("Control+z");
  await said(page, "Now blocked: Four.");
  await press("Home", "Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "detail");
  await press("Escape");
  assert.equal(await focused(), "One(ready)");
  await press("Tab", "Tab", "Tab");
  assert.equal(await focused(), "Four(blocked)", "the next list");
  assert.deepEqual(page.mistakes, []);
  await page.close();
});

test("what a screen reader meets", async () => {
  const page = await pages.open("/");
  await click(page, "Try an example");
  await said(page, "Added the example.");
  const tree = await page.locator("body").ariaSnapshot();
  for (const line of [
    'heading "blockedby" [level=1]',
    'progressbar "Done"',
    'textbox "Title"',
    'combobox "Waits for"',
    'searchbox "Find"',
    'region "Ready 2"',
    'heading "Ready 2" [level=2]',
    'list "Ready 2"',
    'button "Write the docs (ready)"',
    'button "Complete Write the docs"',
    'button "Release (blocked)"',
    'complementary "Details of the selected task"',
    'status: "Added the example.',
  ]) {
    assert.ok(tree.includes(line), `${line} is missing in\n${tree}`);
  }
  assert.doesNotMatch(tree, /^\s*- (button|textbox|combobox|searchbox)$/m, "everything has a name");
  await page.close();
});

test("titles are text, whatever they hold", async () => {
  const page = await pages.open("/");
  const evil = `<img src=x onerror="document.title='owned'"> \`Release\` {{7*7}} ${"long".repeat(200)}`;
  await page.getByRole("textbox", { name: "Title", exact: true }).fill(evil);
  await click(page, "Add task");
  await said(page, "Added <img src=x");
  assert.deepEqual(await titles(page, "Ready"), [evil]);
  await page.locator(".row .name").first().click();
  assert.equal(await page.locator("#detail h2").textContent(), evil);
  assert.equal(await page.locator("img").count(), 0);
  assert.notEqual(await page.title(), "owned");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(wide, false, "nothing sticks out");
  assert.deepEqual(page.mistakes, []);
  await page.close();
});

test("500 tasks: opened, searched and worked on without a wait", async () => {
  const context = await pages.browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL("/seed?n=500", pages.url).href);
  await page.locator("output:not(:empty)").waitFor({ timeout: 20_000 });
  const start = performance.now();
  await page.goto(pages.url);
  await page.getByText("0 of 500 done · 50 ready").waitFor();
  const opened = performance.now() - start;
  // What a click costs until the page shows what came of it.
  const cost = await page.evaluate(async () => {
    const button = document.querySelector<HTMLButtonElement>(".lane-ready .verb.complete");
    const before = performance.now();
    button?.click();
    while (document.querySelectorAll(".lane-settled .row").length === 0) await new Promise((resolve) => setTimeout(resolve));
    document.body.getBoundingClientRect();
    return performance.now() - before;
  });
  console.log(`500 tasks: opened in ${opened.toFixed(0)} ms, a change is shown in ${cost.toFixed(0)} ms`);
  assert.ok(opened < 10_000 && cost < 1_000);
  await page.getByRole("searchbox", { name: "Find" }).fill("Task 499");
  await page.getByText("Task 499").waitFor();
  assert.deepEqual(await titles(page, "Blocked"), ["Task 499"]);
  await context.close();
});

test("without a storage the page says so, and goes on when asked to", async () => {
  const context = await pages.browser.newContext();
  await context.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined }));
  const page = await context.newPage();
  await page.goto(pages.url);
  await page.getByRole("alert").getByText("IndexedDB").first().waitFor();
  await page.getByRole("button", { name: "Go on without saving" }).click();
  await page.getByText("Not saved: this list is gone when the page is closed.").waitFor();
  await add(page, "Only here");
  assert.deepEqual(await titles(page, "Ready"), ["Only here"]);
  await context.close();
});
