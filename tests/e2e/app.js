// Actions and locators shared by the journeys, in terms of the page.

import { expect } from "./fixture.js";

/** Page object of the journeys. */
export class App {
  constructor(page) {
    this.page = page;
    this.now = page.getByRole("region", { name: "Now", exact: true });
    this.why = page.getByRole("complementary", { name: "Why", exact: true });
    this.status = page.getByRole("status");
    this.step = page.getByRole("button", { name: "Step", exact: true });
  }

  /** Opens the page and waits for the first frame. */
  async open(path = "./") {
    await this.page.goto(path);
    await this.arrived();
  }

  /** Waits until the charts show the current scenario. */
  async arrived() {
    // On a busy machine with two cores compiling the WebAssembly module alone takes ten seconds.
    await expect(this.page.locator("#first")).toHaveCount(0, { timeout: 60_000 });
    await expect(this.now).toHaveAttribute("data-digest", /^[0-9a-f]{16}$/);
    await expect(this.now).toHaveAttribute("aria-busy", "false");
  }

  async atCycle(cycle) {
    await expect(this.now).toHaveAttribute("data-cycle", String(cycle));
    await this.arrived();
  }

  async example(id) {
    await this.page.getByRole("button", { name: "Examples", exact: true }).click();
    await this.page.locator(`[data-example="${id}"]`).click();
    await expect(this.page.getByRole("dialog")).toHaveCount(0);
    await this.atCycle(0);
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

  /** Selects an item of a chart's menu. */
  async chartMenu(chart, line) {
    await chart.getByRole("button", { name: "Table and pictures" }).click();
    await this.page.getByRole("menuitem", { name: line }).click();
  }

  tab(name) {
    return this.page.getByRole("tab", { name, exact: true });
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
