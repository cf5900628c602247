// Keeps the page on the device, so that it works without a network after the first visit.
//
// All files of one build are kept together or not at all, under names that hold a hash; whatever page runs is served
// with the files it names, so that two builds never mix. A page that can be reached comes from the network, so that
// no visitor is held back at an old build. Only a release build installs this file, and writes what it has to keep.

/** The build: a hash of all its files. */
const VERSION = "";
/** Path and hash of every file of the build but the page itself, which names them all. */
const FILES = [];

const PAGE = "./";
const OURS = `fairground ${registration.scope} `;
const KEPT = OURS + VERSION;

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const scope = new URL(registration.scope);
  if (request.method !== "GET" || origin !== scope.origin || !pathname.startsWith(scope.pathname)) return;
  if (request.mode !== "navigate") event.respondWith(file(request));
  else if (["", "index.html"].includes(pathname.slice(scope.pathname.length))) event.respondWith(page(request));
});

async function install() {
  const cache = await caches.open(KEPT);
  try {
    for (const [path, integrity] of FILES) await cache.add(new Request(path, { integrity }));
    // Last: where a build is being put in place of another one, the page may already be the next one's.
    const page = await fetch(PAGE, { cache: "no-cache" });
    const text = page.ok ? await page.clone().text() : "";
    if (!FILES.every(([path]) => text.includes(path))) throw new Error("the page is of another build");
    await cache.put(PAGE, page);
  } catch (error) {
    await caches.delete(KEPT);
    throw error;
  }
}

/** No page of an earlier build is open any more. */
async function activate() {
  const earlier = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== KEPT);
  await Promise.all(earlier.map((name) => caches.delete(name)));
  // The page that installed this finds its own files here, if it is of this build.
  await clients.claim();
}

async function page(request) {
  const fresh = await fetch(request).catch(() => null);
  if (fresh?.ok || fresh?.type === "opaqueredirect") return fresh;
  return (await kept(PAGE)) ?? fresh ?? Response.error();
}

async function file(request) {
  return (await kept(request)) ?? fetch(request);
}

async function kept(request) {
  // Unlike `open`, this does not create a cache that was deleted.
  return caches.match(request, { cacheName: KEPT, ignoreVary: true });
}
