// What the page does where the browser refuses something, or something dies: it says so, and nothing that was typed is lost.

import { chromium } from "@playwright/test";
import { App, block } from "../app.js";
import { allowClipboard, workerOf } from "../driver.js";
import { expect, test } from "../fixture.js";

const QUOTA = 'queues["team-a"].gpu.quota';

const LARGE = `
format: fairground-scenario
version: 1
name: Large
nodes: [{name: node, count: 2000, gpu: 8}]
queues: [{name: team, gpu: {quota: 16000, limit: unlimited, weight: 1}}]
jobs: [{name: job, count: 16000, queue: team, gpu: 1}]
`;

/** Forgets a problem that the test provoked. */
async function provoked(problems, says) {
  await expect.poll(() => problems.join("\n")).toMatch(says);
  problems.length = 0;
}

for (const [what, refuse, says] of [
  [
    "WebAssembly is refused",
    (page) =>
      page.addInitScript(() => {
        const refuse = () => Promise.reject(new WebAssembly.CompileError("refused by a policy"));
        WebAssembly.compile = refuse;
        WebAssembly.compileStreaming = refuse;
      }),
    "refused by a policy",
  ],
  [
    "the program is not found",
    (page) => page.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "" })),
    ".wasm could not be loaded: 404",
  ],
]) {
  test(`where ${what}, the page says why it cannot start`, async ({ page, problems }) => {
    await refuse(page);
    await page.goto("./");
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("Fairground could not start: ");
    await expect(alert).toContainText(says);
    await expect(page.locator("#first")).toHaveCount(0);
    await provoked(problems, says);
    problems.length = 0;
  });
}

for (const [what, refuse] of [
  [
    "refused",
    () => {
      const refuse = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
      // An empty page has no clipboard.
      if (navigator.clipboard) navigator.clipboard.writeText = refuse;
    },
  ],
  ["absent", () => Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined })],
]) {
  test(`where the clipboard is ${what}, nothing is said to be copied`, async ({ page }) => {
    await page.addInitScript(refuse);
    const app = new App(page);
    await app.open();
    const says = page.locator(".notice", { hasText: "The browser did not allow copying. Select the text and copy it." });
    await app.asTable("Shares");
    await app.table("Shares").press("ControlOrMeta+c");
    await expect(says).toBeVisible();
    await says.getByRole("button", { name: /Close|Dismiss/ }).click();
    await expect(says).toHaveCount(0);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("button", { name: "Copy the link" }).click();
    await expect(says).toBeVisible();
    await page.keyboard.press("Escape");
    await app.steps(1);
  });
}

test("the picture and the card are copied at once, as HTML and as text", async ({ page }) => {
  await allowClipboard(page);
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Copy picture and card" }).click();
  await expect(page.locator(".notice", { hasText: "Picture and card copied." })).toBeVisible();
  const [html, text] = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const read = async (type) => (await item.getType(type)).text();
    return [await read("text/html"), await read("text/plain")];
  });
  expect(text).toContain("Two teams, four GPUs: cycle 1");
  expect(html).toMatch(/<a href="http[^"]*#d1\.[^"]*&(amp;)?at=1/);
  expect(html).toMatch(/<img src="data:image\/png;base64,[A-Za-z0-9+/=]{1000,}"/);
  expect(html).toContain("a2 was evicted so that b2 can run.");
});

for (const what of ["localStorage", "sessionStorage", "indexedDB"]) {
  test(`where ${what} is denied, the page works and says that it keeps nothing`, async ({ page }) => {
    await page.addInitScript((what) => {
      const deny = () => {
        throw new DOMException("denied", "SecurityError");
      };
      Object.defineProperty(window, what, { get: deny });
    }, what);
    const app = new App(page);
    await app.open();
    await app.set(QUOTA, "3");
    if (what === "localStorage") await expect(page.locator(".notice", { hasText: /This browser keeps nothing/ })).toBeVisible();
    await app.step.click();
    await app.atCycle(1);
    await page.getByRole("button", { name: /^Undo: / }).click();
    await expect(app.cell(QUOTA)).toContainText("2");
  });
}

test("what was cleared while the page was open is kept again with the next edit", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set(QUOTA, "3");
  await expect.poll(() => app.drafts()).toHaveLength(1);
  await page.evaluate(() => localStorage.clear());
  await app.set(QUOTA, "4");
  await expect.poll(() => app.drafts()).toMatchObject([{ scenario: { queues: [{ gpu: { quota: 4 } }, {}] } }]);
  await page.reload();
  await app.arrived();
  await expect(app.cell(QUOTA)).toContainText("4");
});

/** A scenario with thousands of cycles. */
const LONG = `format: fairground-scenario
version: 1
name: Long
cycle: 1s
nodes:
- {name: n, count: 60, gpu: 8}
queues:
- {name: a, gpu: {quota: 100}}
- {name: b, gpu: {quota: 100}}
jobs:
- {name: x, count: 4000, queue: a, gpu: 4, submit: 0s, lasts: 20m..90m, every: 10s}
- {name: y, count: 4000, queue: b, gpu: 8, submit: 0s, lasts: 20m..90m, every: 10s}
`;

