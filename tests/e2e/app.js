// Actions and locators shared by the journeys, in terms of the page.

import { isDeepStrictEqual } from "node:util";
import axe from "axe-core";
import { expect } from "./fixture.js";

/** A window in which all panels have room beside each other. */
export const WIDE = { width: 1440, height: 900 };

/** Below this width there is room for one panel at a time. */
export const PHONE_BELOW = 768;

/** Page object of the journeys. */
/** The views of NOW by tab. */
const VIEWS = {
  Shares: ["Bars", "Tree"],
  Division: ["Amounts", "Share usage", "Priorities"],
  Jobs: ["Gantt"],
  Report: ["Fairness", "Trends"],
};

export class App {
  constructor(page) {
    this.page = page;
    this.now = page.getByRole("region", { name: "Now", exact: true });
    // The same panel, also while another one hides it on a phone.
    this.charts = page.locator("#app .now-panel");
    this.why = page.getByRole("complementary", { name: "Why", exact: true });
    this.status = page.getByRole("status");
    this.step = page.getByRole("button", { name: "Step", exact: true });
    // The field keeps the text while the editor is in its place.
    this.text = page.locator(".text-field textarea");
    this.editor = page.getByRole("textbox", { name: "The scenario as text" }).and(page.locator(".cm-content"));
  }

  /** Opens the page and waits for the first frame. */
  async open(path = "./") {
    await this.page.goto(path);
    await this.arrived();
  }

  /** Opens the page in a wide window. */
  async openWide(path) {
    await this.page.setViewportSize(WIDE);
    await this.open(path);
  }

  /**
   * Waits until the charts show the current scenario.
   *
   * The state before an edit, or before another scenario is opened, does not pass: the command that does it removes the frame
   * (`Model::take`) or marks it as stale (`playback::commands::load`) before the event handler returns, and the attributes follow in
   * a microtask, so a later read finds `aria-busy` "true" or no digest. Two things it does not wait for:
   *
   * - A move in time keeps the frame until the next one arrives; `atCycle` waits for it.
   * - A change of the policy is translated by the engine first; `policy` waits for it.
   *
   * Reports (Division, Share usage, Priorities, Trends, WHY of a queue) arrive after the frame.
   */
  async arrived() {
    // On a busy machine with two cores compiling the WebAssembly module alone takes ten seconds.
    await expect(this.page.locator("#first")).toHaveCount(0, { timeout: 60_000 });
    await expect(this.charts).toHaveAttribute("data-digest", /^[0-9a-f]{16}$/);
    await expect(this.charts).toHaveAttribute("aria-busy", "false");
  }

  /**
   * Waits until the charts show a cycle.
   *
   * After a move in time it must be another cycle than before. Not so after a scenario is opened: `data-cycle` is absent until
   * its first frame.
   */
  async atCycle(cycle) {
    await expect(this.charts).toHaveAttribute("data-cycle", String(cycle));
    await this.arrived();
  }

  /** Runs `n` cycles from the one that the charts show. */
  async steps(n) {
    const from = await this.cycle();
    for (let cycle = from + 1; cycle <= from + n; cycle += 1) {
      await this.step.click();
      await this.atCycle(cycle);
    }
  }

  /** Opens an example and runs it to a cycle. */
  async at(example, cycle) {
    await this.example(example);
    await this.steps(cycle);
  }

  /** Returns the cycle that the charts show; a move in time must have ended. */
  async cycle() {
    await this.arrived();
    return Number(await this.charts.getAttribute("data-cycle"));
  }

  /** Returns the digest of the cycle that the charts show; a move in time must have ended. */
  async digest() {
    await this.arrived();
    return this.charts.getAttribute("data-digest");
  }

  async example(id) {
    await this.page.getByRole("button", { name: "Examples", exact: true }).click();
    await this.page.locator(`[data-example="${id}"]`).click();
    await expect(this.page.getByRole("dialog")).toHaveCount(0);
    await this.atCycle(0);
  }

  /** Chooses the policy in Rules. */
  async policy(name) {
    await this.tab("Rules").click();
    await this.page.getByRole("radio", { name, exact: true }).check();
    await this.waitForPolicy(name);
  }

  /** Waits until the scenario is translated to a policy and the charts show it. */
  async waitForPolicy(name) {
    await expect(this.page.getByRole("button", { name: /^Policy: / })).toContainText(name);
    await this.arrived();
  }

