import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "../fixture.js";

test("the page loads and its worker answers", async ({ page }, testInfo) => {
  const wasm = [];
  page.on("request", (request) => request.url().includes(".wasm") && wasm.push(request.url()));
  await page.goto("./");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Fairground");
  await expect(page.locator("#engine")).toHaveText("pong");
  await expect(page.locator("figure svg text").first()).toHaveText("research");
  expect(wasm, "page and worker share one WASM").toHaveLength(1);
  await page.screenshot({ path: testInfo.outputPath("start.png") });
});

test("the start page has no accessibility violations", async ({ page }) => {
  await page.goto("./");
  await expect(page.locator("#engine")).toHaveText("pong");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
});

test("the policy of the page forbids inline styles, scripts and foreign hosts", async ({ page, problems }) => {
  await page.goto("./");
  await expect(page.locator("#engine")).toHaveText("pong");
  const forbidden = async (directive) => {
    await expect.poll(() => problems.join("\n")).toMatch(new RegExp(`Content Security Policy.*${directive}`));
    problems.length = 0;
  };
  await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", '<p style="margin: 0">'));
  await forbidden("style-src");
  await page.evaluate(() => document.body.append(Object.assign(document.createElement("script"), { text: "0" })));
  await forbidden("script-src");
  await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => {}));
  await forbidden("connect-src");
});
