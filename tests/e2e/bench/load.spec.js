// Measures the loading time of the page at 10 Mbit/s with 40 ms latency: `cargo xtask bench --browser load`. Results are printed
// beside their targets, never asserted, because machines differ.

import { test } from "@playwright/test";

import { served } from "./served.js";

const VISITS = 5;
const LINE = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };

/** Runs in the page: records the largest paint, when Step was enabled, and when its result was painted. */
function watch() {
  window.lcp = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.lcp = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  window.times = new Promise((resolve) => {
    let ready = 0;
    const look = () => {
      const now = document.querySelector("#app [data-cycle]");
      const isSettled = now?.getAttribute("aria-busy") === "false";
      if (!ready && isSettled && now.dataset.cycle === "0") {
        ready = performance.now();
        document.querySelector("#app #step").click();
      }
      if (ready && isSettled && now.dataset.cycle === "1") resolve({ ready, stepped: performance.now() });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function visit(context, address) {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.emulateNetworkConditions", LINE);
  let bytes = 0;
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await page.addInitScript(watch);
  await page.goto(address);
  const times = await page.evaluate(() => window.times);
  const lcp = await page.evaluate(() => window.lcp);
  await page.evaluate(() => localStorage.clear());
  await page.close();
  return { ...times, lcp, bytes };
}

function tell(what, values, aim) {
  const sorted = [...values].sort((a, b) => a - b);
  const median = Math.round(sorted[Math.floor(sorted.length / 2)]).toLocaleString("en");
  console.log(`${what.padEnd(44)} ${median.padStart(10)}  worst ${Math.round(sorted.at(-1)).toLocaleString("en")}  aim ${aim}`);
}

test("first and second visit", async ({ browser }) => {
  test.setTimeout(120_000);
  const { address, end } = await served();
  const [first, second] = [[], []];
  for (let i = 0; i < VISITS; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
    first.push(await visit(context, address));
    second.push(await visit(context, address));
    await context.close();
  }
  end();
  const of = (visits, name) => visits.map((visit) => visit[name]);
  tell("first visit, largest paint, ms", of(first, "lcp"), "800");
  tell("first visit, page shows the engine's frame, ms", of(first, "ready"), "2,800");
  tell("first visit, Step answered, ms", of(first, "stepped"), "3,000");
  tell("first visit, transferred, bytes", of(first, "bytes"), "1,600,000");
  tell("second visit, largest paint, ms", of(second, "lcp"), "500");
  tell("second visit, page shows the engine's frame, ms", of(second, "ready"), "500");
  tell("second visit, Step answered, ms", of(second, "stepped"), "");
});
