// Node pools in Setup: list, rename, order, placement, and values of a project per pool.

import AxeBuilder from "@axe-core/playwright";
import { App, fill, form } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns the cells of a column of Shares as a table, by project. */
async function shares(page, name) {
  const table = page.getByRole("table", { name: "Shares", exact: true });
  const head = await table.getByRole("columnheader").allTextContents();
  const at = head.findIndex((text) => text.startsWith(name));
  const rows = await table.locator("tbody tr").all();
  const cells = await Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
  return Object.fromEntries(cells.map((row) => [row[0].trim(), row[at]]));
}

const names = (page) => page.getByRole("grid", { name: "Node pools" }).locator('[data-path$=".name"]').allTextContents();

test("a quota in one node pool changes the fairshare there and nowhere else", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await app.example("runai-departments-and-pools");
  await app.step.click();
  await app.atCycle(1);
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-b");
  await app.chartMenu(page.getByRole("region", { name: "Shares", exact: true }), "Show as a table");
  expect(await shares(page, "fairshare")).toMatchObject({ "project-2": "5", "project-4": "11" });
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
  expect(await shares(page, "quota")).toMatchObject({ "project-4": "10" });
  // Departments share by quota, so a quota inside department 2 does not change its fairshare; the limit of a project does.
  expect(await shares(page, "fairshare")).toMatchObject({ "project-2": "5", "project-4": "11" });
  const limit = pool.getByLabel("GPU limit", { exact: true });
  await limit.fill("9");
  await limit.press("Tab");
  await app.arrived();
  expect(await shares(page, "fairshare")).toMatchObject({ "project-2": "5", "project-4": "9" });
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-a");
  expect(await shares(page, "quota")).toMatchObject({ "project-4": "0", "project-2": "6" });
  expect(await shares(page, "fairshare")).toMatchObject({ "project-2": "16" });
});

test("pools are listed, renamed, reordered and removed", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  await app.example("runai-departments-and-pools");
  await app.tab("Nodes").click();
  expect(await names(page)).toEqual(["pool-a", "pool-b"]);
  await app.cell('pools["pool-b"].name').dblclick();
  await page.locator(".edit-box input").fill("h100");
  await page.keyboard.press("Enter");
  await app.arrived();
  expect(await names(page)).toEqual(["pool-a", "h100"]);
  await expect(app.cell('nodes["b"].pool')).toContainText("h100");
  await page.getByRole("button", { name: "More for h100" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await app.arrived();
  expect(await names(page)).toEqual(["h100", "pool-a"]);
  await expect(app.cell('nodes["a"].pool')).toContainText("pool-a");
  // GPU and CPU workloads have separate strategies.
  await app.cell('pools["h100"].settings.gpu-placement').click();
  await page.locator("select.cell.edit").selectOption("spread");
  await page.keyboard.press("Enter");
  await app.arrived();
  await expect(app.cell('pools["h100"].settings.gpu-placement')).toContainText("emptiest node first");
  await expect(app.cell('pools["h100"].settings.cpu-placement')).toContainText("fullest node first");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  await page.getByRole("button", { name: "More for h100" }).click();
  await page.getByRole("menuitem", { name: "Remove h100" }).click();
  await app.arrived();
  expect(await names(page)).toEqual(["pool-a"]);
  await page.keyboard.press("Control+z");
  await app.arrived();
  expect(await names(page)).toEqual(["h100", "pool-a"]);
});
