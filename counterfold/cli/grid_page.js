"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
let at = 0, side = 0, mode = "strategy", chosen = -1, pinned = false;

const view = () => data.nodes[at].views[side];

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
  const all = modes(v);
  if (!all.includes(mode)) mode = v.actions.length ? "strategy" : "equity";
  box.replaceChildren(...all.map(name => {
    const button = make("button", modeTitle(name));
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
  $("board").replaceChildren(...v.board.map(name => card(name, data)));
  $("told").replaceChildren(...v.told.map(text => make("div", text)));
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

function grid(v) {
  const range = span([v], mode);
  $("grid").replaceChildren(...data.classes.map((name, k) => {
    const there = v.cells.full[k] > 0;
    const cell = make("div", undefined, "cell" + (there ? " there" : ""));
    if (k === chosen) cell.classList.add("chosen");
    const inside = make("i"), filled = fill(v, k, mode, data, range);
    if (filled) {
      inside.style.height = filled.height + "%";
      inside.style.background = filled.background;
    }
    cell.append(inside, make("b", name), make("span", there ? number(v, k, mode) : ""));
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
