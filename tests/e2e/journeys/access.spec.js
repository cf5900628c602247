import { App, PHONE_BELOW, settledBox, widthOf } from "../app.js";
import { expect, test } from "../fixture.js";

for (const theme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    test(`the start scenario before and after the first step, ${theme}, ${width} px`, async ({ page }, testInfo) => {
      await page.setViewportSize({ width, height: width > 500 ? 900 : 844 });
      const app = new App(page);
      await app.open(`./?theme=${theme}`);
      await app.expectAccessible("before");
      await page.screenshot({ path: testInfo.outputPath("before.png") });
      await app.steps(1);
      await app.expectAccessible("after");
      await page.screenshot({ path: testInfo.outputPath("after.png") });
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
    await app.expectAccessible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});

for (const width of [320, 390, 768, 1024, 1280]) {
  test(`nothing scrolls sideways at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    await app.expectNoSidewaysScroll();
    if (width >= PHONE_BELOW) return;
    for (const panel of ["Setup", "Why", "Time", "Now"]) {
      await app.bring(panel);
      await app.expectNoSidewaysScroll(panel);
    }
  });
}

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["dark", 390]]) {
  test(`views, text and palette have no accessibility violations, ${theme}, ${width} px`, async ({ page }, testInfo) => {
    await page.setViewportSize({ width, height: 844 });
    const app = new App(page);
    await app.open(`./?theme=${theme}`);
    const check = async (name) => {
      await app.expectAccessible(name);
      await page.screenshot({ path: testInfo.outputPath(`${name}.png`) });
      await app.expectNoSidewaysScroll(name);
    };
    await page.locator(".now-panel").focus();
    await page.keyboard.press("ArrowRight");
    await app.atCycle(1);
    await page.keyboard.press("ArrowRight");
    await app.atCycle(2);
    for (const [key, name] of [
      ["2", "Division"],
      ["3", "Tree"],
      ["4", "Gantt"],
      ["5", "Fairness and waste"],
      ["6", "Queues over time"],
    ]) {
      await page.locator(".now-panel").focus();
      await page.keyboard.press(key);
      await expect(app.view(name).locator(".picture svg, table").first()).toBeVisible();
      await check(name.toLowerCase().replaceAll(" ", "-"));
    }
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("listbox")).toBeVisible();
    await check("palette");
    await page.keyboard.type("edit as text");
    await page.keyboard.press("Enter");
    if (width < PHONE_BELOW) await page.getByRole("button", { name: "Setup", exact: true }).click();
    await app.write("nodes: [");
    await expect(page.locator(".text-findings")).toBeVisible();
    await check("text");
  });
}

test("panels fold, are made wider by keys, and stay so", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const setup = page.getByRole("region", { name: "Setup", exact: true });
  const width = () => widthOf(setup);
  const before = (await settledBox(setup)).width;
  await page.getByRole("separator", { name: "Width of Setup" }).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(width).toBe(before + 80);
  await page.reload();
  await app.arrived();
  await expect.poll(width).toBe(before + 80);
  await page.getByRole("button", { name: "Collapse Setup" }).click();
  await expect.poll(width).toBe(40);
  await page.reload();
  await app.arrived();
  await expect.poll(width).toBe(40);
  await page.getByRole("button", { name: "Open Setup" }).click();
  await expect.poll(width).toBe(before + 80);
});
