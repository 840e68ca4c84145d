"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const suits = "cdhs", signs = "♣♦♥♠";
let at = 0, side = 0, mode = "strategy", chosen = -1, pinned = false;

function make(tag, text, classes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}
const known = x => x !== null && x !== undefined;
// Shares are thousandths with two decimals; halves go up, as in the terminal and in pictures.
const steps = x => Math.round(100 * x);
const pct = (x, digits = 1) => !known(x) ? "?" : (digits
  ? (Math.floor((steps(x) + 50) / 100) / 10).toFixed(1)
  : Math.floor((steps(x) + 500) / 1000)) + "%";
const chips = x => {
  if (!known(x)) return "?";
  const digits = Math.abs(x) >= 999.5 ? 0 : Math.abs(x) >= 99.5 ? 1 : 2;
  return String(+x.toFixed(digits) || 0);
};
const view = () => data.nodes[at].views[side];

function ramp(colours, place) {
  const x = Math.min(Math.max(place, 0), 1) * (colours.length - 1);
  const k = Math.min(Math.floor(x), colours.length - 2);
  const part = n => {
    const [a, b] = [k, k + 1].map(m => parseInt(colours[m].slice(n, n + 2), 16));
    return Math.round(a + (b - a) * (x - k));
  };
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}
function split(mix, colours) {
  let from = 0;
  const stops = mix.map((p, k) => {
    const text = `${colours[k]} ${from / 10}% ${(from + p) / 10}%`;
    from += p;
    return text;
  });
  return `linear-gradient(90deg,${stops.join(",")})`;
}
function bar(mix, colours) {
  const made = make("div", undefined, "bar");
  if (mix.length && mix.every(known)) made.style.background = split(mix, colours);
  return made;
}
function card(name) {
  const suit = suits.indexOf(name[1]);
  const made = make("span", name[0] + signs[suit], "card");
  made.style.background = data.suits[suit];
  return made;
}

function tree() {
  const list = $("tree");
  data.nodes.forEach((node, k) => {
    const button = make("button", node.label + " ");
    button.append(make("small", node.who));
    button.style.paddingLeft = .4 + .8 * node.depth + "rem";
    button.onclick = () => go(k);
    list.append(button);
  });
  $("main").classList.toggle("alone", data.nodes.length < 2);
}
function go(k) {
  location.hash = k ? "node" + k : "";
  if (k !== at) { at = k; side = 0; }
  show();
}

function choices(v) {
  const box = $("modes");
  const names = [...(v.actions.length ? ["strategy"] : []), "ev", "equity", "weight"];
  const all = [...names, ...v.actions, ...(c => c.evs.map((_, n) => "ev:" + v.actions[n]))(v.cells)];
  if (!all.includes(mode)) mode = v.actions.length ? "strategy" : "equity";
  const titles = { strategy: "Strategy", ev: "EV", equity: "Equity", weight: "Weight" };
  box.replaceChildren(...all.map(name => {
    const button = make("button", titles[name] || name.replace("ev:", "EV "));
    button.setAttribute("aria-pressed", name === mode);
    button.onclick = () => { mode = name; show(); };
    return button;
  }));
  const views = data.nodes[at].views;
  $("sides").replaceChildren(...(views.length < 2 ? [] : views.map((one, k) => {
    const button = make("button", one.player + "'s hands");
    button.setAttribute("aria-pressed", k === side);
    button.onclick = () => { side = k; show(); };
    return button;
  })));
}

function head(v) {
  $("what").textContent = v.title;
  $("line").replaceChildren(...(v.line.length ? [] : [make("span", "Nothing yet", "soft")]));
  const crumb = (text, k) => {
    const button = make("button", text);
    button.onclick = () => go(k);
    return button;
  };
  const path = [];
  for (let k = at; k >= 0; k = data.nodes[k].parent) path.unshift(k);
  if (path.length > 1) $("line").replaceChildren(...path.map(k => crumb(data.nodes[k].label, k)));
  else if (v.line.length) $("line").textContent = v.line.join(", ");
  $("board").replaceChildren(...v.board.map(card));
  $("told").replaceChildren(...v.told.map(text => make("div", text)));
}

