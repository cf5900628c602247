import { App, form } from "../app.js";
import { expect, test } from "../fixture.js";

test("a weight changes the shares, and undo takes it back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("odd-gpu");
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /fair share 3/);
  await app.set('queues["team-b"].gpu.weight', "6");
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /fair share 6/);
  await page.getByRole("button", { name: "Undo: weight of team-b 1 → 6" }).click();
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /fair share 3/);
  await page.keyboard.press("Control+Shift+Z");
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /fair share 6/);
});

test("what an edit would do is shown before it is done", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await app.cell('queues["team-a"].gpu.quota').click();
  const field = page.locator(".edit-box input");
  await expect(field).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(field).toHaveValue("3");
  await expect(app.now.getByText("ghost").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(app.now.getByText("ghost")).toHaveCount(0);
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("2");
});

test("a value that cannot be stays in its field with the reason", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const path = 'queues["team-b"].gpu.quota';
  await app.cell(path).click();
  const field = page.locator(".edit-box input");
  await field.fill("many");
  await field.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /quota 2/);
  await field.press("Escape");
  await expect(app.cell(path)).toContainText("2");
});

test("a field opened right after a form was closed stays open", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await form(page, "team-a");
  // Closing the form moves the focus to its row after a pause; this press comes before.
  await page.evaluate(async (path) => {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await new Promise(requestAnimationFrame);
    const cell = document.querySelector(`[data-path='${path}']`);
    cell.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    cell.click();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }, 'queues["team-b"].gpu.quota');
  await expect(page.locator(".edit-box input")).toBeFocused();
});

test("queues are added, renamed, moved and removed", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "More for team-b" }).click();
  await page.getByRole("menuitem", { name: "Add a queue below team-b" }).click();
  await expect(page.locator("[data-row=queue-1]")).toHaveAttribute("aria-level", "3");
  await app.cell('queues["queue-1"].name').click();
  await page.keyboard.press("F2");
  await expect(page.locator(".edit-box input")).toBeFocused();
  await page.keyboard.type("night");
  await page.keyboard.press("Enter");
  await expect(app.cell('queues["night"].name')).toBeFocused();
  await page.keyboard.press("Alt+ArrowLeft");
  await expect(page.locator("[data-row=night]")).toHaveAttribute("aria-level", "2");
  await page.keyboard.press("Delete");
  await expect(app.cell('queues["night"].name')).toHaveCount(0);
  await page.locator(".strip").getByRole("button", { name: "Undo", exact: true }).click();
  await expect(app.cell('queues["night"].name')).toHaveCount(1);
});

test("nodes, jobs and rules are edited", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Nodes").click();
  await app.set('nodes["node"].gpu', "4");
  await expect(app.now).toContainText("4 of 8 GPUs");
  await app.tab("Work").click();
  await app.set('jobs["b2"].gpu', "3");
  await app.steps(2);
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /allocated 4 GPUs/);
  await app.policy(/First in, first out/);
});

test("nothing typed is lost on reload", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  await page.reload();
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("4");
});
