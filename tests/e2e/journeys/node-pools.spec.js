// Node pools in Setup: list, rename, order, placement, and values of a project per pool.

import { App, fill, form } from "../app.js";
import { doubleClick } from "../driver.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

test("a quota in one node pool changes the fairshare there and nowhere else", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.at("runai-departments-and-pools", 1);
  const shares = app.table("Shares");
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-b");
  await app.asTable("Shares");
  await expectCells(shares, { "project-2": { fairshare: "5" }, "project-4": { fairshare: "11" } });
  await form(page, "project-4");
  const pool = page.locator("section.group").filter({ has: page.getByRole("heading", { name: "In the pool pool-b" }) });
  for (const label of ["GPU quota", "CPU over-quota weight", "Memory limit", "Rank"]) {
    await expect(pool.getByLabel(label, { exact: true })).toBeVisible();
  }
  const quota = pool.getByLabel("GPU quota", { exact: true });
  await expect(quota).toHaveValue("8");
  await quota.fill("10");
  await quota.press("Tab");
  await app.arrived();
  // Departments share by quota, so a quota inside department 2 does not change its fairshare; the limit of a project does.
  await expectCells(shares, { "project-2": { fairshare: "5" }, "project-4": { quota: "10", fairshare: "11" } });
  const limit = pool.getByLabel("GPU limit", { exact: true });
  await limit.fill("9");
  await limit.press("Tab");
  await app.arrived();
  await expectCells(shares, { "project-2": { fairshare: "5" }, "project-4": { fairshare: "9" } });
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-a");
  await expectCells(shares, { "project-2": { quota: "6", fairshare: "16" }, "project-4": { quota: "0" } });
});

test("pools are listed, renamed, reordered and removed", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("runai-departments-and-pools");
  await app.tab("Nodes").click();
  const names = page.getByRole("grid", { name: "Node pools" }).locator('[data-path$=".name"]');
  await expect(names).toHaveText(["pool-a", "pool-b"]);
  await doubleClick(page, app.cell('pools["pool-b"].name'));
  await page.locator(".edit-box input").fill("h100");
  await page.keyboard.press("Enter");
  await app.arrived();
  await expect(names).toHaveText(["pool-a", "h100"]);
  await expect(app.cell('nodes["b"].pool')).toContainText("h100");
  await page.getByRole("button", { name: "More for h100" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await app.arrived();
  await expect(names).toHaveText(["h100", "pool-a"]);
  await expect(app.cell('nodes["a"].pool')).toContainText("pool-a");
  // GPU and CPU workloads have separate strategies.
  await app.cell('pools["h100"].settings.gpu-placement').click();
  await page.locator("select.cell.edit").selectOption("spread");
  await page.keyboard.press("Enter");
  await app.arrived();
  await expect(app.cell('pools["h100"].settings.gpu-placement')).toContainText("emptiest node first");
  await expect(app.cell('pools["h100"].settings.cpu-placement')).toContainText("fullest node first");
  await app.expectAccessible();
  await page.getByRole("button", { name: "More for h100" }).click();
  await page.getByRole("menuitem", { name: "Remove h100" }).click();
  await app.arrived();
  await expect(names).toHaveText(["pool-a"]);
  await page.keyboard.press("Control+z");
  await app.arrived();
  await expect(names).toHaveText(["h100", "pool-a"]);
});
