// Readability and reachability at every width.

import { App, settledBox, widthOf } from "../app.js";
import { emulateMedium, needTouch } from "../driver.js";
import { expect, test } from "../fixture.js";

/** Returns the width of a queue's name at its bar; 0 if the bar covers it or it is truncated, null without a bar. */
const nameAtBar = (page, queue) =>
  page.evaluate((queue) => {
    const row = [...document.querySelectorAll(".brow")].find((row) => row.querySelector(".nm").textContent === queue);
    if (!row) return null;
    const name = row.querySelector(".nm");
    const picture = document.querySelector(".shares-body .picture").getBoundingClientRect();
    const { left, right, bottom, width } = name.getBoundingClientRect();
    const isFree = right <= picture.left || bottom <= picture.top;
    return left >= 0 && (isFree || matchMedia("(max-width: 47.9375em)").matches) && name.scrollWidth <= name.clientWidth ? width : 0;
  }, queue);

test("the bars of Shares have names and stay in place, whatever Setup shows", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const place = () => page.locator(".shares-body .picture").boundingBox();
  const before = await place();
  for (const tab of ["Nodes", "Work", "Rules", "Text", "Queues"]) {
    await app.tab(tab).click();
    await expect.poll(() => nameAtBar(page, "team-a"), tab).toBeGreaterThan(40);
    await expect.poll(place, tab).toEqual(before);
  }
  await emulateMedium(page, "print");
  await expect.poll(() => nameAtBar(page, "team-a"), "printed").toBeGreaterThan(40);
  await emulateMedium(page, "screen");
  await page.getByRole("button", { name: "Collapse Setup" }).click();
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
    for (const [button, item] of [
      ["Policy", /^Policy: KAI/],
      ["Theme", "Dark"],
      [/^Search or run a command/, /^Search or run a command/],
      [/^How accurate/, "How accurate is this?"],
    ]) {
      const inBar = bar.getByRole("button", { name: button });
      const inMenu = page.getByRole("menuitem", { name: item }).or(page.getByRole("menuitemradio", { name: item }));
      await expect(async () => {
        if (await inBar.isVisible()) return;
        await more.click();
        await expect(inMenu).toBeVisible({ timeout: 1_000 });
        await page.keyboard.press("Escape");
      }, `${item} is in the bar or behind More`).toPass({ timeout: 10_000 });
    }
    await expect.poll(() => bar.evaluate((bar) => bar.scrollWidth - bar.clientWidth)).toBeLessThanOrEqual(0);
  });
}

