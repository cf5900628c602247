// The engine's worker: takes the compiled module from the page as its first message, then is all Rust.
//
// Messages that arrive before Rust listens are kept and delivered afterwards, so the page need not wait.

const version = new URL(import.meta.url).search;
const early = [];
const keep = (event) => early.push(event.data);

self.addEventListener("message", start, { once: true });

async function start({ data: module }) {
  self.addEventListener("message", keep);
  const { default: init } = await import(new URL("fairground.js" + version, import.meta.url));
  await init({ module_or_path: module });
  self.removeEventListener("message", keep);
  for (const data of early) self.dispatchEvent(new MessageEvent("message", { data }));
}
