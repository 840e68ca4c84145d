// The frame of all pages: which one is shown, its keys, light and dark.
import { h, live, notice } from "./parts.js";
import { sheet } from "./send.js";
import { betweenTabs, isUsed, keepFocus } from "./keys.js";

const PAGES = [["", "Files"], ["build", "Build"], ["solve", "Solve"], ["browse", "Browse"],
  ["bend", "Bend"], ["play", "Play"], ["report", "Report"], ["game", "Games"]];
const KEYS = [["?", "these keys"], ["s", "send what is seen"], ["t", "light or dark"], ["1 to 9", "the pages, from left to right"],
  ["Esc", "close, or leave a field"],
  ["Tab, Enter, Space", "the next field or button, and to use it"]];
const root = document.getElementById("page");
const base = document.getElementById("pages");
let leave = null, keys = null, turn = 0, shown = null;

const links = PAGES.map(([name, title]) =>
  h("a", { href: "/" + name, data: { page: name } }, title, name === "solve" && h("b", { class: "badge" })));
base.append(...links);
live.watch(jobs => {
  const busy = jobs.filter(job => ["running", "waiting", "stopping"].includes(job.phase)).length;
  base.querySelector(".badge").textContent = busy || "";
});

export async function go(address, { replace = false, keep = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  if (!keep) await show();
}
// Stands where the page will be, and is seen only if that takes long.
const opening = () => h("section", { class: "card empty opening" }, h("p", { class: "soft" }, "Opening…"));
async function show() {
  const name = location.pathname.slice(1), mine = ++turn;
  for (const link of links) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const title = (PAGES.find(([page]) => page === name) || ["", "Page"])[1];
  document.title = `${title} · Counterfold`;
  try {
    const page = await import(`./pages/${name || "home"}.js`);
    if (mine !== turn) return;
    const params = Object.fromEntries(new URLSearchParams(location.search));
    if (shown === name && keys && keys.moved) { await keys.moved(params); return; }
    const fresh = shown === null;
    if (leave) leave();
    leave = keys = null;
    shown = name;
    root.replaceChildren(opening());
    root.dataset.page = name || "home";
    const made = await page.show(root, params, go);
    if (mine !== turn) return;
    root.querySelector(":scope > .opening")?.remove();
    ({ leave = null } = made || {});
    keys = made || null;
    window.scrollTo(0, 0);
    if (!fresh && document.activeElement === document.body) root.focus({ preventScroll: true });
  } catch (error) {
    if (mine !== turn) return;
    root.replaceChildren(h("section", { class: "card empty" }, h("h1", {}, "This page did not open"),
      h("p", {}, error.message), h("p", {}, h("a", { href: "/" }, "Back to the files"))));
    shown = null;
  }
}

keepFocus(root);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || link.hasAttribute("download") || link.target
    || to.pathname.startsWith("/api") || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  go(to.pathname + to.search);
});
window.addEventListener("popstate", show);

function help() {
  const dialog = document.getElementById("help");
  const list = [...KEYS, ...((keys && keys.help) || [])];
  dialog.replaceChildren(h("h2", {}, "Keys"), h("table", { class: "keys" },
    list.map(([key, what]) => h("tr", {}, h("th", {}, h("kbd", {}, key)), h("td", {}, what)))),
    h("button", { onclick: () => dialog.close() }, "Close"));
  if (!dialog.open) dialog.showModal();
}
document.getElementById("keys").onclick = help;
const send = () => sheet(document.getElementById("help"), (keys && keys.send) || {});
document.getElementById("send").onclick = send;
document.addEventListener("keydown", event => {
  const inField = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && inField) { event.target.blur(); return; }
  if (inField || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || isUsed(event)) return;
  if (betweenTabs(event)) { event.preventDefault(); return; }
  if (keys && keys.key && keys.key(event)) { event.preventDefault(); return; }
  if (event.key === "?") help();
  else if (event.key === "s") send();
  else if (event.key === "t") theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  else if (/^[1-9]$/.test(event.key) && PAGES[event.key - 1]) go("/" + PAGES[event.key - 1][0]);
});

function theme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
  try { localStorage.setItem("theme", name); } catch { /* a private window */ }
}
document.getElementById("theme").onclick = () =>
  theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
let kept = null;
try { kept = localStorage.getItem("theme"); } catch { /* a private window */ }
theme(kept || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
window.addEventListener("unhandledrejection", event => notice(event.reason.message || "Something went wrong", true));
show();
