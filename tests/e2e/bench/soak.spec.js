// Two working hours in one tab: rounds of what a person does, one action every five seconds of theirs. Memory and times of a
// step are printed at the beginning, on the way and at the end. `cargo xtask bench --browser soak.spec`.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { memoryOf } from "./memory.js";

const ACTIONS = (2 * 60 * 60) / 5;
const EXAMPLES = ["four-schedulers", "tug-of-war", "tenants-and-offsets", "ego-share-usage", "runai-departments-and-pools"];
const QUOTA = 'queues["team-a"].gpu.quota';

const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(0).padStart(5);

/** Times of steps of the start scenario, from the click to the next frame, in milliseconds. */
const stepTimes = (page) =>
  page.evaluate(async () => {
    const charts = document.querySelector("#app .now-panel");
    const isAt = (cycle) => charts.dataset.cycle === String(cycle) && charts.getAttribute("aria-busy") === "false";
    const frame = () => new Promise(requestAnimationFrame);
    const all = [];
    for (let cycle = 1; cycle <= 30; cycle += 1) {
      const from = performance.now();
      document.getElementById("step").click();
      do await frame();
      while (!isAt(cycle));
      all.push(performance.now() - from);
    }
    return all.sort((a, b) => a - b);
  });

/** What a person does with two examples; returns the number of actions. */
async function round(app, page, example) {
  let n = 0;
  const act = async (action) => {
    await action();
    n += 1;
  };
  const press = (key) => act(() => page.keyboard.press(key));
  await act(() => app.example(example));
  // Some examples end earlier.
  for (let step = 0; step < 8 && (await app.step.getAttribute("aria-disabled")) !== "true"; step += 1) {
    await act(() => app.steps(1));
  }
  for (const panel of [page.locator(".setup"), app.now]) {
    for (const at of [1, 2, 3, 0]) await act(() => panel.getByRole("tab").nth(at).click());
  }
  for (const key of ["Home", "]", "]", "["]) await press(key);
  await act(() => app.command("Compare policies"));
  await expect(app.now.locator("progress")).toHaveCount(0, { timeout: 60_000 });
  await act(() => app.tab("Shares").click());
  await act(() => app.at("min-runtime-on", 6));
  await act(() => app.set(QUOTA, "3"));
  await act(() => app.share("team-b").click());
  await press("h");
  await press("Escape");
  await press("Control+z");
  await press("Control+Shift+z");
  await app.arrived();
  return n;
}

test.use({ actionTimeout: 60_000 });

test("two working hours", async ({ page }) => {
  test.setTimeout(3_600_000);
  const app = new App(page);
  await app.openWide();
  const tell = async (n) => {
    await app.example("tug-of-war");
    const steps = await stepTimes(page);
    const { heap, nodes, listeners, resident } = await memoryOf(page);
    const ms = (part) => steps[Math.floor(steps.length * part)].toFixed(0).padStart(4);
    console.log(
      `${String(n).padStart(5)} actions: process ${megabytes(resident)} MB, objects ${megabytes(heap)} MB, ${nodes} nodes, ` +
        `${listeners} listeners; step p50 ${ms(0.5)} ms, p98 ${ms(0.98)} ms`,
    );
  };
  let n = 0;
  for (let at = 0; n < ACTIONS; at += 1) {
    if (at % 5 === 0) await tell(n);
    n += await round(app, page, EXAMPLES[at % EXAMPLES.length]);
  }
  await tell(n);
});
