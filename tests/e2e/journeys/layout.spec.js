// What has to be readable and reachable at every width.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** The width that the name of a queue has at its bar, none if the bar lies over it, and whether it is all there. */
const nameAtBar = (page, queue) =>
  page.evaluate((queue) => {
    const row = [...document.querySelectorAll(".brow")].find((row) => row.querySelector(".nm").textContent === queue);
    const name = row.querySelector(".nm");
    const picture = document.querySelector(".shares-body .picture").getBoundingClientRect();
    const { left, right, bottom, width } = name.getBoundingClientRect();
    const isFree = right <= picture.left || bottom <= picture.top;
    return left >= 0 && (isFree || innerWidth < 768) && name.scrollWidth <= name.clientWidth ? width : 0;
  }, queue);

test("the bars of Shares have names wherever the tree is not beside them", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  expect(await nameAtBar(page, "team-a")).toBe(0);
  for (const tab of ["Nodes", "Work", "Rules", "Text"]) {
    await app.tab(tab).click();
    await expect.poll(() => nameAtBar(page, "team-a"), tab).toBeGreaterThan(40);
  }
  await app.tab("Queues").click();
  await expect.poll(() => nameAtBar(page, "team-a")).toBe(0);
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => nameAtBar(page, "team-a"), "printed").toBeGreaterThan(40);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "Fold setup away" }).click();
  await expect.poll(() => nameAtBar(page, "team-a"), "folded").toBeGreaterThan(40);
});

for (const width of [390, 768, 1024]) {
  test(`with why open at ${width} px, bars have names`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    await app.step.click();
    await app.atCycle(1);
    await expect.poll(() => nameAtBar(page, "team-a")).toBeGreaterThan(40);
  });
}

for (const width of [390, 768, 1024, 1280]) {
  test(`policy, colours, search and how it is checked are reached at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    const bar = page.getByRole("banner");
    const more = bar.getByRole("button", { name: "More", exact: true });
    const reaches = async (button, item) => {
      if (await bar.getByRole("button", { name: button }).isVisible()) return true;
      await more.click();
      const found = await page.getByRole("menuitem", { name: item }).or(page.getByRole("menuitemradio", { name: item })).isVisible();
      await page.keyboard.press("Escape");
      return found;
    };
    expect(await reaches("Policy", /^Policy: KAI/), "policy").toBe(true);
    expect(await reaches("Colours", "Dark"), "colours").toBe(true);
    expect(await reaches(/^Do or find/, /^Do or find/), "search").toBe(true);
    expect(await reaches(/agree$/, "How this is checked"), "checked").toBe(true);
    const sideways = await bar.evaluate((bar) => bar.scrollWidth - bar.clientWidth);
    expect(sideways).toBeLessThanOrEqual(0);
  });
}

for (const width of [768, 1024, 1100, 1280]) {
  test(`why leaves Shares readable at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    await app.step.click();
    await app.atCycle(1);
    await expect(app.why).toBeVisible();
    const why = await app.why.boundingBox();
    for (const part of [page.getByLabel("Resource of all charts"), app.share("team-a"), page.locator(".cluster .spot").last()]) {
      const box = await part.boundingBox();
      expect(box.x + box.width).toBeLessThanOrEqual(why.x + 1);
    }
  });
}
