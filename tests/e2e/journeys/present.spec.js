// Present: the page in large type for a room, by keyboard alone; examples that say what to watch and offer an edit to try next.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const PROJECTOR = { width: 1920, height: 1080 };
const SMALL_PROJECTOR = { width: 1280, height: 720 };
/** Smallest text on a projector of 1920 × 1080, in pixels. */
const SMALLEST = 28;
/** Smallest text of the sentence. */
const SENTENCE = 32;

/** Opens the page for a projector and presents it. */
async function present(page, path = "./?theme=light", example) {
  await page.setViewportSize(PROJECTOR);
  const app = new App(page);
  await app.open(path);
  if (example) await app.example(example);
  await page.keyboard.press("p");
  await expect(page.locator("html")).toHaveClass("presenting");
  await app.arrived();
  return app;
}

/** Returns the visible texts that are smaller than a size, in pixels of the window. */
function smallTexts(page, size) {
  return page.evaluate((size) => {
    const texts = [...document.querySelectorAll("#app *")].filter((element) => {
      const has = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      const { width, height } = element.getBoundingClientRect();
      return has && width > 2 && height > 2 && element.checkVisibility() && !element.closest(".unseen, .sr, .skip, option");
    });
    const scale = (element) => (element.closest("svg") ? element.getScreenCTM().a : 1);
    const found = texts.map((element) => [element.textContent, parseFloat(getComputedStyle(element).fontSize) * scale(element)]);
    return found.filter(([, px]) => px < size);
  }, size);
}

/** Checks that the charts are in the window, without scrolling. */
async function expectWhole(page) {
  const cut = () =>
    page.locator("#app .now-panel").evaluate((panel) => [panel.scrollHeight - panel.clientHeight, panel.scrollWidth - panel.clientWidth]);
  await expect.poll(cut).toEqual([0, 0]);
  const { height } = page.viewportSize();
  const box = await page.locator("#app .now-panel").boundingBox();
  expect(box.height).toBeGreaterThan(0.68 * height);
}

test("a scenario is presented by keyboard alone", async ({ page }) => {
  const app = await present(page);
  const end = page.getByRole("button", { name: "End", exact: true });
  await expect(app.status).toContainText("Presenting. Arrows: next, back.");
  await expect(page.locator(".ask")).toContainText("Who gives one up?");
  for (const hidden of [".setup", "#why", ".tlwrap", ".tabs", ".legend", ".bar .btn"]) {
    await expect(page.locator("#app").locator(hidden).first()).toBeHidden();
  }
  await expect(end).toBeVisible();
  await expectWhole(page);

  // Keys of a presenter.
  await page.keyboard.press("PageDown");
  await app.atCycle(1);
  await expect(page.locator(".ask")).toContainText("a2 makes room for b2");
  await page.keyboard.press("Space");
  await app.atCycle(2);
  await page.keyboard.press("PageUp");
  await app.atCycle(1);
  await app.expectAccessible("a presented moment");

  // The other chart, and back.
  await page.keyboard.press("c");
  await expect(app.view("Division")).toBeVisible();
  await expect(app.view("Cluster")).toBeHidden();
  await expectWhole(page);
  await app.expectAccessible("a presented division");
  await page.keyboard.press("c");
  await expect(app.view("Cluster")).toBeVisible();

  // A black screen until the next key.
  const isBlack = () => page.evaluate(() => getComputedStyle(document.querySelector("#app .app"), "::after").position === "fixed");
  await page.keyboard.press(".");
  await expect.poll(isBlack).toBe(true);
  await expect(app.status).toContainText("Black screen.");
  await page.keyboard.press("PageDown");
  await expect.poll(isBlack).toBe(false);
  await app.atCycle(1);

  await page.keyboard.press("Escape");
  await expect(page.locator("html")).not.toHaveClass(/presenting/);
  await expect(page.locator(".setup")).toBeVisible();
  await expect(end).toHaveCount(0);
  // Beside the other panels again, as before.
  await expect(page.locator(".side-panel")).toBeVisible();
});

test("the selection has the spotlight and the sentence", async ({ page }) => {
  const app = await present(page);
  await page.keyboard.press("ArrowRight");
  await app.atCycle(1);
  await app.share("team-b").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".ask")).toContainText("team-b");
  const ground = (row) => row.evaluate((element) => getComputedStyle(element).zIndex);
  expect(await ground(app.share("team-a"))).toBe("2");
  expect(await ground(app.share("team-b"))).not.toBe("2");
  await app.expectAccessible("a spotlight");
  // A row of a chart is a button: its keys are its own, those of a presenter are not.
  await page.keyboard.press("PageDown");
  await app.atCycle(2);
});