  /** Runs the first command of the palette that matches a text. */
  async command(text) {
    await this.page.keyboard.press("Control+k");
    const field = this.page.getByRole("combobox", { name: /^Search commands/ });
    await expect(field).toBeFocused();
    await field.fill(text);
    await field.press("Enter");
    await expect(field).toHaveCount(0);
  }

  /** Returns the cell of a value, such as `queues["team-a"].gpu.quota`. */
  cell(path) {
    return this.page.locator(`[data-path='${path}']`);
  }

  /** Types a value into a cell. */
  async set(path, value) {
    await this.cell(path).click();
    const field = this.page.locator(".edit-box input");
    await field.fill(value);
    await field.press("Enter");
    await this.arrived();
  }

  /** Returns the row of a queue in Shares. */
  share(queue) {
    return this.now.getByRole("button", { name: new RegExp(`^${queue}: allocated `) });
  }

  /** Returns the region of a view. */
  view(name) {
    return this.page.getByRole("region", { name, exact: true });
  }

  /** Brings a panel to the front where there is room for one at a time. */
  async bring(panel) {
    if (this.page.viewportSize().width >= PHONE_BELOW) return;
    const button = this.page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel });
    await button.click();
    await expect(button).toHaveAttribute("aria-pressed", "true");
  }

  /** Returns a table by its caption. */
  table(name) {
    return this.page.getByRole("table", { name, exact: true });
  }

  /** Shows a chart as a table. */
  async asTable(chart) {
    await this.chartMenu(this.view(chart), "Show as a table");
  }

  /** Selects an item of a chart's menu. */
  async chartMenu(chart, line) {
    await chart.getByRole("button", { name: "Table and pictures" }).click();
    await this.page.getByRole("menuitem", { name: line }).click();
  }

  /** Unfolds the rule and all numbers of the explanation. */
  async allNumbers() {
    await this.why.getByText("The rule and all numbers", { exact: true }).click();
    await expect(this.why.locator(".rest")).toHaveAttribute("open", "");
  }

  tab(name) {
    return this.page.getByRole("tab", { name, exact: true });
  }

  /** Replaces the scenario as text. Its tab is shown. */
  async write(text) {
    await this.editor.press("ControlOrMeta+a");
    await this.editor.evaluate((editor, text) => {
      const paste = new ClipboardEvent("paste", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
      paste.clipboardData.setData("text/plain", text);
      editor.dispatchEvent(paste);
    }, text);
    await expect(this.text).toHaveValue(text);
  }

  /** Shows a view of NOW: its tab and, where that has several pictures, its own. */
  async show(view) {
    const [tab] = Object.entries(VIEWS).find(([, views]) => views.includes(view));
    await this.tab(tab).click();
    if (VIEWS[tab][0] !== view) await this.picture(view).click();
  }

  /** Returns the button that shows one of several pictures of a tab. */
  picture(view) {
    return this.page.locator(".pictures").getByRole("button", { name: view, exact: true });
  }

  /** Returns the link of the current moment from the share sheet. */
  async link() {
    await this.page.getByRole("button", { name: "Share", exact: true }).click();
    const field = this.page.getByRole("textbox", { name: "Link", exact: true });
    await expect(field).toHaveValue(/#d1\./);
    const link = await field.inputValue();
    await this.page.keyboard.press("Escape");
    await expect(this.page.getByRole("dialog")).toHaveCount(0);
    return link;
  }

  /** Returns the drafts kept on this device: each scenario, and its text while that cannot be read. */
  drafts() {
    return this.page.evaluate(() => {
      const drafts = JSON.parse(localStorage["fairground.drafts"] ?? "[]");
      return drafts.map(({ id }) => {
        const { scenario, text } = JSON.parse(localStorage[`fairground.draft.${id}`]);
        return { scenario: JSON.parse(scenario), text };
      });
    });
  }

  /** Drops files on the page. */
  async drop(files) {
    const data = await this.page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      for (const [name, text] of files) transfer.items.add(new File([text], name));
      return transfer;
    }, files);
    await this.page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  /** Checks that nothing scrolls sideways. `soft`: go on after a failure. */
  async expectNoSidewaysScroll(name, { soft = false } = {}) {
    const overflow = () => this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.configure({ soft }).poll(overflow, `${name ?? "the page"} scrolls sideways`).toBeLessThanOrEqual(0);
  }

  /** Checks that no texts in sight overlap or are cut. `soft`: go on after a failure. */
  async expectRoomForTexts(name, { soft = false } = {}) {
    expect.configure({ soft })(await this.page.evaluate(crowdedTexts), name).toEqual([]);
  }

  /** Checks that axe finds no violations, in the page or in a part of it. `soft`: go on after a failure. */
  async expectAccessible(name, { part, soft = false } = {}) {
    // Contrast is not measured halfway through a transition.
    await this.page.emulateMedia({ reducedMotion: "reduce" });
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(axe.source);
    const violations = await this.page.evaluate(async (part) => {
      // Otherwise axe describes every element that passes, which takes longer than to check it.
      const results = await window.axe.run(part ?? document, { resultTypes: ["violations"] });
      return results.violations;
    }, part);
    expect.configure({ soft })(violations, name).toEqual([]);
  }
}

