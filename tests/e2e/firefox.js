#!/usr/bin/env node
// Starts Firefox for the browser tests, and answers one command of WebDriver BiDi in its place: Playwright sends it to every new
// window, and Firefox ESR 153 does not know it. So colour scheme and reduced motion are those of Firefox's preferences there.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

const NOT_KNOWN = "emulation.setMediaFeaturesOverride";

const firefox = spawn(process.env.FAIRGROUND_BROWSER, process.argv.slice(2), { stdio: ["inherit", "inherit", "pipe"] });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => firefox.kill(signal));
firefox.on("exit", (code) => process.exit(code ?? 1));

createInterface({ input: firefox.stderr }).on("line", (line) => {
  const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
  if (!address) return console.error(line);
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (driver, { url }) => connect(driver, new WebSocket(address + url)));
  server.on("listening", () => console.error(line.replace(address, `ws://127.0.0.1:${server.address().port}`)));
});

/** Passes messages on, but for the command that is not known. */
function connect(driver, browser) {
  const opened = new Promise((resolve) => browser.on("open", resolve));
  driver.on("message", async (message) => {
    await opened;
    const { id, method } = JSON.parse(message);
    if (method === NOT_KNOWN) driver.send(JSON.stringify({ type: "success", id, result: {} }));
    else browser.send(message.toString());
  });
  browser.on("message", (message) => driver.send(message.toString()));
  browser.on("close", () => driver.close());
  driver.on("close", () => browser.close());
}
