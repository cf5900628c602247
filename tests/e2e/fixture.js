// `test` and `expect` for all browser tests, with a page that tolerates no errors.
//
// A console error or warning (including violations of the content security policy), an uncaught exception, or a failed or
// cross-origin request fails the test, whatever else it checks. All of them are collected in `problems`; a test that
// provokes one on purpose waits for it and clears the list:
//
//     await expect.poll(() => problems.join("\n")).toMatch(/injected bug/);
//     problems.length = 0;

import { test as base, expect } from "@playwright/test";

export { expect };

/** Hash of the style by which Playwright hides the cursor in pictures; in Firefox it is subject to the page's policy. */
const STYLE_OF_PICTURES = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=";

/** Warning of Playwright, which the configuration tells to block it. */
const SERVICE_WORKER_BLOCKED = "Service Worker registration blocked by Playwright";

export const test = base.extend({
  // Playwright's `fill` sets a value without an event `change` in Firefox, so text is typed there.
  page: async ({ page, browserName }, use) => {
    if (browserName === "firefox") {
      Object.getPrototypeOf(page.locator("body")).fill = async function (text) {
        await this.selectText();
        await (text ? this.pressSequentially(text) : this.press("Delete"));
      };
    }
    await use(page);
  },

  problems: async ({ page, baseURL }, use) => {
    const problems = [];
    const home = new URL(baseURL).origin;
    page.on("console", (message) => {
      const isProblem = ["error", "warning"].includes(message.type()) && message.text() !== SERVICE_WORKER_BLOCKED;
      if (isProblem) problems.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => {
      const text = `uncaught exception: ${error.message}\n${error.stack}`;
      if (!text.includes(STYLE_OF_PICTURES)) problems.push(text);
    });
    // Leaving a document aborts its requests; no other aborted request is tolerated. Browsers report it while the document is being
    // left, or later; a document is left when the next one is committed, not when that is requested.
    let document = 0;
    let isLeaving = false;
    const documentOf = new WeakMap();
    page.on("request", (request) => {
      isLeaving ||= request.isNavigationRequest() && request.frame() === page.mainFrame();
      documentOf.set(request, document);
    });
    // Opening `about:blank` is no request.
    const goto = page.goto.bind(page);
    page.goto = (url, options) => {
      isLeaving ||= url === "about:blank";
      return goto(url, options);
    };
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame() && isLeaving) document += 1;
    });
    page.on("domcontentloaded", () => (isLeaving = false));
    page.on("requestfailed", (request) => {
      const isEnded =
        request.failure()?.errorText === "net::ERR_ABORTED" && (isLeaving || documentOf.get(request) < document);
      // The token with which a cycle is interrupted.
      const isToken = request.url().startsWith("blob:") && request.failure()?.errorText === "net::ERR_FILE_NOT_FOUND";
      if (!isEnded && !isToken) problems.push(`failed request: ${request.url()} (${request.failure()?.errorText})`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== home && !["data:", "blob:"].includes(protocol)) {
        problems.push(`request to another origin: ${request.url()}`);
      }
    });
    await use(problems);
    expect(problems, "the page must run without errors").toEqual([]);
  },

  // Makes every test depend on `problems`, even if it does not use the fixture.
  watched: [async ({ problems }, use) => use(problems), { auto: true }],
});
