import { App, settledBox, widthOf } from "../app.js";
import { downloadOf, drag } from "../driver.js";
import { expect, test } from "../fixture.js";

test("what would help a waiting job is tried, offered, and does what it says", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.at("limit-is-a-ceiling", 1);
  await app.command("a4");
  await expect(app.why.getByText("a4 · waits")).toBeVisible();
  await page.locator("body").press("h");
  const offer = app.why.getByRole("button", { name: "Raise the limit of team-a from 3 to 4 GPUs" });
  await expect(offer).toBeVisible();
  await expect(app.why.getByText(/It would already be running; no other job is affected/).first()).toBeVisible();
  await offer.click();
  await app.arrived();
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 4/);
  await page.keyboard.press("Control+z");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 3/);
});

test("the text and the tables are one scenario", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Text").click();
  await expect(app.text).toHaveValue(/quota: 2/);
  const before = await app.text.inputValue();
  await app.write(before.replace("quota: 2", "quota: 3"));
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 3/);
  await app.write(before.replace("quota: 2", "quota: many"));
  const line = before.split("\n").findIndex((l) => l.includes("quota: 2")) + 1;
  const finding = page.getByRole("button", { name: `Line ${line}` });
  await expect(finding).toBeVisible();
  await expect(app.editor).toHaveAttribute("aria-invalid", "true");
  await finding.click();
  await expect(app.editor).toBeFocused();
  await expect.poll(() => page.evaluate(() => getSelection().toString())).toContain("quota: many");
  await app.write("nodes: [");
  await expect(page.locator(".text-findings")).toBeVisible();
  await app.write(before);
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /quota 2/);
  await app.tab("Queues").click();
  await app.set('queues["team-a"].gpu.quota', "4");
  await app.tab("Text").click();
  await expect(app.text).toHaveValue(/quota: 4/);
});

test("the decisions of a cycle are walked through by keys", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("quota-is-a-floor");
  await app.now.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await app.atCycle(1);
  await expect(page.getByText("1 of 8 decisions")).toBeVisible();
  await expect(app.why.getByText(/a8 · reclaimed/)).toBeVisible();
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 7/);
  await page.keyboard.press("Shift+ArrowRight");
  await expect(page.getByText("2 of 8 decisions")).toBeVisible();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 8/);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("of 8 decisions")).toHaveCount(0);
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 4/);
});

test("a run stops where it was asked to, and says why", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("min-runtime-on");
  await page.getByRole("button", { name: "Run until, speed" }).click();
  await page.getByRole("menuitem", { name: "the next eviction" }).click();
  await app.atCycle(4);
  await expect(page.getByText("Stopped at cycle 4: first eviction.").first()).toBeVisible();
});

