// The documentation of Run:ai's scheduler from top to bottom, with numbers read from the page.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

test("quota, over quota and fairshare of each project and node pool", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const shares = app.table("Shares");
  // A queue for each project and node pool; 6 + 3 / (2 + 3 + 1) × 20 = 16 for project 2.
  await app.at("runai-departments-and-pools", 1);
  await page.getByLabel("Node pool", { exact: true }).selectOption("pool-a");
  await app.asTable("Shares");
  await expectCells(shares, {
    "project-1": { quota: "14" },
    "project-2": { quota: "6", fairshare: "16" },
    // No quota, but a share of the unused GPUs.
    "project-3": { quota: "0", fairshare: "3" },
  });
  // The same without pools: 17, 16 and 3.
  await app.at("runai-projects", 1);
  await expectCells(shares, {
    "project-1": { fairshare: "17" },
    "project-2": { fairshare: "16" },
    "project-3": { fairshare: "3" },
  });
  // Over-subscription: quotas exceed the cluster.
  await app.at("runai-over-subscribed", 2);
  await expectCells(shares, { "team-a": { allocated: "5" }, "team-b": { allocated: "2" } });
});

test("fairshare balancing, reclaim and the three states of a queue", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const shares = app.table("Shares");
  // Rebalancing: team-a is over its quota until team-b requests its own.
  await app.example("runai-quick-start");
  await app.asTable("Shares");
  await expectCells(shares, { "team-a": { state: "over-quota" }, "team-b": { state: "in-quota" } });
  await app.steps(2);
  await expectCells(shares, {
    "team-a": { allocated: "2", state: "in-quota" },
    "team-b": { allocated: "2", state: "in-quota" },
  });
  // Reclaim: lower priority work reclaims from a project that runs higher priority work.
  await app.at("runai-low-takes-high", 2);
  await expectCells(shares, {
    vision: { allocated: "4", state: "over-quota" },
    speech: { allocated: "4", state: "over-quota" },
  });
  // In some scenarios even from queues below their deserved quota: their department is above its fairshare.
  await app.at("runai-department-empty", 2);
  await expectCells(shares, { serving: { allocated: "6" }, alice: { allocated: "1" }, bob: { allocated: "1" } });
});

test("workloads: gangs, priority preemption and what must stay in quota", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const underRunai = async (example) => {
    await app.example(example);
    await app.policy("Run:ai");
    await app.steps(1);
  };
  const explain = async (workload, says) => {
    await app.command(workload);
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
