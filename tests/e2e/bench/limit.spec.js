// The largest scenario that is accepted, one of a quarter, and a large reclaim, in the page: times and memory are printed,
// never asserted. `cargo xtask bench --browser limit.spec`.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { memoryOf } from "./memory.js";

/** Nodes of the largest scenario. */
const LARGEST = 20_000;

const scenario = (name, nodes, jobs) => `
format: fairground-scenario
version: 1
name: ${name}
policy: kai
nodes: [{name: node, count: ${nodes}, gpu: 8}]
queues:
- {name: team-a, gpu: {quota: ${4 * nodes}, limit: unlimited, weight: 1}}
- {name: team-b, gpu: {quota: ${4 * nodes}, limit: unlimited, weight: 1}}
jobs:
${jobs}
`;

/** More than the cluster holds, all submitted at once. */
const starts = (nodes) => `
- {name: a, count: ${2.5 * nodes}, queue: team-a, pods: 2, gpu: 1}
- {name: b, count: ${2.5 * nodes}, queue: team-b, pods: 2, gpu: 1}`;

/** One queue holds everything, the other reclaims a fifth. */
const reclaims = (nodes) => `
- {name: a, count: ${8 * nodes}, queue: team-a, gpu: 1}
- {name: b, count: ${1.6 * nodes}, queue: team-b, gpu: 1, submit: 1.5}`;

/** `before`: the cycle before the measured one; `isLong`: that one takes long enough to be cancelled. */
const SCENARIOS = [
  { name: "Quarter", nodes: LARGEST / 4, jobs: starts, before: 0, isLong: false },
  { name: "Largest", nodes: LARGEST, jobs: starts, before: 0, isLong: true },
  { name: "Reclaim", nodes: LARGEST / 4, jobs: reclaims, before: 1, isLong: true },
];

/** Begins to note the longest task of the page, and the longest time from a click to the paint that shows its effect. */
const noteTimes = (page) =>
  page.evaluate(() => {
    window.longestTask = window.slowestClick = 0;
    const longest = (list) => Math.max(0, ...list.getEntries().map((entry) => entry.duration));
    const note = (list) => (window.longestTask = Math.max(window.longestTask, longest(list)));
    new PerformanceObserver(note).observe({ entryTypes: ["longtask"] });
    const noteClicks = (list) => (window.slowestClick = Math.max(window.slowestClick, longest(list)));
    new PerformanceObserver(noteClicks).observe({ type: "event", durationThreshold: 16 });
  });

/** Clicks a button in the page and returns the milliseconds until it is gone. */
const timeUntilGone = (button) =>
  button.evaluate(
    (button) =>
      new Promise((resolve) => {
        const clicked = performance.now();
        const gone = new MutationObserver(() => !button.isConnected && resolve(performance.now() - clicked));
        gone.observe(document.body, { childList: true, subtree: true });
        button.click();
      }),
  );

for (const { name, nodes, jobs, before, isLong } of SCENARIOS) {
  test(`${name}, ${nodes} nodes`, async ({ page }) => {
    test.setTimeout(600_000);
    const app = new App(page);
    await app.openWide();
    const from = Date.now();
    const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
    await app.drop([["large.yaml", scenario(name, nodes, jobs(nodes))]]);
    await page.getByRole("button", { name: "Open this scenario" }).click({ timeout: 120_000 });
    await expect(page).toHaveTitle(new RegExp(name), { timeout: 120_000 });
    const reaches = (cycle) => expect(app.charts).toHaveAttribute("data-cycle", String(cycle), { timeout: 120_000 });
    await reaches(0);
    console.log(`opened after ${seconds(from)}`);
    for (let cycle = 1; cycle <= before; cycle += 1) {
      await app.step.click();
      await reaches(cycle);
    }
    if (isLong) {
      await app.step.click();
      const cancel = page.locator(".status").first().getByRole("button", { name: "Cancel" });
      await cancel.waitFor({ timeout: 120_000 });
      console.log(`Cancel was gone ${(await timeUntilGone(cancel)).toFixed(0)} ms after it was pressed`);
      await page.waitForTimeout(3000);
    }
    await noteTimes(page);
    const stepped = Date.now();
    await app.step.click();
    while (Number(await app.charts.getAttribute("data-cycle")) !== before + 1) {
      for (const name of ["Nodes", "Queues"]) await app.tab(name).click({ timeout: 120_000 });
    }
    console.log(`stepped in ${seconds(stepped)}`);
    await page.waitForTimeout(1000);
    console.log(`the longest task of the page took ${await page.evaluate(() => window.longestTask)} ms`);
    console.log(`the slowest click meanwhile took ${await page.evaluate(() => window.slowestClick)} ms`);
    const [resident, own] = await memoryOf(page).then(({ resident, own }) => [resident, own].map((n) => (n / 2 ** 20).toFixed(0)));
    console.log(`process ${resident} MB, of which ${own} MB are not read from files`);
  });
}
