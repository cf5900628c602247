// The page's HTML holds its first frame as plain markup, made here from what the page shows:
// `FAIRGROUND_UPDATE=1 cargo xtask e2e first-frame` writes it anew.

import { readFileSync, writeFileSync } from "node:fs";

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const FILE = new URL("../../../web/first-frame.html", import.meta.url);

/** What the page shows, as markup that needs no script: no names for scripts, no styles of the moment. */
function plain() {
  const copy = document.getElementById("app").cloneNode(true);
  const kept = /^(class|hidden|href|type|value|d|[xy][12]?|c[xy]|r[xy]?|width|height|points|viewBox|fill|opacity|transform|preserveAspectRatio|stroke.*|text-anchor|font-.*|d[xy]|pattern.*|clip.*)$/;
  const inPicture = (node) => node.closest("svg") !== null;
  for (const node of copy.querySelectorAll(".unseen, .skip, title, dialog")) node.remove();
  for (const node of copy.querySelectorAll("*")) {
    for (const { name } of [...node.attributes]) {
      if (!kept.test(name) && !(name === "id" && inPicture(node))) node.removeAttribute(name);
    }
  }
  return copy.innerHTML.replaceAll(/<!--.*?-->/g, "").replaceAll("><", ">\n<");
}

test("the first frame is in the HTML, and is what the page shows", async ({ page, browser, baseURL }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await expect(page.locator("#first")).toHaveCount(0);
  const shown = `${await page.evaluate(plain)}\n`;
  if (process.env.FAIRGROUND_UPDATE) writeFileSync(FILE, shown);
  expect(readFileSync(FILE, "utf8")).toBe(shown);

  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
  const still = await context.newPage();
  await still.goto(baseURL);
  await expect(still.getByText("Who gives one up?")).toBeVisible();
  await expect(still.getByText("team-a").first()).toBeVisible();
  await context.close();
});
