// Starts the page: compiles the WASM once and gives the same module to the page and to its worker.
//
// Everything else is Rust. The one thing Rust asks of this file is `fairground.startWorker(whole)`: a new engine
// worker, at the start, when the whole engine is needed, and again after a worker has died of a bug.

// Which panels were last folded or opened by hand here is the one thing by which the first frame differs.
try {
  const setup = localStorage.getItem("fairground.setup");
  const first = document.querySelector("#first .app")?.classList;
  if (setup) first?.add(setup === "folded" ? "setup-folded" : "setup-opened");
  for (const panel of ["now", "time"]) {
    if (localStorage.getItem(`fairground.${panel}`) === "folded") first?.add(`${panel}-folded`);
  }
  if (localStorage.getItem("fairground.why") === "closed") first?.remove("why-open");
} catch {
  // Where nothing is kept, nothing was said.
}

// The page names one version for all files (`boot.js?v=...`); passing it on keeps caches from mixing two.
const version = new URL(import.meta.url).search;
const sibling = (name) => new URL(name + version, import.meta.url);

const [{ default: init }, module] = await Promise.all([
  import(sibling("fairground.js")),
  compile(sibling("fairground_bg.wasm")),
]);

globalThis.fairground = {
  startWorker(whole) {
    const worker = new Worker(sibling("worker.js"), { type: "module" });
    worker.postMessage(whole ? null : module);
    return worker;
  },
};

await init({ module_or_path: module });

/** Compiles while loading; where the host sends no `application/wasm` type, after loading. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} could not be loaded: ${response.status}`);
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