test("kinds of events are left out of the lane and of jumps", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.at("start", 2);
  const choose = async (name) => {
    await page.locator(".timeline").getByRole("button", { name: "Events, zoom, table and pictures" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const started = page.getByRole("group", { name: "Events" }).getByRole("button", { name: /started/ });
  await expect(started).toHaveCount(1);
  await choose("Hide events: started");
  await expect(started).toHaveCount(0);
  await expect(page.locator(".timeline .legend")).toContainText("started, hidden");
  await choose("Show events: started");
  await expect(started).toHaveCount(1);
});

test("the lane has a row for the selection, and its marks select events", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("min-runtime-on");
  await page.getByRole("button", { name: "Run until, speed" }).click();
  await page.getByRole("menuitem", { name: "the next eviction" }).click();
  await app.atCycle(4);
  await app.share("team-b").click();
  const row = page.getByRole("group", { name: "Events of team-b", exact: true });
  await expect(row.getByRole("button").first()).toBeVisible();
  await expect(page.getByText("] and [ jump between events of team-b.")).toBeVisible();
  // The row stays with a job when something else is selected; a mark in it selects an event, and E explains it.
  const choose = async (name) => {
    await page.locator(".timeline").getByRole("button", { name: "Events, zoom, table and pictures" }).click();
    await page.getByRole("menuitemradio", { name }).click();
  };
  await app.command("b1");
  await choose("Jump to events of b1, whatever is selected");
  await app.share("team-b").click();
  const ofJob = page.getByRole("group", { name: "Events of b1", exact: true });
  await ofJob.getByRole("button").first().focus();
  await page.keyboard.press("Enter");
  await app.atCycle(0);
  await page.keyboard.press("e");
  await expect(app.why).toContainText("b1");
  await page.getByRole("button", { name: "Jump between events of the selection, of every kind" }).click();
  await expect(ofJob).toHaveCount(1);
  await choose("Jump to all events");
  await expect(ofJob).toHaveCount(0);
});

test("a range is marked by keys and by pulling, and said", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("min-runtime-on");
  await page.keyboard.press("g");
  await page.getByRole("dialog").getByRole("textbox").fill("6");
  await page.keyboard.press("Enter");
  await app.atCycle(6);
  await app.share("team-a").click();
  const slider = page.locator(".timeline").getByRole("slider", { name: "Cycle" });
  await slider.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await app.atCycle(4);
  await expect(slider).toHaveAttribute("aria-valuetext", /cycles 4 to 6 are selected/);
  await expect(page.locator(".range-says")).toContainText(/^Cycles 4 to 6, .* team-a held .* borrowed/);
  await page.keyboard.press("Escape");
  await expect(page.locator(".range-says")).toHaveCount(0);
  const box = await settledBox(slider);
  await page.locator(".timeline").getByRole("button", { name: "Events, zoom, table and pictures" }).click();
  await page.getByRole("menuitem", { name: "Sum up a range…" }).click();
  await expect(page.getByText("Drag across the timeline.")).toBeVisible();
  await page.mouse.move(box.x + 60, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await expect(page.locator(".range-says")).toContainText(/^Cycles 0 to \d/);
  await page.getByRole("button", { name: "Clear the range" }).click();
  await expect(page.locator(".range-says")).toHaveCount(0);
});

test("the timeline zooms by keys, wheel and range, and follows the cursor", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("usage-fades");
  await page.keyboard.press("g");
  await page.getByRole("dialog").getByRole("textbox").fill("40");
  await page.keyboard.press("Enter");
  await app.atCycle(40);
  const slider = page.locator(".timeline").getByRole("slider", { name: "Cycle" });
  const all = page.getByRole("button", { name: "All cycles" });
  await expect(all).toHaveCount(0);
  await slider.focus();
  await page.keyboard.press("+");
  await expect(slider).toHaveAttribute("aria-valuetext", /zoomed to cycles 20 to 40/);
  await page.keyboard.press("Home");
  await app.atCycle(0);
  await expect(slider).toHaveAttribute("aria-valuetext", /zoomed to cycles 0 to 20/);
  await page.keyboard.press("0");
  await expect(all).toHaveCount(0);
  await page.keyboard.press("Shift+PageUp");
  await page.getByRole("button", { name: "Zoom to the range" }).click();
  await expect(slider).toHaveAttribute("aria-valuetext", /zoomed to cycles 0 to 10/);
  await all.click();
  await page.getByRole("button", { name: "Clear the range" }).click();
  const box = await settledBox(slider);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await expect(slider).toHaveAttribute("aria-valuetext", /zoomed to cycles/);
  await page.locator(".timeline").getByRole("button", { name: "Events, zoom, table and pictures" }).click();
  await page.getByRole("menuitem", { name: "Zoom out" }).click();
  await expect(all).toHaveCount(0);
});

test("while a value is typed it is said what it would come to", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.steps(3);
  await app.cell('queues["team-a"].gpu.quota').click();
  await page.locator(".edit-box input").fill("3");
  await expect(page.locator(".since")).toContainText("as edited: 1 fewer evicted, b2 never starts by cycle 3");
  await expect(app.status.filter({ hasText: "As edited: 1 fewer evicted, b2 never starts by cycle 3." })).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.locator(".since")).toHaveCount(0);
});

