// EGO: owned hosts apart from the public pool, reclaim order, and grace periods with a countdown.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

for (const width of [1440, 390]) {
  test(`a consumer above its share limit, ${width} px`, async ({ page }) => {
    const app = new App(page);
    await app.openWide();
    await app.example("ego-share-limit");
    const cluster = page.getByRole("region", { name: "Cluster", exact: true });
    await expect(cluster).toContainText("owned by A · 1 host · 2 of 4 GPUs in use");
    await expect(cluster).toContainText("public pool · 2 hosts · 6 of 8 GPUs in use");
    // Before anything is reclaimed.
    await expect(app.share("A")).toHaveAttribute("aria-label", /on owned hosts 2 GPUs, reclaimed first 2 GPUs/);
    await expect(app.now).toContainText("2 reclaimed first");
    await page.setViewportSize({ width, height: 900 });
    await app.expectAccessible();
    await app.expectNoSidewaysScroll();
  });
}

test("a grace period is counted down in WHY and in Gantt", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("ego-share-limit");
  for (const [cycle, left] of [[1, "20 s"], [2, "15 s"], [3, "10 s"]]) {
    await app.step.click();
    await app.atCycle(cycle);
    await app.command("a-6");
    await expect(app.why).toContainText(`a-6 leaves at 0:25, ${left} left.`);
  }
  await app.show("Gantt");
  await expect(page.getByRole("region", { name: "Gantt", exact: true })).toContainText("leaves at 0:25, 10 s left");
});
