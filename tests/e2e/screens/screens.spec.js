// Pictures of the page at every width it is made for, to be looked at: `cargo xtask screens` writes them to
// target/screens. Nothing is compared; what fails here is a page that does not come up.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const FOLDER = "../../target/screens";
const VIEWS = ["shares", "division", "tree", "gantt", "fairness", "queues"];
const SIZES = [
  [1440, 900],
  [1280, 800],
  [1024, 768],
  [768, 1024],
  [390, 844],
];

/** Opens a size and theme at the second cycle of the start scenario. */
async function opened(page, [width, height], query) {
  await page.setViewportSize({ width, height });
  const app = new App(page);
  await app.open(`./?${query}`);
  await app.step.click();
  await app.atCycle(1);
  await app.step.click();
  await app.atCycle(2);
  return app;
}

for (const size of SIZES) {
  for (const theme of ["light", "dark"]) {
    test(`${size[0]} px, ${theme}`, async ({ page }) => {
      const app = await opened(page, size, `theme=${theme}`);
      for (const [at, view] of VIEWS.entries()) {
        await app.now.focus();
        await page.keyboard.press(String(at + 1));
        await expect(page.getByRole("tab", { selected: true }).last()).toBeVisible();
        await page.waitForTimeout(300);
        await page.screenshot({ path: `${FOLDER}/${view}-${theme}-${size[0]}.png` });
      }
      const bar = page.getByRole("navigation", { name: "Panels" });
      if (!(await bar.isVisible())) return;
      for (const panel of ["Setup", "Why", "Time"]) {
        await bar.getByRole("button", { name: panel }).click();
        await page.waitForTimeout(300);
        await page.screenshot({ path: `${FOLDER}/${panel.toLowerCase()}-${theme}-${size[0]}.png` });
      }
    });
  }
}

for (const size of [SIZES[0], SIZES[4]]) {
  test(`${size[0]} px, forced colours and no motion`, async ({ page }) => {
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    const app = await opened(page, size, "");
    for (const [at, view] of VIEWS.entries()) {
      await app.now.focus();
      await page.keyboard.press(String(at + 1));
      await page.waitForTimeout(300);
      await page.screenshot({ path: `${FOLDER}/${view}-forced-${size[0]}.png` });
    }
  });
}
