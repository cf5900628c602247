// A lesson: played by keyboard, on a phone, from its address; what was open before is back afterwards.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const PHONE = { width: 390, height: 844 };
const QUOTA = 'queues["team-a"].gpu.quota';
const TITLE = "Reclaim for fair share and for quota";

test("a lesson is played by keyboard, and leaving it restores the own scenario", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.set(QUOTA, "3");
  await app.step.click();
  await app.atCycle(1);
  await app.command(TITLE);

  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  const next = lesson.locator("#lesson-next");
  await expect(lesson).toContainText(`${TITLE} · 1 of 7`);
  await expect(next).toBeFocused();
  await expect(app.status).toContainText("1 of 7: One queue uses more than its share. Two teams");
  await expect(page).toHaveURL(/#lesson=reclaim\.1$/);
  await expect(page.locator(".setup").getByRole("tab", { name: "Queues" })).toBeHidden();
  await app.atCycle(0);

  // Arrows lead through the frames; time stands still.
  await page.keyboard.press("ArrowRight");
  await expect(lesson).toContainText("2 of 7");
  await expect(next).toHaveText("Show the answer");
  // The explanation would give the answer away.
  await expect(page.locator("#app .app")).not.toHaveClass(/why-open/);
  await page.keyboard.press("ArrowLeft");
  await expect(lesson).toContainText("1 of 7");
  await page.keyboard.press("PageDown");

  // An answer is compared with the run, whose explanation opens.
  await lesson.getByRole("button", { name: "a1", exact: true }).focus();
  await page.keyboard.press("Enter");
  await app.atCycle(1);
  await expect(lesson.locator(".outcome")).toContainText("You said a1; it is a2.");
  await expect(app.why.locator(".verdict")).toContainText("a2");
  await expect(app.status).toContainText("You said a1; it is a2.");
  await app.expectAccessible("a revealed question");

  // A presenter has one key: answers come before the next frame.
  for (let press = 0; press < 9; press += 1) await page.keyboard.press("PageDown");
  await expect(lesson).toContainText("7 of 7");
  await expect(next).toHaveText("Finish");
  await expect(page.locator(".setup").getByRole("tab", { name: "Queues" })).toBeVisible();
  await lesson.getByRole("button", { name: "research gets quota 1" }).click();
  await app.arrived();
  await expect(page.getByRole("button", { name: /^Undo: research gets quota 1/ })).toBeVisible();

  await next.click();
  await expect(lesson).toHaveCount(0);
  await app.atCycle(1);
  await expect(app.cell(QUOTA)).toContainText("3");
  await expect(page.getByRole("button", { name: /^Undo: quota of team-a/ })).toBeVisible();
  expect(await app.drafts()).toHaveLength(1);

  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await expect(page.locator('[data-lesson="reclaim"]')).toContainText("Done");
  await expect(page.locator('[data-lesson="weights"]')).toContainText("6 frames");
});

test("a lesson opens from its address on a phone", async ({ page }) => {
  const app = new App(page);
  await page.setViewportSize(PHONE);
  await app.open("./#lesson=fair-share.5");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("5 of 7");
  await app.expectNoSidewaysScroll("a question");
  await app.expectAccessible("a question on a phone");
  const answer = lesson.getByRole("textbox", { name: "Your answer" });
  await answer.fill("6");
  await answer.press("Enter");
  await expect(lesson.locator(".outcome")).toContainText("You said 6 GPUs; it is 4 GPUs.");
  await expect(lesson.locator("#lesson-next")).toBeInViewport();
  await app.expectNoSidewaysScroll("an answer");
  await lesson.getByRole("button", { name: "Leave lesson" }).click();
  await expect(lesson).toHaveCount(0);
  await expect(page.locator(".strip")).toContainText("Who gives one up?");
});

