// What lies in the folder.
import { h, get, bring, href, bytes, notice } from "../parts.js";

const KINDS = { solution: "Solution", blueprint: "Blueprint", strategy: "Strategy", spot: "Spot", game: "Game", record: "Hands" };

export async function show(root, params, go) {
  const found = await get("/home");
  const table = h("tbody");
  const wanted = h("input", { type: "search", placeholder: "Find a file", "aria-label": "Find a file", oninput: list });
  const file = h("input", { type: "file", hidden: true, accept: Object.keys(found.brings).join(","), onchange: () => take(file.files) });

  const trouble = h("p", { class: "trouble", role: "alert" });
  // What was not taken is told beside the button, and stays there.
  async function take(files) {
    const refused = [];
    for (const one of files) {
      const most = found.brings[(one.name.match(/\.\w+$/) || [""])[0].toLowerCase()];
      if (one.size > most) refused.push(`${one.name} is too large; its kind may have ${bytes(most)}`);
      else try { notice(`${(await bring(one)).name} is in the folder`); } catch (error) { refused.push(error.message); }
    }
    file.value = trouble.textContent = "";
    Object.assign(found, await get("/home"));
    list();
    trouble.textContent = refused.join("; ");
  }
  function list() {
    const word = wanted.value.toLowerCase();
    const files = found.files.filter(f => (f.name + " " + f.kind + " " + f.game).toLowerCase().includes(word));
    table.replaceChildren(...files.map(row));
    if (!files.length) table.append(h("tr", {}, h("td", { colspan: 5, class: "soft" },
      found.files.length ? "No file is called that." : "Nothing here yet: build a spot and solve it.")));
  }
  function row(item) {
    const doing = [];
    const poker = item.kind === "solution" || item.kind === "blueprint";
    if (poker && item.table) doing.push(["Charts", href("report", { file: item.name })]);
    if (poker) doing.push(["Browse", href("browse", { file: item.name })]);
    if (item.kind === "solution" && !item.table || item.kind === "spot") doing.push(["Edit", href("build", { file: item.name })]);
    if (item.kind === "strategy") doing.push(["Open", href("game", { file: item.name })]);
    if (item.kind === "game") doing.push(["Open", href("build", { game: item.name })]);
    if (item.kind === "solution" || item.kind === "strategy") doing.push(["Bend", href("bend", { file: item.name })]);
    if (item.kind === "record") doing.push(["Go on", href("play", { session: item.name })]);
    if (poker || item.kind === "strategy") doing.push(["Play", href("play", { against: item.name })]);
    return h("tr", {},
      h("td", {}, doing.length ? h("a", { href: doing[0][1] }, item.name) : item.name),
      h("td", {}, h("span", { class: "tag " + item.kind }, KINDS[item.kind] || item.kind)),
      h("td", { class: "num" }, bytes(item.size)),
      h("td", { class: "soft wide" }, new Date(1000 * item.changed).toLocaleString()),
      h("td", { class: "doing" }, doing.map(([title, to]) => h("a", { class: "button", href: to }, title))));
  }
  list();
  root.append(
    h("section", { class: "card hero" },
      h("h1", {}, "Look, ask and play"),
      h("p", { class: "soft" }, `Spots and games of the folder “${found.folder}”, solved on this machine.`),
      h("div", { class: "row" },
        h("a", { class: "button strong", href: "/build" }, "Build a spot"),
        h("a", { class: "button", href: "/build?game=leduc" }, "Choose a game"),
        h("button", { onclick: () => file.click() }, "Bring a file"), file), trouble),
    h("section", { class: "card" },
      h("div", { class: "row between" }, h("h2", {}, "Files"), wanted),
      h("div", { class: "scroll" }, h("table", { class: "list" },
        h("thead", {}, h("tr", {}, ["Name", "Kind", "Size", "Changed", ""].map((t, k) =>
          h("th", { class: k === 2 ? "num" : k === 3 ? "wide" : "" }, t)))), table))));
  root.ondragover = event => event.preventDefault();
  root.ondrop = event => { event.preventDefault(); take(event.dataTransfer.files); };
  return { leave: () => { root.ondragover = root.ondrop = null; },
    send: { command: () => "counterfold studio ." }, key: event => event.key === "/" && (wanted.focus(), true), help: [["/", "find a file"]] };
}
