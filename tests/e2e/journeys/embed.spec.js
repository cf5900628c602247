// The page embedded in another page.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

/** Opens a page that embeds the simulator and records its messages. */
async function around(page, src, width = 720) {
  const frame = `<iframe src="./${src.replaceAll("&", "&amp;")}" width="${width}" height="300"></iframe>`;
  const script = `<script>
    said = [];
    addEventListener("message", ({ data }) => {
      said.push(data);
      document.querySelector("iframe").height = data.height;
    });
  </script>`;
  const body = `<!doctype html><title>Around</title><link rel="icon" href="data:,">${script}${frame}`;
  await page.route("**/around.html", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("./around.html");
  const inside = page.frameLocator("iframe");
  const now = inside.getByRole("region", { name: "Now", exact: true });
  await expect(now).toHaveAttribute("data-digest", /^[0-9a-f]{16}$/);
  return { inside, now, go: (message) => page.evaluate((message) => frames[0].postMessage(message, "*"), message) };
}

const last = (page) => page.evaluate(() => said.at(-1));

/** Returns the cycles that the embedded page has told, without repetitions. */
const cycles = (page) => page.evaluate(() => said.map(({ cycle }) => cycle).filter((cycle, at, all) => cycle !== all[at - 1]));

test("an embedded page shows charts and time, tells its height, and goes where it is asked to", async ({ page }) => {
  const { inside, now, go } = await around(page, "?embed=1&theme=dark");
  await expect(inside.getByRole("link", { name: "Open in full" })).toBeVisible();
  await expect(inside.getByText("Two teams, four GPUs", { exact: true })).toBeVisible();
  await expect(inside.getByRole("button", { name: /^team-a: allocated 3/ })).toBeVisible();
  for (const name of ["Share", "Examples", "Undo", "Setup"]) {
    await expect(inside.getByRole("button", { name, exact: true })).toHaveCount(0);
  }
  await expect(inside.getByRole("treegrid")).toHaveCount(0);
  await expect(inside.locator("#now-tab-shares")).not.toBeFocused();
  await expect(page.locator("body")).toBeFocused();
  await expect(inside.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect.poll(() => last(page)).toEqual({ fairground: "moment", cycle: 0, height: expect.any(Number) });
  // At that height nothing in it scrolls.
  const scrolls = () => inside.locator("html").evaluate((root) => root.scrollHeight - root.clientHeight);
  await expect.poll(scrolls).toBe(0);
  await inside.getByRole("button", { name: "Step", exact: true }).click();
  await expect(now).toHaveAttribute("data-cycle", "1");
  await expect.poll(() => cycles(page)).toEqual([0, 1]);
  await go({ fairground: "go", cycle: 2 });
  await expect(now).toHaveAttribute("data-cycle", "2");
  await expect.poll(() => cycles(page)).toEqual([0, 1, 2]);
  // Other messages are ignored; the next one that is followed comes after them.
  for (const message of ["go", null, { cycle: 0 }, { fairground: "go" }, { fairground: "go", cycle: "0" }]) {
    await go(message);
  }
  for (const cycle of [-1, 0.5, NaN, Infinity, 1e12]) await go({ fairground: "go", cycle });
  // Longer than a move takes: nothing must happen, which cannot be waited for.
  await page.waitForTimeout(300);
  await go({ fairground: "go", cycle: 1 });
  await expect(now).toHaveAttribute("data-cycle", "1");
  await expect(now).toHaveAttribute("aria-busy", "false");
  await expect.poll(() => cycles(page)).toEqual([0, 1, 2, 1]);
  // Nothing was stored, and the address is unchanged.
  const kept = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), frames[0].location.hash]);
  expect(kept).toEqual([[], [], ""]);
});

test("an embedded page can be read only, unless it says otherwise", async ({ page }) => {
  const { inside, now } = await around(page, "?embed=1&controls=step");
  await inside.getByRole("button", { name: "Step", exact: true }).press("q");
  await inside.getByRole("button", { name: "Step", exact: true }).press("?");
  await inside.getByRole("button", { name: "Step", exact: true }).press("ArrowRight");
  await expect(now).toHaveAttribute("data-cycle", "1");
  await expect(inside.getByRole("dialog")).toHaveCount(0);
  await expect(inside.getByRole("button", { name: /^Play/ })).toHaveCount(0);
  await expect(inside.locator(".timeline")).toBeHidden();
  await inside.getByRole("button", { name: /^team-a: allocated 2/ }).focus();
  await expect(inside.locator(".pulls")).toHaveCount(1);
  await expect(inside.getByRole("slider", { name: /quota of team-a/i })).toHaveCount(0);
});

