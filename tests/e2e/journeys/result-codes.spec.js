// Result codes: a pupil answers two questions and copies the code; a teacher adds up the codes of a class.

import { App } from "../app.js";
import { allowClipboard } from "../driver.js";
import { expect, test } from "../fixture.js";

const PHONE = { width: 390, height: 844 };

test("the answers of a lesson are a code, and codes are added up", async ({ page }) => {
  await allowClipboard(page);
  const app = new App(page);
  await app.openWide("./#lesson=quota.2");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  const next = lesson.locator("#lesson-next");
  const guess = lesson.getByRole("textbox", { name: "Your answer" });
  await guess.fill("4");
  await guess.press("Enter");
  await expect(lesson.locator(".outcome")).toContainText("As you said: 4 GPUs.");
  // The first answer counts.
  await guess.fill("5");
  await guess.press("Enter");
  await expect(lesson.locator(".outcome")).toContainText("You said 5 GPUs");
  await next.click();
  await next.click();
  await lesson.getByRole("button", { name: "True", exact: true }).click();
  await expect(lesson.locator(".outcome")).toContainText("You said true; it is false.");
  for (let frame = 4; frame < 7; frame += 1) {
    if ((await next.textContent()) === "Show the answer") await next.click();
    await expect(next).toHaveText("Next");
    await next.click();
  }
  await expect(lesson).toContainText("7 of 7");
  const field = lesson.getByRole("textbox", { name: "Result code" });
  await expect(field).toHaveValue(/^FG1-quota-[0-9a-f]{8}-rwn$/);
  const code = await field.inputValue();
  await lesson.getByRole("button", { name: "Copy the code" }).click();
  await expect(page.locator(".notice")).toContainText("Result code copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await app.expectAccessible("a result code");
  await next.click();
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("button", { name: "Add up result codes" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add up result codes" });
  const codes = dialog.getByRole("textbox", { name: "Result codes, one per line" });
  await expect(codes).toBeFocused();
  await codes.fill([code, code, code.replace(/rwn$/, "nwr"), "", "<b>mine</b>", code.slice(0, -1)].join("\n"));
  const rows = dialog.getByRole("table").getByRole("row");
  await expect(rows).toHaveText([
    /Question.*Wrong.*Right.*Not answered/s,
    /1\. How many GPUs does team-a use after the next cycle\?\s*0\s*2\s*1/,
    /2\. True or false: after two cycles team-b uses 6 GPUs\.\s*3\s*0\s*0/,
    /3\. How many GPUs does team-a use after the next cycle\?\s*0\s*1\s*2/,
  ]);
  await expect(dialog.getByRole("status")).toHaveText("3 codes added up; 2 lines left out.");
  await expect(dialog).toContainText("Line 5: not a result code; it would begin with FG1-.");
  await expect(dialog).toContainText("Line 6: 2 answers, but the lesson has 3 questions.");
  await app.expectAccessible("the table of result codes");

  // Another version has a table of its own.
  await codes.fill(`${code}\nFG1-quota-00000000-ww\nFG1-own-00000000-r`);
  await expect(dialog.getByRole("table")).toHaveCount(3);
  await expect(dialog).toContainText("Another version of this lesson");
  await expect(dialog).toContainText("A lesson that is not in the list");
});

test("who leaves a lesson with answers gets the code, also on a phone", async ({ page }) => {
  const app = new App(page);
  await page.setViewportSize(PHONE);
  await app.open("./#lesson=fair-share.5");
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  const answer = lesson.getByRole("textbox", { name: "Your answer" });
  await answer.fill("6");
  await answer.press("Enter");
  await expect(lesson.locator(".outcome")).toBeVisible();
  await lesson.getByRole("button", { name: "Leave lesson" }).click();
  const left = page.getByRole("dialog", { name: "You left the lesson" });
  const code = await left.getByRole("textbox", { name: "Result code" }).inputValue();
  expect(code).toMatch(/^FG1-fair-share-[0-9a-f]{8}-[wn]*w[wn]*$/);
  await app.expectAccessible("the code of a lesson that was left");
  await page.keyboard.press("Escape");
  await expect(left).toHaveCount(0);
  await app.command("Add up result codes of lessons");
  const dialog = page.getByRole("dialog", { name: "Add up result codes" });
  await dialog.getByRole("textbox").fill(`${code}\n${code}`);
  await expect(dialog.getByRole("status")).toHaveText("2 codes added up.");
  await app.expectNoSidewaysScroll("the table of result codes");
  await app.expectAccessible("the table of result codes on a phone");
});
