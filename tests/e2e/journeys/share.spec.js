import { App } from "../app.js";
import { downloadOf } from "../driver.js";
import { expect, test } from "../fixture.js";

test("a link opens on its own moment, explained", async ({ page, browser }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.weight', "2");
  await app.step.click();
  await app.atCycle(1);
  await app.share("team-b").click();
  const digest = await app.digest();
  const address = await app.link();
  const second = await (await browser.newContext()).newPage();
  const other = new App(second);
  await other.open(address);
  await other.atCycle(1);
  await expect(other.now).toHaveAttribute("data-digest", digest);
  await expect(second.getByText("Shared scenario.")).toBeVisible();
  await expect(other.why).toContainText("team-b");
  await other.set('queues["team-b"].gpu.quota', "1");
  await expect(second.getByText("Shared scenario.")).toHaveCount(0);
});

test("a damaged link is reported and the draft is kept", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  const address = await app.link();
  await page.goto("about:blank");
  await page.goto(address.slice(0, 150));
  await expect(page.getByRole("dialog")).toContainText(/Only the first \d+ of \d+ characters arrived/);
  await page.getByRole("button", { name: "Keep my scenario" }).click();
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
});

test("an own address is not a shared scenario after a reload", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  await expect(page).toHaveURL(/#d1\./);
  await page.reload();
  await app.arrived();
  await expect(page.getByText("Shared scenario.")).toHaveCount(0);
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
});

test("a scenario is downloaded and dropped again", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tree-decides");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const [download] = await Promise.all([
    downloadOf(page),
    page.getByRole("button", { name: "Download the file" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("fair-shares-in-a-queue-tree.fairground.yaml");
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  await page.keyboard.press("Escape");
  await app.example("start");
  await app.drop([["mine.yaml", Buffer.concat(chunks).toString()]]);
  await expect(page.getByRole("dialog")).toContainText("Fair shares in a queue tree");
  await page.getByRole("button", { name: "Open this scenario" }).click();
  await app.atCycle(0);
  await expect(app.cell('queues["vision"].name')).toBeVisible();
});

test("#reset asks before it deletes what is kept, and offers it as files", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  const kept = () => page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith("fairground.draft.")).length);
  await expect.poll(kept).toBe(1);
  await page.goto("about:blank");
  await app.open("./#reset");
  const question = page.getByRole("dialog", { name: "Delete everything kept on this device?" });
  await expect(question).toContainText("One draft will be deleted:");
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
  await expect.poll(kept).toBe(1);
  // The same link again in the open page.
  await page.evaluate(() => (location.hash = "#reset"));
  const [download] = await Promise.all([
    downloadOf(page),
    question.getByRole("button", { name: /^Download / }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.fairground\.yaml$/);
  await question.getByRole("button", { name: "Delete everything" }).click();
  await expect(question).toHaveCount(0);
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("2");
  await expect.poll(kept).toBe(0);
  await expect(page).not.toHaveURL(/#reset$/);
  await page.reload();
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("2");
});

test("back and forward lead from document to document, each with its draft", async ({ page }) => {
  const app = new App(page);
  const quota = app.cell('queues["team-a"].gpu.quota');
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  await app.example("tree-decides");
  await app.step.click();
  await app.atCycle(1);
  await app.example("gang-of-four");
  await expect.poll(entries).toBe(before + 2);
  await page.goBack();
  await expect(page).toHaveTitle(/Fair shares in a queue tree/);
  await app.atCycle(1);
  await page.goBack();
  await expect(page).toHaveTitle(/Two teams/);
  await expect(quota).toContainText("4");
  // The draft continues under its name.
  await app.set('queues["team-a"].gpu.quota', "5");
  await page.goForward();
  await expect(page).toHaveTitle(/Fair shares in a queue tree/);
  await expect(page.getByText("Shared scenario.")).toHaveCount(0);
  await page.goBack();
  await expect(quota).toContainText("5");
  await page.reload();
  await app.arrived();
  await expect(quota).toContainText("5");
  await expect.poll(async () => (await app.drafts()).length).toBe(1);
  await expect.poll(entries).toBe(before + 2);
});

test("punctuation behind a link is not part of it; a cycle beyond the end is told", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  const address = await app.link();
  await page.goto("about:blank");
  await app.open(`${address}.`);
  await app.atCycle(1);
  await page.goto("about:blank");
  await app.open(address.replace("at=1", "at=999"));
  await expect(page.locator(".notices")).toContainText(/There is no cycle 999: the run ends at cycle \d+\./);
});

test("on a phone a link with an explanation opens on it", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await app.bring("Now");
  await app.share("team-a").click();
  await expect(page).toHaveURL(/why=1/);
  const url = page.url();
  const other = new App(await (await page.context().browser().newContext({ viewport: { width: 390, height: 844 } })).newPage());
  await other.open(url);
  await expect(other.why).toBeVisible();
  await expect(other.why).toContainText("team-a");
});

test("kept runs travel in the link, and the first one is shown beside the present one", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.steps(1);
  await page.getByRole("button", { name: "Keep as A" }).click();
  await app.set('queues["team-a"].gpu.quota', "3");
  const link = await app.link();
  expect(link).toContain("&kept=A~as_20opened~queues.team-a.gpu.quota~2");
  await page.evaluate(() => localStorage.clear());
  await page.goto("about:blank");
  await page.goto(link);
  await app.arrived();
  const run = page.getByRole("button", { name: "Compare with run A: as opened" });
  await expect(run).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".run.ghost")).toBeVisible();
  await expect(page.locator(".legend", { hasText: "before" }).first()).toBeVisible();

  // Values that do not fit are left out.
  await page.goto("about:blank");
  await page.goto(link.replace("team-a.gpu.quota~2", "team-z.gpu.quota~2"));
  await app.arrived();
  await expect(page.locator(".notice")).toContainText("A kept run of this link does not fit its scenario");
  await expect(run).toHaveCount(0);
});