test("in an embedded page that can be changed, changes stay in it", async ({ page }) => {
  const { inside, now } = await around(page, "?embed=1&controls=none&edit=1", 900);
  await expect(inside.locator(".transport")).toBeHidden();
  await inside.getByRole("button", { name: /^team-a: allocated 3/ }).focus();
  const mark = inside.getByRole("slider", { name: /quota of team-a/i });
  await mark.focus();
  await mark.press("ArrowRight");
  await mark.blur();
  await expect(mark).toHaveAttribute("aria-valuenow", "3");
  // Longer than the delay before a change is stored, which must not happen.
  await page.waitForTimeout(600);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  const [whole] = await Promise.all([
    page.context().waitForEvent("page"),
    inside.getByRole("link", { name: "Open in full" }).click(),
  ]);
  const app = new App(whole);
  await app.arrived();
  await expect(app.cell('queues["team-a"].gpu.quota')).toContainText("3");
  await expect(whole.getByText("Shared scenario.")).toBeVisible();
  await expect(whole).toHaveURL(({ search }) => search === "");
});

test("what is kept on this device is not shown in an embedded page; the timeline can stand alone", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.set('queues["team-a"].gpu.quota', "4");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.getByRole("button", { name: "Copy the embed code" })).toBeVisible();
  await page.goto("about:blank");
  const { inside } = await around(page, "?embed=1");
  await expect(inside.getByRole("button", { name: /^team-a: allocated 3 GPUs, quota 2/ })).toBeVisible();
  await page.goto("about:blank");
  await page.goto("./?embed=1&view=time&controls=play");
  await expect(page.locator(".timeline .picture svg")).toBeVisible();
  await expect(page.locator(".now-panel")).toBeHidden();
  await expect(page.getByRole("button", { name: /^Play/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Step", exact: true })).toHaveCount(0);
});

test("a link names the setting that its reader changes with a slider", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.steps(1);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("A slider for whoever opens the link (optional)").selectOption("quota of team-a");
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  expect(link).toContain("&control=queues~team-a~gpu~quota");
  await page.goto("about:blank");
  const { inside, now } = await around(page, `?embed=1${link.slice(link.indexOf("#"))}`);
  const slider = inside.getByRole("slider", { name: "quota of team-a" });
  await expect(slider).toHaveValue("2");
  const before = await now.getAttribute("data-digest");
  await slider.press("ArrowRight");
  await expect(slider).toHaveValue("3");
  await expect(inside.locator("output")).toHaveText("3");
  await expect(now).not.toHaveAttribute("data-digest", before);
  await expect(inside.getByRole("button", { name: /^team-a: allocated 3 GPUs, quota 3 GPUs/ })).toBeVisible();
});

test("a frame of a lesson is embedded, answered and led on by keyboard", async ({ page }) => {
  const { inside } = await around(page, "?embed=1#lesson=reclaim.2");
  const lesson = inside.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("2 of 7");
  await expect(page.locator("body")).toBeFocused();
  await expect(lesson.getByRole("button", { name: "Leave lesson" })).toHaveCount(0);
  await lesson.getByRole("button", { name: "a1", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(lesson.locator(".outcome")).toContainText("You said a1; it is a2.");
  for (let press = 0; press < 9; press += 1) await page.keyboard.press("PageDown");
  await expect(lesson).toContainText("7 of 7");
  // Its suggestions can be tried, nothing else can be edited.
  await lesson.getByRole("button", { name: "research gets quota 1" }).click();
  await expect(inside.getByText("quota 1 · ").or(inside.locator(".brow").first())).toBeVisible();
  await lesson.getByRole("button", { name: "Start again" }).click();
  await expect(lesson).toContainText("1 of 7");
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  const scrolls = () => inside.locator("html").evaluate((root) => root.scrollHeight - root.clientHeight);
  await expect.poll(scrolls).toBe(0);
});

test("a page in the file system embeds a frame, as a slide does", async ({ page, baseURL, problems }, info) => {
  const deck = info.outputPath("deck.html");
  await mkdir(dirname(deck), { recursive: true });
  const src = `${new URL("./", baseURL)}?embed=1#lesson=fair-share.3`;
  await writeFile(deck, `<!doctype html><title>Deck</title><iframe src="${src}" width="900" height="700"></iframe>`);
  await page.goto(`file://${deck}`);
  const lesson = page.frameLocator("iframe").getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("3 of 7");
  // The address of the page around is another one.
  problems.length = 0;
});
