// Service worker: caches the page, so that it works offline after the first visit.
//
// All files of a build are cached together or not at all, under names that contain a hash; a page is always served the
// files that it names, so builds never mix. Lessons, the speaker notes and the text editor are cached, too, although the
// page names them only once they are opened. The page itself is fetched from the network first, so that visitors get the
// latest build. Only a release build installs this file and fills in its list of files.

/** Build id: a hash of all files. */
const VERSION = "";
/** Path and hash of every file of the build except the page, which names them all. */
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
  const path = pathname.slice(scope.pathname.length);
  if (request.mode !== "navigate" || path.startsWith("notes/")) event.respondWith(file(request));
  else if (["", "index.html"].includes(path)) event.respondWith(page(request));
});

async function install() {
  const cache = await caches.open(KEPT);
  try {
    for (const [path, integrity] of FILES) await cache.add(new Request(path, { integrity }));
    // Last: while a build replaces another one, the page may already belong to the next build.
    const page = await fetch(PAGE, { cache: "no-cache" });
    const text = page.ok ? await page.clone().text() : "";
    const isNamed = ([path]) => text.includes(path) || /^(lessons|notes|editor)\//.test(path);
    if (!FILES.every(isNamed)) throw new Error("the page is of another build");
    await cache.put(PAGE, page);
  } catch (error) {
    await caches.delete(KEPT);
    throw error;
  }
}

/** Runs once no page of an earlier build is open. */
async function activate() {
  const earlier = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== KEPT);
  await Promise.all(earlier.map((name) => caches.delete(name)));
  // The page that installed this worker finds its own files here if it belongs to this build.
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
