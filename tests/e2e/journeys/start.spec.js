import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "../fixture.js";

test("the page loads and its worker answers", async ({ page }, testInfo) => {
  await page.goto("./");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Fairground");
  await expect(page.locator("#engine")).toHaveText("pong");
  await expect(page.locator("figure svg text").first()).toHaveText("research");
  await page.screenshot({ path: testInfo.outputPath("start.png") });
});

test("the start page has no accessibility violations", async ({ page }) => {
  await page.goto("./");
  await expect(page.locator("#engine")).toHaveText("pong");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
});
