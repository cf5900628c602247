// The page in WebKitGTK: Playwright cannot drive it, so this test speaks WebDriver itself and checks the main ways only.

import { spawn } from "node:child_process";
import { expect, test } from "@playwright/test";

const { FAIRGROUND_URL, FAIRGROUND_BROWSER } = process.env;
const PORT = 4455;
/** Collects errors of the page from its first frame on: WebDriver runs no script before. */
const WATCH = `
  globalThis.problems ??= [];
  addEventListener("error", (event) => problems.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => problems.push("refused: " + event.violatedDirective));`;

class Browser {
  static open() {
    const driver = spawn("xvfb-run", ["-a", "-s", "-screen 0 1600x1000x24", FAIRGROUND_BROWSER, `--port=${PORT}`], { stdio: "ignore", detached: true });
    const browser = new Browser();
    browser.close = async () => {
      await browser.send("DELETE", "").catch(() => {});
      process.kill(-driver.pid);
    };
    return browser;
  }

  async begin() {
    await expect(async () => {
      const { sessionId } = await this.send("POST", "", { capabilities: {} });
      this.session = `/${sessionId}`;
    }).toPass({ timeout: 30_000 });
  }

  session = "";

  async send(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${PORT}/session${this.session}${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  /** Runs the body of a function in the page. */
  run(script, ...args) {
    return this.send("POST", "/execute/sync", { script, args });
  }

  /** Waits for a value of an expression in the page. */
  shows(expression, expected) {
    return expect.poll(() => this.run(`return ${expression}`), { message: expression, timeout: 60_000 }).toEqual(expected);
  }

  /** The element of a selector, and of a text in it. */
  async find(selector, text = "") {
    const script = "return [...document.querySelectorAll(arguments[0])].find((at) => at.textContent.includes(arguments[1]))";
    let found;
    await expect(async () => {
      found = await this.run(script, selector, text);
      expect(found, `${selector} ${text}`).toBeTruthy();
    }).toPass({ timeout: 20_000 });
    return Object.values(found)[0];
  }

  async click(selector, text) {
    await this.send("POST", `/element/${await this.find(selector, text)}/click`, {});
  }

  async type(selector, text) {
    await this.send("POST", `/element/${await this.find(selector)}/value`, { text });
  }
}

test("the page starts, steps, is edited and shows the text in WebKit", async () => {
  const browser = Browser.open();
  try {
    await browser.begin();
    await browser.send("POST", "/window/rect", { width: 1500, height: 940 });
    await browser.send("POST", "/url", { url: FAIRGROUND_URL });
    await browser.run(WATCH);
    const cycle = 'document.querySelector("#app .now-panel")?.dataset.cycle';
    await browser.shows(cycle, "0");
    await browser.click("#step");
    await browser.shows(cycle, "1");
    const why = 'document.querySelector("#app .why .verdict")?.textContent.startsWith("a2 was evicted so that b2 can run.")';
    await browser.shows(why, true);

    // An edit by keyboard changes the outcome: nobody goes.
    await browser.click(`[data-path='queues["team-a"].gpu.quota']`);
    await browser.type(".edit-box input", "3\uE007");
    await browser.shows('document.querySelector("#app .why")?.textContent.includes("a2 was evicted")', false);

    await browser.click('[role="tab"]', "Text");
    await browser.shows('document.querySelector(".cm-content")?.textContent.includes("quota: 3")', true);
    await browser.shows("globalThis.problems", []);

    // Trusted types: markup that could run a script is left out.
    const write = "const place = document.createElement('div'); place.innerHTML = arguments[0]; return place.innerHTML";
    expect(await browser.run(write, "<b>a</b>")).toBe("<b>a</b>");
    expect(await browser.run(write, "<img src=x onerror=alert(1)>")).toBe("");
  } finally {
    await browser.close();
  }
});
