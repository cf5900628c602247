// Job patterns: random values, repetition, restart after an eviction; and notes on changes during the run.

import { App, fill, form } from "../app.js";
import { expect, test } from "../fixture.js";

test("a pattern is one row that says what it draws, and a form that changes it", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("morning-rush");
  await app.tab("Work").click();
  await expect(app.cell('jobs["people"].name')).toContainText("people ×20");
  await expect(app.cell('jobs["people"].lasts')).toContainText("8–20m");
  await form(page, "people");
  await fill(page, "Lasts", "20m..8m");
  await expect(page.getByRole("alert")).toContainText("write 8m..20m");
  await fill(page, "Lasts", "5m..9m");
  await fill(page, "Repeat pattern", "2 every 1d");
  await fill(page, "Interval", "90s..20s random");
  await fill(page, "Seed", "1");
  await app.arrived();
  await expect(page.locator(".setup .hint.warn")).toContainText("both have seed 1");
  await page.getByLabel("After an eviction", { exact: true }).selectOption("resumes");
  await app.expectAccessible("the form", { part: ".setup" });
  await app.tab("Text").click();
  const line = "every: 90s..20s random, submit: 5m, lasts: 5m..9m, gpu: 1, seed: 1, repeat: 2 every 1d, restart: resume";
  for (const part of line.split(", ")) await expect(app.text).toHaveValue(new RegExp(part.replaceAll(".", "\\.")));
});

test("what changes during the run takes a note", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await page.getByRole("button", { name: "from now on" }).click();
  await app.set('queues["team-a"].gpu.quota', "3");
  const changes = page.getByRole("region", { name: "Changes during the run" });
  await changes.getByText("Add a note", { exact: true }).click();
  await changes.getByLabel("Note", { exact: true }).fill("ticket 42");
  await changes.getByLabel("Note", { exact: true }).press("Tab");
  await expect(changes.locator("summary")).toHaveText("ticket 42");
  await app.tab("Text").click();
  await expect(app.text).toHaveValue(/note: ticket 42/);
});

test("under YuniKorn the form of a job says in which groups its user is", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tenants-and-offsets");
  await app.tab("Work").click();
  await page.getByRole("button", { name: /^More for / }).first().click();
  await page.getByRole("menuitem", { name: /^Edit / }).click();
  await fill(page, "User", "alice");
  await fill(page, "Groups of alice", "vision, nlp");
  await app.arrived();
  await app.tab("Text").click();
  await expect(app.text).toHaveValue(/groups\.alice: "?vision, nlp"?/);
});

test("why of a job says that nobody replaces its evicted pod", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Work").click();
  await form(page, "a2");
  await page.getByLabel("After an eviction", { exact: true }).selectOption("is not recreated");
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await expect(app.why).toContainText("The pod is not recreated, and its work is lost");
  await expect(app.why).toContainText("a1: the newest job goes first, and it is older (submitted −4:59, a2 −3:19)");
  await app.why.getByRole("button", { name: "a2", exact: true }).first().click();
  await app.step.click();
  await app.atCycle(2);
  await expect(app.why).toContainText("a2 was evicted at 0:01 for b2");
  await expect(app.why).toContainText("Its pods are not recreated");
  await expect(app.status).toContainText("a2 is not recreated");
});