function worth(v) {
  return mode === "ev" ? v.cells.ev : v.cells.evs[v.actions.indexOf(mode.slice(3))];
}
// Cards that lead from one place to nodes of this page: 13 ranks across, coloured by EV.
function cards() {
  const dealt = k => /\[(..)\]$/.exec(data.nodes[k].label);
  const all = data.nodes.map((_, k) => k).filter(
    k => dealt(k) && data.nodes[k].parent === data.nodes[at].parent);
  if (!dealt(at) || all.length < 2) return $("cards").replaceChildren();
  const evs = all.map(k => data.nodes[k].views[0].ev).filter(known);
  const low = Math.min(...evs), high = Math.max(...evs, low + 1e-9);
  $("cards").replaceChildren(...all.map(k => {
    const name = dealt(k)[1], one = data.nodes[k].views[0], suit = suits.indexOf(name[1]);
    const button = make("button");
    button.append(make("b", name[0] + signs[suit]), make("span", chips(one.ev)));
    button.append(bar(one.frequencies, one.colours));
    button.style.gridColumn = "AKQJT98765432".indexOf(name[0]) + 1;
    button.style.gridRow = 4 - suit;
    button.style.background = known(one.ev) ? ramp(data.goodness, (one.ev - low) / (high - low)) : "";
    button.setAttribute("aria-current", k === at);
    button.title = one.actions.map((a, n) => `${a} ${pct(one.frequencies[n])}`).join(", ");
    button.onclick = () => go(k);
    return button;
  }));
}

function colour(v, k) {
  const c = v.cells;
  if (mode === "strategy")
    return known(c.mix[0][k]) ? split(c.mix.map(row => row[k]), v.colours) : null;
  let value, colours = data.goodness, low = 0, high = 1000;
  if (mode.startsWith("ev")) {
    const row = worth(v);
    value = row[k];
    const all = row.filter((x, n) => known(x) && c.full[n]);
    low = Math.min(0, ...all);
    high = Math.max(low + 1e-9, ...all);
  } else if (mode === "equity") value = c.equity[k];
  else if (mode === "weight") { value = c.weight[k]; colours = data.shares; }
  else {
    const n = v.actions.indexOf(mode);
    value = c.mix[n][k];
    colours = [data.shares[0], v.colours[n]];
  }
  return known(value) ? ramp(colours, (value - low) / (high - low)) : null;
}
function number(v, k) {
  const c = v.cells;
  if (mode.startsWith("ev")) return chips(worth(v)[k]);
  if (mode === "equity") return pct(c.equity[k], 0);
  if (mode === "weight") return pct(c.weight[k], 0);
  if (mode !== "strategy") return pct(c.mix[v.actions.indexOf(mode)][k], 0);
  const most = Math.max(...c.mix.map(row => row[k]));
  return most < 995 ? pct(most, 0) : "";
}
function grid(v) {
  $("grid").replaceChildren(...data.classes.map((name, k) => {
    const there = v.cells.full[k] > 0;
    const cell = make("div", undefined, "cell" + (there ? " there" : ""));
    if (k === chosen) cell.classList.add("chosen");
    const fill = make("i");
    if (there) {
      fill.style.height = mode === "strategy" ? Math.max(v.cells.full[k] / 10, 3) + "%" : "100%";
      fill.style.background = colour(v, k) || "none";
    }
    cell.append(fill, make("b", name), make("span", there ? number(v, k) : ""));
    cell.onmouseenter = () => { if (!pinned) choose(k); };
    cell.onclick = () => { pinned = !(pinned && chosen === k); choose(k); };
    return cell;
  }));
}

function legend(v) {
  const old = $("legend");
  const parts = [];
  if (v.frequencies.length && v.frequencies.every(known)) parts.push(bar(v.frequencies, v.colours));
  const row = make("div", undefined, "row");
  v.actions.forEach((action, k) => {
    const next = data.nodes[at].next[action];
    const entry = make(next === undefined ? "span" : "button");
    const mark = make("span", undefined, "swatch");
    mark.style.background = v.colours[k];
    entry.append(mark, `${action} ${pct(v.frequencies[k])}` + (next === undefined ? "" : " →"));
    if (next !== undefined) entry.onclick = () => go(next);
    row.append(entry);
  });
  parts.push(row);
  old.replaceChildren(...parts);
}

