// The page works offline after the first visit.

import { App } from "../app.js";
import { goOffline } from "../driver.js";
import { expect, test } from "../fixture.js";

test.use({ serviceWorkers: "allow" });

/** Waits until the service worker has cached everything. */
const kept = (page) => page.evaluate(() => navigator.serviceWorker.ready.then((worker) => worker.active.scriptURL));

test("a second visit needs no network, whatever it does", async ({ page, baseURL }) => {
  const app = new App(page);
  await app.open();
  expect(await kept(page)).toBe(new URL("offline.js", baseURL).href);
  await goOffline(page);
  await page.reload();
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await app.show("Gantt");
  await expect(page.locator(".gantt svg:not(.icon-svg)").first()).toBeVisible();
  await app.tab("Text").click();
  await expect(app.editor).toBeVisible();
  // Another policy.
  await app.example("ego-eighteen-slots");
  await app.step.click();
  await app.atCycle(1);
  await app.tab("Rules").click();
  await expect(page.getByRole("tabpanel", { name: "Rules" })).toContainText("EGO");
  // Lessons and the speaker notes, which the page does not name before they are opened.
  await app.open("./#lesson=fair-share.1");
  await expect(page.locator(".lesson")).toContainText("1 of");
  await page.goto("notes/index.html");
  await expect(page.getByRole("heading", { name: "Waiting for the presentation" })).toBeVisible();
});

test("#reset removes the files of the page; what is of another build is left alone", async ({ page, context, problems }) => {
  const app = new App(page);
  await app.open();
  await kept(page);
  const ours = () =>
    page.evaluate(async () => [(await navigator.serviceWorker.getRegistrations()).length, (await caches.keys()).length]);
  await expect.poll(ours).toEqual([1, 1]);
  // The cache contains the files of this build; another build uses other names and finds none of them.
  const path = await page.locator("link[rel=stylesheet]").getAttribute("href");
  const comes = (path) => page.evaluate((path) => fetch(path).then((answer) => answer.text()).then(() => true, () => false), path);
  await goOffline(page);
  expect(await comes(path)).toBe(true);
  expect(await comes(path.replace(/-[0-9a-f]+\.css$/, "-later.css"))).toBe(false);
  await expect.poll(() => problems.join("\n")).toContain("-later.css");
  problems.length = 0;
  await context.setOffline(false);
  await page.goto("about:blank");
  await app.open("./#reset");
  await expect.poll(ours).toEqual([0, 0]);
});
