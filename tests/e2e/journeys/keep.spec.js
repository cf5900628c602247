// Edits survive other tabs, a reload, and text that cannot be parsed yet.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const WEIGHT_A = 'queues["team-a"].gpu.weight';
const WEIGHT_B = 'queues["team-b"].gpu.weight';

/** Waits until the drafts on this device have these weights and no tab stores anything any more. */
async function kept(app, weights) {
  let before;
  const found = async () => {
    const stored = await app.page.evaluate(() => JSON.stringify(localStorage));
    const isSettled = stored === before;
    before = stored;
    if (!isSettled) return "storage still changes";
    const drafts = await app.drafts();
    return drafts.map(({ scenario }) => scenario.queues.map((queue) => queue.gpu.weight).join(" ")).sort();
  };
  // Longer than the delay before a change is stored.
  await expect.poll(found, { intervals: [600] }).toEqual(weights);
}

test("two tabs keep a copy each, whichever closes last", async ({ page, context }) => {
  const first = new App(page);
  await first.open();
  await first.set(WEIGHT_B, "3");
  await kept(first, ["1 3"]);
  const other = await context.newPage();
  const second = new App(other);
  await second.open();
  await expect(second.cell(WEIGHT_B)).toContainText("3");
  const told = "This scenario is also open in another tab; this tab keeps its own copy.";
  await expect(other.locator(".notices").getByText(told)).toBeVisible();
  await expect(page.locator(".notices").getByText(told)).toHaveCount(0);
  for (const [app, cell, value] of [
    [first, WEIGHT_B, "5"],
    [second, WEIGHT_A, "6"],
    [first, WEIGHT_B, "7"],
  ]) {
    await app.page.bringToFront();
    await app.set(cell, value);
  }
  await kept(first, ["1 7", "6 3"]);
  // A reload of either tab shows its own draft.
  for (const app of [first, second]) {
    await app.page.reload();
    await app.arrived();
  }
  await expect(first.cell(WEIGHT_B)).toContainText("7");
  await expect(first.cell(WEIGHT_A)).toContainText("1");
  await expect(second.cell(WEIGHT_B)).toContainText("3");
  await expect(second.cell(WEIGHT_A)).toContainText("6");
  await other.close();
  await kept(first, ["1 7", "6 3"]);
});

test("a tab that was not heard does not overwrite another one's draft", async ({ page, context }) => {
  const first = new App(page);
  await first.open();
  await first.set(WEIGHT_B, "3");
  await kept(first, ["1 3"]);
  const other = await context.newPage();
  await other.addInitScript(() => delete globalThis.BroadcastChannel);
  const second = new App(other);
  await second.open();
  await second.set(WEIGHT_A, "6");
  await kept(second, ["6 3"]);
  await first.set(WEIGHT_B, "7");
  await expect(page.locator(".notices")).toContainText("this tab keeps its own copy");
  await page.reload();
  await first.arrived();
  await expect(first.cell(WEIGHT_B)).toContainText("7");
  await expect(first.cell(WEIGHT_A)).toContainText("1");
  await other.reload();
  await second.arrived();
  await expect(second.cell(WEIGHT_A)).toContainText("6");
});

test("text that cannot be read yet outlives other tabs of SETUP and a reload", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Text").click();
  await app.write("bad: [");
  await expect(page.locator("#text-findings")).toContainText("Line 2");
  await app.tab("Queues").click();
  await page.getByText("The text of the scenario cannot be read yet.").getByRole("button", { name: "Show" }).click();
  await expect(app.text).toHaveValue("bad: [");
  await expect.poll(() => app.drafts()).toMatchObject([{ text: "bad: [" }]);
  await page.reload();
  await app.arrived();
  await app.tab("Text").click();
  await expect(app.text).toHaveValue("bad: [");
  await expect(page.locator("#text-findings")).toContainText("Line 2");
  await page.getByRole("button", { name: "Discard the text" }).click();
  await expect(app.text).toHaveValue(/^format:/);
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(app.text).toHaveValue("bad: [");
  await page.getByRole("button", { name: "Discard the text" }).click();
  await expect(app.text).toHaveValue(/Two teams/);
  await app.write((await app.text.inputValue()).replace("Two teams", "Three teams"));
  await expect(page.getByRole("button", { name: "Discard the text" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Three teams, four GPUs" })).toBeVisible();
});

test("a value that is being typed is kept by a reload, or asked about if it cannot be one", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.cell(WEIGHT_A).click();
  await page.locator(".edit-box input").fill("9");
  await page.reload();
  await app.arrived();
  await expect(app.cell(WEIGHT_A)).toContainText("9");
  await app.cell(WEIGHT_A).click();
  await page.locator(".edit-box input").fill("many");
  await expect(page.locator(".edit-box.wrong")).toBeVisible();
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.type());
    dialog.accept();
  });
  await page.reload();
  await app.arrived();
  expect(questions, "the reload waits for the answer").toEqual(["beforeunload"]);
  await expect(app.cell(WEIGHT_A)).toContainText("9");
});
