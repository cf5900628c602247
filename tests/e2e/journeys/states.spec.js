// Earlier states, export of all drafts, notes on moments, and options of the share sheet.

import { App } from "../app.js";
import { downloadOf } from "../driver.js";
import { expect, test } from "../fixture.js";

const QUOTA = 'queues["team-a"].gpu.quota';

/** Waits until the drafts on this device have these GPU quotas of their first queues. */
async function kept(app, quotas) {
  const found = async () => (await app.drafts()).map(({ scenario }) => scenario.queues[0].gpu.quota).sort();
  await expect.poll(found).toEqual(quotas);
}

async function bytes(download) {
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function saved(page, name) {
  const [download] = await Promise.all([
    downloadOf(page),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  return download;
}

async function states(page) {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("button", { name: "Earlier states" }).click();
  return page.getByRole("dialog", { name: "Earlier states" });
}

test("undo and earlier states outlive a reload", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set(QUOTA, "4");
  await app.set(QUOTA, "5");
  await kept(app, [5]);
  await page.reload();
  await app.arrived();
  await page.getByRole("button", { name: /^Undo: / }).click();
  await expect(app.cell(QUOTA)).toContainText("4");
  const dialog = await states(page);
  await expect(dialog.locator("[data-state]")).toHaveCount(2);
  await expect(dialog.locator("[data-state] svg")).toHaveCount(2);
  await dialog.locator("[data-state]", { hasText: "as opened" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(app.cell(QUOTA)).toContainText("2");
  await page.getByRole("button", { name: /^Undo: return to the state/ }).click();
  await expect(app.cell(QUOTA)).toContainText("4");
});

test("a full device says so, and the edits stay", async ({ page }) => {
  await page.addInitScript(() => {
    const write = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, value) {
      if (key.startsWith("fairground.state")) throw new DOMException("full", "QuotaExceededError");
      write.call(this, key, value);
    };
  });
  const app = new App(page);
  await app.open();
  await app.set(QUOTA, "4");
  await expect(page.locator(".notices")).toContainText("no room left on this device for earlier states");
  await page.reload();
  await app.arrived();
  await expect(app.cell(QUOTA)).toContainText("4");
});

test("all drafts are exported in one file and opened again", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set(QUOTA, "4");
  await app.example("tree-decides");
  await app.set('queues["vision"].gpu.quota', "1");
  // A scenario becomes a draft with its first edit.
  await expect.poll(async () => (await app.drafts()).length).toBe(2);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const download = await saved(page, "Export all drafts");
  expect(download.suggestedFilename()).toBe("fairground-drafts.zip");
  const file = await bytes(download);
  // Not before the page is left, because it stores its draft then.
  await page.goto("about:blank");
  await page.addInitScript(() => localStorage.clear());
  await app.open();
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    transfer.items.add(new File([bytes], "fairground-drafts.zip"));
    return transfer;
  }, file.toString("base64"));
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.getByRole("button", { name: "Open all 2 scenarios" }).click();
  await expect(page.locator(".notices")).toContainText("One further scenario is kept among your drafts");
  await expect.poll(async () => (await app.drafts()).length).toBe(2);
});

test("the share sheet has a kit and the picture", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect.poll(() => page.locator(".share-picture").evaluate((image) => image.naturalWidth)).toBeGreaterThan(100);
  expect((await saved(page, "Download the picture (SVG)")).suggestedFilename()).toBe("shares.svg");
  await page.getByRole("button", { name: "Prepare the kit" }).click();
  const kit = await saved(page, "Download the kit");
  expect(kit.suggestedFilename()).toMatch(/\.kit\.zip$/);
  expect((await bytes(kit)).subarray(0, 2).toString()).toBe("PK");
});

test("a note on a cycle is text, in WHY and in Timeline", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await app.share("team-a").click();
  await app.why.getByText("Add a note on this cycle").click();
  const field = app.why.getByLabel("Note on cycle 1");
  await field.fill("<b>Look</b> here");
  await field.press("Tab");
  await app.arrived();
  await expect(app.why).toContainText("Cycle 1: <b>Look</b> here");
  await app.step.click();
  await app.atCycle(2);
  await page.getByRole("button", { name: /^Note at .*Look/ }).click();
  await app.atCycle(1);
});
