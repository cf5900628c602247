// The largest scenario that is accepted, in the page: times and memory are printed, never asserted.
// `cargo xtask bench --browser limit.spec`.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { memoryOf } from "./memory.js";

const LARGEST = `
format: fairground-scenario
version: 1
name: Largest
policy: kai
nodes: [{name: node, count: 20000, gpu: 8}]
queues:
- {name: team-a, gpu: {quota: 80000, limit: unlimited, weight: 1}}
- {name: team-b, gpu: {quota: 80000, limit: unlimited, weight: 1}}
jobs:
- {name: a, count: 50000, queue: team-a, pods: 2, gpu: 1}
- {name: b, count: 50000, queue: team-b, pods: 2, gpu: 1}
`;

test("20,000 nodes and 200,000 pods", async ({ page }) => {
  test.setTimeout(600_000);
  const app = new App(page);
  await app.openWide();
  const from = Date.now();
  const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
  await app.drop([["largest.yaml", LARGEST]]);
  await page.getByRole("button", { name: "Open this scenario" }).click({ timeout: 120_000 });
  await expect(page).toHaveTitle(/Largest/, { timeout: 120_000 });
  await expect(app.charts).toHaveAttribute("data-cycle", "0", { timeout: 120_000 });
  console.log(`opened after ${seconds(from)}`);
  const cancel = page.getByRole("button", { name: "Cancel" });
  const cancelled = Date.now();
  await app.step.click();
  await cancel.click({ timeout: 120_000 });
  await expect(cancel).toHaveCount(0, { timeout: 120_000 });
  console.log(`cancelled ${seconds(cancelled)} after Step was pressed`);
  const stepped = Date.now();
  await app.step.click();
  let slowest = 0;
  while ((await app.charts.getAttribute("data-cycle")) !== "1") {
    for (const name of ["Nodes", "Queues"]) {
      const clicked = Date.now();
      await app.tab(name).click({ timeout: 120_000 });
      slowest = Math.max(slowest, Date.now() - clicked);
    }
  }
  console.log(`stepped in ${seconds(stepped)}; the slowest click meanwhile took ${slowest} ms`);
  console.log(`process ${((await memoryOf(page)).resident / 2 ** 20).toFixed(0)} MB`);
});
