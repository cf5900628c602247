// Saturation ratios and states of queues in the table of Shares, over time in Trends, and in WHY.

import AxeBuilder from "@axe-core/playwright";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the cells of a column of a table, by the first cell of the row. */
async function column(table, name) {
  const head = await table.getByRole("columnheader").allTextContents();
  const rows = await table.locator("tbody tr").all();
  const cells = await Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
  return Object.fromEntries(cells.map((row) => [row[0].trim(), row[head.indexOf(name)]]));
}

for (const width of [1440, 390]) {
  test(`a multiplier of 1.2 prevents a reclaim, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const app = new App(page);
    await app.open();
    await app.example("reclaim-multiplier");
    await page.setViewportSize({ width, height: 900 });
    await app.step.click();
    await app.atCycle(1);
    await app.chartMenu(page.getByRole("region", { name: "Shares", exact: true }), "Show as a table");
    const ratios = await column(page.getByRole("table", { name: "Shares", exact: true }), "saturation ratio");
    expect(ratios).toMatchObject({ research: "1.00", product: "2.00", language: "1.00" });
    await app.tab("Trends").click();
    await page.getByLabel("Show:").selectOption("saturation ratio");
    await expect(page.getByRole("button", { name: /^product: saturation ratio 2\.00 now/ })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(sideways).toBeLessThanOrEqual(0);
  });
}

test("states of Run:ai's projects change with a reclaim", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await app.example("runai-low-takes-high");
  await app.tab("Trends").click();
  await expect(page.getByRole("button", { name: /^speech: .*, in-quota/ })).toBeVisible();
  await app.step.click();
  await app.atCycle(1);
  await app.step.click();
  await app.atCycle(2);
  await expect(page.getByRole("button", { name: /^vision: .*, over-quota/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^speech: .*, over-quota/ })).toBeVisible();
});
