// A lesson is recorded by keyboard, tried, kept, saved, opened again and sent as a link.

import { App } from "../app.js";
import { allowClipboard, downloadOf } from "../driver.js";
import { expect, test } from "../fixture.js";

const PHONE = { width: 390, height: 844 };
const QUOTA = 'queues["team-a"].gpu.quota';

const recorderOf = (page) => page.getByRole("region", { name: "Lesson recorder", exact: true });
const lessonOf = (page) => page.getByRole("region", { name: "Lesson", exact: true });

/** Puts the focus on a control and presses a key. */
const press = async (control, key = "Enter") => {
  await control.focus();
  await control.press(key);
};

/** Records two frames with a question and a suggestion; returns the recorder. */
async function record(page, app) {
  await app.command("Record a lesson");
  const recorder = recorderOf(page);
  const take = recorder.getByRole("button", { name: "Take a frame" });
  await expect(take).toBeFocused();
  await expect(recorder).toContainText("Bring a moment to the screen, then take it.");
  await page.keyboard.press("Enter");
  await expect(recorder).toContainText("Frame 1, text: it is missing.");
  const type = async (name, text) => {
    const field = recorder.getByRole("textbox", { name });
    await field.focus();
    await field.press("Control+a");
    await page.keyboard.insertText(text);
  };
  await type("Title of the lesson", "One GPU too many");
  await type("What one learns", "Who gives one up.");
  await type("Title of the frame", "<b>Two teams</b>");
  await type("Text, at most", "team-a uses 3 GPUs. team-b is about to ask for one.");
  await type("Notes for the speaker", "Ask the room first.");
  await press(recorder.locator("summary", { hasText: "Question" }));
  const kind = recorder.getByRole("combobox", { name: "Kind of question" });
  await kind.selectOption("pick");
  await type("Question, or statement", "Which job is evicted?");
  await type("Reason", "The newest goes first.");
  const options = recorder.getByRole("textbox", { name: "Options" });
  await expect(options).toHaveValue("a1, a2, b1");
  await type("Options", "a1, a2");
  await options.press("Tab");

  await press(app.step);
  await app.atCycle(1);
  await press(recorder.getByRole("button", { name: "Answer at the moment on the screen" }));
  await expect(recorder).toContainText("The answer is read off cycle 1: a2.");
  await press(take);
  await expect(recorder).toContainText("Frame 2 of 2 shows: Two teams, four GPUs, cycle 1");
  await type("Title of the frame", "Try it");
  await type("Text, at most", "Change the quota.");
  await app.set(QUOTA, "3");
  await press(recorder.locator("summary", { hasText: "Suggestions" }));
  await press(recorder.getByRole("button", { name: "Suggest the edit on the screen" }));
  await expect(recorder.getByRole("textbox", { name: "Suggestion 1" })).toHaveValue("quota of team-a 2 → 3");
  await expect(recorder).toContainText("The lesson is complete.");
  return recorder;
}

test("a lesson is recorded by keyboard, tried, kept, saved and opened again", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const recorder = await record(page, app);
  await app.expectAccessible("the recorder");
  await app.expectNoSidewaysScroll("the recorder");

  // Frames are shown and moved; a slip is undone.
  const frames = recorder.getByRole("list", { name: "Frames" }).getByRole("button");
  await press(frames.first());
  await app.atCycle(0);
  await expect(frames.first()).toHaveAttribute("aria-current", "true");
  await press(recorder.getByRole("button", { name: "Remove the frame" }));
  await expect(frames).toHaveCount(1);
  await press(recorder.getByRole("button", { name: "Undo in the lesson" }));
  await expect(frames).toHaveCount(2);
  await press(recorder.getByRole("button", { name: "Move the frame back" }));
  await expect(frames.first()).toContainText("1. Try it");
  await press(recorder.getByRole("button", { name: "Move the frame forward" }));

  // Played, and back.
  await press(recorder.getByRole("button", { name: "Play it" }));
  const lesson = lessonOf(page);
  await expect(lesson).toContainText("One GPU too many · 1 of 2");
  await expect(lesson.getByRole("heading", { name: "<b>Two teams</b>" })).toBeVisible();
  await expect(recorder).toHaveCount(0);
  await press(lesson.getByRole("button", { name: "a2", exact: true }));
  await expect(lesson.locator(".outcome")).toContainText("As you said: a2. The newest goes first.");
  await press(lesson.getByRole("button", { name: "Leave lesson" }));
  await page.keyboard.press("Escape");
  await expect(recorder).toBeVisible();

  // Nothing that was typed is lost. A reload opens what the address names, which follows the page a little later.
  await expect.poll(() => page.url()).not.toContain("#l1.");
  await page.reload();
  await app.arrived();
  await expect(recorder.getByRole("textbox", { name: "Title of the lesson" })).toHaveValue("One GPU too many");
  await expect(recorder.getByRole("textbox", { name: "Notes for the speaker" })).toHaveValue("Ask the room first.");

  const [download] = await Promise.all([
    downloadOf(page),
    press(recorder.getByRole("button", { name: "Save the file" })),
  ]);
  expect(download.suggestedFilename()).toBe("one-gpu-too-many.lesson.yaml");
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  expect(text).toContain("example: start");
  expect(text).not.toContain("scenario:");
  await press(recorder.getByRole("button", { name: "Close the lesson recorder" }));
  await expect(recorder).toHaveCount(0);
  await app.drop([["own.yaml", text]]);
  await expect(lesson).toContainText("One GPU too many · 1 of 2");
  await app.command("Edit a copy of this lesson");
  await expect(recorder.getByRole("textbox", { name: "Title of the frame" })).toHaveValue("<b>Two teams</b>");
  await app.drop([["other.yaml", text.replace("One GPU too many", "Another")]]);
  await expect(recorder.getByRole("textbox", { name: "Title of the lesson" })).toHaveValue("Another");
});