test("several rows are edited as one step, by keys", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.cell('queues["team-a"].gpu.weight').focus();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("F2");
  await expect(page.locator(".edit-box input")).toBeFocused();
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await app.arrived();
  for (const queue of ["team-a", "team-b"]) {
    await expect(app.cell(`queues["${queue}"].gpu.weight`)).toContainText("5");
  }
  await page.getByRole("button", { name: "Undo: weight of 2 queues → 5" }).click();
  for (const queue of ["team-a", "team-b"]) {
    await expect(app.cell(`queues["${queue}"].gpu.weight`)).toContainText("1");
  }
});

test("a queue is dragged below another one and before it", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const row = (name) => page.locator(`[data-row="${name}"]`);
  await drag(page, row("team-b"), row("team-a"), { targetPosition: { x: 60, y: 40 } });
  await expect(row("team-b")).toHaveAttribute("aria-level", "3");
  await page.getByRole("button", { name: "Undo: move team-b below team-a" }).click();
  await expect(row("team-b")).toHaveAttribute("aria-level", "2");
  await drag(page, row("team-b"), row("team-a"), { targetPosition: { x: 60, y: 4 } });
  await expect(page.getByRole("button", { name: "Undo: move team-b before team-a" })).toBeVisible();
  await expect(page.locator(".edit-grid [data-row]").nth(1)).toHaveAttribute("data-row", "team-b");
});

test("everything is found by its name", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: /Search commands/ });
  await expect(field).toBeFocused();
  await page.keyboard.type("quota is a guarantee");
  await expect(page.locator("#palette-lines").getByRole("option").first()).toContainText("guarantee");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/guarantee/i);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("no such thing");
  await expect(page.getByText("No matches")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a division is stepped through by keys, and its table says the same", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tree-decides");
  await page.keyboard.press("2");
  const chart = page.getByRole("region", { name: "Division", exact: true });
  await expect(chart).toBeVisible();
  await app.cell('queues["vision"].name').click();
  await expect(chart.getByRole("heading")).toContainText("children of research");
  await chart.getByRole("button", { name: "Previous round" }).focus();
  for (let i = 0; i < 6; i += 1) await page.keyboard.press("Shift+ArrowLeft");
  await expect(chart.getByText(/Step 0 of/)).toBeVisible();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(chart.getByText("quotas granted; 1 GPU left").first()).toBeVisible();
  await expect(chart.locator("tr.on")).toContainText("quotas granted");
  await chart.getByRole("combobox").selectOption({ label: "the cluster" });
  await expect(chart.getByRole("heading")).toContainText("among the top-level queues");
});

test("a division fills its panel, and its table holds the arithmetic", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.at("odd-gpu", 1);
  await page.keyboard.press("2");
  const chart = page.getByRole("region", { name: "Division", exact: true });
  const picture = await settledBox(chart.locator(".division-body .picture svg"));
  const panel = await settledBox(app.now);
  expect(picture.height).toBeGreaterThan(panel.height / 2);
  await expect(chart.getByRole("table")).toContainText(/\d+ × \d+\/\d+ = [\d.]+ → \d+/);
  await expect(chart.getByRole("table")).toContainText(/1 GPU left over goes to \S+, which lost most to rounding \(0\.\d+\)/);
});

test("the tree of queues is walked and selects by keys", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("tree-decides");
  await page.keyboard.press("3");
  const chart = page.getByRole("region", { name: "Tree", exact: true });
  await chart.getByRole("button", { name: /^cluster: 8 GPUs/ }).focus();
  await page.keyboard.press("ArrowRight");
  const research = chart.getByRole("button", { name: /^research: fair share 5 of 8/ });
  await expect(research).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(research).toHaveAttribute("aria-pressed", "true");
  await expect(research).toBeFocused();
  await chart.getByRole("combobox").selectOption({ label: "allocated" });
  await chart.getByRole("button", { name: /^vision: allocated 8/ }).focus();
  await page.keyboard.press("t");
  await expect(chart.getByRole("table")).toContainText("vision");
});

