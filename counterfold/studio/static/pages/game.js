// A game of whatever rules: infosets and what is played there, the tree, the convergence.
import { h, s, get, href, later, count, tried } from "../parts.js";
import { falling } from "../curve.js";
import { command } from "../send.js";

export const COLOURS = ["#4a8fc7", "#e08a2e", "#1f8f78", "#b3202c", "#8a63b8", "#7a7f86", "#c9a227", "#2e4a8f"];

export async function show(root, params) {
  if (!params.file) {
    const { files } = await get("/home"), strategies = files.filter(file => file.kind === "strategy");
    root.append(h("section", { class: "card" }, h("h1", {}, "Which game?"), strategies.length
      ? h("ul", { class: "plain" }, strategies.map(file => h("li", {}, h("a", { href: href("game", { file: file.name }) }, file.name), h("span", { class: "soft" }, " " + file.game))))
      : h("p", { class: "soft" }, "None is solved yet: ", h("a", { href: "/build?game=kuhn" }, "choose a game"), ".")));
    return {};
  }
  const [first, drawn] = await Promise.all([get("/game", { file: params.file }), get("/game/tree", { file: params.file }).catch(error => error)]);
  const names = [...new Set(first.rows.flatMap(row => Object.keys(row[2])))];
  const colour = action => COLOURS[Math.max(names.indexOf(action), 0) % COLOURS.length];
  const rows = h("tbody"), more = h("p", { class: "soft" });
  const wanted = h("input", { type: "search", placeholder: "K*bet", "aria-label": "Infosets whose name fits", value: params.pattern || "", oninput: later(look) });
  async function look() {
    const found = await tried(() => get("/game", { file: params.file, pattern: wanted.value }));
    if (found) fill(found);
  }
  function fill(found) {
    rows.replaceChildren(...found.rows.map(([player, infoset, actions]) => h("tr", {}, h("td", {}, player + 1), h("td", {}, infoset || "(nothing seen)"),
      h("td", { class: "mixcell" }, mix(actions), h("small", { class: "soft" }, Object.entries(actions).map(([a, p]) => `${a} ${(100 * p).toFixed(1)}%`).join(", "))))));
    more.textContent = found.more ? "The first thousand are shown; name a part to see others." : found.rows.length ? "" : "No infoset is called that; * stands for anything, as in K*.";
  }
  function mix(actions) {
    let from = 0;
    const stops = Object.entries(actions).map(([action, p]) => { const text = `${colour(action)} ${100 * from}% ${100 * (from + p)}%`; from += p; return text; });
    return h("div", { class: "bar", style: { background: `linear-gradient(90deg,${stops.join(",")})` } });
  }
  fill(first);
  const drawing = h("div", { class: "scroll tree" }, drawn.nodes ? draw(drawn.nodes, colour) : h("p", { class: "soft" }, drawn.message));
  root.append(
    h("div", { class: "halves top" },
      h("section", { class: "card" }, h("h1", {}, first.game), h("dl", {},
        first.values && h("div", {}, h("dt", {}, "Value"), h("dd", {}, first.values.map((v, k) => `player ${k + 1}: ${v.toPrecision(5)}`).join(", "))),
        first.exploitability !== null && h("div", {}, h("dt", {}, "Exploitability"), h("dd", {}, `${first.exploitability.toPrecision(3)}, exactly`)),
        h("div", {}, h("dt", {}, "Infosets"), h("dd", {}, count(first.infosets))),
        ...Object.entries(first.about).filter(([k]) => ["method", "iterations", "iteration"].includes(k)).map(([k, v]) => h("div", {}, h("dt", {}, k[0].toUpperCase() + k.slice(1)), h("dd", {}, typeof v === "number" ? count(v) : v)))),
        h("div", { class: "row" }, h("a", { class: "button", href: href("play", { game: first.game, against: first.file }) }, "Play against it"))),
      h("section", { class: "card" }, h("h2", {}, "Convergence"), first.trace.length ? falling(first.trace.map(([i, , e]) => [i, e]), {}) : h("p", { class: "soft" }, "The file has no run in it."))),
    h("section", { class: "card" }, h("h2", {}, "Tree"), drawing),
    h("section", { class: "card" }, h("div", { class: "row between" }, h("h2", {}, "Infosets"), wanted),
      h("div", { class: "row legend" }, names.slice(0, 12).map(a => h("span", {}, h("i", { class: "swatch", style: { background: colour(a) } }), a))),
      h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["Player", "Sees", "Plays"].map(t => h("th", {}, t)))), rows)), more));
  return { key: event => event.key === "/" && (wanted.focus(), true), help: [["/", "find infosets"]],
    send: { csv: () => "/api" + href("game/csv", { file: params.file, pattern: wanted.value }), command: () => command("show", params.file, wanted.value) } };
}

// Nodes come after their parents; leaves stand below each other, parents in the middle of theirs.
function draw(nodes, colour) {
  const children = nodes.map(() => []);
  nodes.forEach((node, k) => { if (node.parent >= 0) children[node.parent].push(k); });
  let row = 0, deepest = 0;
  const at = nodes.map(() => [0, 0]);
  const depth = nodes.map(node => 0);
  nodes.forEach((node, k) => { depth[k] = node.parent < 0 ? 0 : depth[node.parent] + 1; deepest = Math.max(deepest, depth[k]); });
  nodes.forEach((_, k) => { if (!children[k].length) at[k] = [depth[k], row++]; });
  for (let k = nodes.length - 1; k >= 0; k--) if (children[k].length) at[k] = [depth[k], (at[children[k][0]][1] + at[children[k].at(-1)][1]) / 2];
  const W = 150, H = 22, X = d => 20 + W * d, Y = r => 16 + H * r;
  const svg = s("svg", { width: X(deepest) + 110, height: Y(row), role: "img", "aria-label": "the tree of the game" });
  nodes.forEach((node, k) => {
    if (node.parent < 0) return;
    const [x0, y0] = at[node.parent].map((v, n) => n ? Y(v) : X(v)), [x1, y1] = at[k].map((v, n) => n ? Y(v) : X(v));
    const chance = nodes[node.parent].who === -1;
    svg.append(s("path", { d: `M${x0} ${y0}C${x0 + W / 2} ${y0} ${x0 + W / 3} ${y1} ${x1} ${y1}`, fill: "none", stroke: chance ? "var(--faint)" : colour(node.action),
      "stroke-width": Math.max(.5, 4 * node.share), opacity: Math.max(.25, Math.sqrt(node.share)) }));
    const text = s("text", { x: x1 - 8, y: y1 - 4, "text-anchor": "end" });
    text.textContent = `${node.action}${chance ? "" : " " + Math.round(100 * node.share) + "%"}`;
    svg.append(text);
  });
  nodes.forEach((node, k) => {
    const [x, y] = [X(at[k][0]), Y(at[k][1])], dot = s("circle", { cx: x, cy: y, r: node.who >= 0 ? 5 : 3, class: `node who${node.who}` });
    const told = s("title");
    told.textContent = node.payoff ? node.payoff.join(", ") : node.who < 0 ? "chance" : `player ${node.who + 1}: ${node.infoset}`;
    dot.append(told);
    svg.append(dot);
    if (node.payoff) { const text = s("text", { x: x + 7, y: y + 4 }); text.textContent = node.payoff.map(v => +v.toFixed(2)).join(" / "); svg.append(text); }
  });
  return svg;
}
