// What the driver of Firefox cannot do: a journey that needs it is skipped there, with the reason.

import { test } from "./fixture.js";

const isFirefox = (page) => page.context().browser()?.browserType().name() === "firefox";

/** Returns the worker of the engine, in which scripts can be run. */
export function workerOf(page) {
  test.skip(isFirefox(page), "WebDriver BiDi runs no script in a dedicated worker");
  return page.workers().at(-1);
}

/** Waits for a download. */
export function downloadOf(page) {
  test.skip(isFirefox(page), "Firefox ESR reports no downloads to WebDriver BiDi");
  return page.waitForEvent("download");
}

/** Drags an element onto another one. */
export function drag(page, from, to, options) {
  test.skip(isFirefox(page), "WebDriver BiDi starts no drag and drop in Firefox");
  return from.dragTo(to, options);
}

/** Presses twice; the driver of Firefox makes two single clicks of it. */
export async function doubleClick(page, target) {
  if (!isFirefox(page)) return target.dblclick();
  await target.click();
  await target.dispatchEvent("dblclick");
}

/** Shows the page as it is printed, or on the screen. */
export function emulateMedium(page, media) {
  test.skip(isFirefox(page), "Firefox ESR does not emulate print for WebDriver BiDi");
  return page.emulateMedia({ media });
}

/** Takes the network away, also from the service worker. */
export function goOffline(page) {
  test.skip(isFirefox(page), "Firefox ESR does not take the network from service workers for WebDriver BiDi");
  return page.context().setOffline(true);
}

/** Skips the touch journeys of a file or group. */
export function needTouch() {
  test.skip(({ browserName }) => browserName === "firefox", "WebDriver BiDi emulates no touch screen");
}

/** Lets the page read and write the clipboard; in Firefox a preference does. */
export async function allowClipboard(page) {
  if (!isFirefox(page)) await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}
