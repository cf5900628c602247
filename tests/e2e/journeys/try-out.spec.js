import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const QUOTA = 'queues["team-a"].gpu.quota';

test("all values of a setting are played, and where the outcome changes is listed", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.steps(1);
  await app.cell(QUOTA).click();
  await page.locator(".edit-box input").press("Control+Enter");
  const control = page.locator(".control");
  await expect(control.getByRole("slider")).toHaveValue("2");
  await control.getByRole("button", { name: "Play all values" }).click();
  await expect(control.getByRole("button", { name: "Play all values" })).toBeVisible({ timeout: 20_000 });
  const stops = control.getByRole("listitem");
  await expect(stops.first()).toContainText("from 0:");
  await expect(stops).not.toHaveCount(1);
  // Nothing was set: the value and its undo are as before.
  await expect(app.cell(QUOTA)).toContainText("2");
  await expect(page.getByRole("button", { name: /^Undo/ })).toHaveCount(0);
  await stops.last().getByRole("button").click();
  await expect(control.locator("output")).not.toHaveText("2");
  await control.getByRole("button", { name: "Close the slider" }).click();
  await expect(control).toHaveCount(0);
});

test("a number that is pointed at is marked wherever it stands", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.steps(1);
  await app.cell(QUOTA).hover();
  const linked = page.locator(".linked");
  await expect(app.cell(QUOTA)).toHaveClass(/linked/);
  // In the arithmetic of WHY as well.
  await app.share("team-a").click();
  await app.cell(QUOTA).hover();
  await expect(linked).not.toHaveCount(1);
  const numbers = await linked.evaluateAll((elements) => new Set(elements.map((of) => of.dataset.number)).size);
  expect(numbers).toBe(1);
  await app.cell('queues["team-b"].gpu.weight').hover();
  await expect(app.cell(QUOTA)).not.toHaveClass(/linked/);
});
