// Whether drawn scenarios are decided in the browser as they are natively: opens each link and compares the digest of its cycle.
//
//     cargo xtask soak --links --cases 1000 > target/links.txt
//     cargo xtask bench --browser digests.spec

import { existsSync, readFileSync } from "node:fs";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const LINKS = new URL("../../../target/links.txt", import.meta.url);

test("drawn scenarios have the digests of the native engine", async ({ page }) => {
  test.skip(!existsSync(LINKS), "target/links.txt is absent: `cargo xtask soak --links > target/links.txt` writes it");
  const lines = readFileSync(LINKS, "utf8").trim().split("\n");
  test.setTimeout(lines.length * 2_000);
  const app = new App(page);
  await app.open();
  const others = [];
  for (const line of lines) {
    const [link, digest] = line.split(" ");
    await page.evaluate((link) => (location.hash = link), link);
    const isShown = page.waitForFunction(
      ([cycle, digest]) => {
        const shown = document.querySelector("#app [data-cycle][aria-busy=false]")?.dataset;
        return shown?.cycle === cycle && shown.digest === digest;
      },
      [link.match(/&at=(\d+)$/)[1], digest],
      { timeout: 10_000 },
    );
    await isShown.catch(() => others.push(link));
  }
  console.log(`${lines.length} scenarios, ${others.length} with another cycle or digest`);
  expect(others).toEqual([]);
});
