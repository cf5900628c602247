// Share usage: the values by which EGO shares a pool.

import AxeBuilder from "@axe-core/playwright";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the cells of a row of a table, by column header. */
async function row(table, name) {
  const line = table.getByRole("row").filter({ has: table.page().getByRole("cell", { name, exact: true }) }).first();
  // The report follows the frame; reading texts does not wait for it.
  await expect(line).toBeVisible();
  const head = await table.getByRole("columnheader").allTextContents();
  const texts = await line.getByRole("cell").allTextContents();
  return Object.fromEntries(head.map((column, at) => [column, texts[at].replaceAll("\u00a0", " ").trim()]));
}

for (const width of [1440, 390]) {
  test(`the tree of the documentation has its share usage quotas, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const app = new App(page);
    await app.open();
    await expect(app.tab("Share usage")).toBeHidden();
    await app.example("ego-share-usage");
    await page.setViewportSize({ width, height: 900 });
    await app.step.click();
    await app.atCycle(1);
    await page.locator(".now-panel").focus();
    await page.keyboard.press("7");
    await expect(app.tab("Share usage")).toHaveAttribute("aria-selected", "true");
    const table = page.getByRole("table", { name: "Share usage and quota", exact: true });
    const quotas = {
      "whole pool": "1",
      A: "1/3 (0.3333)",
      A1: "1/9 (0.1111)",
      A2: "2/9 (0.2222)",
      B: "2/3 (0.6667)",
      B1: "2/3 (0.6667)",
      B2: "0",
      C: "0",
    };
    for (const [name, quota] of Object.entries(quotas)) {
      const cells = await row(table, name);
      expect(cells["share usage quota"], name).toBe(quota);
      expect(cells["share usage"], name).toBe(quota);
    }
    expect(await row(table, "allocation a1")).toMatchObject({ "unit size": "1 GPU", "allocated units": "2", capacity: "18" });
    const divided = page.getByRole("table", { name: "How the share usage quota is divided", exact: true });
    expect((await row(divided, "B"))["left × share ratio"]).toBe("1 × 2/3 = 2/3");
    const assigned = page.getByRole("table", { name: "How free resources are assigned", exact: true });
    // 18 units, five leaves for which nothing fits any more, and the header.
    await expect(assigned.getByRole("row")).toHaveCount(24);
    await expect(assigned.getByRole("row").nth(1)).toContainText("A (tie: first in the tree)");
    // The tables scroll by keyboard, and nothing overflows the page.
    const region = page.getByRole("region", { name: "Share usage and quota", exact: true });
    await region.focus();
    await expect(region).toBeFocused();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(sideways).toBeLessThanOrEqual(0);
  });
}

test("the view belongs to policies that share by share usage", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await app.example("ego-owned-and-lent");
  await app.tab("Share usage").click();
  await expect(page.locator(".tables")).toContainText("No share pool has hosts now");
  await app.example("ego-eighteen-slots");
  await expect(page.locator(".tables")).toContainText("No cycle has run yet.");
  await app.example("quota-is-a-floor");
  await expect(app.tab("Share usage")).toBeHidden();
  await expect(app.tab("Division")).toHaveAttribute("aria-selected", "true");
  await page.locator(".now-panel").focus();
  await page.keyboard.press("7");
  await expect(page.getByRole("region", { name: "Division", exact: true })).toBeVisible();
});
