// Starts the page: compiles the WASM once and gives the same module to the page and to its worker.
//
// Everything else is Rust. Rust asks two things of this file: `fairground.startWorker(whole)`, a new engine worker, at
// the start, when the whole engine is needed, and again after a worker has died of a bug; and
// `fairground.forgetFiles()`, when everything is wiped that is kept on the device.

// The service worker, from here; only `cargo xtask dist` installs one and says so here.
const OFFLINE = null;

// In another page the first frame is not shown even for a moment: only a part of the page is.
const isEmbedded = /[?&]embed=1(&|$)/.test(location.search);
if (isEmbedded) document.getElementById("first").remove();

// Before anything else: this is for a page that cannot start, too.
const isReset = location.hash === "#reset" && !isEmbedded;
if (isReset) await forgetFiles();

// Whether setup was last folded or opened by hand here is the one thing by which the first frame differs.
try {
  const setup = localStorage.getItem("fairground.setup");
  if (setup) document.querySelector("#first .app")?.classList.add(setup === "folded" ? "setup-folded" : "setup-opened");
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
  forgetFiles,
};

await init({ module_or_path: module });

if (OFFLINE && !isEmbedded && !isReset) {
  // After what the visitor came for.
  setTimeout(() => navigator.serviceWorker?.register(new URL(OFFLINE, import.meta.url)).catch(() => {}), 3000);
}

/** Removes what `offline.js` keeps on this device, and that itself. */
async function forgetFiles() {
  const scope = new URL("..", import.meta.url).href;
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.filter((worker) => worker.scope === scope).map((worker) => worker.unregister()));
  const ours = (await globalThis.caches?.keys())?.filter((name) => name.startsWith(`fairground ${scope} `)) ?? [];
  await Promise.all(ours.map((name) => caches.delete(name)));
}

/** Compiles while loading; where the host sends no `application/wasm` type, after loading. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} could not be loaded: ${response.status}`);
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
