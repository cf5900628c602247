// Starts the page and its worker. Both run the same program, which is compiled once; the worker loads this file as a
// module.
//
// Everything else is Rust. Rust calls three functions of this file: `fairground.startWorker()` creates an engine worker,
// at startup and after a worker has crashed; `fairground.loadEditor()` loads the editor of the scenario as text;
// `fairground.forgetFiles()` deletes the cached files when all data on the device is deleted.

if (globalThis.document) await startPage().catch(showFailure);
else startEngine();

/** Says that the page cannot start, in place of the first frame, which cannot be used. */
function showFailure(error) {
  const says = document.createElement("p");
  says.className = "failed";
  says.setAttribute("role", "alert");
  says.textContent =
    `Fairground could not start: ${error.message}. It runs in your browser, with WebAssembly and without a server. ` +
    "Reload the page, or open it in another browser or on another network; drafts on this device are kept.";
  document.body.replaceChildren(says);
  throw error;
}

async function startPage() {
  trustMarkup();
  // An embedded page shows only a part of the page, so it skips the static first frame.
  const isEmbedded = /[?&]embed=1(&|$)/.test(location.search);
  // Links and stored documents differ from the static first frame.
  if (isEmbedded || location.hash.length > 1 || remembered("current")) document.getElementById("first").remove();

  const isReset = location.hash === "#reset" && !isEmbedded;
  if (isReset) await forgetFiles();

  foldFirstFrame();

  // The build writes the paths of the program's two files into the page.
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
    loadEditor: () => import(new URL("editor/editor.js", document.baseURI)),
    forgetFiles,
  };

  await init({ module_or_path: module });
  if (!isEmbedded) openLaunchedFiles();

  // The browser stores compiled scripts with their cached files and may recreate the deleted cache for them.
  if (isReset) setTimeout(forgetFiles, 2000);

  const offline = document.querySelector("meta[name=offline-worker]")?.content;
  if (offline && !isEmbedded && !isReset) {
    // Deferred until the page has loaded.
    setTimeout(() => navigator.serviceWorker?.register(new URL(offline, document.baseURI)).catch(() => {}), 3000);
  }
}

/**
 * Leaves out markup that could run a script, and refuses scripts of other origins, whatever writes them. Pictures and
 * static parts of the page are markup with escaped texts; this is for the day one is not.
 */
function trustMarkup() {
  // A start tag with its attributes, or an end tag. What stands in quotes is no markup.
  const tag = /<\/?([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi;
  const active = /^(script|iframe|object|embed|base|meta|link|form|foreignobject|animate|set)$/i;
  const isHarmless = (name, attributes) =>
    !active.test(name) &&
    !/\s(on[a-z]+|srcdoc|[\w:]*href="(?!https:|#))/i.test(attributes.replace(/(?<!href=)"[^"]*"/gi, '""'));
  globalThis.trustedTypes?.createPolicy("default", {
    createHTML(markup) {
      const rest = markup.replace(tag, (all, name, attributes) => (isHarmless(name, attributes) ? "" : all));
      if (!rest.includes("<")) return markup;
      reportError(new TypeError("Markup that could run a script is left out."));
      return "";
    },
    createScriptURL: (url) => (new URL(url, location).origin === location.origin ? url : null),
  });
}

/** Passes files opened with the installed page to the page as if they had been dropped on it. */
function openLaunchedFiles() {
  globalThis.launchQueue?.setConsumer(async ({ files }) => {
    if (!files?.length) return;
    const dataTransfer = new DataTransfer();
    for (const file of files) dataTransfer.items.add(await file.getFile());
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  });
}

/** In the worker: receives the compiled program in the first message; Rust handles all later ones. */
function startEngine() {
  // Messages that arrive before Rust listens are queued and replayed, so that the page need not wait.
  const early = [];
  const keep = (event) => early.push(event.data);
  const start = async ({ data: { script, module } }) => {
    self.addEventListener("message", keep);
    const { default: init } = await import(script);
    await init({ module_or_path: module });
    self.removeEventListener("message", keep);
    for (const data of early) self.dispatchEvent(new MessageEvent("message", { data }));
  };
  // Reported to the page like any other error of the worker.
  const fail = (error) => setTimeout(() => reportError(error));
  self.addEventListener("message", (event) => start(event).catch(fail), { once: true });
}

/** Applies the stored folding of panels, the only stored layout that changes the first frame. */
function foldFirstFrame() {
  const first = document.querySelector("#first .app")?.classList;
  const setup = remembered("setup");
  if (setup) first?.add(setup === "folded" ? "setup-folded" : "setup-opened");
  if (remembered("time") === "folded") first?.add("time-folded");
  if (remembered("why") === "closed") first?.remove("why-open");
}

/** Value stored on this device under a name; null if storage is unavailable. */
function remembered(name) {
  try {
    return localStorage.getItem(`fairground.${name}`);
  } catch {
    return null;
  }
}

/** Removes the caches of `offline.js` and unregisters it. */
async function forgetFiles() {
  const scope = new URL(".", document.baseURI).href;
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.filter((worker) => worker.scope === scope).map((worker) => worker.unregister()));
  const ours = (await globalThis.caches?.keys())?.filter((name) => name.startsWith(`fairground ${scope} `)) ?? [];
  await Promise.all(ours.map((name) => caches.delete(name)));
}

/** Compiles while downloading, or after it if the host does not send the type `application/wasm`. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname} could not be loaded: ${response.status}`);
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