function choose(k) {
  chosen = k;
  [...$("grid").children].forEach((cell, n) => cell.classList.toggle("chosen", n === k));
  detail(view());
}
function detail(v) {
  const box = $("detail");
  if (chosen < 0) {
    box.replaceChildren(make("p", "Point at a cell to see its hands; click to keep it.", "soft"));
    return;
  }
  const c = v.cells, k = chosen, parts = [make("h2", data.classes[k])];
  if (!(c.combos[k] > 0)) parts.push(make("p", "No such hand gets here.", "soft"));
  else {
    const count = `${chips(c.combos[k])} of ${c.possible[k]} combos`;
    const worth = `EV ${chips(c.ev[k])} chips, equity ${pct(c.equity[k])}`;
    parts.push(make("div", `${count}, ${worth}`, "soft"));
    if (v.actions.length) parts.push(bar(c.mix.map(row => row[k]), v.colours));
    v.actions.forEach((action, n) => {
      const row = make("div"), mark = make("span", undefined, "swatch");
      mark.style.background = v.colours[n];
      const told = c.evs.length ? `, EV ${chips(c.evs[n][k])}` : "";
      row.append(mark, `${action} ${pct(c.mix[n][k])}${told}`);
      parts.push(row);
    });
  }
  const from = v.hands ? v.hands.begin[k] : 0, to = v.hands ? v.hands.begin[k + 1] : 0;
  if (to > from) {
    const table = make("table"), top = make("tr");
    top.append(make("th", "hand"), make("th", "weight"));
    v.actions.forEach((action, n) => {
      const th = make("th", action);
      th.style.borderBottom = "3px solid " + v.colours[n];
      top.append(th);
    });
    top.append(make("th", "EV"), make("th", "equity"));
    v.hands.evs.forEach((_, n) => top.append(make("th", "EV " + v.actions[n])));
    table.append(top);
    for (let h = from; h < to; h++) {
      const row = make("tr"), name = v.hands.names.slice(4 * h, 4 * h + 4), cell = make("td");
      for (const one of [name.slice(0, 2), name.slice(2)]) {
        const text = make("span", one[0] + signs[suits.indexOf(one[1])]);
        text.style.color = one[1] === "s" ? "" : data.suits[suits.indexOf(one[1])];
        cell.append(text);
      }
      cell.className = "hand";
      row.append(cell, make("td", pct(v.hands.weight[h], 0)));
      v.actions.forEach((_, n) => row.append(make("td", pct(v.hands.mix[n][h]))));
      row.append(make("td", chips(v.hands.ev[h])), make("td", pct(v.hands.equity[h])));
      v.hands.evs.forEach(evs => row.append(make("td", chips(evs[h]))));
      table.append(row);
    }
    const wide = make("div");
    wide.style.overflowX = "auto";
    wide.style.marginTop = ".8rem";
    wide.append(table);
    parts.push(wide);
  }
  box.replaceChildren(...parts);
}

function show() {
  const v = view();
  [...$("tree").children].forEach((button, k) => button.setAttribute("aria-current", k === at));
  choices(v); head(v); cards(); grid(v); legend(v); detail(v);
}
function fromAddress() {
  const k = parseInt(location.hash.replace("#node", ""), 10) || 0;
  if (k !== at && k < data.nodes.length) { at = k; side = 0; }
  show();
}
function theme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
}
$("theme").onclick = () => theme($("theme").textContent.toLowerCase());
$("grid").onmouseleave = () => { if (!pinned) choose(-1); };
$("grid").onkeydown = event => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  pinned = true;
  choose(Math.min(Math.max(chosen + (chosen < 0 ? 1 : step), 0), 168));
};
window.onhashchange = fromAddress;
theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
tree();
fromAddress();
