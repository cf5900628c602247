// Memory of a page in Chromium.

import { readFileSync } from "node:fs";

/** Memory after a garbage collection, in bytes: objects of JavaScript, and the whole process with its workers. */
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
  const resident = readFileSync(`/proc/${busiest.id}/status`, "utf8").match(/VmRSS:\s+(\d+) kB/)[1] * 1024;
  return { heap: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners"), resident };
}
