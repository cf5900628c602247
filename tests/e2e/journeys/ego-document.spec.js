// EGO's documentation of share policies from top to bottom, with numbers read from the page.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { expectCells } from "../table.js";

const QUOTA = "Share usage and quota";

test("EGO: priority and proportional sharing, share quotas, capacity", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.at("ego-share-usage", 1);
  await app.show("Share usage");
  await expectCells(app.table("How the share usage quota is divided"), {
    // Consumers with high share priority are served before those with low priority; equal ones share by ratio.
    C: { "share usage quota": "0, nothing left" },
    A: { "left × share ratio": "1 × 1/3 = 1/3" },
    B: { "left × share ratio": "1 × 2/3 = 2/3" },
  });
  // Capacity is the maximum number of units of a size in the empty pool.
  await expectCells(app.table("Capacity of the pool"), { "1 GPU": { "units per host": "3 hosts × 6", capacity: "18" } });
  // The static share quota ignores workload, the dynamic one includes it; both are for reference.
  await expect(page.locator(".tables")).toContainText("For reference only, not guaranteed");
  await expectCells(app.table("Static and dynamic share quota"), {
    A: { "static share quota": "4.5 GPUs", "dynamic share quota": "6 GPUs" },
    C: { "static share quota": "4.5 GPUs", "dynamic share quota": "0 GPUs" },
  });
  // With the same share priority C takes part: 1, 2 and 1 of 4.
  await app.set('queues["C"].priority', "2");
  await expectCells(app.table(QUOTA), {
    C: { "share usage quota": "1/4" },
    B: { "share usage quota": "1/2" },
  });
  // A different ratio gives a different share.
  await app.set('queues["C"].gpu.weight', "3");
  await expectCells(app.table(QUOTA), { C: { "share usage quota": "1/2" } });
});

test("EGO: share usage quota without demand, share limit, private pools and grace periods", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  // No outstanding demand: the share usage is the quota.
  await app.at("ego-owned-and-lent", 1);
  await app.show("Share usage");
  await expect(page.locator(".tables")).toContainText(
    "No consumer has outstanding demand in this pool, so the share usage quota of each is its share usage.",
  );
  await expectCells(app.table(QUOTA), { "team-a": { "share usage": "1", "share usage quota": "1" } });
  // Private pools are shown apart from the public one.
  await app.tab("Shares").click();
  await expect(app.now).toContainText("owned by team-a · 2 hosts · 2 of 2 GPUs in use");
  await expect(app.now).toContainText("owned by team-b · 2 hosts · 2 of 2 GPUs in use");
  // Reclaim starts with consumers above their share limit, and the page announces it.
  await app.at("ego-share-limit", 0);
  await app.share("A").click();
  await expect(app.why).toContainText("Reclaimed first: 2 GPUs above its share limit.");
  // The grace period is counted down.
  await app.at("ego-share-limit", 3);
  await app.command("a-6");
  await expect(app.why).toContainText("a-6 leaves at 0:25, 10 s left.");
});

test("EGO: free resources are assigned unit by unit", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.at("ego-share-usage", 1);
  await app.show("Share usage");
  await expectCells(app.table("How free resources are assigned"), {
    // Percentages by ratio among consumers of the highest priority; the smallest usage relative to its ratio is chosen; usages are
    // updated.
    2: {
      percentages: /A 33\.33 %, B 66\.67 %, C 0 %/,
      "share usage / share ratio": /A 1\/18, B 0/,
      "assigned to": "B › B1",
      "share usage after": /B 1\/18/,
    },
    // A consumer for which nothing fits is removed, and its siblings share the percentages.
    20: { percentages: /A1 removed, A2 100 %/ },
  });
});
