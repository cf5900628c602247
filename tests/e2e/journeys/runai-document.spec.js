// The documentation of Run:ai's scheduler from top to bottom, with numbers read from the page.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns a column of Shares as a table, by project. */
async function shares(page, name) {
  const table = page.getByRole("table", { name: "Shares", exact: true });
  const head = await table.getByRole("columnheader").allTextContents();
  const at = head.findIndex((text) => text.startsWith(name));
  const lines = await table.locator("tbody tr").all();
  const rows = await Promise.all(lines.map((line) => line.locator("th, td").allTextContents()));
  return Object.fromEntries(rows.map((row) => [row[0].trim(), row[at].trim()]));
}

async function open(page) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = new App(page);
  await app.open();
  return app;
}

/** Runs `n` further steps. */
async function steps(app, from, n) {
  for (let cycle = from + 1; cycle <= from + n; cycle += 1) {
    await app.step.click();
    await app.atCycle(cycle);
  }
}

const asTable = (app) => app.chartMenu(app.page.getByRole("region", { name: "Shares", exact: true }), "Show as a table");

test("quota, over quota and fairshare of each project and node pool", async ({ page }) => {
  const app = await open(page);
  // A queue for each project and node pool; 6 + 3 / (2 + 3 + 1) × 20 = 16 for project 2.
  await app.example("runai-departments-and-pools");
  await steps(app, 0, 1);
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-a");
  await asTable(app);
  expect(await shares(page, "quota")).toMatchObject({ "project-1": "14", "project-2": "6", "project-3": "0" });
  const fairshares = await shares(page, "fairshare");
  expect(fairshares["project-2"]).toBe("16");
  // No quota, but a share of the unused GPUs.
  expect(fairshares["project-3"]).toBe("3");
  // The same without pools: 17, 16 and 3.
  await app.example("runai-projects");
  await steps(app, 0, 1);
  expect(await shares(page, "fairshare")).toMatchObject({ "project-1": "17", "project-2": "16", "project-3": "3" });
  // Over-subscription: quotas exceed the cluster.
  await app.example("runai-over-subscribed");
  await steps(app, 0, 2);
  expect(await shares(page, "allocated")).toMatchObject({ "team-a": "5", "team-b": "2" });
});

test("fairshare balancing, reclaim and the three states of a queue", async ({ page }) => {
  const app = await open(page);
  // Rebalancing: team-a is over its quota until team-b requests its own.
  await app.example("runai-quick-start");
  await asTable(app);
  expect(await shares(page, "state")).toMatchObject({ "team-a": "over-quota", "team-b": "in-quota" });
  await steps(app, 0, 2);
  expect(await shares(page, "allocated")).toMatchObject({ "team-a": "2", "team-b": "2" });
  expect(await shares(page, "state")).toMatchObject({ "team-a": "in-quota", "team-b": "in-quota" });
  // Reclaim: lower priority work reclaims from a project that runs higher priority work.
  await app.example("runai-low-takes-high");
  await steps(app, 0, 2);
  expect(await shares(page, "allocated")).toMatchObject({ vision: "4", speech: "4" });
  expect(await shares(page, "state")).toMatchObject({ vision: "over-quota", speech: "over-quota" });
  // In some scenarios even from queues below their deserved quota: their department is above its fairshare.
  await app.example("runai-department-empty");
  await steps(app, 0, 2);
  expect(await shares(page, "allocated")).toMatchObject({ serving: "6", alice: "1", bob: "1" });
});

test("workloads: gangs, priority preemption and what must stay in quota", async ({ page }) => {
  const app = await open(page);
  const underRunai = async (example) => {
    await app.example(example);
    await app.tab("Rules").click();
    await page.getByRole("radio", { name: "Run:ai", exact: true }).check();
    await app.arrived();
    await steps(app, 0, 1);
  };
  const explain = async (workload, says) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(workload);
    await page.keyboard.press("Enter");
    await expect(app.why).toContainText(says);
  };
  // Gang scheduling: all pods of a workload start together, or none.
  await underRunai("gang-of-four");
  await explain("gang", /gang is waiting/);
  // Priority and preemption inside a project.
  await underRunai("priority-inside-a-queue");
  await explain("urgent", /urgent is waiting for low3 and low4 to shut down/);
  // Only preemptible workloads go over quota.
  await underRunai("may-not-borrow");
  await explain("build-2", /Non-preemptible workloads cannot run over quota/);
});
