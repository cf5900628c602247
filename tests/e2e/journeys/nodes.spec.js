// Changes of nodes during a run, the end of a run, and typical delays.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

test("a single node of a group goes down, comes back and is drained at the cursor", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.steps(2);
  const node = app.now.getByRole("button", { name: /^node-2: / });
  const deed = (name) => app.why.getByRole("button", { name });
  const changes = page.getByRole("region", { name: "Changes during the run" });
  // By keyboard, because WHY covers the card at this width.
  await node.press("Enter");
  await deed("Take node-2 down from cycle 2").click();
  await app.arrived();
  await expect(changes).toContainText("node-2: down");
  await expect(node).toHaveAccessibleName(/^node-2: down/);
  await deed("Bring node-2 back from cycle 2").click();
  await app.arrived();
  await expect(node).not.toHaveAccessibleName(/down/);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await app.arrived();
  await expect(changes).toHaveCount(0);
  // From the table and by name.
  await page.keyboard.press("Escape");
  await app.tab("Nodes").click();
  await page.locator('[data-row="node"]').hover();
  await page.getByRole("button", { name: "More for node" }).click();
  await page.getByRole("menuitem", { name: "Drain node-2 from cycle 2" }).click();
  await app.arrived();
  await expect(node).toHaveAccessibleName(/^node-2: 1 of 2 · draining/);
  await expect(app.why).toContainText("is being drained");
  await app.command("bring node-2 back");
  await app.arrived();
  await expect(node).not.toHaveAccessibleName(/draining/);
});

test("capacity and reloaded settings change from a cycle on", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.at("requests-of-two-priorities", 1);
  await page.getByRole("button", { name: "from now on" }).click();
  await app.tab("Nodes").click();
  await app.set('nodes["node-1"].gpu', "2");
  const changes = page.getByRole("region", { name: "Changes during the run" });
  await expect(changes).toContainText("node-1: GPUs 2");
  await expect(app.cell('nodes["node-1"].gpu')).toContainText("2");
  await expect(app.now.getByRole("button", { name: /^node-1: / })).toHaveAccessibleName(/of 2/);
  await app.tab("Rules").click();
  const policy = page.getByLabel("nodesortpolicy", { exact: true });
  await policy.selectOption("binpacking");
  await app.arrived();
  await expect(changes).toContainText("Settings: node-sort binpacking");
  await expect(policy).toHaveValue("binpacking");
  await page.getByRole("button", { name: "from the start" }).click();
  await expect(policy).toHaveValue("");
  await app.tab("Nodes").click();
  await expect(app.cell('nodes["node-1"].gpu')).toContainText("3");
});

test("a run can go on until any queue has its share, or until a cycle", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Run until, speed" }).click();
  await expect(page.getByRole("menuitem", { name: "team-a reaches its share" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: /^Go to a cycle/ })).toBeVisible();
  await page.getByRole("menuitem", { name: "team-b reaches its share" }).click();
  await expect(page.locator(".notices")).toContainText(/Stopped at cycle \d+: team-b reached its share\./);
});

test("usual delays are set by one button each", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Rules").click();
  await page.getByRole("button", { name: "As in a cluster" }).click();
  await expect(page.getByRole("textbox", { name: "Termination time" })).toHaveValue("30s");
  await expect(page.getByRole("textbox", { name: "Startup time" })).toHaveValue("10s");
  await page.getByRole("button", { name: "Ideal" }).click();
  await expect(page.getByRole("textbox", { name: "Termination time" })).toHaveValue("");
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("textbox", { name: "Termination time" })).toHaveValue("30s");
});
