import { readFileSync } from "node:fs";
import { App, block } from "../app.js";
import { workerOf } from "../driver.js";
import { expect, test } from "../fixture.js";

const digests = JSON.parse(readFileSync(new URL("../digests.json", import.meta.url)));

// The two ways differ in how messages travel, not in what decides: the second one replays a part.
for (const [name, query, examples] of [
  ["a worker", "", Object.entries(digests)],
  ["the page's own thread", "?engine=inline", Object.entries(digests).filter((_, at) => at % 6 === 0)],
]) {
  test(`in ${name}, examples decide as they do natively`, async ({ page }) => {
    // Two hundred cycles of more than fifty examples.
    test.slow();
    const app = new App(page);
    await app.open(`./${query}`);
    for (const [id, expected] of examples) {
      await app.example(id);
      for (const [cycle, digest] of expected.entries()) {
        if (cycle > 0) await app.step.click();
        await expect(app.now, id).toHaveAttribute("data-cycle", String(cycle));
        await expect(app.now, `${id}, cycle ${cycle}`).toHaveAttribute("data-digest", digest);
      }
    }
  });
}

test.describe("when the engine dies", () => {
  test("the page says so, keeps the scenario and starts a fresh one", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.set('queues["team-a"].gpu.quota', "4");
    await workerOf(page).evaluate(() => {
      setTimeout(() => {
        throw new Error("injected bug");
      });
    });
    await expect(page.locator(".notice", { hasText: /The engine stopped at cycle 0 and was started again/ })).toBeVisible();
    await app.arrived();
    await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
    await app.step.click();
    await app.atCycle(1);
  });
});

test("a cycle that takes long is left when it is cancelled, by the same engine", async ({ page }) => {
  const app = new App(page);
  await app.open();
  // The gang needs one GPU more than may be reclaimed, which the search for victims finds out after seconds.
  const scenario = `
format: fairground-scenario
version: 1
name: Search
settings: {version: "0.17"}
nodes: [{name: node, count: 300, gpu: 8}]
queues:
- {name: team-a, gpu: {quota: 1921, limit: unlimited, weight: 0}}
- {name: team-b, gpu: {quota: 480, limit: unlimited, weight: 0}}
jobs:
- {name: small, count: 2400, queue: team-a, gpu: 1}
- {name: gang, queue: team-b, pods: 60, gpu: 8, submit: 1.5}
`;
  await app.drop([["search.yaml", scenario]]);
  await page.getByRole("button", { name: "Open this scenario" }).click();
  await expect(page).toHaveTitle(/^Search/);
  await app.atCycle(0);
  await app.step.click();
  await app.atCycle(1);
  await app.step.click();
  const cancel = page.locator(".status").first().getByRole("button", { name: "Cancel" });
  await cancel.click();
  await expect(cancel).toHaveCount(0);
  await app.atCycle(1);
  await expect(page.locator("#cycle")).toHaveValue("1");
  await expect(page.getByText("The engine was started again")).toHaveCount(0);
});

test("a cycle that takes long is said to be computed, and can be cancelled inside", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await block(workerOf(page));
  await app.step.click();
  const status = page.locator(".status").first();
  await expect(status).toContainText("Computing cycle 2");
  // All controls agree with the charts.
  await expect(page.locator("#cycle")).toHaveValue("1");
  await expect(app.now).toHaveAttribute("data-cycle", "1");
  await status.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator(".notice", { hasText: "The cycle after cycle 1 was cancelled." })).toBeVisible();
  await app.atCycle(1);
  await app.step.click();
  await app.atCycle(2);
});
