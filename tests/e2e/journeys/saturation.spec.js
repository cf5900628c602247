// Saturation ratios and states of queues in the table of Shares, over time in Trends, and in WHY.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

for (const width of [1440, 390]) {
  test(`a multiplier of 1.2 prevents a reclaim, ${width} px`, async ({ page }) => {
    const app = new App(page);
    await app.openWide();
    await app.example("reclaim-multiplier");
    await page.setViewportSize({ width, height: 900 });
    await app.steps(1);
    await app.asTable("Shares");
    await expectCells(app.table("Shares"), {
      research: { "saturation ratio": "1.00" },
      product: { "saturation ratio": "2.00" },
      language: { "saturation ratio": "1.00" },
    });
    await app.show("Trends");
    await page.getByLabel("Show:").selectOption("saturation ratio");
    await expect(page.getByRole("button", { name: /^product: saturation ratio 2\.00 now/ })).toBeVisible();
    await app.expectAccessible();
    await app.expectNoSidewaysScroll();
  });
}

test("states of Run:ai's projects change with a reclaim", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("runai-low-takes-high");
  await app.show("Trends");
  await expect(page.getByRole("button", { name: /^speech: .*, in-quota/ })).toBeVisible();
  await app.steps(2);
  await expect(page.getByRole("button", { name: /^vision: .*, over-quota/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^speech: .*, over-quota/ })).toBeVisible();
});
