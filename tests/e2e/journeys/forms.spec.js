import { App, fill, form } from "../app.js";
import { expect, test } from "../fixture.js";

test("a minimum runtime on a queue puts an eviction off, and undo brings it back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await form(page, "team-a");
  await fill(page, "Before reclaim", "1h");
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 3 GPUs/);
  await page.getByRole("button", { name: "Undo: reclaim min runtime of team-a not set → 1h" }).click();
  await app.arrived();
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 2 GPUs/);
});

test("a job asks for a GPU fraction, for its memory, and for pods of two kinds", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Work").click();
  await form(page, "b2");
  const asks = page.getByLabel("Resources per pod", { exact: true });
  await expect(asks).toHaveValue("whole");
  await asks.selectOption("a GPU fraction");
  await expect(page.getByLabel("GPU fraction", { exact: true })).toHaveValue("0.5");
  await app.arrived();
  await asks.selectOption("GPU memory");
  await fill(page, "GPU memory per pod", "20000");
  await expect(page.getByLabel("GPU memory per pod", { exact: true })).toHaveValue("20000");
  await asks.selectOption("no GPU");
  await expect(page.getByLabel("GPU memory per pod", { exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Add a pod set" }).click();
  await expect(page.getByRole("group", { name: "Pods kind-2" })).toBeVisible();
  await page.getByRole("group", { name: "Pods kind-2" }).getByLabel("Resources per pod", { exact: true }).selectOption("whole GPUs");
  await app.arrived();
  await page.getByRole("button", { name: "Remove pods kind-1" }).click();
  await expect(page.getByRole("group", { name: "Pods kind-1" })).toHaveCount(0);
  await page.getByRole("button", { name: /^Undo: remove pods kind-1/ }).click();
  await expect(page.getByRole("group", { name: "Pods kind-1" })).toBeVisible();
});

test("what cannot be stays in its field, and Esc brings the old value back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Work").click();
  await form(page, "a2");
  const field = page.getByLabel("Lasts", { exact: true });
  await field.fill("20m");
  await field.press("Tab");
  await app.arrived();
  await field.fill("soon <b>");
  await field.press("Tab");
  await expect(page.getByRole("alert")).toContainText("soon");
  await field.press("Escape");
  await expect(field).toHaveValue("20m");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a form is opened, renamed and left by keys", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.cell('queues["team-b"].name').focus();
  await page.keyboard.press("Alt+Enter");
  await expect(page.getByRole("heading", { name: "team-b", exact: true })).toBeFocused();
  await fill(page, "Name", "blue");
  await expect(page.getByRole("heading", { name: "blue", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(app.cell('queues["blue"].name')).toBeFocused();
});

test("a control that no table shows opens the form at its field", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await app.allNumbers();
  await app.why.getByRole("button", { name: "a2 preemptible" }).click();
  await expect(page.getByLabel("Preemptible", { exact: true })).toBeFocused();
  await page.getByLabel("Preemptible", { exact: true }).selectOption("no");
  await app.arrived();
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /allocated 1 GPU/);
});

for (const [width, theme] of [[1440, "light"], [390, "dark"]]) {
  test(`forms have no accessibility violations and no sideways scroll, ${width} px, ${theme}`, async ({ page }, testInfo) => {
    await page.setViewportSize({ width, height: 844 });
    const app = new App(page);
    await app.open(`./?theme=${theme}`);
    await app.bring("Setup");
    for (const [tab, name] of [["Queues", "team-a"], ["Nodes", "node"], ["Work", "b2"], ["Rules", ""]]) {
      await app.tab(tab).click();
      if (name) await form(page, name);
      if (tab === "Work") await page.getByRole("button", { name: "Add a pod set" }).click();
      await app.arrived();
      await app.expectAccessible(tab);
      await page.screenshot({ path: testInfo.outputPath(`${tab}.png`) });
      await app.expectNoSidewaysScroll(tab);
    }
  });
}
