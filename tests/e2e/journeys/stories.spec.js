import { readFile } from "node:fs/promises";
import { App, settledBox, widthOf } from "../app.js";
import { downloadOf } from "../driver.js";
import { expect, test } from "../fixture.js";

test("who ran when: rows, the mark that leads to its cycle, rows of GPUs, the table", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.steps(2);
  await app.show("Gantt");
  const chart = page.getByRole("region", { name: "Gantt", exact: true });
  await expect(chart.getByRole("button", { name: /^a2 \(team-a\): .*its work lost/ })).toBeVisible();
  await chart.getByRole("button", { name: "a2 reclaimed in cycle 1" }).click();
  await app.atCycle(1);
  await chart.getByRole("button", { name: "Queue team-a" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(chart.getByRole("button", { name: /^a1 / })).toBeFocused();
  await chart.getByRole("combobox").selectOption({ label: "GPU" });
  await expect(chart.getByRole("button", { name: /^node-2 · 0: a2 of team-a .*b2 of team-b/ })).toBeVisible();
  await chart.getByRole("button", { name: /^node-2 · 0/ }).focus();
  await page.keyboard.press("t");
  await expect(chart.getByRole("columnheader", { name: "work lost" })).toBeVisible();
});

test("fairness and queues over time follow the cursor", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await app.show("Fairness");
  const fairness = page.getByRole("region", { name: "Fairness and waste", exact: true });
  await expect(fairness).toContainText("From 0:00 to 0:01, cycle 1");
  await app.step.click();
  await app.atCycle(2);
  await expect(fairness).toContainText("From 0:00 to 0:02, cycle 2: team-b was owed most");
  await app.show("Trends");
  const queues = page.getByRole("region", { name: "Queues over time", exact: true });
  await queues.getByRole("button", { name: /^team-b: 2 GPUs allocated now/ }).click();
  await expect(app.why).toContainText("team-b");
  await page.getByRole("combobox", { name: "Resource of all charts" }).selectOption({ label: "Dominant share" });
  await expect(queues.getByRole("button", { name: /^team-b: 50 % allocated now/ })).toBeVisible();
  await app.tab("Shares").click();
  await expect(app.share("team-a")).toBeHidden();
  await expect(app.now.getByRole("button", { name: /^team-a: counted in GPU, allocated 50 %/ })).toBeVisible();
});

test("charts are saved as PNG", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const shares = page.getByRole("region", { name: "Shares", exact: true });
  const waits = downloadOf(page);
  await app.chartMenu(shares, "Save as PNG");
  const download = await waits;
  expect(download.suggestedFilename()).toBe("shares.png");
  const bytes = await readFile(await download.path());
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(bytes.readUInt32BE(16), "twice as wide as on the page").toBeGreaterThan(800);
  expect(bytes.toString("latin1"), "it carries its link").toContain("#d1.");
  await app.step.click();
  await app.atCycle(1);
  const waitsForSvg = downloadOf(page);
  await app.chartMenu(shares, "Save as SVG");
  const svg = (await readFile(await (await waitsForSvg).path())).toString();
  expect(svg).toContain("<title>Shares · Two teams, four GPUs · KAI · cycle 1, 0:01</title>");
  const link = svg.match(/<desc>([^<]*)<\/desc>/)[1].replaceAll("&amp;", "&");
  await page.goto(link);
  await app.atCycle(1);
});

test("a weight is pulled in Division, with a ghost until it is let go", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const queue of ["team-a", "team-b"]) await app.set(`queues["${queue}"].gpu.quota`, "0");
  await app.step.click();
  await app.atCycle(1);
  await app.tab("Division").click();
  const grip = page.getByRole("slider", { name: "Weight of team-a" });
  const box = await settledBox(grip);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 400, y, { steps: 6 });
  const chart = page.getByRole("region", { name: "Division", exact: true });
  await expect(chart).toContainText(/would get/);
  await expect(app.cell('queues["team-a"].gpu.weight')).toContainText("1");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(chart).not.toContainText(/would get/);
  await grip.focus();
  await page.keyboard.press("ArrowRight");
  await expect(app.cell('queues["team-a"].gpu.weight')).toContainText("2");
  await expect(grip, "the focus stays").toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(app.cell('queues["team-a"].gpu.weight')).toContainText("1");
});

