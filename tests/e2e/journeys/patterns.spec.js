// Patterns of jobs: what is drawn, again and again, after an eviction; and notes of what changes during the run.

import AxeBuilder from "@axe-core/playwright";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Opens the form of a job. */
async function form(page, name) {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: `All values of ${name}` }).click();
  await expect(page.getByRole("heading", { name, exact: true })).toBeFocused();
}

async function fill(page, label, value) {
  const field = page.locator(".setup").getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press("Tab");
}

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
  await fill(page, "The whole pattern", "2 every 1d");
  await fill(page, "One every", "90s..20s random");
  await fill(page, "Seed", "1");
  await app.arrived();
  await expect(page.locator(".setup .hint.warn")).toContainText("both have seed 1");
  await page.getByLabel("After an eviction", { exact: true }).selectOption("resumes");
  const { violations } = await new AxeBuilder({ page }).include(".setup").analyze();
  expect(violations).toEqual([]);
  await app.tab("Text").click();
  const line = "every: 90s..20s random, submit: 5m, lasts: 5m..9m, gpu: 1, seed: 1, repeat: 2 every 1d, restart: resume";
  for (const part of line.split(", ")) await expect(page.locator(".setup textarea")).toHaveValue(new RegExp(part.replaceAll(".", "\\.")));
});

test("what changes during the run takes a note", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await page.getByRole("button", { name: "from cycle 1" }).click();
  await app.set('queues["team-a"].gpu.quota', "3");
  const changes = page.getByRole("region", { name: "Changes during the run" });
  await changes.getByText("Add a note", { exact: true }).click();
  await changes.getByLabel("Note", { exact: true }).fill("ticket 42");
  await changes.getByLabel("Note", { exact: true }).press("Tab");
  await expect(changes.locator("summary")).toHaveText("ticket 42");
  await app.tab("Text").click();
  await expect(page.locator(".setup textarea")).toHaveValue(/note: ticket 42/);
});

test("under YuniKorn the form of a job says in which groups its user is", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tenants-and-offsets");
  await app.tab("Work").click();
  await page.getByRole("button", { name: /^More for / }).first().click();
  await page.getByRole("menuitem", { name: /^All values of / }).click();
  await fill(page, "User", "alice");
  await fill(page, "Groups of alice", "vision, nlp");
  await app.arrived();
  await app.tab("Text").click();
  await expect(page.locator(".setup textarea")).toHaveValue(/groups\.alice: "?vision, nlp"?/);
});
