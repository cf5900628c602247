// KAI's documentation from top to bottom, with numbers read from the page: Fairness, then Scheduling queues.

import { App, fill, form } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the rows of a table as lists of texts, by first cell. */
async function rows(page, name) {
  const lines = await page.getByRole("table", { name, exact: true }).locator("tbody tr").all();
  const cells = await Promise.all(lines.map((line) => line.locator("th, td").allTextContents()));
  return Object.fromEntries(cells.map(([first, ...rest]) => [first.trim(), rest.map((text) => text.trim())]));
}

/** Returns a column of Shares as a table, by queue. */
async function shares(page, name) {
  const table = page.getByRole("table", { name: "Shares", exact: true });
  const head = await table.getByRole("columnheader").allTextContents();
  const at = head.findIndex((text) => text.startsWith(name)) - 1;
  const all = await rows(page, "Shares");
  return Object.fromEntries(Object.entries(all).map(([queue, cells]) => [queue, cells[at]]));
}

/** Opens an example and steps to a cycle. */
async function at(app, example, cycle) {
  await app.example(example);
  for (let n = 1; n <= cycle; n += 1) {
    await app.step.click();
    await app.atCycle(n);
  }
}

async function table(app, chart) {
  await app.chartMenu(app.page.getByRole("region", { name: chart, exact: true }), "Show as a table");
}

/** Selects a queue for WHY and Division. */
async function select(app, queue) {
  await app.cell(`queues["${queue}"].name`).click();
  await expect(app.why.getByRole("heading", { name: new RegExp(`^${queue} `) })).toBeVisible();
}

async function open(page) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  return app;
}

test("Fairness: deserved quota, surplus by priority and weight, levels", async ({ page }) => {
  const app = await open(page);
  // Deserved quota for a queue will always be allocated to it.
  await at(app, "quota-is-a-floor", 2);
  await table(app, "Shares");
  expect(await shares(page, "allocated")).toMatchObject({ "team-a": "4", "team-b": "4" });
  expect(await shares(page, "quota")).toMatchObject({ "team-b": "4" });
  // Deserved resources and fair share: the loops of the document, round by round.
  await at(app, "odd-gpu", 1);
  await select(app, "team-a");
  await app.tab("Division").click();
  await table(app, "Division");
  const odd = await rows(page, "Division by round");
  expect(odd["fair share"].slice(0, 2)).toEqual(["4", "3"]);
  // Surplus by priority: at a lower priority even weight 100 gets nothing.
  await at(app, "priority-before-weight", 1);
  await select(app, "bronze");
  const bronze = page.getByRole("table", { name: "Division by round", exact: true });
  const head = await bronze.getByRole("columnheader").allTextContents();
  const result = (await rows(page, "Division by round"))["fair share"];
  expect(result[head.indexOf("bronze") - 1]).toBe("0");
  // At equal priority by weight.
  await at(app, "weight-at-equal-priority", 1);
  await expect(page.getByRole("table", { name: "Division by round", exact: true })).toContainText("/");
});

test("Fairness: reclaim, saturation, the note and the multiplier", async ({ page }) => {
  const app = await open(page);
  // A queue above its fair share loses GPUs to one below it.
  await at(app, "start", 1);
  await expect(app.why).toContainText("a2 was evicted so that b2 can run");
  // Note: a queue with fewer resources than its sibling reclaims none.
  await at(app, "tree-decides", 3);
  await select(app, "nlp");
  await expect(app.why).toContainText("nlp uses 2 GPUs, its whole share, and requests 3.");
  await expect(app.why).toContainText("Its sibling vision uses 3 of its own fair share of 3, so nlp cannot reclaim any from it.");
  // Reclaim sensitivity: 1.2 prevents what 1 allows.
  await at(app, "reclaim-multiplier", 1);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("vision-2");
  await page.keyboard.press("Enter");
  await expect(app.why).toContainText("vision-2 is waiting");
  await expect(app.why).toContainText("1.2");
  await table(app, "Shares");
  expect(await shares(page, "saturation ratio")).toMatchObject({ vision: "0.50", search: "2.00" });
  // Values below 1 are rejected, because reclaim would oscillate.
  await at(app, "start", 0);
  await app.tab("Rules").click();
  await fill(page, "Reclaimer utilization multiplier", "0.9");
  await expect(page.locator(".setup").getByText(/0\.9/).first()).toBeVisible();
});

test("Scheduling queues: the object of a queue, field by field", async ({ page }) => {
  const app = await open(page);
  await form(page, "team-a");
  await fill(page, "Display name", "Computer vision");
  await app.arrived();
  await page.keyboard.press("Escape");
  await select(app, "team-a");
  await expect(app.why.getByRole("heading", { name: /^team-a \(Computer vision\)/ })).toBeVisible();
  await app.tab("Tree").click();
  await expect(page.getByRole("region", { name: "Tree", exact: true })).toContainText("team-a (Computer vision)");
  // Quota and limit: -1 is unlimited.
  await app.set('queues["team-b"].gpu.quota', "-1");
  await expect(app.cell('queues["team-b"].gpu.quota')).toHaveText(/∞/);
  await app.set('queues["team-b"].gpu.quota', "2");
  await app.set('queues["team-b"].gpu.limit', "1");
  await app.tab("Shares").click();
  await table(app, "Shares");
  expect(await shares(page, "limit")).toMatchObject({ "team-b": "1" });
});

test("Time-based fair share: usage, k and the weight before and after", async ({ page }) => {
  const app = await open(page);
  await at(app, "past-counts", 1);
  await select(app, "team-a");
  await app.tab("Division").click();
  await table(app, "Division");
  const all = await rows(page, "Division by round");
  expect(all["past usage"].slice(0, 2)).toEqual(["60 %", "10 %"]);
  const weights = all["over-quota weight before → after, k 1"] ?? all["weight before → after, k 1"];
  expect(weights.slice(0, 2)).toEqual(["1 → 0.62", "1 → 1.38"]);
  expect(all["fair share"].slice(0, 2)).toEqual(["2", "6"]);
  await expect(app.why).toContainText("past usage 60 %, k 1");
});
