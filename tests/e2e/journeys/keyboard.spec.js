import { App } from "../app.js";
import { expect, test } from "../fixture.js";

test("the primary loop by keys alone", async ({ page }) => {
  const app = new App(page);
  await app.open();
  // Step, explain, back.
  await page.keyboard.press("ArrowRight");
  await app.atCycle(1);
  await page.keyboard.press("e");
  await expect(app.why).toBeFocused();
  await page.keyboard.press("Home");
  await app.atCycle(0);
  // To the tree by regions and Tab; edit a quota.
  const setup = app.view("Setup");
  await expect(async () => {
    await page.keyboard.press("F6");
    await expect(setup).toBeFocused({ timeout: 500 });
  }).toPass({ intervals: [0], timeout: 20_000 });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.locator("[role=treegrid] :focus")).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(app.cell('queues["team-a"].gpu.quota')).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".edit-box input")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("3");
  await expect(app.cell('queues["team-a"].gpu.quota')).toBeFocused();
  // Letters do not act inside the grid.
  await page.keyboard.press("q");
  await expect(page.getByRole("row")).toHaveCount(4);
  // Undo, play, events, keys.
  await page.keyboard.press("Control+z");
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("2");
  await page.keyboard.press("F6");
  await page.keyboard.press("]");
  await app.atCycle(1);
  await page.keyboard.press("[");
  await app.atCycle(0);
  await page.keyboard.press("g");
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await app.atCycle(2);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("q");
  await expect(app.cell('queues["queue-1"].name')).toHaveCount(1);
});

test("playing runs to the end and pauses", async ({ page }) => {
  const app = new App(page);
  await app.open();
  // The speed is raised only during playback: at full speed the run may end before the first check.
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: /^Play/ })).toHaveCount(0);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await expect(page.getByRole("button", { name: /^Play/ })).toHaveCount(1, { timeout: 10_000 });
  await expect(page.locator(".transport .now")).toContainText(" of ");
});

test("the focus stays near where it was when what had it goes away", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const examples = page.getByRole("button", { name: "Examples", exact: true });
  for (const close of ["Escape", "button"]) {
    await examples.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog")).toBeVisible();
    if (close === "Escape") await page.keyboard.press("Escape");
    else await page.getByRole("dialog").getByRole("button", { name: "Close" }).press("Enter");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(examples).toBeFocused();
  }
  const cell = app.cell('queues["team-a"].gpu.quota');
  await cell.focus();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const isNearCell = () =>
    page.evaluate(() => document.activeElement.closest('[data-path*="team-a"], [role="treegrid"]') !== null);
  await expect.poll(isNearCell).toBe(true);
  await page.getByRole("button", { name: "Collapse Setup" }).press("Enter");
  await expect(page.getByRole("button", { name: "Open Setup" })).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.activeElement.tagName)).not.toBe("BODY");
});

test("keys that type a character can be pressed with Alt, or be off, and stay so", async ({ page }) => {
  const app = new App(page);
  const keys = page.getByRole("dialog", { name: "Keys" });
  const added = app.cell('queues["queue-1"].name');
  await app.open();
  await page.keyboard.press("?");
  await keys.getByRole("radio", { name: "Letters, digits and signs with Alt" }).check();
  await expect(keys.getByText("Alt+Q", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.reload();
  await app.arrived();
  await page.keyboard.press("q");
  await page.keyboard.press("ArrowRight");
  await app.atCycle(1);
  await expect(added).toHaveCount(0);
  await page.keyboard.press("Alt+q");
  await expect(added).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await expect(added).toHaveCount(0);
  await app.command("no letters");
  await page.keyboard.press("Alt+q");
  await page.keyboard.press("q");
  // In the table of queues, which undo leaves focused, Home moves to the first column.
  await app.now.focus();
  await page.keyboard.press("Home");
  await app.atCycle(0);
  await expect(added).toHaveCount(0);
});

test("when rows are removed the focus goes to their neighbour", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const name = (queue) => app.cell(`queues["${queue}"].name`);
  await name("team-a").click();
  await page.keyboard.press("Delete");
  await expect(name("team-a")).toHaveCount(0);
  await expect(name("team-b")).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(page.locator("[role=treegrid] :focus")).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await name("team-a").click();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Delete");
  await expect(name("team-b")).toHaveCount(0);
  await expect(page.locator("[role=treegrid] :focus")).toHaveCount(1);
});

test("Shares is one stop of Tab, and arrows lead through its rows and marks", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const stops = page.locator(".shares-body [tabindex='0']");
  await expect(stops).toHaveCount(1);
  await app.share("team-a").focus();
  await expect(page.locator(".shares-body .grip").first()).toBeAttached();
  await expect(stops).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  const quota = page.getByRole("slider", { name: "Quota of team-a" });
  await expect(quota).toBeFocused();
  await expect(quota, "values are spoken with their unit").toHaveAttribute("aria-valuetext", "2 GPUs");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("slider", { name: "Limit of team-a" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(app.share("team-b")).toBeFocused();
  await expect(stops).toHaveCount(1);
  await expect(stops).toBeFocused();
  await page.keyboard.press("Home");
  await expect(stops).toHaveAttribute("aria-label", /^cluster: /);
});

test("with mistakes Step leads to the first", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("tab", { name: "Text" }).click();
  await expect(app.text).toHaveValue(/quota: 2/);
  await app.write((await app.text.inputValue()).replace(/quota: 2/g, "quota: many"));
  await expect(page.locator(".status")).toContainText("Fix the errors to run this scenario.");
  await app.step.click();
  await expect(app.cell('queues["team-a"].gpu.quota')).toBeFocused();
  await expect(app.status.first()).toContainText("it has 2 mistakes. The first: quota \"many\"");
  await expect(page.getByRole("region", { name: "Notes on the scenario" })).toContainText("2 mistakes");
  for (const queue of ["team-a", "team-b"]) {
    await app.cell(`queues["${queue}"].gpu.quota`).click();
    await page.locator(".edit-box input").fill("2");
    await page.keyboard.press("Enter");
  }
  await app.step.click();
  await app.atCycle(1);
});

test("a value may be typed as it is shown, and is kept as typed", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.limit', "∞");
  await expect(app.cell('queues["team-a"].gpu.limit')).toContainText("∞");
  await page.getByRole("tab", { name: "Nodes" }).click();
  const memory = app.cell('nodes["node"].memory');
  await memory.click();
  const field = page.locator(".edit-box input");
  await field.fill("much");
  await expect(page.getByRole("alert")).toContainText("is not a memory size");
  await field.press("Escape");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await memory.click();
  await field.fill("64 GB");
  await field.press("Enter");
  await expect(memory).toHaveAttribute("title", /64 GB = 59.6 GiB/);
});

test("what has the focus may be removed", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.share("team-a").hover();
  const press = (name) => app.tab(name).evaluate((tab) => tab.click());
  for (const focus of [page.locator(".grip").first(), app.share("team-a")]) {
    await focus.focus();
    await press("Jobs");
    await expect(page.locator(".gantt svg:not(.icon-svg)").first()).toBeVisible();
    await press("Shares");
    await app.share("team-a").hover();
  }
  // A field that is being edited, a menu that is open.
  await app.cell('queues["team-a"].gpu.quota').click();
  await press("Nodes");
  await press("Queues");
  await page.getByRole("button", { name: "More for team-a", exact: true }).click();
  await press("Nodes");
  await press("Queues");
  await app.step.click();
  await app.atCycle(1);
});
