// The engine's worker: takes the page's compiled module as its first message, or, where that is null, fetches the
// whole engine; then it is all Rust.
//
// Messages that arrive before Rust listens are kept and delivered afterwards, so the page need not wait.

const version = new URL(import.meta.url).search;
const early = [];
const keep = (event) => early.push(event.data);

self.addEventListener("message", start, { once: true });

async function start({ data: module }) {
  self.addEventListener("message", keep);
  const sibling = (name) => new URL(name + version, import.meta.url);
  const { default: init } = await import(sibling(module ? "fairground.js" : "engine.js"));
  await init({ module_or_path: module ?? sibling("engine_bg.wasm") });
  self.removeEventListener("message", keep);
  for (const data of early) self.dispatchEvent(new MessageEvent("message", { data }));
}
