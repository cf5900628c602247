// The scenario as text, in its editor.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const QUOTA = 'queues["team-a"].gpu.quota';

/** Opens the text of the start scenario in a wide window. */
async function open(page) {
  const app = new App(page);
  await app.openWide();
  await app.tab("Text").click();
  await expect(app.editor).toBeVisible();
  return app;
}

/** Returns where a part of the text is on the screen: its middle and its end. */
const place = (app, text) =>
  app.editor.evaluate((editor, text) => {
    const walker = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    // A line consists of several nodes.
    const start = nodes.map((node) => node.data).join("").indexOf(text);
    const range = document.createRange();
    let from = 0;
    for (const node of nodes) {
      const to = from + node.length;
      if (from <= start && start < to) range.setStart(node, start - from);
      if (from < start + text.length && start + text.length <= to) range.setEnd(node, start + text.length - from);
      from = to;
    }
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { x: (left + right) / 2, y: (top + bottom) / 2, end: right };
  }, text);

/** Puts the cursor behind a part of the text. */
async function cursorBehind(app, text) {
  const { end, y } = await place(app, text);
  await app.page.mouse.click(end, y);
  await expect(app.editor).toBeFocused();
}

test("keys and names are completed, with the meaning of each", async ({ page }) => {
  const app = await open(page);
  await app.editor.press("ControlOrMeta+End");
  await page.keyboard.type("\nqueues:\n- name: x\npar");
  const list = page.getByRole("listbox", { name: "Completions" });
  await expect(list.getByRole("option")).toHaveText(["parent"]);
  await expect(page.locator(".cm-completionInfo")).toContainText("Name of the parent queue");
  await list.getByRole("option").click();
  await expect(app.text).toHaveValue(/\n {2}parent: $/);
  await page.keyboard.press("Control+Space");
  await expect(list.getByRole("option", { name: "team-b", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  // Tab leaves the editor.
  await page.keyboard.press("Tab");
  await expect(app.editor).not.toBeFocused();
});

test("an error is marked at its line, and its fix is offered there", async ({ page }) => {
  const app = await open(page);
  const before = await app.text.inputValue();
  await app.write(before.replace("queue: team-a", "queue: team-aa"));
  await expect(app.editor.locator(".cm-lintRange-error")).toHaveText("team-aa");
  await expect(app.editor).toHaveAttribute("aria-invalid", "true");
  await app.editor.press("F8");
  const error = page.locator(".cm-tooltip .cm-diagnostic-error");
  await app.editor.locator(".cm-lintRange-error").hover();
  await expect(error).toContainText("team-aa");
  await app.expectAccessible("the editor with an error", { part: ".setup" });
  await error.getByRole("button").click();
  await expect(app.text).toHaveValue(before);
  await expect(app.editor).not.toHaveAttribute("aria-invalid");
  await expect(app.editor.locator(".cm-lintRange-error")).toHaveCount(0);
});

test("a key tells what it means, to the pointer and at the cursor", async ({ page }) => {
  const app = await open(page);
  const { x, y } = await place(app, "quota");
  await page.mouse.move(x, y);
  await expect(page.locator(".cm-tooltip-hover")).toContainText("Guaranteed amount");
  await page.mouse.move(0, 0);
  await page.mouse.click(x, y);
  await expect(page.locator(".cm-panels")).toContainText("queues › gpu › quota");
});

test("text, tables and charts are one scenario, and the cursor stays", async ({ page }) => {
  const app = await open(page);
  await cursorBehind(app, "quota: 2");
  // One edit, so that undo leads to the value before.
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.type("3");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 3/);
  // An edit above the cursor, made elsewhere: an undo of the page, which begins outside of the editor.
  await app.step.focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 2/);
  await expect(app.text).toHaveValue(/quota: 2/);
  await app.editor.focus();
  await page.keyboard.type("1");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 21/);
  // Within the editor, undo is that of what was typed there.
  await page.keyboard.press("ControlOrMeta+z");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 2 /);
  await app.tab("Queues").click();
  await app.set(QUOTA, "4");
  await app.tab("Text").click();
  await expect(app.editor).toContainText("quota: 4");
});

test("pasted text is inserted, also if it is a scenario", async ({ page }) => {
  const app = await open(page);
  const before = await app.text.inputValue();
  await app.write(before.replace("quota: 2", "quota: 3"));
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 3/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a number is marked in text and charts, wherever it is pointed at", async ({ page }) => {
  const app = await open(page);
  const number = await app.editor.locator("[data-number]").first().getAttribute("data-number");
  const elsewhere = page.locator(`.now-panel [data-number="${number}"]`).first();
  const inText = app.editor.locator(`[data-number="${number}"]`);
  // A thin mark; its bar is in front of most of it.
  await elsewhere.dispatchEvent("pointerover");
  await expect(inText).toHaveClass(/linked/);
  await page.mouse.move(0, 0);
  await expect(inText).not.toHaveClass(/linked/);
  await inText.hover();
  await expect(elsewhere).toHaveClass(/linked/);
  await page.mouse.move(0, 0);
  await expect(elsewhere).not.toHaveClass(/linked/);
  // The cursor points as well.
  await cursorBehind(app, "quota: 2");
  await page.mouse.move(0, 0);
  await expect(elsewhere).not.toHaveClass(/linked/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(elsewhere).toHaveClass(/linked/);
});

test("what is typed before the editor has arrived is kept", async ({ page }) => {
  const app = new App(page);
  let arrive;
  await page.route("**/editor/editor.js", async (route) => {
    await new Promise((resolve) => (arrive = resolve));
    await route.continue();
  });
  await app.openWide();
  await app.tab("Text").click();
  const before = await app.text.inputValue();
  await app.text.fill(before.replace("quota: 2", "quota: many"));
  await expect(page.locator("#text-findings")).toContainText("many");
  await app.text.press("ControlOrMeta+End");
  await expect.poll(() => arrive !== undefined).toBe(true);
  arrive();
  await expect(app.editor).toBeFocused();
  await expect(app.editor).toContainText("quota: many");
  await expect(app.editor.locator(".cm-lintRange-error")).toHaveText("many");
  await page.keyboard.type("#");
  await expect(app.text).toHaveValue(/#$/);
});

test("without the editor the text is edited in a plain field", async ({ page, problems }) => {
  await page.route("**/editor/editor.js", (route) => route.abort());
  const app = new App(page);
  await app.openWide();
  await app.tab("Text").click();
  await expect.poll(() => problems.join("\n")).toContain("editor/editor.js");
  problems.length = 0;
  await app.text.fill((await app.text.inputValue()).replace("quota: 2", "quota: 3"));
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 3/);
});
