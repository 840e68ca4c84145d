// What all pages are made of: elements, calls to the server, the live queue, notices.
// Texts go in as text, never as markup.
export function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "style") for (const [k, v] of Object.entries(value)) made.style.setProperty(k, v);
    else if (key === "data") Object.assign(made.dataset, value);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (["value", "checked", "disabled", "textContent", "selected"].includes(key)) made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(x => x !== null && x !== undefined && x !== false));
  return made;
}
const SVG = "http://www.w3.org/2000/svg";
export function s(tag, props = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props)) made.setAttribute(key, value);
  made.append(...children.flat());
  return made;
}

export class Refused extends Error {
  constructor(message, key) { super(message); this.key = key; }
}
async function answer(response) {
  const kind = response.headers.get("content-type") || "";
  if (!kind.includes("json")) {
    if (response.ok) return response;
    throw new Refused(await response.text() || response.statusText);
  }
  const found = await response.json();
  if (!response.ok) throw new Refused(found.error || "the studio could not do that", found.key);
  return found;
}
const reached = promise => promise.catch(() => {
  throw new Refused("the studio does not answer; is it still running?");
});
export function get(path, params = {}, signal) {
  const given = Object.entries(params).filter(([, v]) => v !== null && v !== undefined && v !== "");
  const query = new URLSearchParams(given).toString();
  const asked = fetch("/api" + path + (query ? "?" + query : ""), { signal });
  return (signal ? asked : reached(asked)).then(answer);
}
export const post = (path, body = {}) => reached(fetch("/api" + path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
})).then(answer);
export const bring = file => reached(fetch("/api/bring?" + new URLSearchParams({ name: file.name }), {
  method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
})).then(answer);

// The queue, as the server tells of it; it is asked again when the connection was lost.
export const live = {
  jobs: null, watchers: new Set(), socket: null,
  watch(watcher) {
    this.watchers.add(watcher);
    if (this.jobs) watcher(this.jobs);
    if (!this.socket) this.open();
    return () => this.watchers.delete(watcher);
  },
  open() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    this.socket.onmessage = event => this.take(JSON.parse(event.data).jobs);
    this.socket.onclose = () => setTimeout(() => this.open(), 1000);
  },
  take(jobs) {
    this.jobs = jobs;
    for (const watcher of this.watchers) watcher(jobs);
  },
};

let fading;
export function notice(text, bad = false) {
  const box = document.getElementById("notice");
  box.textContent = text;
  box.className = text ? (bad ? "shown bad" : "shown") : "";
  clearTimeout(fading);
  if (text) fading = setTimeout(() => notice(""), bad ? 8000 : 4000);
}
// Do something, and tell in a notice why it could not be done.
export const tried = async work => {
  try { return await work(); } catch (error) { notice(error.message, true); return null; }
};

export const bytes = n => n >= 2 ** 30 ? (n / 2 ** 30).toFixed(1) + " GB"
  : n >= 2 ** 20 ? (n / 2 ** 20).toFixed(1) + " MB" : Math.max(1, Math.round(n / 1024)) + " kB";
export const seconds = n => n < 1 ? "under a second" : n < 90 ? `${Math.round(n)} s`
  : n < 5400 ? `${Math.round(n / 60)} min` : `${(n / 3600).toFixed(1)} h`;
export const count = n => Number(n).toLocaleString("en-US");
export function later(work, wait = 250) {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => work(...args), wait); };
}
export const href = (page, params = {}) => {
  const given = Object.entries(params).filter(([, v]) => v !== null && v !== undefined && v !== "");
  const query = new URLSearchParams(given).toString();
  return "/" + page + (query ? "?" + query : "");
};
// Do something; what is wrong is marked at its field, by the key of the complaint: "stack: ip", else
// "stack", else the one without a name; where none is seen, a notice tells it.
export async function marking(fields, work) {
  for (const one of Object.values(fields)) one.mark("");
  try { return await work(); } catch (error) { blame(fields, error); return null; }
}
export function blame(fields, error) {
  const key = error.key || "", at = fields[key] || fields[key.split(": ")[0]] || fields[""];
  if (at && !at.hidden) at.mark(error.message); else notice(error.message, true);
}
// Ask what a form would take, a while after its last change, and show that where a button stands; what
// is wrong is marked at its field. Only the last answer counts.
export function checking(fields, taken, button, ask, show) {
  let turn = 0;
  const look = later(async () => {
    const mine = ++turn;
    let found;
    try { found = await ask(); } catch (error) { found = error; }
    if (mine !== turn) return;
    for (const one of Object.values(fields)) one.mark("");
    const wrong = found instanceof Error;
    if (wrong) blame(fields, found);
    else taken.replaceChildren(...show(found), found.fits ? "" : h("p", { class: "trouble" }, `Only ${bytes(found.room)} are free.`));
    taken.classList.toggle("stale", wrong);
    button.disabled = wrong || !found.fits;
  });
  return () => { button.disabled = true; look(); };
}
let fields = 0;
export function field(label, input, about) {
  const id = "field" + ++fields;
  input.id = id;
  input.setAttribute("aria-describedby", id + "told");
  const trouble = h("span", { class: "trouble", role: "alert" });
  const made = h("div", { class: "field" }, label && h("label", { class: "name", for: id }, label), input,
    h("span", { id: id + "told" }, about && h("span", { class: "about" }, about), trouble));
  made.input = input;
  made.mark = text => {
    trouble.textContent = text || "";
    made.classList.toggle("wrong", !!text);
    if (text && made.closest("details")) made.closest("details").open = true;
    input.setAttribute("aria-invalid", text ? "true" : "false");
  };
  return made;
}
export async function copied(text, what = "copied") {
  try { await navigator.clipboard.writeText(text); notice(what); }
  catch { prompt("Copy this:", text); }
}