test("a clock that is set back delays no message and loses no edit", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([["long.yaml", LONG]]);
  await page.getByRole("button", { name: "Open this scenario" }).click();
  await expect(page).toHaveTitle(/^Long/);
  await app.arrived();
  const setBack = () => {
    const now = Date.now;
    let asked = 0;
    // Within a slice of work, too.
    Date.now = () => now() - 3_600_000 * Math.floor(asked++ / 3);
  };
  await page.evaluate(setBack);
  await workerOf(page).evaluate(setBack);
  await page.locator("#cycle").fill("20000");
  await page.locator("#cycle").press("Enter");
  const status = page.locator(".status").first();
  await expect(status).toContainText(/Cycle \d{3,}/);
  const stop = status.getByRole("button", { name: "Stop here" });
  await stop.click();
  await expect(stop).toHaveCount(0);
  await expect(page.getByText("The engine was started again")).toHaveCount(0);
  const quota = 'queues["a"].gpu.quota';
  await app.set(quota, "90");
  await app.set(quota, "80");
  await expect.poll(() => app.drafts()).toMatchObject([{ scenario: { queues: [{ gpu: { quota: 80 } }, {}] } }]);
  await page.reload();
  await app.arrived();
  await expect(app.cell(quota)).toContainText("80");
});

test("an engine that vanishes without a word is started again by Cancel", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.step.click();
  await app.atCycle(1);
  await workerOf(page).evaluate(() => self.close());
  await app.step.click();
  const status = page.locator(".status").first();
  await status.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator(".notice", { hasText: "The cycle after cycle 1 was cancelled." })).toBeVisible();
  await app.atCycle(1);
  await app.steps(2);
});

test("an engine that dies at any moment is started again, and every edit stays", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const die = () => {
    setTimeout(() => {
      throw new Error("injected bug");
    });
  };
  const says = page.locator(".notice", { hasText: /The engine stopped at cycle \d+ and was started again/ });
  for (const [quota, go] of [
    ["3", () => app.step.click()],
    ["4", () => app.command("Run until nothing changes")],
    ["1", () => app.command("Step back")],
  ]) {
    await app.set(QUOTA, quota);
    await go();
    await workerOf(page).evaluate(die);
    await expect(says).toBeVisible();
    await says.getByRole("button", { name: /Close|Dismiss/ }).click();
    await app.arrived();
    await expect(app.cell(QUOTA)).toContainText(quota);
  }
  await app.steps(1);
});

const withLittleMemory = test.extend({
  // A browser of its own, which the other fixtures watch like every page.
  page: async ({ baseURL, browserName }, use, testInfo) => {
    testInfo.skip(browserName === "firefox", "the limit is an option of V8");
    // 39 MB: the engine starts with about 20 MB.
    const args = ["--no-sandbox", "--disable-gpu", "--js-flags=--wasm-max-mem-pages=600"];
    const browser = await chromium.launch({ executablePath: process.env.FAIRGROUND_BROWSER, args });
    await use(await browser.newPage({ baseURL, serviceWorkers: "block" }));
    await browser.close();
  },
});

withLittleMemory("a run that needs more memory than there is ends with a notice, and the page goes on", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.drop([["large.yaml", LARGE]]);
  await page.getByRole("button", { name: "Open this scenario" }).click();
  await expect(page).toHaveTitle(/Large/);
  await app.step.click();
  const says = page.locator(".notice", { hasText: /The engine stopped.* Your scenario is kept/ });
  await expect(says).toBeVisible({ timeout: 60_000 });
  await expect(says.getByRole("button", { name: "Download the scenario" })).toBeVisible();
  await expect.poll(() => app.drafts()).toMatchObject([{ scenario: { name: "Large" } }]);
  await app.example("gang-of-four");
  await app.steps(1);
});

test("without network the open page works, and says what it cannot load", async ({ page, context, problems }) => {
  const app = new App(page);
  await app.open();
  await context.setOffline(true);
  await app.set(QUOTA, "3");
  await app.step.click();
  await app.atCycle(1);
  await app.example("gang-of-four");
  await app.command("Reclaim for fair share and for quota");
  await expect(page.locator(".notice", { hasText: "The lesson could not be loaded." })).toBeVisible();
  await app.steps(1);
  await provoked(problems, /failed request: .*\/lessons\//);
});

test("a reload in the middle of a run loses nothing", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set(QUOTA, "3");
  await block(workerOf(page));
  await app.command("Run until nothing changes");
  await page.reload();
  await app.arrived();
  await expect(app.cell(QUOTA)).toContainText("3");
  await app.steps(1);
});

test("markup and scripts that are not the page's own are left out", async ({ page, problems }) => {
  const app = new App(page);
  await app.open();
  const written = (markup) =>
    page.evaluate((markup) => {
      const place = document.createElement("div");
      place.innerHTML = markup;
      return place.innerHTML;
    }, markup);
  const ours = '<p title="a onclick=b" hidden="">5" <b>&lt;script&gt;</b></p>';
  expect(await written(ours)).toBe(ours);
  for (const markup of [
    "<img src=x onerror=alert(1)>",
    '<svg onload="alert(1)"></svg>',
    "<script>alert(1)</script>",
    '<a title="href=" href="javascript:alert(1)">a</a>',
    '<iframe srcdoc="a"></iframe>',
  ]) {
    expect(await written(markup), markup).toBe("");
    await provoked(problems, /Markup that could run a script is left out/);
  }
  const worker = await page.evaluate(() => {
    try {
      return String(new Worker("https://example.com/a.js"));
    } catch (error) {
      return error.name;
    }
  });
  expect(worker).toBe("TypeError");
  problems.length = 0;
});
