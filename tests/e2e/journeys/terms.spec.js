// Definitions of terms open where the terms are shown; WHY of a queue tells the serving order.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

test("a term of a legend opens its definition, by keyboard too", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const legend = page.locator(".shares .legend");
  await legend.getByRole("button", { name: "fair share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Fair share" })).toBeVisible();
  await expect(dialog).toContainText("What a queue may use now");
  await expect(dialog).toContainText("fairshare");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(legend.getByRole("button", { name: "fair share", exact: true })).toBeFocused();
  // Tab moves to the legend in one stop, arrows to its terms.
  await page.keyboard.press("ArrowRight");
  await expect(legend.getByRole("button", { name: "unused", exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("heading", { name: "Unused" })).toBeVisible();
  await dialog.getByRole("button", { name: "All terms" }).click();
  await expect(dialog.getByRole("heading", { name: "Glossary" })).toBeVisible();
});

test("heads of tables and rows of an explanation open theirs", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("runai-low-takes-high");
  await app.asTable("Shares");
  const table = page.locator(".shares table");
  await table.getByRole("button", { name: "state", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("over fairshare");
  await page.keyboard.press("Escape");
  await app.chartMenu(page.locator(".shares"), "Show as a chart");
  await app.share("vision").click();
  await app.allNumbers();
  await app.why.getByRole("button", { name: "requested", exact: true }).last().click();
  await expect(page.getByRole("dialog")).toContainText("What the workloads of a project use and wait for");
});

test("WHY of a queue tells who is served before it", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tenants-and-offsets");
  await app.share("tenant-b").click();
  await app.allNumbers();
  await expect(app.why).toContainText("Order below tenants");
  await app.step.click();
  await app.atCycle(1);
  await app.why.getByRole("button", { name: /tenants behind system/ }).click();
  await expect(app.why).toContainText("Order at the top level");
});

test("a phone has room for all tabs and pictures", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const app = new App(page);
  await app.open();
  await app.show("Trends");
  await expect(app.picture("Trends")).toHaveAttribute("aria-pressed", "true");
  for (const tab of await page.getByRole("tablist", { name: "What is shown" }).getByRole("tab").all()) {
    await expect(tab).toBeInViewport({ ratio: 1 });
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("a link with an explanation and nothing selected opens on what the step was about", async ({ page, browser }) => {
    const app = new App(page);
    await app.open();
    await app.step.click();
    await app.atCycle(1);
    await expect(page).toHaveURL(/at=1/);
    const link = page.url().replace(/&(sel|why)=[^&]*/g, "") + "&why=1";
    const other = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await other.goto(link);
    const why = new App(other).why;
    await expect(why).toBeVisible();
    await expect(why).toContainText("a2 was evicted so that b2 can run");
    await other.close();
  });
});
