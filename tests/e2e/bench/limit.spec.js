// The largest scenario that is accepted, and one of a quarter, in the page: times and memory are printed, never asserted.
// `cargo xtask bench --browser limit.spec`.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { memoryOf } from "./memory.js";

/** Nodes of the largest scenario. */
const LARGEST = 20_000;

const scenario = (nodes) => `
format: fairground-scenario
version: 1
name: Largest
policy: kai
nodes: [{name: node, count: ${nodes}, gpu: 8}]
queues:
- {name: team-a, gpu: {quota: ${4 * nodes}, limit: unlimited, weight: 1}}
- {name: team-b, gpu: {quota: ${4 * nodes}, limit: unlimited, weight: 1}}
jobs:
- {name: a, count: ${2.5 * nodes}, queue: team-a, pods: 2, gpu: 1}
- {name: b, count: ${2.5 * nodes}, queue: team-b, pods: 2, gpu: 1}
`;

/** Begins to note the longest task of the page, in milliseconds; 0: none above 50 ms. */
const noteTasks = (page) =>
  page.evaluate(() => {
    window.longestTask = 0;
    const note = (list) => {
      for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
    };
    new PerformanceObserver(note).observe({ entryTypes: ["longtask"] });
  });

for (const nodes of [LARGEST / 4, LARGEST]) {
  test(`${nodes} nodes`, async ({ page }) => {
    test.setTimeout(600_000);
    const app = new App(page);
    await app.openWide();
    const from = Date.now();
    const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
    await app.drop([["largest.yaml", scenario(nodes)]]);
    await page.getByRole("button", { name: "Open this scenario" }).click({ timeout: 120_000 });
    await expect(page).toHaveTitle(/Largest/, { timeout: 120_000 });
    await expect(app.charts).toHaveAttribute("data-cycle", "0", { timeout: 120_000 });
    console.log(`opened after ${seconds(from)}`);
    if (nodes === LARGEST) {
      const cancel = page.getByRole("button", { name: "Cancel" });
      const cancelled = Date.now();
      await app.step.click();
      await cancel.click({ timeout: 120_000 });
      await expect(cancel).toHaveCount(0, { timeout: 120_000 });
      console.log(`cancelled ${seconds(cancelled)} after Step was pressed`);
    }
    await noteTasks(page);
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
    console.log(`the longest task of the page took ${await page.evaluate(() => window.longestTask)} ms`);
    console.log(`process ${((await memoryOf(page)).resident / 2 ** 20).toFixed(0)} MB`);
  });
}
