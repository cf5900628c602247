// Serves the page like a web host: compressed, with files under hashed names cached by the browser.

import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";

const DIST = new URL("../../../dist/", import.meta.url);
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Serves `dist/` on this machine. Returns the address and a function that stops the server. */
export async function served() {
  const files = new Map(
    readdirSync(DIST, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => {
      const type = TYPES[name.split(".").pop()] ?? "text/plain";
      return [name, { type, body: brotliCompressSync(readFileSync(new URL(name, DIST)), QUALITY) }];
    }),
  );
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://host").pathname.slice(1) || "index.html";
    const file = files.get(name);
    if (!file) return response.writeHead(404).end();
    const keeps = /-[0-9a-f]{16}/.test(name) ? "public, max-age=31536000, immutable" : "no-cache";
    response.writeHead(200, { "Content-Type": file.type, "Content-Encoding": "br", "Cache-Control": keeps });
    response.end(file.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() };
}
