// Five tasks of a first-time user: the number of actions and of words to read for each.

import { App, WIDE } from "../app.js";
import { expect, test } from "../fixture.js";

const PHONE = { width: 390, height: 844 };

/** Counts clicks and inputs, and takes a screenshot at the end. */
class Task {
  constructor(page, testInfo) {
    this.page = page;
    this.testInfo = testInfo;
    this.actions = 0;
  }

  async does(action) {
    this.actions += 1;
    await action();
  }

  /** Waits for the answer; checks that it is visible without scrolling, within the given numbers of actions and words. */
  async answers(answer, expected, actions, words) {
    await expect(answer).toContainText(expected);
    await expect(answer).toBeInViewport();
    const text = (await answer.innerText()).trim();
    const n = text.split(/\s+/).length;
    this.testInfo.annotations.push({ type: "task", description: `${this.actions} actions, ${n} words: ${text}` });
    await this.page.screenshot({ path: this.testInfo.outputPath("end.png") });
    expect(this.actions).toBeLessThanOrEqual(actions);
    expect(n).toBeLessThanOrEqual(words);
  }
}

test("find why a job waits", async ({ page }, testInfo) => {
  const app = new App(page);
  await app.openWide();
  const task = new Task(page, testInfo);
  await task.does(() => page.getByRole("button", { name: "Examples", exact: true }).click());
  await task.does(() => page.getByRole("button", { name: /Non-preemptible jobs stay within quota/ }).first().click());
  await app.atCycle(0);
  await task.does(() => app.step.click());
  await app.atCycle(1);
  await task.does(() => page.getByRole("button", { name: /build-2 · 1 GPU · over quota/ }).click());
  await task.answers(app.why.locator(".verdict"), "build-2 is non-preemptible", 4, 30);
  // What happens next and what would help are also visible.
  await expect(app.why.getByText("What happens next")).toBeInViewport();
  await expect(app.why.getByRole("button", { name: /What would help/ })).toBeInViewport();
});

test("make another team lose", async ({ page }, testInfo) => {
  const app = new App(page);
  await app.openWide();
  const task = new Task(page, testInfo);
  await task.does(() => app.step.click());
  await app.atCycle(1);
  await expect(page.locator(".strip .ask")).toHaveText("team-a gives up 1 GPU: a2 makes room for b2.");
  await task.does(() => app.set('queues["team-a"].gpu.quota', "3"));
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 3 GPUs/);
  await task.answers(page.locator(".strip .ask"), /team-a|team-b/, 2, 28);
});

test("read the division to a class", async ({ page }, testInfo) => {
  const app = new App(page);
  await app.openWide();
  const task = new Task(page, testInfo);
  await task.does(() => page.getByRole("button", { name: "Examples", exact: true }).click());
  await task.does(() => page.locator('[data-example="odd-gpu"]').click());
  await app.atCycle(0);
  await task.does(() => app.tab("Division").click());
  const division = page.getByRole("region", { name: "Division", exact: true });
  await task.answers(division.locator(".stepper-line"), "1 GPU left over goes to team-a, which lost most to rounding (0.5)", 3, 20);
  await expect(division.getByRole("row", { name: /round 1/ })).toContainText("7 × 1/2 = 3.5 → 3");
});

test("follow a link on a phone", async ({ page, context }, testInfo) => {
  const app = new App(page);
  await app.openWide();
  await app.step.click();
  await app.atCycle(1);
  await app.why.getByRole("button", { name: "b2", exact: true }).first().click();
  const link = await app.link();
  const phone = await context.newPage();
  await phone.setViewportSize(PHONE);
  await phone.goto(link);
  const there = new App(phone);
  await there.atCycle(1);
  const task = new Task(phone, testInfo);
  await task.answers(there.why.locator(".verdict"), "b2", 0, 45);
  await task.does(() => there.why.getByRole("button", { name: "Close explanation" }).click());
  await expect(there.why).toBeHidden();
  await expect(there.share("team-a").first()).toBeInViewport();
  await phone.close();
});

for (const [name, size] of [["wide", WIDE], ["on a phone", PHONE]]) {
  test(`find out how far this is checked, ${name}`, async ({ page }, testInfo) => {
    await page.setViewportSize(size);
    const app = new App(page);
    await app.open();
    const task = new Task(page, testInfo);
    if (size === WIDE) {
      await task.does(() => page.getByRole("button", { name: /^Policy: KAI/ }).click());
      await task.does(() => page.getByRole("menuitem", { name: /^Checked against KAI/ }).click());
    } else {
      await task.does(() => page.getByRole("button", { name: "More", exact: true }).click());
      await task.does(() => page.getByRole("menuitem", { name: "How accurate is this?" }).click());
    }
    const dialog = page.getByRole("dialog");
    await task.answers(dialog.getByRole("row", { name: /^KAI Scheduler/ }).first(), "v0.13.x", 2, 30);
    await expect(dialog.getByText("mid-0048")).toHaveCount(1);
  });
}