test("a lesson is sent as a link, and a hostile one names its mistakes", async ({ page }) => {
  await allowClipboard(page);
  const app = new App(page);
  await app.openWide();
  const recorder = await record(page, app);
  await press(recorder.getByRole("button", { name: "Copy the link" }));
  await expect(page.locator(".notice")).toContainText("Link to the lesson copied.");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#l1\.[\w-]+\.\w{7}&at=1$/);
  await page.goto("about:blank");
  await page.goto(link.replace("&at=1", "&at=2"));
  await app.arrived();
  const lesson = lessonOf(page);
  await expect(lesson).toContainText("One GPU too many · 2 of 2");
  await press(lesson.getByRole("button", { name: "Back", exact: true }));
  await expect(page).toHaveURL(/#l1\..*&at=1$/);
  await page.reload();
  await app.arrived();
  await expect(lesson).toContainText("1 of 2");

  // The share sheet gives the link of the frame.
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Link", exact: true })).toHaveValue(/#l1\..*&at=1$/);
  await expect(page.getByRole("dialog")).toContainText("The link opens the lesson at frame 1");
  await page.keyboard.press("Escape");

  await page.goto(`./#${link.split("#")[1].slice(0, 60)}`);
  await expect(page.getByRole("dialog")).toContainText("characters arrived");
});

test("the recorder fits a phone", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await record(page, app);
  await page.setViewportSize(PHONE);
  await app.expectNoSidewaysScroll("the recorder on a phone");
  await app.expectAccessible("the recorder on a phone");
  await expect(recorderOf(page).getByRole("button", { name: "Take a frame" })).toBeVisible();
});

test("a frame and a link show the numbers of their node pool", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.at("runai-departments-and-pools", 1);
  const pool = page.getByLabel("Node pool", { exact: true });
  await expect(pool).toHaveValue("");
  await pool.selectOption("pool-b");
  await expect(page).toHaveURL(/&pool=pool-b/);
  const link = page.url();

  await app.command("Record a lesson");
  const recorder = recorderOf(page);
  await press(recorder.getByRole("button", { name: "Take a frame" }));
  await press(recorder.locator("summary", { hasText: "Question" }));
  await recorder.getByRole("combobox", { name: "Kind of question" }).selectOption("number");
  await recorder.getByRole("combobox", { name: "The answer is read off" }).selectOption("fair-share");
  const name = recorder.getByRole("textbox", { name: "Name of the queue" });
  await name.fill("project-2");
  await name.press("Tab");
  await expect(recorder).toContainText("The answer is read off cycle 1: 5 GPUs.");
  const asked = recorder.getByRole("combobox", { name: "Node pool" });
  await expect(asked).toHaveValue("pool-b");
  await asked.selectOption("pool-a");
  await expect(recorder).toContainText("The answer is read off cycle 1: 16 GPUs.");
  await pool.selectOption("pool-a");
  await press(recorder.getByRole("button", { name: "1. ", exact: false }));
  await expect(pool).toHaveValue("pool-b");

  await page.goto("about:blank");
  await page.goto(link);
  await app.arrived();
  await expect(pool).toHaveValue("pool-b");
});
