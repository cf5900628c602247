// Readability and reachability at every width.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the width of a queue's name at its bar; 0 if the bar covers it or it is truncated. */
const nameAtBar = (page, queue) =>
  page.evaluate((queue) => {
    const row = [...document.querySelectorAll(".brow")].find((row) => row.querySelector(".nm").textContent === queue);
    const name = row.querySelector(".nm");
    const picture = document.querySelector(".shares-body .picture").getBoundingClientRect();
    const { left, right, bottom, width } = name.getBoundingClientRect();
    const isFree = right <= picture.left || bottom <= picture.top;
    return left >= 0 && (isFree || matchMedia("(max-width: 47.9375em)").matches) && name.scrollWidth <= name.clientWidth ? width : 0;
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
    const reaches = async (button, item) => {
      if (await bar.getByRole("button", { name: button }).isVisible()) return true;
      await more.click();
      const found = await page.getByRole("menuitem", { name: item }).or(page.getByRole("menuitemradio", { name: item })).isVisible();
      await page.keyboard.press("Escape");
      return found;
    };
    expect(await reaches("Policy", /^Policy: KAI/), "policy").toBe(true);
    expect(await reaches("Theme", "Dark"), "colours").toBe(true);
    expect(await reaches(/^Search or run a command/, /^Search or run a command/), "search").toBe(true);
    expect(await reaches(/test cases match/, "How accurate is this?"), "checked").toBe(true);
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

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test.describe("with a finger", () => {
  test.use(phone);

  test("a tap explains in a sheet that can be raised, lowered and closed", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await expect(app.why).toBeHidden();
    await app.share("team-a").tap();
    await expect(app.why).toBeVisible();
    const top = async () => (await app.why.boundingBox()).y / 844;
    const height = async () => (await app.why.boundingBox()).height / 844;
    expect(await height()).toBeCloseTo(0.6, 1);
    const handle = page.getByRole("button", { name: "Raise this sheet" });
    await handle.tap();
    await expect.poll(top).toBeLessThan(0.1);
    await page.getByRole("button", { name: "Lower this sheet" }).tap();
    await expect.poll(top).toBeGreaterThan(0.2);
    const box = await handle.boundingBox();
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
    await expect(page.locator(".strip .ask")).toHaveText("a2 gave up its GPU for b2.");
    await expect(peek).toContainText("a2 was evicted so that b2 can run.");
    expect((await peek.boundingBox()).height).toBeLessThan(80);
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
    await expect.poll(() => page.url()).toContain("why=1");
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
    const bar = page.getByRole("navigation", { name: "Panels" });
    for (const panel of ["Now", "Setup", "Time"]) {
      await bar.getByRole("button", { name: panel }).tap();
      expect(await low(), panel).toEqual([]);
    }
  });
});

test("at 400 % the content of every panel is reached by scrolling", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 225 });
  const app = new App(page);
  await page.goto("./");
  await expect(page.locator("#first")).toHaveCount(0);
  const bar = page.getByRole("navigation", { name: "Panels" });
  const last = { Now: ".cluster .picture", Setup: ".setup .add button", Why: ".why .verdict", Time: ".timeline .picture" };
  for (const [panel, part] of Object.entries(last)) {
    await bar.getByRole("button", { name: panel }).click();
    const content = page.locator(part).first();
    await content.scrollIntoViewIfNeeded();
    await expect(content).toBeInViewport({ ratio: 0.3 });
  }
  await app.step.click();
  await bar.getByRole("button", { name: "Now" }).click();
  await expect(app.now).toHaveAttribute("data-cycle", "1");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test("the page follows the browser's text size, and nothing is cut at 200 %", async ({ baseURL, launchOptions, playwright }) => {
  const args = [...launchOptions.args, "--blink-settings=defaultFontSize=32"];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  for (const [width, height] of [[1440, 900], [1920, 1080], [390, 844]]) {
    const page = await browser.newPage({ baseURL, viewport: { width, height } });
    const app = new App(page);
    await app.open();
    expect(await page.locator("body").evaluate((body) => getComputedStyle(body).fontSize)).toBe("28px");
    await app.step.click();
    await app.atCycle(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).toBeLessThanOrEqual(width);
    await expect.poll(() => nameAtBar(page, "team-a"), `${width} px`).toBeGreaterThan(80);
    // Including labels in charts; clickable areas match what is drawn.
    const cluster = app.now.getByRole("region", { name: "Cluster" });
    await cluster.scrollIntoViewIfNeeded();
    const box = (part) => part.boundingBox();
    expect((await box(cluster.locator("svg text").first())).height, `${width} px`).toBeGreaterThan(22);
    const picture = await box(cluster.locator(".picture svg").first());
    const last = await box(cluster.locator(".spot").last());
    expect(last.width, `${width} px`).toBeGreaterThan(50);
    expect(last.x + last.width, `${width} px`).toBeLessThanOrEqual(picture.x + picture.width + 1);
    expect(last.y + last.height, `${width} px`).toBeLessThanOrEqual(picture.y + picture.height + 1);
    expect(last.y + last.height, `${width} px`).toBeGreaterThan(picture.y + picture.height - 60);
    await page.close();
  }
  await browser.close();
});

test("where there is nothing to show, a view says what is missing and brings it", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Start empty or import your own" }).click();
  await page.getByRole("button", { name: "Start empty" }).click();
  await app.arrived();
  const view = page.locator("#now-body");
  for (const name of ["Shares", "Division", "Tree", "Gantt", "Fairness", "Trends"]) {
    await app.tab(name).click();
    await expect(view.locator(".empty"), name).toContainText(/^No (queues|jobs) yet/);
  }
  for (let i = 0; i < 3; i += 1) {
    const lacks = await view.locator(".empty").textContent({ timeout: 1000 }).catch(() => null);
    if (lacks === null) break;
    await view.locator(".empty").getByRole("button", { name: /^Add/ }).click();
    await app.arrived();
  }
  await expect(page.locator(".empty")).toHaveCount(0);
  await app.tab("Shares").click();
  await expect(app.share("queue-1")).toBeVisible();
});

test("every panel folds to a rail by button and by key, and stays so", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  const width = async (panel) => (await panel.boundingBox()).width;
  const setup = page.getByRole("region", { name: "Setup", exact: true });
  const before = await width(setup);
  await page.getByRole("button", { name: "Close explanation" }).click();
  await expect.poll(() => width(app.why)).toBe(40);
  await page.getByRole("button", { name: "Collapse Now" }).click();
  await expect.poll(() => width(app.now)).toBe(40);
  expect(await width(setup)).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Collapse the timeline" }).click();
  await expect(page.locator(".tlwrap")).toBeHidden();
  await page.reload();
  await expect(page.locator("#first")).toHaveCount(0);
  await expect.poll(() => width(app.now)).toBe(40);
  await expect.poll(() => width(app.why)).toBe(40);
  await expect(page.locator(".tlwrap")).toBeHidden();
  await page.getByRole("button", { name: "Open the timeline" }).click();
  await expect(page.locator(".tlwrap")).toBeVisible();
  for (const panel of [app.now, app.why]) {
    await panel.focus();
    await page.keyboard.press("f");
    await expect.poll(() => width(panel)).toBeGreaterThan(200);
    await page.keyboard.press("f");
    await expect.poll(() => width(panel)).toBe(40);
  }
});

test("examples are found by policy and topic, each with a picture", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const cards = page.locator("[data-example]");
  await expect(cards.first()).toBeVisible();
  const all = await cards.count();
  expect(await page.locator("[data-example] .sketch svg").count()).toBe(all);
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
