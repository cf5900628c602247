// Share usage: the values by which EGO shares a pool.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

for (const width of [1440, 390]) {
  test(`the tree of the documentation has its share usage quotas, ${width} px`, async ({ page }) => {
    const app = new App(page);
    await app.openWide();
    await expect(app.picture("Share usage")).toHaveCount(0);
    await app.example("ego-share-usage");
    await page.setViewportSize({ width, height: 900 });
    await app.steps(1);
    await page.locator(".now-panel").focus();
    await page.keyboard.press("7");
    await expect(app.picture("Share usage")).toHaveAttribute("aria-pressed", "true");
    const quotas = {
      "whole pool": "1",
      A: "1/3",
      A1: "1/9",
      A2: "2/9",
      B: "2/3",
      B1: "2/3",
      B2: "0",
      C: "0",
    };
    const ofQueues = Object.entries(quotas).map(([name, quota]) => [name, { "share usage": quota, "share usage quota": quota }]);
    await expectCells(app.table("Share usage and quota"), {
      ...Object.fromEntries(ofQueues),
      "allocation a1": { "unit size": "1 GPU", "allocated units": "2", capacity: "18" },
    });
    await expectCells(app.table("How the share usage quota is divided"), { B: { "left × share ratio": "1 × 2/3 = 2/3" } });
    const assigned = app.table("How free resources are assigned");
    // 18 units, five leaves for which nothing fits any more, and the header.
    await expect(assigned.getByRole("row")).toHaveCount(24);
    await expect(assigned.getByRole("row").nth(1)).toContainText("A (tie: first in the tree)");
    // The tables scroll by keyboard, and nothing overflows the page.
    const region = page.getByRole("region", { name: "Share usage and quota", exact: true });
    await region.focus();
    await expect(region).toBeFocused();
    await app.expectAccessible();
    await app.expectNoSidewaysScroll();
  });
}

test("the view belongs to policies that share by share usage", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("ego-owned-and-lent");
  await app.show("Share usage");
  await expect(page.locator(".tables")).toContainText("No share pool has hosts now");
  await app.example("ego-eighteen-slots");
  await expect(page.locator(".tables")).toContainText("No cycle has run yet.");
  await app.example("quota-is-a-floor");
  await expect(app.picture("Share usage")).toHaveCount(0);
  await expect(app.tab("Division")).toHaveAttribute("aria-selected", "true");
  await page.locator(".now-panel").focus();
  await page.keyboard.press("7");
  await expect(page.getByRole("region", { name: "Division", exact: true })).toBeVisible();
});
