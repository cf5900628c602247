// Browser tests of the built page. `cargo xtask e2e` serves `dist/` and passes the address and the browser.

import { defineConfig } from "@playwright/test";

const { FAIRGROUND_URL, FAIRGROUND_CHROMIUM } = process.env;
if (!FAIRGROUND_URL || !FAIRGROUND_CHROMIUM) {
  throw new Error("Start the browser tests with `cargo xtask e2e`; it serves the page and finds a browser.");
}

export default defineConfig({
  outputDir: "results",
  reporter: "list",
  forbidOnly: true,
  retries: 0,
  workers: 2,
  fullyParallel: true,
  // Longer than the wait for the start of the page.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  use: {
    baseURL: FAIRGROUND_URL,
    viewport: { width: 1280, height: 800 },
    screenshot: "only-on-failure",
    // The service worker fetches all files for offline use; only one journey tests it.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: FAIRGROUND_CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    { name: "journeys", testDir: "journeys" },
    { name: "bench", testDir: "bench", fullyParallel: false },
    { name: "screens", testDir: "screens" },
  ],
});
