import AxeBuilder from "@axe-core/playwright";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

for (const theme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    test(`the start scenario before and after the first step, ${theme}, ${width} px`, async ({ page }, testInfo) => {
      await page.setViewportSize({ width, height: width > 500 ? 900 : 844 });
      const app = new App(page);
      await app.open(`./?theme=${theme}`);
      await page.screenshot({ path: testInfo.outputPath("before.png") });
      const before = await new AxeBuilder({ page }).analyze();
      expect(before.violations).toEqual([]);
      await app.step.click();
      await app.atCycle(1);
      await page.screenshot({ path: testInfo.outputPath("after.png") });
      const after = await new AxeBuilder({ page }).analyze();
      expect(after.violations).toEqual([]);
    });
  }
}

test("dialogs have no accessibility violations", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const open of [
    () => page.getByRole("button", { name: "Examples", exact: true }).click(),
    () => page.getByRole("button", { name: "Share", exact: true }).click(),
    () => page.keyboard.press("?"),
  ]) {
    await page.locator(".now-panel").focus();
    await open();
    await expect(page.getByRole("dialog")).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});

for (const width of [320, 390, 768, 1024, 1280]) {
  test(`nothing scrolls sideways at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(await sideways()).toBeLessThanOrEqual(0);
    const bar = page.getByRole("navigation", { name: "Panels" });
    if (!(await bar.isVisible())) return;
    for (const panel of ["Setup", "Why", "Time", "Now"]) {
      await bar.getByRole("button", { name: panel }).click();
      expect(await sideways(), panel).toBeLessThanOrEqual(0);
    }
  });
}
