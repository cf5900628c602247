// YuniKorn's documentation of priorities from top to bottom, with numbers read from the page. Its eleven steps are in
// priorities.spec.js.

import { App, form } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

/** Waits until the table of queue priorities shows these priorities, with their change in the last cycle. */
const expectPriorities = (app, wanted) =>
  expectCells(
    app.table("Queue priorities"),
    Object.fromEntries(Object.entries(wanted).map(([queue, priority]) => [queue, { "queue priority": priority }])),
  );

/** Sets a property in the form of a queue. */
async function choose(app, queue, property, value) {
  await form(app.page, queue);
  await app.page.locator(".setup").getByLabel(property, { exact: true }).selectOption(value);
  await app.arrived();
  await app.page.keyboard.press("Escape");
}

test("YuniKorn: request, application and queue priorities", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  // Two requests of 10 and 20: the application has 20, its queue with offset 5 has 25; then 10 and 15.
  await app.example("requests-of-two-priorities");
  await app.show("Priorities");
  await expectPriorities(app, { batch: /^25/ });
  await app.step.click();
  await app.atCycle(1);
  await expectPriorities(app, { batch: /15$/ });
  // With offset 20 its second request is served before the 18 of report.
  await app.set('queues["batch"].priority', "20");
  await expectPriorities(app, { batch: /30$/ });
  await app.step.click();
  await app.atCycle(2);
  await expect(page.locator(".strip")).toContainText("etl-P10 started");
});

test("YuniKorn: the single queue with all its properties", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("single-queue");
  await form(page, "default");
  const value = (label) => page.locator(".setup").getByLabel(label, { exact: true });
  await expect(value("application.sort.policy")).toHaveValue("fifo");
  await expect(value("application.sort.priority")).toHaveValue("enabled");
  await expect(value("priority.policy")).toHaveValue("default");
  await expect(value("priority.offset")).toHaveValue("0");
  await page.keyboard.press("Escape");
  // Priority first: urgent is the youngest and starts.
  await app.step.click();
  await app.atCycle(1);
  await expect(page.locator(".strip")).toContainText("urgent started");
  // Priority ignored: age alone decides.
  await app.command("step back");
  await app.atCycle(0);
  await choose(app, "default", "application.sort.priority", "disabled");
  await app.step.click();
  await app.atCycle(1);
  await expect(page.locator(".strip")).toContainText("early started");
});

test("YuniKorn: priorities before scheduling, offsets and fences", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("tenants-and-offsets");
  await app.show("Priorities");
  await expectPriorities(app, {
    system: "1001",
    "system-normal": "10",
    "system-high": "1001",
    "system-low": "-997",
    tenants: "0",
    "tenant-a": "10",
    "child-a-1": "8",
    "child-a-2": "6",
    "tenant-b": "0",
    "child-b-1": "9",
    "child-b-2": "8",
  });
  // Without its fence the queue tenants has the highest priority below it.
  await choose(app, "tenants", "priority.policy", "default");
  await expectPriorities(app, { tenants: "10" });
  // An offset raises a queue and its ancestors.
  await app.set('queues["system-normal"].priority', "2000");
  await expectPriorities(app, { "system-normal": "2010", system: "2010" });
});