test("an edit from a cycle on is a change of the run", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await expect(page.getByRole("button", { name: "from the start" })).toHaveCount(0);
  await app.steps(2);
  await page.getByRole("button", { name: "from now on" }).click();
  await app.set('queues["team-a"].gpu.quota', "3");
  const changes = page.getByRole("region", { name: "Changes during the run" });
  await expect(changes).toContainText("0:02team-a: quota 3");
  await expect(app.share("team-a")).toHaveAccessibleName(/quota 3/);
  await page.keyboard.press("ArrowLeft");
  await app.now.focus();
  await page.keyboard.press("ArrowLeft");
  await app.atCycle(1);
  await expect(app.share("team-a")).toHaveAccessibleName(/quota 2/);
  await changes.getByRole("button", { name: "Remove team-a: quota 3" }).click();
  await expect(changes).toHaveCount(0);
});

test("why is made wider by keys and stays so", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  const width = () => widthOf(app.why);
  const before = (await settledBox(app.why)).width;
  await page.getByRole("separator", { name: "Width of Why" }).focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(width).toBe(before + 80);
  await page.reload();
  await app.arrived();
  await expect.poll(width).toBe(before + 80);
});

test("one cluster under four schedulers, with what was translated behind what came of it", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.example("four-schedulers");
  await app.command("Compare policies");
  const compared = app.now.getByRole("tabpanel", { name: "Compare" });
  const panels = compared.locator(".compared");
  await expect(panels.filter({ has: page.getByRole("heading", { name: /EGO/ }) })).toHaveCount(1);
  await expect(compared.getByText("Running")).toHaveCount(0);
  const ego = panels.filter({ has: page.getByRole("heading", { name: /EGO/ }) });
  await expect(ego.getByRole("img", { name: /^GPUs at the end: / })).toBeVisible();
  await expect(ego.getByRole("listitem").first()).toBeHidden();
  await ego.getByText(/^EGO: \d+ settings converted or dropped/).click();
  await expect(ego.getByRole("heading", { name: "Dropped (no counterpart)" })).toBeVisible();
  // KAI and Run:ai have the same results here and share a column.
  await expect(compared.getByRole("columnheader", { name: "KAI = Run:ai" })).toBeVisible();
  await expect(compared.getByRole("rowheader", { name: "Mean wait", exact: true })).toBeVisible();
  await compared.getByRole("checkbox").check();
  await expect(compared.getByRole("columnheader", { name: /DRF/ })).toBeVisible();
  // An edit is compared, too; another view ends the comparison.
  const table = compared.getByRole("table");
  const before = await table.textContent();
  await app.set('queues["product"].gpu.quota', "0");
  await expect(table).toBeVisible();
  await expect(table).not.toHaveText(before);
  await app.tab("Shares").click();
  await expect(page.getByRole("tab", { name: "Compare", exact: true })).toBeHidden();
});

test("the other version of the scheduler runs the same cluster", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.example("upgrade-gang-starts");
  await expect(page.getByRole("button", { name: "Policy: KAI v0.13" })).toBeVisible();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Compare with KAI v0.17" }).click();
  const compared = app.now.getByRole("tabpanel", { name: "Compare" });
  await expect(compared.getByRole("button", { name: "Versions" })).toHaveAttribute("aria-pressed", "true");
  await expect(compared.getByText("Running")).toHaveCount(0);
  for (const name of ["KAI v0.13", "KAI v0.17"]) {
    await expect(compared.getByRole("columnheader", { name, exact: true })).toBeVisible();
  }
  await expect(compared).toContainText("serve is protected by its minimum runtime");
  await expect(compared).toContainText("sweep-2 is evicted from node-1 for train");
  await compared.getByRole("button", { name: /^First difference/ }).first().click();
  await app.atCycle(1);
  await expect(compared, "the comparison stays beside the moment").toBeVisible();
});

test("every view holds an edit against how it was", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.steps(2);
  await app.show("Gantt");
  await app.set('queues["team-a"].gpu.quota', "3");
  await expect(app.now.getByRole("button", { name: /^b2 .*waits in cycle 2; before: .*runs since cycle 2/ })).toBeVisible();
  await expect(app.now.locator(".gantt .legend")).toContainText("before");
  await app.now.focus();
  await page.keyboard.press("3");
  await expect(app.now.getByRole("button", { name: "team-a: fair share 3 of 4; before: 2" })).toBeVisible();
  await app.show("Trends");
  await expect(app.now.getByRole("button", { name: /^team-a: .*before: 2 allocated now/ })).toBeVisible();
  await app.show("Fairness");
  await expect(app.now.getByRole("button", { name: "team-a: got its share, median wait: –, evictions: 0 (−1), lost: 0 (−1)" })).toBeVisible();
  // Esc hides the comparison in all views.
  await page.keyboard.press("Escape");
  await expect(app.now.getByRole("button", { name: "team-a: got its share, median wait: –, evictions: 0, lost: 0" })).toBeVisible();
  await app.show("Gantt");
  await expect(app.now.locator(".gantt .legend")).not.toContainText("before");
});
