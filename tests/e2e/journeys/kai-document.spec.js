// KAI's documentation from top to bottom, with numbers read from the page: Fairness, then Scheduling queues.

import { App, fill, form } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

const DIVISION = "Division by round";

/** Selects a queue for WHY and Division. */
async function select(app, queue) {
  await app.cell(`queues["${queue}"].name`).click();
  await expect(app.why.getByRole("heading", { name: new RegExp(`^${queue} `) })).toBeVisible();
}

test("Fairness: deserved quota, surplus by priority and weight, levels", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  // Deserved quota for a queue will always be allocated to it.
  await app.at("quota-is-a-floor", 2);
  await app.asTable("Shares");
  await expectCells(app.table("Shares"), { "team-a": { allocated: "4" }, "team-b": { allocated: "4", quota: "4" } });
  // Deserved resources and fair share: the loops of the document, round by round.
  await app.at("odd-gpu", 1);
  await select(app, "team-a");
  await app.tab("Division").click();
  await app.asTable("Division");
  await expectCells(app.table(DIVISION), { "fair share": { "team-a": "4", "team-b": "3" } });
  // Surplus by priority: at a lower priority even weight 100 gets nothing.
  await app.at("priority-before-weight", 1);
  await select(app, "bronze");
  await expectCells(app.table(DIVISION), { "fair share": { bronze: "0" } });
  // At equal priority by weight.
  await app.at("weight-at-equal-priority", 1);
  await expect(app.table(DIVISION)).toContainText("/");
});

test("Fairness: reclaim, saturation, the note and the multiplier", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  // A queue above its fair share loses GPUs to one below it.
  await app.at("start", 1);
  await expect(app.why).toContainText("a2 was evicted so that b2 can run");
  // Note: a queue with fewer resources than its sibling reclaims none.
  await app.at("tree-decides", 3);
  await select(app, "nlp");
  await expect(app.why).toContainText("nlp uses 2 GPUs, its whole share, and requests 3.");
  await expect(app.why).toContainText("Its sibling vision uses 3 of its own fair share of 3, so nlp cannot reclaim any from it.");
  // Reclaim sensitivity: 1.2 prevents what 1 allows.
  await app.at("reclaim-multiplier", 1);
  await app.command("vision-2");
  await expect(app.why).toContainText("vision-2 is waiting");
  await expect(app.why).toContainText("1.2");
  await app.asTable("Shares");
  await expectCells(app.table("Shares"), { vision: { "saturation ratio": "0.50" }, search: { "saturation ratio": "2.00" } });
  // Values below 1 are rejected, because reclaim would oscillate.
  await app.at("start", 0);
  await app.tab("Rules").click();
  await fill(page, "Reclaimer utilization multiplier", "0.9");
  await expect(page.locator(".setup").getByText(/0\.9/).first()).toBeVisible();
});

test("Scheduling queues: the object of a queue, field by field", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await form(page, "team-a");
  await fill(page, "Display name", "Computer vision");
  await app.arrived();
  await page.keyboard.press("Escape");
  await select(app, "team-a");
  await expect(app.why.getByRole("heading", { name: /^team-a \(Computer vision\)/ })).toBeVisible();
  await app.now.focus();
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Tree", exact: true })).toContainText("team-a (Computer vision)");
  // Quota and limit: -1 is unlimited.
  await app.set('queues["team-b"].gpu.quota', "-1");
  await expect(app.cell('queues["team-b"].gpu.quota')).toHaveText(/∞/);
  await app.set('queues["team-b"].gpu.quota', "2");
  await app.set('queues["team-b"].gpu.limit', "1");
  await app.tab("Shares").click();
  await app.asTable("Shares");
  await expectCells(app.table("Shares"), { "team-b": { limit: "1" } });
});

test("Time-based fair share: usage, k and the weight before and after", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.at("past-counts", 1);
  await select(app, "team-a");
  await app.tab("Division").click();
  await app.asTable("Division");
  await expectCells(app.table(DIVISION), {
    "past usage": { "team-a": "60 %", "team-b": "10 %" },
    "weight before → after, k 1": { "team-a": "1 → 0.62", "team-b": "1 → 1.38" },
    "fair share": { "team-a": "2", "team-b": "6" },
  });
  await expect(app.why).toContainText("past usage 60 %, k 1");
});