for (const [name, path, example, presses] of [
  ["the start", "./?theme=light", undefined, 1],
  ["three queues", "./?theme=dark", "four-schedulers", 3],
  ["eleven queues", "./?theme=light", "tenants-and-offsets", 1],
  ["a question", "./#lesson=reclaim.2", undefined, 0],
  ["an answer", "./#lesson=fair-share.5", undefined, 1],
]) {
  test(`nothing presented is too small: ${name}`, async ({ page }) => {
    const app = await present(page, path, example);
    for (let press = 0; press < presses; press += 1) {
      await page.keyboard.press("PageDown");
      await app.arrived();
    }
    await expect.poll(() => smallTexts(page, SMALLEST)).toEqual([]);
    const sizes = await page
      .locator(".ask p, .lesson-text > p:not(.dim), .asks, .outcome")
      .evaluateAll((all) => all.filter((p) => p.checkVisibility()).map((p) => parseFloat(getComputedStyle(p).fontSize)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(SENTENCE);
    await app.expectNoSidewaysScroll(name);
    await page.keyboard.press("c");
    await app.arrived();
    await expect.poll(() => smallTexts(page, SMALLEST)).toEqual([]);
  });
}

test("a smaller projector shows the same", async ({ page }) => {
  const app = await present(page);
  await page.setViewportSize(SMALL_PROJECTOR);
  await page.keyboard.press("ArrowRight");
  await app.atCycle(1);
  await expectWhole(page);
  await app.expectNoSidewaysScroll("1280 px");
});

for (const [example, scale] of [["odd-gpu", 2], ["gang-of-four", 1.4], ["runai-departments-and-pools", 1]]) {
  test(`a cluster fills its half of the window: ${example}`, async ({ page }) => {
    const app = await present(page, "./?theme=light", example);
    await page.keyboard.press("PageDown");
    await app.atCycle(1);
    await expectWhole(page);
    const zoom = () => page.locator(".scaled").evaluate((element) => Number(getComputedStyle(element).zoom));
    await expect.poll(zoom).toBeGreaterThanOrEqual(scale);
    await expect.poll(() => smallTexts(page, SMALLEST)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(zoom).toBe(1);
  });
}

test("a lesson is presented with its frames and its question", async ({ page }) => {
  const app = await present(page, "./#lesson=reclaim.1");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await page.keyboard.press("ArrowRight");
  await expect(lesson).toContainText("2 of 7");
  await expect(lesson.locator(".asks")).toBeVisible();
  await page.keyboard.press("PageDown");
  await expect(lesson.locator(".outcome")).toContainText("It is a2.");
  await app.expectAccessible("a presented answer");
  await page.keyboard.press("PageUp");
  await expect(lesson).toContainText("1 of 7");
  await page.keyboard.press("Escape");
  await expect(page.locator("html")).not.toHaveClass(/presenting/);
  await expect(lesson).toContainText("1 of 7");
});

test("an example says what to watch, and its next edit is an edit", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("quota-is-a-floor");
  await expect(page.locator(".ask .watch")).toContainText("Watch the jobs of team-a in Cluster");
  await app.steps(1);
  const next = page.getByRole("button", { name: "Raise the quota of team-a to 6", exact: true });
  await next.click();
  await app.arrived();
  await expect(next).toHaveCount(0);
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("6");
  // The outcome before the edit stays visible, and undo takes it back.
  await expect(page.getByRole("group", { name: "Compare with before the edit" })).toBeVisible();
  await page.keyboard.press("Control+z");
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
  await expect(next).toBeVisible();
  // Another example has another hint.
  await app.example("odd-gpu");
  await expect(page.locator(".ask .watch")).toContainText("Watch the last step of Division");
  await app.expectAccessible("an example");
});

/** Opens the speaker notes by keyboard; returns their window. */
async function openNotes(page) {
  const link = page.getByRole("link", { name: "Speaker notes" });
  await link.focus();
  const [notes] = await Promise.all([page.waitForEvent("popup"), page.keyboard.press("Enter")]);
  return notes;
}

test("speaker notes stay in step, in both directions", async ({ page }) => {
  const app = await present(page, "./#lesson=reclaim.1");
  const notes = await openNotes(page);
  await expect(notes.locator("#place")).toHaveText("Reclaim for fair share and for quota · 1 of 7");
  await expect(notes.locator("#notes")).not.toBeEmpty();
  await expect(notes.locator("#next")).toHaveText("Next: Reclaim");
  await page.bringToFront();
  await page.keyboard.press("PageDown");
  await expect(notes.locator("#title")).toHaveText("Reclaim");
  await expect(notes.locator("#text")).toContainText("Which job is evicted for b2?");
  // Keys of a presenter act in the window of the notes, too.
  await notes.bringToFront();
  await notes.keyboard.press("PageDown");
  await expect(page.locator(".outcome")).toContainText("It is a2.");
  await expect(notes.locator("#text")).toHaveText("It is a2.");
  await notes.getByRole("button", { name: "Black" }).click();
  await expect(page.locator("html")).toHaveClass("presenting black");
  await expect(notes.locator("#black")).toBeVisible();
  await notes.keyboard.press("ArrowRight");
  await expect(notes.locator("#black")).toBeHidden();
  await notes.getByRole("button", { name: "Back" }).click();
  await expect(page.getByRole("region", { name: "Lesson", exact: true })).toContainText("1 of 7");
  await app.arrived();
});

test("where windows are blocked, the notes open in a tab", async ({ page }) => {
  await page.addInitScript(() => (window.open = () => null));
  await present(page);
  const notes = await openNotes(page);
  await expect(notes.locator("#title")).toHaveText("Two teams, four GPUs");
  await expect(notes.locator("#text")).toContainText("Who gives one up?");
});