for (const width of [768, 1024, 1100, 1280]) {
  test(`why leaves Shares readable at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    const app = new App(page);
    await app.open();
    await app.step.click();
    await app.atCycle(1);
    const why = await settledBox(app.why);
    for (const part of [page.getByLabel("Resource of all charts"), app.share("team-a"), page.locator(".cluster .spot").last()]) {
      const box = await settledBox(part);
      expect(box.x + box.width).toBeLessThanOrEqual(why.x + 1);
    }
  });
}

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test.describe("with a finger", () => {
  needTouch();
  test.use(phone);

  test("a tap explains in a sheet that can be raised, lowered and closed", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await expect(app.why).toBeHidden();
    await app.share("team-a").tap();
    expect((await settledBox(app.why)).height / 844).toBeCloseTo(0.6, 1);
    const top = async () => (await app.why.boundingBox())?.y / 844;
    const handle = page.getByRole("button", { name: "Raise this sheet" });
    await handle.tap();
    await expect.poll(top).toBeLessThan(0.1);
    await page.getByRole("button", { name: "Lower this sheet" }).tap();
    await expect.poll(top).toBeGreaterThan(0.2);
    const box = await settledBox(handle);
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y - 80, { steps: 4 });
    await page.mouse.up();
    await expect.poll(top, "pulled up").toBeLessThan(0.1);
    await page.getByRole("button", { name: "Close explanation" }).tap();
    await expect(app.why).toBeHidden();
    await expect(app.share("team-a")).toBeVisible();
  });

  test("after a step two lines of the explanation show, and a tap opens it", async ({ page }) => {
    const app = new App(page);
    await app.open();
    const peek = page.getByRole("button", { name: /^Open the explanation/ });
    await expect(peek).toHaveCount(0);
    await app.step.tap();
    await app.atCycle(1);
    await expect(page.locator(".strip .ask")).toHaveText("team-a gives up 1 GPU: a2 makes room for b2.");
    await expect(peek).toContainText("a2 was evicted so that b2 can run.");
    expect((await settledBox(peek)).height).toBeLessThan(80);
    await expect(app.why).toBeHidden();
    await peek.tap();
    await expect(app.why).toBeVisible();
    await expect(peek).toHaveCount(0);
  });

  test("a link with why=1 opens the explanation", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.step.tap();
    await app.atCycle(1);
    // Beside the draggable marks.
    await app.share("team-b").tap({ position: { x: 30, y: 12 } });
    await expect(app.why).toBeVisible();
    await expect(page).toHaveURL(/why=1/);
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await app.atCycle(1);
    await expect(app.why).toBeVisible();
    await expect(app.why).toContainText("team-b");
  });

  test("what is tapped is at least 44 px high", async ({ page }) => {
    const app = new App(page);
    await app.open();
    const low = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("button, select, input, summary")]
          .filter((e) => !e.matches(".skip, .spot, .chev, .unseen, [tabindex='-1']:not([role='tab'])"))
          .map((e) => [`${e.className} ${e.getAttribute("aria-label") ?? e.textContent}`, e.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && box.height > 0 && box.height < 43.5)
          .map(([name, box]) => `${name}: ${box.height}`),
      );
    for (const panel of ["Now", "Setup", "Time"]) {
      await app.bring(panel);
      await expect.poll(low, panel).toEqual([]);
    }
  });
});

test("at 400 % the content of every panel is reached by scrolling", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 225 });
  const app = new App(page);
  await app.open();
  const last = { Now: ".cluster .picture", Setup: ".setup .add button", Why: ".why .verdict", Time: ".timeline .picture" };
  for (const [panel, part] of Object.entries(last)) {
    await app.bring(panel);
    const content = page.locator(part).first();
    await content.scrollIntoViewIfNeeded();
    await expect(content).toBeInViewport({ ratio: 0.3 });
  }
  await app.steps(1);
  await app.bring("Now");
  await app.expectNoSidewaysScroll();
});

test("the page follows the browser's text size, and nothing is cut at 200 %", async ({ baseURL, launchOptions, playwright, browserName }) => {
  const { args = [], firefoxUserPrefs } = launchOptions;
  const browser = await playwright[browserName].launch({
    ...launchOptions,
    args: browserName === "chromium" ? [...args, "--blink-settings=defaultFontSize=32"] : args,
    firefoxUserPrefs: { ...firefoxUserPrefs, "font.size.variable.x-western": 32, "font.size.variable.x-unicode": 32 },
  });
  for (const [width, height] of [[1440, 900], [1920, 1080], [390, 844]]) {
    const page = await browser.newPage({ baseURL, viewport: { width, height } });
    const app = new App(page);
    await app.open();
    await expect(page.locator("body")).toHaveCSS("font-size", "28px");
    await app.step.click();
    await app.atCycle(1);
    await app.expectNoSidewaysScroll(`${width} px`);
    await expect.poll(() => nameAtBar(page, "team-a"), `${width} px`).toBeGreaterThan(80);
    // Including labels in charts; clickable areas match what is drawn.
    const cluster = app.now.getByRole("region", { name: "Cluster" });
    await cluster.scrollIntoViewIfNeeded();
    expect((await settledBox(cluster.locator("svg text").first())).height, `${width} px`).toBeGreaterThan(22);
    const picture = await settledBox(cluster.locator(".picture svg").first());
    const last = await settledBox(cluster.locator(".spot").last());
    expect(last.width, `${width} px`).toBeGreaterThan(50);
    expect(last.x + last.width, `${width} px`).toBeLessThanOrEqual(picture.x + picture.width + 1);
    expect(last.y + last.height, `${width} px`).toBeLessThanOrEqual(picture.y + picture.height + 1);
    expect(last.y + last.height, `${width} px`).toBeGreaterThan(picture.y + picture.height - 60);
    await page.close();
  }
  await browser.close();
});

test("where there is nothing to show, a view says what is missing and brings it", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await page.getByRole("button", { name: "Start empty or import your own" }).click();
  await page.getByRole("button", { name: "Start empty" }).click();
  await app.arrived();
  const view = page.locator("#now-body");
  for (const name of ["Bars", "Amounts", "Gantt", "Fairness", "Trends"]) {
    await app.show(name);
    await expect(view.locator(".empty"), name).toContainText(/^No (queues|jobs) yet/);
  }
  for (const lack of [/^Add a queue/, /^Add a job/]) {
    await view.locator(".empty").getByRole("button", { name: lack }).click();
    await app.arrived();
  }
  await expect(page.locator(".empty")).toHaveCount(0);
  await app.tab("Shares").click();
  await expect(app.share("queue-1")).toBeVisible();
});

test("panels fold to a rail by button and by key, and stay so", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const setup = app.view("Setup");
  const before = (await settledBox(app.now)).width;
  await page.getByRole("button", { name: "Close explanation" }).click();
  await expect.poll(() => widthOf(app.why)).toBe(40);
  await page.getByRole("button", { name: "Collapse Setup" }).click();
  await expect.poll(() => widthOf(setup)).toBe(40);
  await expect.poll(() => widthOf(app.now)).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Collapse the timeline" }).click();
  await expect(page.locator(".tlwrap")).toBeHidden();
  await page.reload();
  await app.arrived();
  await expect.poll(() => widthOf(setup)).toBe(40);
  await expect.poll(() => widthOf(app.why)).toBe(40);
  await expect(page.locator(".tlwrap")).toBeHidden();
  await page.getByRole("button", { name: "Open the timeline" }).click();
  await expect(page.locator(".tlwrap")).toBeVisible();
  for (const panel of [setup, app.why]) {
    await panel.focus();
    await page.keyboard.press("f");
    await expect.poll(() => widthOf(panel)).toBeGreaterThan(200);
    await page.keyboard.press("f");
    await expect.poll(() => widthOf(panel)).toBe(40);
  }
});

test("examples are found by policy and topic, each with a picture", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const cards = page.locator("[data-example]");
  await expect(cards.first()).toBeVisible();
  const all = await cards.count();
  await expect(page.locator("[data-example] .sketch svg")).toHaveCount(all);
  await page.getByRole("group", { name: "Policy" }).getByRole("button", { name: "EGO" }).click();
  await expect.poll(() => cards.count()).toBeLessThan(all);
  await expect(page.locator('[data-example="ego-grace"]')).toBeVisible();
  await expect(page.locator('[data-example="start"]')).toHaveCount(0);
  const topic = page.getByRole("group", { name: "Topic" });
  await topic.getByRole("button", { name: "Who goes first?" }).click();
  await expect(page.getByText("No example for this topic and policy.")).toBeVisible();
  await topic.getByRole("button", { name: "All topics" }).click();
  await page.getByRole("group", { name: "Policy" }).getByRole("button", { name: "All policies" }).click();
  await expect(cards).toHaveCount(all);
});
