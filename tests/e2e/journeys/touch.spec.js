// Touch: marks are dragged sideways, and a vertical swipe still scrolls.

import { App, settledBox } from "../app.js";
import { needTouch } from "../driver.js";
import { expect, test } from "../fixture.js";

needTouch();
test.use({ hasTouch: true, isMobile: true });

/** Returns touch gestures: press, move in steps, release. */
async function finger(page) {
  const line = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => line.send("Input.dispatchTouchEvent", { type, touchPoints });
  return {
    async pull([x, y], [dx, dy]) {
      await send("touchStart", [{ x, y }]);
      const steps = 8;
      for (let i = 1; i <= steps; i++) await send("touchMove", [{ x: x + (dx * i) / steps, y: y + (dy * i) / steps }]);
    },
    /** Pinches with two fingers around a point, from one distance to another. */
    async pinch([x, y], from, to) {
      const fingers = (distance) => [-1, 1].map((side, id) => ({ x: x + (side * distance) / 2, y, id }));
      await send("touchStart", fingers(from));
      for (let i = 1; i <= 8; i++) await send("touchMove", fingers(from + ((to - from) * i) / 8));
    },
    lift: () => send("touchEnd", []),
  };
}

const middle = async (mark) => {
  const box = await settledBox(mark);
  expect(Math.min(box.width, box.height), "a target for fingers").toBeGreaterThanOrEqual(44);
  return [box.x + box.width / 2, box.y + box.height / 2];
};

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 560 } });

  test("a quota is pulled with a finger, and the page still scrolls", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.step.tap();
    await app.atCycle(1);
    const hand = await finger(page);
    const mark = page.getByRole("slider", { name: "Quota of team-a" });
    const scale = (await settledBox(page.locator(".shares .picture"))).width;
    await hand.pull(await middle(mark), [scale / 4, 0]);
    await expect(app.share("team-a")).toHaveAccessibleName(/quota 2 GPUs,.*would have/);
    await hand.lift();
    await app.arrived();
    await expect(app.share("team-a")).toHaveAccessibleName(/quota 3 GPUs,.*before 2/);
    // A swipe that begins on a mark sets nothing.
    const top = () => app.now.evaluate((e) => e.scrollTop);
    const before = await top();
    await hand.pull(await middle(mark), [0, -160]);
    await hand.lift();
    await expect.poll(top).toBeGreaterThan(before);
    await expect(app.share("team-a")).toHaveAccessibleName(/quota 3 GPUs,/);
  });

  test("the message of a value that is no number leaves its buttons free, also after a turn", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.bring("Setup");
    await app.cell('queues["team-a"].gpu.quota').tap();
    await page.getByRole("textbox", { name: "quota of team-a" }).fill("many");
    const message = page.getByRole("alert").filter({ hasText: "is not a number" });
    for (const size of [{ width: 390, height: 560 }, { width: 560, height: 390 }]) {
      await page.setViewportSize(size);
      await expect(async () => {
        const more = await settledBox(page.getByRole("button", { name: "One more" }));
        const { y } = await settledBox(message);
        expect(y).toBeGreaterThanOrEqual(more.y + more.height);
        expect(y).toBeLessThan(more.y + more.height + 20);
      }).toPass();
    }
  });
});

test.describe("on a tablet", () => {
  test.use({ viewport: { width: 1024, height: 700 } });

  test("a weight and a limit are pulled with a finger", async ({ page }) => {
    const app = new App(page);
    await app.open();
    const hand = await finger(page);
    await page.getByRole("button", { name: "Open Setup" }).tap();
    for (const queue of ["team-a", "team-b"]) await app.set(`queues["${queue}"].gpu.quota`, "0");
    await app.step.tap();
    await app.atCycle(1);
    await app.tab("Division").tap();
    const wall = page.getByRole("slider", { name: "Weight of team-a" });
    await hand.pull(await middle(wall), [120, 0]);
    await expect(page.getByRole("region", { name: "Division", exact: true })).toContainText(/would get/);
    await hand.lift();
    await app.arrived();
    await expect(app.cell('queues["team-a"].gpu.weight')).not.toHaveText("1");
    // By click, because a tap right after a drag counts as its end.
    await app.tab("Shares").click();
    await page.getByRole("button", { name: "Close explanation" }).click();
    const limit = page.getByRole("slider", { name: "Limit of team-a" });
    await hand.pull(await middle(limit), [-160, 0]);
    await hand.lift();
    await app.arrived();
    await expect(app.share("team-a")).toHaveAccessibleName(/limit [0-3] GPUs?,/);
  });

  test("two fingers zoom the timeline", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.example("usage-fades");
    await page.keyboard.press("g");
    await page.getByRole("dialog").getByRole("textbox").fill("40");
    await page.keyboard.press("Enter");
    await app.atCycle(40);
    const slider = page.locator(".timeline").getByRole("slider", { name: "Cycle" });
    const box = await settledBox(slider);
    const hand = await finger(page);
    await hand.pinch([box.x + box.width / 2, box.y + box.height / 2], 100, 300);
    await hand.lift();
    await expect(slider).toHaveAttribute("aria-valuetext", /zoomed to cycles/);
    await hand.pinch([box.x + box.width / 2, box.y + box.height / 2], 400, 50);
    await hand.lift();
    await expect(slider).not.toHaveAttribute("aria-valuetext", /zoomed/);
  });
});
