// Memory of a page in Chromium.

import { readFileSync } from "node:fs";

/**
 * Memory after a garbage collection, in bytes: objects of JavaScript, and the whole process with its workers, of which
 * `own` is not read from files, as the browser's program is.
 */
export async function memoryOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  await session.detach();
  const browser = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  await browser.detach();
  const [busiest] = processInfo.filter(({ type }) => type === "renderer").sort((a, b) => b.cpuTime - a.cpuTime);
  const status = readFileSync(`/proc/${busiest.id}/status`, "utf8");
  const [resident, own] = ["VmRSS", "RssAnon"].map((name) => status.match(`${name}:\\s+(\\d+) kB`)[1] * 1024);
  return { heap: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners"), resident, own };
}
