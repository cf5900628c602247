// EGO's documentation of share policies from top to bottom, with numbers read from the page.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const plain = (text) => text.replaceAll("\u00a0", " ").trim();

/** Returns the cells of the row with this first cell, by column header. */
async function row(page, title, name) {
  const table = page.getByRole("table", { name: title, exact: true });
  const head = await table.getByRole("columnheader").allTextContents();
  const lines = await table.locator("tbody tr").all();
  for (const line of lines) {
    const cells = (await line.locator("th, td").allTextContents()).map(plain);
    if (cells.includes(name)) return Object.fromEntries(head.map((column, at) => [column.trim(), cells[at]]));
  }
  throw new Error(`no row ${name} in ${title}`);
}

/** Opens an example and steps to a cycle. */
async function at(app, example, cycle) {
  await app.example(example);
  for (let n = 1; n <= cycle; n += 1) {
    await app.step.click();
    await app.atCycle(n);
  }
}

async function open(page) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  return app;
}

const QUOTA = "Share usage and quota";

test("EGO: priority and proportional sharing, share quotas, capacity", async ({ page }) => {
  const app = await open(page);
  await at(app, "ego-share-usage", 1);
  await app.tab("Share usage").click();
  const divided = "How the share usage quota is divided";
  // Consumers with high share priority are served before those with low priority; equal ones share by ratio.
  expect((await row(page, divided, "C"))["share usage quota"]).toBe("0, nothing left");
  expect((await row(page, divided, "A"))["left × share ratio"]).toBe("1 × 1/3 = 1/3");
  expect((await row(page, divided, "B"))["left × share ratio"]).toBe("1 × 2/3 = 2/3");
  // Capacity is the maximum number of units of a size in the empty pool.
  expect(await row(page, "Capacity of the pool", "1 GPU")).toMatchObject({ "units per host": "3 hosts × 6", capacity: "18" });
  // The static share quota ignores workload, the dynamic one includes it; both are for reference.
  const quotas = "Static and dynamic share quota";
  await expect(page.locator(".tables")).toContainText("For reference only, not guaranteed");
  expect(await row(page, quotas, "A")).toMatchObject({ "static share quota": "4.5 GPUs", "dynamic share quota": "6 GPUs" });
  expect(await row(page, quotas, "C")).toMatchObject({ "static share quota": "4.5 GPUs", "dynamic share quota": "0 GPUs" });
  // With the same share priority C takes part: 1, 2 and 1 of 4.
  await app.set('queues["C"].priority', "2");
  expect((await row(page, QUOTA, "C"))["share usage quota"]).toBe("1/4 (0.2500)");
  expect((await row(page, QUOTA, "B"))["share usage quota"]).toBe("1/2 (0.5000)");
  // A different ratio gives a different share.
  await app.set('queues["C"].gpu.weight', "3");
  expect((await row(page, QUOTA, "C"))["share usage quota"]).toBe("1/2 (0.5000)");
});

test("EGO: share usage quota without demand, share limit, private pools and grace periods", async ({ page }) => {
  const app = await open(page);
  // No outstanding demand: the share usage is the quota.
  await at(app, "ego-owned-and-lent", 1);
  await app.tab("Share usage").click();
  await expect(page.locator(".tables")).toContainText(
    "No consumer has outstanding demand in this pool, so the share usage quota of each is its share usage.",
  );
  expect(await row(page, QUOTA, "team-a")).toMatchObject({ "share usage": "1", "share usage quota": "1" });
  // Private pools are shown apart from the public one.
  await app.tab("Shares").click();
  await expect(app.now).toContainText("owned by team-a · 2 hosts · 2 of 2 GPUs in use");
  await expect(app.now).toContainText("owned by team-b · 2 hosts · 2 of 2 GPUs in use");
  // Reclaim starts with consumers above their share limit, and the page announces it.
  await at(app, "ego-share-limit", 0);
  await app.share("A").click();
  await expect(app.why).toContainText("Reclaimed first: 2 GPUs above its share limit.");
  // The grace period is counted down.
  await at(app, "ego-share-limit", 3);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("a-6");
  await page.keyboard.press("Enter");
  await expect(app.why).toContainText("a-6 leaves at 0:25, 10 s left.");
});

test("EGO: free resources are assigned unit by unit", async ({ page }) => {
  const app = await open(page);
  await at(app, "ego-share-usage", 1);
  await app.tab("Share usage").click();
  const turns = page.getByRole("table", { name: "How free resources are assigned", exact: true }).locator("tbody tr");
  const turn = async (n) => (await turns.nth(n - 1).locator("th, td").allTextContents()).map(plain);
  // Percentages by ratio among consumers of the highest priority; the smallest usage relative to its ratio is chosen; usages are
  // updated.
  const second = await turn(2);
  expect(second[1]).toContain("A 33.33 %, B 66.67 %, C 0 %");
  expect(second[2]).toContain("A 1/18, B 0");
  expect(second[3]).toBe("B › B1");
  expect(second[5]).toContain("B 1/18");
  // A consumer for which nothing fits is removed, and its siblings share the percentages.
  const removed = await turn(20);
  expect(removed[1]).toContain("A1 removed, A2 100 %");
});
