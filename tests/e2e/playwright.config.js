// Browser tests of the built page. `cargo xtask e2e` serves `dist/` and passes the address and the browser.

import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";

const { FAIRGROUND_URL, FAIRGROUND_BROWSER } = process.env;
if (!FAIRGROUND_URL || !FAIRGROUND_BROWSER) {
  throw new Error("Start the browser tests with `cargo xtask e2e`; it serves the page and finds a browser.");
}

const chromium = {
  launchOptions: {
    executablePath: FAIRGROUND_BROWSER,
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
};

// The Firefox of the distribution, driven by WebDriver BiDi.
const firefox = {
  browserName: "firefox",
  channel: "moz-firefox",
  launchOptions: {
    executablePath: fileURLToPath(new URL("firefox.js", import.meta.url)),
    firefoxUserPrefs: {
      // The clipboard without a question to the user.
      "dom.events.testing.asyncClipboard": true,
      // The driver cannot ask for it where contrast is measured.
      "ui.prefersReducedMotion": 1,
      // Scrollbars take no room, as on a phone.
      "ui.useOverlayScrollbars": 1,
      "widget.gtk.overlay-scrollbars.enabled": true,
    },
  },
};

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
  },
  projects: [
    { name: "journeys", testDir: "journeys", use: chromium },
    { name: "firefox", testDir: "journeys", use: firefox },
    { name: "webkit", testDir: "webkit" },
    { name: "bench", testDir: "bench", fullyParallel: false, use: chromium },
    { name: "screens", testDir: "screens", use: chromium },
  ],
});
