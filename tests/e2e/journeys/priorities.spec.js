// Priorities: the table in YuniKorn's documentation, read from the page.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

/** Queue, task and change of queue priorities from the documentation. */
const DOCUMENT = [
  ["system-high", "high-P1", "system-high: 1001 → n/a, system: 1001 → 10"],
  ["system-normal", "normal-P10", "system-normal: 10 → 2, system: 10 → 2"],
  ["system-normal", "normal-P2", "system-normal: 2 → n/a, system: 2 → -997"],
  ["child-a-1", "a1-P8", "child-a-1: 8 → 5"],
  ["child-a-2", "a2-P6", "child-a-2: 6 → 4"],
  ["child-a-1", "a1-P5", "child-a-1: 5 → n/a"],
  ["child-a-2", "a2-P4", "child-a-2: 4 → n/a, tenant-a: 10 → n/a"],
  ["child-b-1", "b1-P9", "child-b-1: 9 → 7"],
  ["child-b-2", "b2-P8", "child-b-2: 8 → n/a"],
  ["child-b-1", "b1-P7", "child-b-1: 7 → n/a, tenant-b: 0 → n/a, tenants: 0 → n/a"],
  ["system-low", "low-P3", "system-low: -997 → n/a, system: -997 → n/a"],
];

for (const width of [1440, 390]) {
  test(`the eleven steps of the documentation, ${width} px`, async ({ page }) => {
    const app = new App(page);
    await app.openWide();
    await expect(app.picture("Priorities")).toHaveCount(0);
    await app.example("tenants-and-offsets");
    await page.setViewportSize({ width, height: 900 });
    await page.locator(".now-panel").focus();
    await page.keyboard.press("8");
    await expect(app.picture("Priorities")).toHaveAttribute("aria-pressed", "true");
    await expect(page.locator(".tables")).toContainText("No cycle has run yet.");
    const steps = app.table("Steps");
    for (const [at, [queue, task, change]] of DOCUMENT.entries()) {
      await app.steps(1);
      // One row per step so far, and the header.
      await expect(steps.getByRole("row")).toHaveCount(at + 2);
      await expectCells(steps, { [at + 1]: { step: String(at + 1), queue, task, "queue priority before → after": change } });
    }
    const region = page.getByRole("region", { name: "Queue priorities", exact: true });
    await region.focus();
    await expect(region).toBeFocused();
    await app.expectAccessible();
    await app.expectNoSidewaysScroll();
  });
}

test("an application falls from 20 to 10, its queue from 25 to 15", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("requests-of-two-priorities");
  await app.show("Priorities");
  await expectCells(app.table("Queue priorities"), { batch: { "queue priority": "25" } });
  await app.steps(1);
  await expectCells(app.table("Queue priorities"), { batch: { "queue priority": "25 → 15" } });
  await expectCells(app.table("Steps"), { 1: { application: "etl: 20 → 10" } });
});
