import { App } from "../app.js";
import { expect, test } from "../fixture.js";

test("a switch leads to the card of its rule by keyboard, and the card back to the switch", async ({ page }) => {
  const app = new App(page);
  await app.openWide();
  await app.step.click();
  await app.atCycle(1);
  await app.tab("Rules").click();
  const link = page.locator(".setup").getByRole("button", { name: "reclaim, maintain fair share", exact: true }).first();
  // The rule book, with which the links come, arrives after the frame.
  await expect(link).toBeVisible();
  await page.locator('[data-path="settings.consolidating-reclaim"]').focus();
  await page.keyboard.press("Tab");
  await expect(link).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(app.why).toBeFocused();
  await expect(app.why.locator(".why h2")).toContainText("decided 1 time in cycle 1");
  await expect(app.why.locator(".verdict")).toHaveText(
    "A queue can lose resources only while it uses more than the larger of its quota and its fair share.",
  );
  const source = app.why.getByRole("link", { name: /KAI Scheduler/ });
  await expect(source).toHaveAttribute("href", /^https:\/\/github\.com\//);
  await app.expectAccessible();
  // The rule stays open across cycles.
  await app.step.click();
  await app.atCycle(2);
  await expect(app.why).toContainText("not used in cycle 2");
  await page.keyboard.press("ArrowLeft");
  await app.atCycle(1);
  await app.why.getByRole("button", { name: "consolidating-reclaim: not set" }).click();
  await expect(page.locator('[data-path="settings.consolidating-reclaim"]')).toBeFocused();
  await app.why.getByRole("button", { name: /a2.*reclaimed/ }).click();
  await expect(app.why.locator(".verdict")).toContainText("was evicted so that");
  // The rule beside the decision links back.
  await app.allNumbers();
  await app.why.locator(".rule").getByRole("button", { name: "kai/reclaim/maintain-fair-share" }).press("Enter");
  await expect(app.why).toContainText("decided 1 time in cycle 1");
});

test("a rule card opens the section of the specification that describes the rule", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.tab("Rules").click();
  await page.locator(".setup").getByRole("button", { name: "reclaim, maintain fair share", exact: true }).first().click();
  const link = app.why.getByRole("link", { name: "Specification, section 6.3" });
  const [specification] = await Promise.all([page.waitForEvent("popup"), link.click()]);
  await expect(specification).toHaveTitle(/KAI Scheduler/);
  await expect(specification.locator("h3:has(> a:target)")).toHaveText(/^6\.3 Scenario validator/);
  await expect(specification.locator("h3:has(> a:target)")).toBeInViewport();
});

test("a link carries a rule, also of a policy that is fetched first, and says what is none", async ({ page, browser }) => {
  const app = new App(page);
  await app.open();
  await app.example("ego-grace");
  await app.tab("Rules").click();
  await page.locator(".setup").getByRole("button", { name: "grace", exact: true }).first().click();
  await expect(app.why).toContainText("rule: grace");
  await expect(page).toHaveURL(/sel=rule/);
  const url = page.url();
  const opened = async (address) => {
    const other = new App(await (await browser.newContext()).newPage());
    await other.open(address);
    return other.why.locator(".verdict");
  };
  await expect(await opened(url)).toContainText("longer grace period than a pool grants");
  const unknown = await opened(url.replace(/(sel=rule:ego_2f)grace/, "$1zzz"));
  await expect(unknown).toContainText("is no rule of");
});

test("on a phone the card comes to the front", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const app = new App(page);
  await app.open();
  await app.bring("Setup");
  await app.tab("Rules").click();
  await page.locator(".setup").getByRole("button", { name: "usage", exact: true }).first().click();
  await expect(app.why.locator(".verdict")).toContainText("Past usage is the share of the cluster");
  await app.expectAccessible();
});
