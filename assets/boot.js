// Starts the page and, as a module of its own, its worker: one program, compiled once for both.
//
// Everything else is Rust. Rust asks two things of this file: `fairground.startWorker()`, a new engine worker, at the
// start and again after a worker has died of a bug; and `fairground.forgetFiles()`, when everything is wiped that is
// kept on the device.

if (globalThis.document) await startPage();
else startEngine();

async function startPage() {
  // In another page the first frame is not shown even for a moment: only a part of the page is.
  const isEmbedded = /[?&]embed=1(&|$)/.test(location.search);
  // A link, or what was kept here, is something else than the first frame.
  if (isEmbedded || location.hash.length > 1 || remembered("current")) document.getElementById("first").remove();

  // Before anything else: this is for a page that cannot start, too.
  const isReset = location.hash === "#reset" && !isEmbedded;
  if (isReset) await forgetFiles();

  foldFirstFrame();

  // The build names the two halves of the program in the page.
  const script = document.querySelector("link[rel=modulepreload]").href;
  const [{ default: init }, module] = await Promise.all([
    import(script),
    compile(document.querySelector('link[rel=preload][type="application/wasm"]').href),
  ]);

  globalThis.fairground = {
    startWorker() {
      const worker = new Worker(import.meta.url, { type: "module" });
      worker.postMessage({ script, module });
      return worker;
    },
    forgetFiles,
  };

  await init({ module_or_path: module });
  if (!isEmbedded) openLaunchedFiles();

  // The browser keeps compiled scripts with the files they came from, and may make the deleted cache again for that.
  if (isReset) setTimeout(forgetFiles, 2000);

  const offline = document.querySelector("meta[name=offline-worker]")?.content;
  if (offline && !isEmbedded && !isReset) {
    // After what the visitor came for.
    setTimeout(() => navigator.serviceWorker?.register(new URL(offline, document.baseURI)).catch(() => {}), 3000);
  }
}

/** Files that the installed page is opened with come in as if they had been dropped on it. */
function openLaunchedFiles() {
  globalThis.launchQueue?.setConsumer(async ({ files }) => {
    if (!files?.length) return;
    const dataTransfer = new DataTransfer();
    for (const file of files) dataTransfer.items.add(await file.getFile());
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  });
}

/** In the worker: takes the compiled program as the first message; then it is all Rust. */
function startEngine() {
  // Messages that arrive before Rust listens are kept and delivered afterwards, so the page need not wait.
  const early = [];
  const keep = (event) => early.push(event.data);
  const start = async ({ data: { script, module } }) => {
    self.addEventListener("message", keep);
    const { default: init } = await import(script);
    await init({ module_or_path: module });
    self.removeEventListener("message", keep);
    for (const data of early) self.dispatchEvent(new MessageEvent("message", { data }));
  };
  self.addEventListener("message", start, { once: true });
}

/** Which panels were last folded or opened by hand here is the one thing by which the first frame differs. */
function foldFirstFrame() {
  const first = document.querySelector("#first .app")?.classList;
  const setup = remembered("setup");
  if (setup) first?.add(setup === "folded" ? "setup-folded" : "setup-opened");
  for (const panel of ["now", "time"]) {
    if (remembered(panel) === "folded") first?.add(`${panel}-folded`);
  }
  if (remembered("why") === "closed") first?.remove("why-open");
}

/** What is kept on this device under a name; nothing where nothing may be kept. */
function remembered(name) {
  try {
    return localStorage.getItem(`fairground.${name}`);
  } catch {
    return null;
  }
}

/** Removes what `offline.js` keeps on this device, and that itself. */
async function forgetFiles() {
  const scope = new URL(".", document.baseURI).href;
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.filter((worker) => worker.scope === scope).map((worker) => worker.unregister()));
  const ours = (await globalThis.caches?.keys())?.filter((name) => name.startsWith(`fairground ${scope} `)) ?? [];
  await Promise.all(ours.map((name) => caches.delete(name)));
}

/** Compiles while loading; where the host sends no `application/wasm` type, after loading. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname} could not be loaded: ${response.status}`);
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