test("charts are saved as pictures and tables", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const save = async (press) => {
    const [download] = await Promise.all([downloadOf(page), press()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    return [download.suggestedFilename(), Buffer.concat(chunks).toString()];
  };
  const shares = page.getByRole("region", { name: "Shares", exact: true });
  const [name, svg] = await save(() => app.chartMenu(shares, "Save as SVG"));
  expect(name).toBe("shares.svg");
  expect(svg).toContain(">team-a</text>");
  expect(svg).not.toContain("var(");
  // Parsed outside of the page, whose trusted types refuse markup that it does not write itself.
  const empty = await page.context().newPage();
  const problem = await empty.evaluate(
    (svg) => new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror")?.textContent,
    svg,
  );
  await empty.close();
  expect(problem).toBeUndefined();
  await app.chartMenu(shares, "Show as a table");
  const [, csv] = await save(() => shares.getByRole("button", { name: "CSV" }).click());
  expect(csv).toMatch(/^queue,/);
  expect(csv).toContain("team-a,3");
});

test("a quota is pulled in Shares, and charts go on showing how it was", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  const quota = app.cell('queues["team-a"].gpu.quota');
  await app.share("team-a").hover();
  const mark = page.getByRole("slider", { name: "Quota of team-a" });
  const box = await settledBox(mark);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const scale = (await settledBox(page.locator(".shares .picture"))).width;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + scale / 5, y, { steps: 5 });
  await expect(app.share("team-a")).toHaveAccessibleName(/would have/);
  await expect(quota).toContainText("2");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(app.share("team-a")).not.toHaveAccessibleName(/would have/);
  await expect(quota).toContainText("2");
  await mark.focus();
  await page.keyboard.press("ArrowRight");
  await expect(quota).toContainText("3");
  await expect(mark, "the focus stays").toBeFocused();
  await app.arrived();
  await expect(app.share("team-a")).toHaveAccessibleName(/before 2/);
  const since = page.getByRole("group", { name: "Compare with before the edit" });
  await expect(since).toContainText("quota of team-a 2 → 3");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("slider", { name: "Limit of team-a" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(since).toHaveCount(0);
  await expect(app.share("team-a")).not.toHaveAccessibleName(/before 2/);
  await page.keyboard.press("Control+z");
  await expect(quota).toContainText("2");
});

test("a run is kept, compared with at every moment, and removed", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  const runs = page.getByRole("group", { name: "Runs" });
  await runs.getByRole("button", { name: "Keep as A" }).click();
  await expect(app.status.filter({ hasText: "Run A is kept" })).toHaveCount(1);
  const kept = runs.getByRole("button", { name: /^Compare with run A/ });
  await expect(kept).toHaveAttribute("aria-pressed", "true");
  await expect(runs.locator("[aria-current]")).toHaveText("run A");
  await app.set('queues["team-a"].gpu.quota', "3");
  await expect(runs.locator("[aria-current]")).toHaveText("run B");
  await app.step.click();
  await app.atCycle(2);
  await expect(app.share("team-a")).toHaveAccessibleName(/before 2/);
  // Toggles the comparison off and on by keyboard.
  await kept.focus();
  await page.keyboard.press("Enter");
  await expect(kept).toHaveAttribute("aria-pressed", "false");
  await expect(app.share("team-a")).not.toHaveAccessibleName(/before 2/);
  await page.keyboard.press("Space");
  await expect(app.share("team-a")).toHaveAccessibleName(/before 2/);
  await runs.getByRole("button", { name: "Remove run A" }).click();
  await expect(kept).toHaveCount(0);
  await expect(app.share("team-a")).not.toHaveAccessibleName(/before 2/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Keep this run to compare with" }).click();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect(page.getByRole("menuitemradio", { name: /^Compare with run A/ })).toHaveAttribute("aria-checked", "true");
});

test("Fairness warns of jobs, and Compare leads to the first difference", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.at("tug-of-war", 12);
  await app.show("Fairness");
  const warning = app.now.locator(".warning");
  await expect(warning).toContainText(["Evicted again and again", "Starvation"]);
  await warning.last().getByRole("button", { name: "Why?" }).click();
  await expect(app.why).toContainText("build");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await app.now.getByRole("button", { name: /^First difference/ }).first().click();
  await expect(app.now).not.toHaveAttribute("data-cycle", "12");
});

