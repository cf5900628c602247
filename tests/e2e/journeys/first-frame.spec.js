// The HTML of the page contains its first frame as static markup, rendered by the build from the page's own views.

import { App, WIDE } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the visible lines of text in an element. */
const visible = (locator) => locator.evaluate((element) => element.innerText.split("\n").map((line) => line.trim()).filter(Boolean));

test("the first frame is in the HTML, and is what the page shows", async ({ page, browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: WIDE });
  const still = await context.newPage();
  await still.goto(baseURL);
  await expect(still.getByText("Who gives one up?")).toBeVisible();
  await expect(still.getByText("team-a").first()).toBeVisible();
  const first = await visible(still.locator("#first"));
  await context.close();

  const app = new App(page);
  await app.openWide();
  await expect.poll(() => visible(page.locator("#app"))).toEqual(first);
});
