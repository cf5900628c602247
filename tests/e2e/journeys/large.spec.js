// Large scenarios, full storage, and reused names.

import { App, block } from "../app.js";
import { downloadOf, workerOf } from "../driver.js";
import { expect, test } from "../fixture.js";

const QUOTA = 'queues["team-a"].gpu.quota';
/** Returns a trace with more rows than are stored as plain text. */
function trace(rows) {
  const lines = ["job_id,queue,submit,duration,gpus"];
  for (let i = 0; i < rows; i++) lines.push(`job-${i},${"abcd"[i % 4]},${i * 5},${60 + ((i * 37) % 900)},1`);
  return lines.join("\n");
}

const isEnabled = (button) => expect(button).not.toHaveAttribute("aria-disabled", "true", { timeout: 60_000 });

test("a large trace is opened, kept on the device and opened again", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([["big trace.csv", trace(25_000)]]);
  const open = page.getByRole("dialog").getByRole("button", { name: "Open at the start" });
  await isEnabled(open);
  await open.click();
  await expect(page).toHaveTitle(/^big trace/);
  await app.atCycle(0);
  const kept = () => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith("fairground.draft.")));
  await expect.poll(kept, { timeout: 30_000 }).toBe(true);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("button", { name: "Earlier states" }).click();
  await expect(page.getByRole("dialog", { name: "Earlier states" })).toContainText("This scenario is large");
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(page).toHaveTitle(/^big trace/, { timeout: 60_000 });
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await app.atCycle(0);
  await app.tab("Work").click();
  await expect(page.getByText("1 to 200 of 25000 entries")).toBeVisible();
});

test("reading a large file is cancelled at once", async ({ page }) => {
  const app = new App(page);
  await app.open();
  // Reading cannot end before it is cancelled: the engine is busy, and so is each one that is started in its place.
  const hold = (worker) => block(worker).catch(() => {});
  page.on("worker", hold);
  await hold(workerOf(page));
  await app.drop([["big.csv", trace(60_000)]]);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("progressbar", { name: "Reading" })).toBeVisible();
  page.off("worker", hold);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0, { timeout: 1_000 });
  await expect(page.getByText("Reading was cancelled. Your scenario is unchanged.").first()).toBeVisible();
  await app.atCycle(0);
  await expect(page).toHaveTitle(/^Two teams/);
});

test("where the storage has no room it is said, and no edit is lost", async ({ page }) => {
  await page.addInitScript(() => {
    const set = Storage.prototype.setItem;
    window.isFull = false;
    Storage.prototype.setItem = function (...args) {
      if (window.isFull && this === localStorage) throw new DOMException("full", "QuotaExceededError");
      return set.apply(this, args);
    };
  });
  const app = new App(page);
  await app.open();
  await page.evaluate(() => (window.isFull = true));
  await app.set(QUOTA, "4");
  await expect(page.getByText(/^There is no room left on this device: this scenario is not kept\./).first()).toBeVisible();
  await app.set(QUOTA, "5");
  await expect(app.cell(QUOTA)).toContainText("5");
  await page.getByRole("button", { name: /^Undo: / }).click();
  await expect(app.cell(QUOTA)).toContainText("4");
  // Once there is space, the next edit stores everything.
  await page.evaluate(() => (window.isFull = false));
  await app.set(QUOTA, "6");
  await expect.poll(() => app.drafts()).toMatchObject([{ scenario: { queues: [{ gpu: { quota: 6 } }, {}] } }]);
  await page.reload();
  await app.arrived();
  await expect(app.cell(QUOTA)).toContainText("6");
});

test("the list of names gives a renamed scenario its names back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const field = page.getByRole("textbox", { name: "Link", exact: true });
  await expect(field).toHaveValue(/#d1\./);
  const before = await field.inputValue();
  await page.getByRole("checkbox", { name: /^Rename queues/ }).check();
  await expect(field).not.toHaveValue(before);
  const link = await field.inputValue();
  const [download] = await Promise.all([
    downloadOf(page),
    page.getByRole("button", { name: "Download the list of names" }).click(),
  ]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  const names = Buffer.concat(chunks).toString("utf8");
  await page.keyboard.press("Escape");
  await page.goto(`./${new URL(link).hash}`);
  await page.reload();
  await app.arrived();
  await expect(app.share("queue-1")).toBeVisible();
  await app.drop([["names.csv", names]]);
  await expect(app.share("team-a")).toBeVisible();
  await expect(page.getByText(/^The names were restored/).first()).toBeVisible();
  await page.getByRole("button", { name: /^Undo: restore the names/ }).click();
  await expect(app.share("queue-1")).toBeVisible();
});