test("setup is a rail where there is little room, unless it was opened by hand", async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  const app = new App(page);
  await app.open();
  const setup = page.getByRole("region", { name: "Setup", exact: true });
  const width = () => widthOf(setup);
  await expect.poll(width).toBe(40);
  const name = app.now.locator(".brow .nm", { hasText: "team-a" });
  await expect(name, "bars carry their names").toBeVisible();
  await page.setViewportSize({ width: 1280, height: 768 });
  await expect.poll(width).toBeGreaterThan(300);
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect.poll(width).toBe(40);
  // WHY and the views are beside the rail.
  await app.step.click();
  await app.atCycle(1);
  const [why, now] = [await settledBox(app.why), await settledBox(app.now)];
  expect(now.x + now.width).toBeLessThanOrEqual(why.x);
  await page.getByRole("button", { name: "Open Setup" }).click();
  await expect.poll(width).toBeGreaterThan(300);
  await page.reload();
  await app.arrived();
  await expect.poll(width).toBeGreaterThan(300);
});

test("Division and Tree have a column of their own where there is room", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  const app = new App(page);
  await app.open();
  const side = page.getByRole("region", { name: "Division and tree", exact: true });
  const of = (name) => page.getByRole("region", { name, exact: true });
  await app.step.click();
  await app.atCycle(1);
  await expect(side.getByRole("button", { name: /^team-a: fair share 2 of 4/ })).toBeVisible();
  await expect(side.getByRole("heading", { name: /are divided among/ })).toBeVisible();
  await expect(app.share("team-a")).toBeVisible();
  await app.now.focus();
  await page.keyboard.press("3");
  await expect(of("Tree")).toHaveCount(1);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(side).toHaveCount(0);
});

test("jobs that wait stand in one line above the cluster", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const line = page.getByRole("region", { name: "Waiting jobs" });
  await expect(line).toContainText("No job is waiting");
  const top = async () => (await settledBox(page.getByRole("heading", { name: "Cluster", exact: true }))).y;
  await app.set('queues["team-a"].gpu.quota', "3");
  await app.step.click();
  await app.atCycle(1);
  await expect(line).toContainText("1 waiting");
  const before = await top();
  const chip = line.getByRole("button", { name: "b2 · 1 GPU · no room" });
  await chip.focus();
  await page.keyboard.press("Enter");
  await expect(app.why).toContainText("b2 is waiting");
  await expect(chip).toHaveClass(/on/);
  expect(await top()).toBe(before);
  await app.at("odd-gpu", 1);
  const more = line.getByRole("button", { name: /^\+\d+ more$/ });
  await expect(more).toBeVisible();
  expect((await settledBox(line)).height).toBeLessThan(50);
  await line.getByRole("button").first().focus();
  await page.keyboard.press("End");
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("grid", { name: "Work" })).toBeVisible();
});

test("help explains the terms and leads to keys, accuracy and what this is", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Help" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Glossary" })).toBeVisible();
  await expect(dialog).toContainText("quota · deserved");
  await expect(dialog).toContainText("Each step runs one cycle of the scheduler.");
  await dialog.getByRole("button", { name: "About", exact: true }).click();
  await expect(dialog.getByRole("heading", { name: "About Fairground" })).toBeVisible();
  await expect(dialog).toContainText("Apache-2.0");
  await expect(dialog).toContainText("6,470 of 6,471");
  await expect(dialog).toContainText("tests/golden");
  await expect(dialog).toContainText("mid-0048");
  await expect(dialog.getByRole("heading", { name: "Cases that differ, and why" })).toBeVisible();
});
