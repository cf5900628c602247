// How fast the page is, on the built `dist/`: `cargo xtask bench --browser`. Numbers are printed, never asserted:
// machines differ. The aims stand beside them.

import { App } from "../app.js";
import { expect, test } from "../fixture.js";
import { team } from "./team.js";

const SEED = 7;
const STEPS = 60;

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

function tell(what, values, aim) {
  const sorted = [...values].sort((a, b) => a - b);
  const ms = (value) => `${value.toFixed(1)} ms`.padStart(9);
  console.log(
    `${what.padEnd(40)} p50 ${ms(at(sorted, 0.5))}  p98 ${ms(at(sorted, 0.98))}  max ${ms(sorted.at(-1))}  n ${sorted.length}` +
      (aim ? `  aim ${aim}` : ""),
  );
}

/** In the page: from an action to the frame after the one in which `done` became true. */
async function install(page) {
  await page.evaluate(() => {
    const painted = () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => resolve(performance.now());
          channel.port2.postMessage(0);
        });
      });
    window.measure = async (act, done) => {
      const from = performance.now();
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (done()) {
            observer.disconnect();
            resolve(performance.now());
          }
        });
        observer.observe(document.body, { subtree: true, attributes: true, childList: true, characterData: true });
      });
      act();
      const handled = performance.now() - from;
      const shown = (await changed) - from;
      return { handled, shown, painted: (await painted()) - from };
    };
    window.settled = () => {
      const now = document.querySelector("[data-cycle]");
      return now?.getAttribute("aria-busy") === "false" ? Number(now.dataset.cycle) : -1;
    };
  });
}

async function openTeam(page) {
  const app = new App(page);
  await app.open();
  await app.drop([["team.fairground.yaml", team(SEED)]]);
  await page.getByRole("dialog").getByRole("button", { name: /^Open/ }).first().click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveTitle(/Team of seed/);
  await app.atCycle(0);
  await install(page);
  return app;
}

test("first visit", async ({ page, browser }) => {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  let bytes = 0;
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await page.addInitScript(() => {
    window.lcp = 0;
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.lcp = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  const app = new App(page);
  await page.goto("./");
  await app.arrived();
  const ready = await page.evaluate(() => performance.now());
  await page.waitForTimeout(500);
  const { lcp, shift, first } = await page.evaluate(() => ({
    lcp: window.lcp,
    shift: window.shift,
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
  }));
  console.log(`browser ${browser.version()}`);
  console.log(`first contentful paint ${first.toFixed(0)} ms, largest ${lcp.toFixed(0)} ms (aim 1000)`);
  console.log(`first computed frame   ${ready.toFixed(0)} ms (aim 2000)`);
  console.log(`layout shift           ${shift.toFixed(4)} (aim 0.01)`);
  console.log(`transferred            ${bytes.toLocaleString("en")} bytes, as this server compresses`);
});

test("steps, edits and playing, 24 queues, 64 nodes, 100 jobs", async ({ page }) => {
  test.setTimeout(120_000);
  const app = await openTeam(page);
  const steps = await page.evaluate(async (n) => {
    const step = [...document.querySelectorAll("button")].find((b) => b.id === "step");
    const all = [];
    for (let i = 0; i < n; i++) {
      const next = window.settled() + 1;
      all.push(await window.measure(() => step.click(), () => window.settled() === next));
    }
    return all;
  }, STEPS);
  tell("step to painted frame", steps.map((s) => s.painted), "50 ms");
  tell("  of it until the page has changed", steps.map((s) => s.shown));
  tell("  of it in the click itself", steps.map((s) => s.handled));

  const back = await page.evaluate(async () => {
    const all = [];
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.querySelector(".now-panel").focus();
    for (let i = 0; i < 20; i++) {
      const next = window.settled() - 1;
      all.push(await window.measure(() => press("ArrowLeft"), () => window.settled() === next));
    }
    return all;
  });
  tell("step back to painted frame", back.map((s) => s.painted), "50 ms");

  const select = await page.evaluate(async () => {
    const rows = [...document.querySelectorAll(".brow button, button.brow")].slice(1, 13);
    const all = [];
    for (const row of rows) {
      all.push(await window.measure(() => row.click(), () => row.closest(".on") !== null || row.classList.contains("on")));
    }
    return all;
  });
  tell("select a queue to painted explanation", select.map((s) => s.painted), "100 ms");

  const edits = [];
  for (let i = 0; i < 12; i++) {
    await app.cell('queues["team-1-1"].gpu.quota').click();
    const field = page.locator(".edit-box input");
    await field.fill(String(9 + i));
    edits.push(
      await field.evaluate(async (input) => {
        let wasBusy = false;
        return window.measure(
          () => input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })),
          () => {
            wasBusy ||= window.settled() < 0;
            return wasBusy && window.settled() >= 0;
          },
        );
      }),
    );
  }
  tell("value edit to frame of the new run", edits.map((s) => s.painted), "one run to this cycle");
  tell("  of it the key itself", edits.map((s) => s.handled), "200 ms");

  const frames = await page.evaluate(async () => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.querySelector(".now-panel").focus();
    press("Home");
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let i = 0; i < 4; i++) press("+");
    const gaps = [];
    let last = 0;
    let on = true;
    const look = (now) => {
      if (last > 0) gaps.push(now - last);
      last = now;
      if (on) requestAnimationFrame(look);
    };
    const from = window.settled();
    press(" ");
    requestAnimationFrame(look);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    on = false;
    press(" ");
    return { gaps, cycles: window.settled() - from };
  });
  tell("between frames while playing", frames.gaps, "33 ms");
  console.log(`cycles played in 3 s: ${frames.cycles}`);
});
