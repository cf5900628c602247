// The speaker notes: shows what the presenting page sends, and sends it the keys of a presenter. The address names the
// channel, so that several presentations do not mix.

const channel = new BroadcastChannel(`fairground.notes ${location.hash.slice(1)}`);
const KEYS = ["ArrowRight", "ArrowLeft", "PageDown", "PageUp", " ", ".", "b", "Escape"];
const start = Date.now();

const part = (id) => document.getElementById(id);

channel.onmessage = ({ data }) => {
  const { black, ...texts } = JSON.parse(data);
  // Names and texts of a scenario are never markup.
  for (const [id, text] of Object.entries(texts)) part(id).textContent = text;
  part("black").hidden = !black;
};
// The page answers with what it shows.
channel.postMessage("hello");

const press = (key) => channel.postMessage(`key ${key}`);

addEventListener("keydown", (event) => {
  const isButton = event.target.closest?.("button") && event.key === " ";
  if (isButton || event.ctrlKey || event.metaKey || event.altKey || !KEYS.includes(event.key)) return;
  event.preventDefault();
  press(event.key);
});
for (const button of document.querySelectorAll("[data-key]")) button.onclick = () => press(button.dataset.key);

// Opened again by another presentation.
addEventListener("hashchange", () => location.reload());

setInterval(() => {
  const seconds = Math.floor((Date.now() - start) / 1000);
  part("clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}, 1000);