/** Finds texts in sight that overlap each other, or that are cut without an ellipsis. Runs in the page. */
function crowdedTexts() {
  const floating = "dialog, [role=dialog], [role=menu], .tip, .notices, .cursor";
  const isOpaque = (element) => !/^(transparent|rgba\(.*, 0(\.[0-4]\d*)?\))$/.test(getComputedStyle(element).backgroundColor);
  /** Whether something with a background of its own lies over an element at a point. */
  const isCovered = (element, x, y) => {
    const stack = document.elementsFromPoint(x, y);
    const own = stack.findIndex((over) => over.contains(element) || element.contains(over));
    return stack.slice(0, Math.max(own, 0)).some(isOpaque);
  };
  const texts = [];
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const words = node.data.trim();
    if (!words || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(".sr, option, textarea, script, style")) continue;
    // What a closed disclosure hides.
    if (element.closest("details:not([open])") && !element.closest("summary")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const whole of range.getClientRects()) {
      let [left, top, right, bottom] = [whole.left, whole.top, whole.right, whole.bottom];
      let cutBy = null;
      let scrolls = false;
      for (let around = element; around; around = around.parentElement) {
        const style = getComputedStyle(around);
        if (style.overflowX === "visible" && style.overflowY === "visible") continue;
        if (around instanceof SVGElement || around === document.body || around === document.documentElement) continue;
        const box = around.getBoundingClientRect();
        const [l, r] = [Math.max(left, box.left), Math.min(right, box.right)];
        if (r - l < right - left - 2 && style.overflowX !== "auto" && style.overflowX !== "scroll" && style.textOverflow !== "ellipsis" && !scrolls) cutBy = around;
        scrolls ||= style.overflowX === "auto" || style.overflowX === "scroll";
        [left, right, top, bottom] = [l, r, Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      if (right - left < 2 || bottom - top < 4) continue;
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue;
      if (isCovered(element, x, y)) continue;
      if (cutBy && !cutBy.matches(".sr")) found.push(`"${words.slice(0, 40)}" is cut by ${cutBy.tagName.toLowerCase()}.${cutBy.className}`);
      // The glyphs are lower than their line.
      const leading = (whole.bottom - whole.top) * 0.2;
      texts.push({ element, words, left: left + 1, right: right - 1, top: Math.max(top, whole.top + leading), bottom: Math.min(bottom, whole.bottom - leading), fixed: element.closest(floating) });
    }
  }
  texts.sort((a, b) => a.top - b.top);
  for (const [i, a] of texts.entries()) {
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 1; j += 1) {
      const b = texts[j];
      if (a.element === b.element || a.fixed !== b.fixed) continue;
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) {
        found.push(`"${a.words.slice(0, 40)}" and "${b.words.slice(0, 40)}" overlap`);
      }
    }
  }
  return [...new Set(found)];
}

/** Returns the box of an element once it is shown and no longer moves. */
export async function settledBox(element) {
  await expect(element).toBeVisible();
  let box = null;
  const isSettled = async () => {
    const before = box;
    box = await element.boundingBox();
    return box !== null && isDeepStrictEqual(box, before);
  };
  await expect.poll(isSettled, { message: "the element stops moving", intervals: [100] }).toBe(true);
  return box;
}

/** Returns the current width of an element, to be polled; 0: it is not shown. */
export const widthOf = async (element) => (await element.boundingBox())?.width ?? 0;

/** Keeps a worker busy for a minute, so that it handles no messages. */
export function block(worker) {
  return worker.evaluate(() => {
    // After the reply to this call.
    setTimeout(() => {
      const end = Date.now() + 60_000;
      while (Date.now() < end);
    });
  });
}

/** Opens the form of a row from the menu of the row. */
export async function form(page, name) {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: `Edit ${name}…` }).click();
  await expect(page.getByRole("heading", { name, exact: true })).toBeFocused();
}

/** Types into a field of a form. */
export async function fill(page, label, value) {
  const field = page.locator(".setup").getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press("Tab");
}
