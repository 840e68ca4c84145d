// Each thing seen can be sent: a link, a picture, a table, a page, the command that does the same.
import { h, copied, get, notice, post, tried } from "./parts.js";

const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
// A command of counterfold from its words; [--option, value] pairs without a value are left out.
export function command(verb, ...words) {
  const flat = words.flatMap(word => Array.isArray(word) ? (word[1] === "" || word[1] === null || word[1] === undefined || word[1] === false ? [] : word[1] === true ? [word[0]] : word) : word ? [word] : []);
  return ["counterfold", verb, ...flat.map(word => quoted(String(word)))].join(" ");
}
// The spot of a solution, or one that is given, as a file of the folder; and locks, if there are any.
export const kept = asked => post("/build/save", asked);
// The command that does what a job does; the files that it needs are kept in the folder.
export async function commandOf({ kind, request, file, title, id }) {
  if (kind === "blueprint") return (await get("/jobs/command", { id })).command;
  const name = (file || title).replace(/\.\w+$/, "").slice(0, 90);
  const { file: spot = request.game, locks } = request.spot || request.locks ? await kept({ spot: request.spot, game: request.spot ? "" : request.game, name, locks: request.locks || [] }) : {};
  const limits = [["--exploitability", request.exploitability], ["--iterations", request.iterations], ["--seconds", request.seconds]];
  const form = request.form ? [["--form", request.form]] : [];
  if (kind === "style") return command("style", spot, ...request.prefer.map(text => ["--prefer", text]), ["--give-up", request.give_up || ""], ["--player", "player" in (request.place || {}) ? request.place.player + 1 : ""], ["--save", file]);
  if (kind === "target") return command("style", spot, ...Object.entries(request.targets).map(([what, share]) => ["--target", `${what}=${share}`]), ["--give-up", request.give_up || ""], ["--save", file]);
  if (kind === "exploit") return command("exploit", spot, ...form, ["--model", request.model], ["--player", request.player + 1], ...atRisk(request.budget, request.spot || request.form), ["--save", request.budget === undefined ? "" : file]);
  if (kind === "report") return command("report", spot, ["--flops", request.flops], ...limits);
  return command("solve", spot, ...form, ["--method", request.method], ["--locks", locks], ...limits, ["--save", file]);
}
// An answer within a budget of risk, or the curve; by CFR the answer is a point of the curve.
export const atRisk = (budget, byHand) => budget === undefined || budget === "" ? [["--curve", true]] : [["--epsilon", budget], ["--curve", !!byHand]];
function save(content, name, kind) {
  const link = h("a", { href: typeof content === "string" && kind === "url" ? content : URL.createObjectURL(new Blob([content], { type: kind })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
const nameOf = ending => (document.title.split(" · ")[0] + (document.getElementById("page").dataset.line ? " " + document.getElementById("page").dataset.line : ""))
  .replace(/[^\w ,+-]+/g, "").trim().slice(0, 80) + ending;

// The page as it is seen, with its looks in it and nothing that runs.
async function frozen() {
  const page = document.getElementById("page"), copy = page.cloneNode(true);
  const inputs = page.querySelectorAll("input, textarea, select"), copies = copy.querySelectorAll("input, textarea, select");
  inputs.forEach((input, k) => {
    if (input.type === "checkbox") copies[k].toggleAttribute("checked", input.checked);
    else if (input.tagName === "TEXTAREA") copies[k].textContent = input.value;
    else copies[k].setAttribute("value", input.value);
  });
  copy.querySelectorAll("[hidden], input[type=file]").forEach(one => one.remove());
  const css = await (await fetch("/static/studio.css")).text();
  return { copy, css, theme: document.documentElement.dataset.theme };
}
async function html() {
  const { copy, css, theme } = await frozen(), made = document.implementation.createHTMLDocument(document.title);
  made.documentElement.dataset.theme = theme;
  made.documentElement.lang = "en";
  made.head.innerHTML = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">";
  const style = made.createElement("style");
  style.textContent = css;
  const title = made.createElement("title");
  title.textContent = document.title;
  made.head.append(title, style);
  made.body.append(made.importNode(copy, true));
  return "<!DOCTYPE html>\n" + made.documentElement.outerHTML;
}
async function png() {
  const { copy, css, theme } = await frozen(), page = document.getElementById("page"), box = page.getBoundingClientRect();
  const width = Math.ceil(box.width), height = Math.ceil(page.scrollHeight), scale = Math.min(2, 8000 / height);
  const text = new XMLSerializer().serializeToString(copy);
  const style = new XMLSerializer().serializeToString(document.createTextNode(css.replaceAll(":root", ".root").replace(/\bbody\b(?= \{)/, ".root")));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">`
    + `<div xmlns="http://www.w3.org/1999/xhtml" class="root" data-theme="${theme}"><style>${style}</style>${text}</div></foreignObject></svg>`;
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const canvas = h("canvas", { width: width * scale, height: height * scale }), pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.drawImage(image, 0, 0);
  return new Promise((good, bad) => canvas.toBlob(blob => blob ? good(blob) : bad(new Error("this picture is too large")), "image/png"));
}
// Cells that a spreadsheet would take for a formula begin with '.
function cell(value) {
  const text = String(value ?? ""), safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? "'" + text : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
// The tables that are shown, as CSV.
function tables() {
  return [...document.querySelectorAll("#page table")].map(table => [...table.rows].map(row =>
    [...row.cells].map(one => cell(one.innerText.trim())).join(",")).join("\n")).join("\n\n") + "\n";
}

// What the current page says of itself: { csv, rows, html, link, command }, each a function or left out:
// addresses of a table and of a page, or rows of cells.
export async function sheet(dialog, own = {}) {
  const csv = own.csv ? () => save(own.csv(), nameOf(".csv"), "url") : own.rows ? () => save(own.rows().map(row => row.map(cell).join(",")).join("\n") + "\n", nameOf(".csv"), "text/csv")
    : document.querySelector("#page table") ? () => save(tables(), nameOf(".csv"), "text/csv") : null;
  const close = work => async () => { dialog.close(); await tried(work); };
  const text = own.command ? await tried(own.command) : "";
  dialog.replaceChildren(h("h2", {}, "Send"), h("div", { class: "sendings" },
    h("button", { onclick: close(async () => copied(own.link ? await own.link() : location.href, "The link is copied")) }, "Copy the link"),
    h("button", { onclick: close(async () => { save(await png(), nameOf(".png"), "image/png"); notice("The picture is saved"); }) }, "Picture (PNG)"),
    h("button", { disabled: !csv, title: csv ? null : "there is no table here yet", onclick: csv && close(async () => csv()) }, "Table (CSV)"),
    h("button", { onclick: close(async () => own.html ? save(own.html(), nameOf(".html"), "url") : save(await html(), nameOf(".html"), "text/html")) }, "Page (HTML)")),
    text && h("label", { class: "field" }, h("span", { class: "name" }, "The command line that does the same"),
      h("div", { class: "row nowrap" }, h("input", { type: "text", readonly: true, value: text, class: "commandline" }), h("button", { onclick: close(() => copied(text, "The command is copied")) }, "Copy"))),
    h("button", { class: "quiet", onclick: () => dialog.close() }, "Close"));
  if (!dialog.open) dialog.showModal();
}
