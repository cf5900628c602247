// Statements of the schedulers' documentation, reproduced on the page: setting, effect and reason.

import { App, fill } from "../app.js";
import { expect, test } from "../fixture.js";

test("EGO: the over-commit ratio is in the capacity of the pool, and 1 takes it back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("ego-over-commit");
  await app.step.click();
  await app.atCycle(1);
  await page.locator(".now-panel").focus();
  await page.keyboard.press("7");
  await expect(app.picture("Share usage")).toHaveAttribute("aria-pressed", "true");
  await expect(app.now).toContainText("Over-commit ratios of the plan are included: CPU × 2.");
  await app.tab("Rules").click();
  await fill(page, "Over-commit of CPU", "1");
  await app.arrived();
  await expect(app.now).not.toContainText("Over-commit ratios");
});

test("Run:ai: a gang waits for the pods that join later, and WHY says when", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("runai-pods-join");
  await app.step.click();
  await app.atCycle(1);
  await page.getByRole("button", { name: /^train/ }).first().click();
  await expect(app.why).toContainText("too few of its pods exist; 2 pods have not joined it yet");
  await expect(app.why).toContainText("The next pods join at 0:05");
});

test("YuniKorn: a configuration is reloaded at the cycle shown", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const queues = (more) =>
    `partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: a\n${more}`;
  await app.drop([["queues.yaml", queues("")]]);
  const dialog = page.getByRole("dialog", { name: "Import preview" });
  await dialog.getByRole("button", { name: "Open this scenario" }).click();
  await app.atCycle(0);
  await app.now.focus();
  await page.keyboard.press("w");
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await app.drop([["queues.yaml", queues("      maxapplications: 2\n")]]);
  await dialog.getByRole("button", { name: "Reload at cycle 1" }).click();
  await expect(dialog).toHaveCount(0);
  await app.arrived();
  await expect(page.getByRole("region", { name: "Changes during the run" })).toContainText("maxapplications.a");
});
