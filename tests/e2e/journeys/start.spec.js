import { App, settledBox } from "../app.js";
import { expect, test } from "../fixture.js";

test("the start scenario tells its story", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await expect(page.getByText("Who gives one up?")).toBeVisible();
  await expect(page.getByText("Next: b2 requests 1 GPU at 0:01.")).toBeInViewport();
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 3 GPUs/);
  await app.step.click();
  await app.atCycle(1);
  await expect(app.why).toContainText("a2 was evicted so that b2 can run");
  await expect(app.why).toContainText("fair share of 2");
  await expect(app.status).toContainText("Cycle 1: team-a gives up 1 GPU: a2 makes room for b2. team-a 2, team-b 1.");
  await app.step.click();
  await app.atCycle(2);
  await expect(app.why).toContainText("b2 started on node-2");
  await expect(app.share("team-b")).toHaveAttribute("aria-label", /allocated 2 GPUs/);
});

test("after each step one sentence under the header says what the cycle decided", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const line = page.locator(".strip .ask");
  await expect(line).toContainText("Who gives one up?");
  await expect(line).toContainText("See how a scheduler divides GPUs among teams, and why. KAI Scheduler is");
  const height = async () => (await settledBox(page.locator(".strip"))).height;
  const before = await height();
  for (const said of ["team-a gives up 1 GPU: a2 makes room for b2.", "b2 started on node-2; a2 waits again.", "Nothing changed, and nothing more will happen; a2 still waits."]) {
    await app.step.click();
    await expect(line).toHaveText(said);
    expect(await height(), "nothing below moves").toBe(before);
  }
  await page.getByRole("button", { name: "Step back" }).click();
  await app.atCycle(2);
  await line.getByRole("button", { name: "a2" }).click();
  await expect(app.why).toContainText("a2 is waiting");
  for (const cycle of [1, 0]) {
    await page.getByRole("button", { name: "Step back" }).click();
    await app.atCycle(cycle);
  }
  await expect(line).toContainText("Who gives one up?");
  await app.set('queues["team-a"].gpu.quota', "3");
  await app.step.click();
  await app.atCycle(1);
  await expect(line).toContainText("b2 was submitted");
});

test("stepping back leads to the same states", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const digests = [];
  for (let cycle = 0; cycle < 4; cycle++) {
    await app.atCycle(cycle);
    digests.push(await app.digest());
    if (cycle < 3) await app.step.click();
  }
  for (let cycle = 2; cycle >= 0; cycle--) {
    await page.getByRole("button", { name: "Step back" }).click();
    await app.atCycle(cycle);
    await expect(app.now).toHaveAttribute("data-digest", digests[cycle]);
  }
});

test("with quota 3 nobody goes, and the page says why b2 waits", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Raise team-a's quota to 3" }).click();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("3");
  await app.step.click();
  await app.atCycle(1);
  await expect(app.why).toContainText("b2 is waiting");
  await expect(app.share("team-a")).toHaveAttribute("aria-label", /allocated 3 GPUs/);
  await page.reload();
  await app.arrived();
  await expect(page.getByRole("button", { name: "Add a node" })).toHaveCount(0);
});

test("with one more node nobody goes", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Add a node" }).click();
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await expect(app.why).toContainText("b2 started on node-3");
});

test("an empty scenario can be filled by hand", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Start empty or import your own" }).click();
  await expect(page.getByRole("dialog").locator("input[type=file]")).toHaveAttribute("accept", /\.xml/);
  await page.getByRole("button", { name: "Start empty" }).click();
  await expect(page.getByRole("button", { name: "New scenario" })).toBeVisible();
  await page.getByRole("button", { name: "Queue", exact: false }).filter({ hasText: "Queue" }).last().click();
  await page.getByRole("button", { name: "Job", exact: false }).filter({ hasText: "Job" }).last().click();
  await app.arrived();
  await app.step.click();
  await app.atCycle(1);
  await expect(app.share("queue-1")).toHaveAttribute("aria-label", /allocated 1 GPU/);
});

test("the first job of an empty scenario can be reached by Tab", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "Start empty or import your own" }).click();
  await page.getByRole("button", { name: "Start empty" }).click();
  await expect(page.locator(".empty:visible"), "it is said once").toHaveCount(1);
  await app.now.getByRole("button", { name: /^Add a queue/ }).click();
  await app.tab("Work").click();
  await app.now.getByRole("button", { name: /^Add a job/ }).click();
  await app.arrived();
  const grid = page.getByRole("grid", { name: "Work" });
  await expect(grid.locator(".cell[tabindex='0']")).toHaveCount(1);
  // An added row has the focus, whether added by button or by key.
  await expect(app.cell('jobs["job-1"].name')).toBeFocused();
  for (const [key, path] of [["n", 'nodes["nodes-1"].name'], ["q", 'queues["queue-2"].name'], ["w", 'jobs["job-2"].name']]) {
    await app.now.focus();
    await page.keyboard.press(key);
    await expect(app.cell(path)).toBeFocused();
  }
});

test("each bar stands on the line of its queue", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const id of [null, "tree-decides", "odd-gpu"]) {
    if (id) await app.example(id);
    await expect
      .poll(() =>
        page.evaluate(() => {
          const rows = document.querySelectorAll(".brows > li");
          const height = rows[0].offsetHeight;
          const picture = document.querySelector(".shares-body .picture svg").getBoundingClientRect();
          const body = rows[rows.length - 1].getBoundingClientRect().bottom;
          return Math.abs(picture.bottom - body) < height / 2;
        }),
      )
      .toBe(true);
  }
});
