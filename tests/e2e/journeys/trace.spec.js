import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Returns a trace of a small cluster over a day and a half: jobs of 1 to 8 GPUs in four queues. */
function trace(rows) {
  let state = 12345;
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const lines = ["job_id,queue,submit,duration,gpus"];
  for (let i = 0; i < rows; i++) {
    const queue = ["vision", "nlp", "ranking", "ads"][Math.floor(random() * 4)];
    const submit = Math.floor((i / rows) * 130000);
    lines.push(`j${i},${queue},${submit},${60 + Math.floor(random() * 7200)},${2 ** Math.floor(random() * 4)}`);
  }
  return lines.join("\n");
}

const SIZES = "queue,gpus\nvision,32\nnlp,32\nranking,16\nads,16\n";

test("a trace is understood, run for a day and stays usable", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([
    ["jobs.csv", trace(1500)],
    ["sizes.csv", SIZES],
  ]);
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Understood");
  await expect(dialog).toContainText("Assumed");
  await dialog.getByRole("textbox", { name: "Nodes × GPUs" }).fill("12x8");
  await dialog.getByRole("textbox", { name: "Nodes × GPUs" }).press("Tab");
  await expect(dialog.getByRole("button", { name: "Open and run one day" })).not.toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("button", { name: "Open and run one day" }).click();
  // The page stays responsive while the engine runs.
  await app.tab("Work").click();
  await expect(app.tab("Work")).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText(/^1 to 200 of \d+ entries$/)).toBeVisible();
  await expect(page.locator(".transport .now")).toContainText(/(23:5\d|24:00):\d\d/, { timeout: 90_000 });
});

test("a long run is stopped where it is", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([["jobs.csv", trace(12000)], ["sizes.csv", SIZES]]);
  await page.getByRole("button", { name: "Open and run one day" }).click({ timeout: 30_000 });
  await page.getByRole("button", { name: "Stop here" }).click({ timeout: 60_000 });
  await expect(page.getByRole("button", { name: "Stop here" })).toHaveCount(0);
  await app.arrived();
  const cycle = await app.cycle();
  expect(cycle).toBeGreaterThan(0);
  await app.step.click();
  await app.atCycle(cycle + 1);
});

test("what is nothing is said to be nothing", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([["hello.txt", "hello <img src=x onerror=alert(1)>"]]);
  await expect(page.getByRole("dialog")).toContainText("this is not recognized");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await app.arrived();
});

test("names are text, never markup", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const evil = "<img src=x onerror=alert(1)>";
  const text = [
    "format: fairground-scenario",
    "version: 1",
    `name: "${evil}"`,
    `note: "${evil}"`,
    "nodes: [{name: n, count: 1, gpu: 2}]",
    `queues: [{name: "${evil}", gpu: {quota: 1, limit: unlimited, weight: 1}}]`,
    `jobs: [{name: "<b>j</b>", queue: "${evil}", gpu: 1}]`,
  ].join("\n");
  await app.drop([["evil.yaml", text]]);
  await page.getByRole("button", { name: "Open this scenario" }).click();
  await app.atCycle(0);
  await app.steps(1);
  await expect(page.getByRole("gridcell", { name: evil }).first()).toBeVisible();
  await expect(page.locator("img, .app b:text-is('j')")).toHaveCount(0);
});