test("a question is answered in the chart", async ({ page }) => {
  const app = new App(page);
  await app.openWide("./#lesson=reclaim.2");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("Choose one here or in a chart.");
  await page.locator(".cluster .spot[aria-label*='a1']").first().click();
  await expect(lesson.locator(".outcome")).toContainText("You said a1; it is a2.");
  await expect(lesson).not.toContainText("Choose one");
});

test("the answer is a mark beside the fair share, by pointer and by keyboard", async ({ page }) => {
  const app = new App(page);
  await app.openWide("./#lesson=fair-share.5");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  const mark = page.getByRole("slider", { name: "Your answer for large" });
  const typed = lesson.getByRole("textbox", { name: "Your answer" });
  await expect(mark).toHaveAttribute("aria-valuetext", "none yet");
  // Fair shares would give the answer away.
  await expect(page.locator(".shares")).not.toContainText("fair share");
  await app.expectAccessible("a mark that is dragged");

  const box = await mark.boundingBox();
  const most = Number(await mark.getAttribute("max"));
  const x = (value) => box.x + 12 + ((box.width - 24) * value) / most;
  await page.mouse.move(x(0), box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(x(6), box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await expect(typed).toHaveValue("6");
  await expect(mark).toHaveAttribute("aria-valuetext", "6 GPUs");
  await mark.press("ArrowLeft");
  await expect(typed).toHaveValue("5");
  await expect(lesson).toContainText("5 of 7");
  await typed.fill("4");
  await expect(mark).toHaveValue("4");
  await typed.press("Enter");
  await expect(lesson.locator(".outcome")).toContainText("As you said: 4 GPUs.");
});

test("names are put in order by keyboard", async ({ page }) => {
  const app = new App(page);
  await app.openWide("./#lesson=ego-share-usage.4");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  const name = (of) => lesson.getByRole("button", { name: new RegExp(`(^|\\. )${of}$`) });
  const compare = lesson.getByRole("button", { name: "Compare" });
  await expect(lesson).toContainText("Choose them in order, the largest first.");
  for (const of of ["B1", "A1", "A2", "B2"]) {
    await name(of).focus();
    await page.keyboard.press("Enter");
  }
  await expect(name("A1")).toHaveText("2. A1");
  // A name that is pressed again gives its place up.
  await page.keyboard.press("Enter");
  await expect(name("B2")).toHaveText("B2");
  await expect(compare).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Enter");
  await app.expectAccessible("an order");
  await compare.focus();
  await page.keyboard.press("Enter");
  const is = "B1 (12 GPUs), A2 (4 GPUs), A1 (2 GPUs), B2 (0 GPUs)";
  await expect(lesson.locator(".outcome")).toContainText(`You said B1, A1, A2, B2; it is ${is}.`);
});

test("back in the browser leaves a lesson, forward returns to it", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("odd-gpu");
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator('[data-lesson="gangs"]').click();
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("1 of 7");
  await page.goBack();
  await expect(lesson).toHaveCount(0);
  await expect(app.share("team-b")).toBeVisible();
  await page.goForward();
  await expect(lesson).toContainText("1 of 7");
});

test("an own lesson is played from its file, and its mistakes are reported", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const text = `format: fairground-lesson
version: 1
title: "<b>Own</b>"
about: A lesson.
frames:
- {title: Only, text: One frame., example: start, suggestions: [{label: More, set: {queues.team-a.gpu.quota: 3}}]}
`;
  await app.drop([["own.yaml", text]]);
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("<b>Own</b> · 1 of 1");
  await lesson.getByRole("button", { name: "Finish" }).click();
  await app.drop([["own.yaml", text.replace("text:", "texts:").replace("start", "none")]]);
  const notice = page.locator(".notice.problem");
  await expect(notice).toContainText('unknown field "texts"; did you mean `text`?');
  await expect(notice).toContainText('there is no example "none"');
});

test("an address of no lesson is reported", async ({ page }) => {
  const app = new App(page);
  await app.openWide("./#lesson=none");
  await expect(page.getByRole("dialog")).toContainText("there is no lesson of that name");
});
