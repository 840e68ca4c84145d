// A solution, place by place: the line, the grid of whoever acts, the hands of a cell, next cards.
import { h, get, href, notice, copied } from "../parts.js";
import { HandGrid } from "../grid.js";
import { command } from "../send.js";
import { roving } from "../keys.js";
import { bar, card, chips, fill, known, modes, modeTitle, isWorth, number, pct, ramp, signs, span, suits, value } from "/grid_draw.js";

export async function show(root, params, go) {
  const page = new Browse(root, go);
  if (!params.file) return page.choose();
  await page.open(params);
  return { key: event => page.key(event), moved: next => page.open(next), help: KEYS, send: {
    csv: () => "/api" + href("browse/csv", { file: page.file, line: page.place.line.join(", ") }),
    html: () => "/api" + href("browse/page", { file: page.file, line: page.place.line.join(", ") }),
    command: () => command("show", page.file, page.place.line.join(", "), ["--mode", page.mode === "strategy" ? "" : page.mode]),
  } };
}
const MODES = ["strategy", "ev", "equity", "weight"];
// The modes of a view in which there is something to see: over buckets EV and equity are not known.
const usable = view => modes(view).filter(name => !(name === "ev" || name === "equity") || view.cells[name].some(known));
const KEYS = [["← or Backspace", "one step back"], ["→", "the action taken most, or the last one again"],
  ["a to z, in order", "an action: the first, the second…"], ["[ and ]", "the card before, the next card"],
  ["Home", "to the beginning"], ["m, shift m", "the next mode, the one before"], ["o", "both ranges, or the one who acts"],
  ["arrows in the grid", "another cell"]];

// Places that were asked for are kept so long, and those after the one that is seen are asked for once nothing happens.
const FRESH = 20_000, IDLE = 200;
const deckPlace = card => ({ "grid-column": "AKQJT98765432".indexOf(card[0]) + 1, "grid-row": "shdc".indexOf(card[1]) + 1 });

class Browse {
  constructor(root, go) {
    Object.assign(this, { root, go, mode: "strategy", wish: "strategy", both: false, cell: null, pinned: null, ahead: [], kept: new Map() });
  }
  // A place as the server tells it, or as it did just now.
  ask(query) {
    const key = JSON.stringify(query), now = performance.now(), known = this.kept.get(key);
    if (known && now - known.at < FRESH) return known.answer;
    for (const [old, { at }] of this.kept) if (now - at >= FRESH) this.kept.delete(old);
    const answer = get("/browse", query);
    this.kept.set(key, { at: now, answer });
    answer.catch(() => this.kept.delete(key));
    return answer;
  }
  // What the next click will need, one after another, until there is one.
  async lookAhead() {
    const mine = this.asking, { place } = this;
    await new Promise(done => setTimeout(done, IDLE));
    for (const action of place.next.actions) {
      if (mine !== this.asking || !this.root.isConnected || location.pathname !== "/browse") return;
      await this.ask({ file: this.file, line: [...place.line, action].join(", "), both: this.both ? "1" : "", with: this.other }).catch(() => null);
    }
  }
  async choose() {
    const { files } = await get("/home");
    const solutions = files.filter(file => ["solution", "blueprint"].includes(file.kind));
    this.root.append(h("section", { class: "card" }, h("h1", {}, "Which solution?"), solutions.length
      ? h("ul", { class: "plain" }, solutions.map(file => h("li", {}, h("a", { href: href("browse", { file: file.name }) }, file.name))))
      : h("p", { class: "soft" }, "There is none yet: ", h("a", { href: "/build" }, "build a spot"), " and solve it.")));
  }
  async open({ file, line = "", mode = "strategy", both = "", with: other = "" }) {
    const began = performance.now();
    const mine = this.asking = {};
    const found = await this.ask({ file, line, both, with: other });
    if (mine !== this.asking) return;
    this.place = found;
    this.file = file;
    this.both = !!both && !other;
    this.other = other;
    this.wish = mode;
    const there = usable(found.views[0]);
    this.mode = there.includes(mode) ? mode : there.find(name => name === "strategy" || name === "equity") || "weight";
    if (!this.laid) this.lay();
    this.hands = {};
    this.draw();
    this.root.dataset.line = found.line.join(", ");
    requestAnimationFrame(() => { this.root.dataset.drawn = String(performance.now() - began); });
    if (this.pinned !== null) this.detail();
    this.strip();
    this.lookAhead();
  }
  to(line, more = {}) {
    return this.go(href("browse", { file: this.file, line: line.join(", "), mode: this.wish === "strategy" ? "" : this.wish,
      both: this.both ? "1" : "", with: this.other, ...more }), { replace: false });
  }
  lay() {
    const point = k => { if (this.pinned === null) { this.cell = k; this.detail(); } };
    const pick = k => { this.pinned = this.pinned === k ? null : k; this.cell = k; this.detail(); };
    const classes = this.place.frame.classes;
    this.parts = Object.fromEntries(["line", "told", "modes", "strip", "totals", "detail"].map(name => [name, h("div", { class: name })]));
    this.sides = [];
    this.sidesBox = h("div", { class: "grids" });
    // A grid with its heading, made when it is first needed.
    this.side = k => {
      while (this.sides.length <= k) {
        const grid = new HandGrid(classes, { label: "hands; move with the arrow keys", point, pick }), heads = h("div", { class: "heads" });
        const element = h("div", { class: "side" }, heads, grid.element);
        this.sides.push({ grid, heads, element });
        this.sidesBox.append(element);
      }
      return this.sides[k];
    };
    this.root.append(
      h("section", { class: "card linecard" }, this.parts.line),
      h("div", { class: "browse" },
        h("section", { class: "card gridcard" }, this.parts.modes, this.sidesBox),
        h("div", { class: "beside" },
          h("section", { class: "card" }, this.parts.told, this.parts.totals),
          h("section", { class: "card stripcard" }, this.parts.strip),
          h("section", { class: "card detailcard", "aria-live": "polite" }, this.parts.detail))));
    this.laid = true;
  }
  draw() {
    const { place } = this, [first] = place.views;
    this.drawLine();
    this.parts.modes.replaceChildren(
      h("div", { class: "row" }, MODES.filter(name => name === "strategy" || usable(first).includes(name)).map(name => h("button", { disabled: !usable(first).includes(name), "aria-pressed": name === this.mode ? "true" : "false",
        onclick: () => this.to(place.line, { mode: name === "strategy" ? "" : name }) }, modeTitle(name))), this.single(first)),
      h("div", { class: "row nowrap" }, h("button", { "aria-pressed": this.both ? "true" : "false", onclick: () => this.to(place.line, { both: this.both ? "" : "1", with: "" }) }, place.players.length > 2 ? "All ranges" : "Both ranges"), this.others()));
    const shown = place.other ? [first, place.other.view].filter(Boolean) : place.views;
    const count = shown.length + (place.other && place.other.view ? 1 : 0);
    this.side(count - 1);
    this.sides.forEach(({ element }, k) => { element.hidden = k >= count; });
    this.sidesBox.className = "grids" + (count > 2 ? " three" : count > 1 ? " two" : "");
    const range = span(shown, this.mode);
    shown.forEach((view, k) => {
      const mode = usable(view).includes(this.mode) ? this.mode : "weight";
      const title = place.other ? [place.file, place.other.file][k] : view.player + (view.actions.length ? " to act" : "");
      this.sides[k].heads.replaceChildren(h("h2", {}, title), h("span", { class: "soft" }, mode === this.mode ? "" : modeTitle(mode).toLowerCase()));
      this.sides[k].grid.draw(n => {
        const found = fill(view, n, mode, place.frame, mode === this.mode ? range : [0, 1000]);
        return found && { ...found, text: number(view, n, mode), told: `${place.frame.classes[n]} ${number(view, n, mode)}` };
      });
    });
    if (place.other && !place.other.view) notice(place.other.why, true);
    else if (place.other) this.difference(first, place.other.view);
    this.totals();
    this.detail();
  }
  // Modes of a single action: how often it is taken, and what it is worth.
  single(view) {
    const all = modes(view).filter(name => !MODES.includes(name));
    const box = h("select", { "aria-label": "one action", disabled: !all.length, onchange: () => this.to(this.place.line, { mode: box.value }) },
      h("option", { value: "" }, "One action…"), all.map(name => h("option", { value: name, selected: name === this.mode }, modeTitle(name))));
    return box;
  }
  // Another solution beside this one.
  others() {
    const box = h("select", { "aria-label": "another solution beside this one", onchange: () => this.to(this.place.line, { with: box.value, both: "" }) }, h("option", { value: "" }, "Compare with…"));
    const list = files => box.append(...files.filter(f => ["solution", "blueprint"].includes(f.kind) && f.name !== this.file).map(f => h("option", { value: f.name, selected: f.name === this.other }, f.name)));
    if (this.files) list(this.files);
    else get("/home").then(found => { this.files = found.files; list(found.files); });
    return box;
  }
  // How the first differs from the second: in strategy the share of play that differs, else more or less.
  difference(one, two) {
    const { frame } = this.place, mode = this.mode, strategy = mode === "strategy";
    const of = k => {
      if (!(one.cells.full[k] > 0) || !(two.cells.full[k] > 0)) return null;
      if (!strategy) { const [a, b] = [value(one, k, mode), value(two, k, mode)]; return known(a) && known(b) ? a - b : null; }
      const shares = v => Object.fromEntries(v.actions.map((action, n) => [action, v.cells.mix[n][k]]));
      const [a, b] = [shares(one), shares(two)];
      if (![...Object.values(a), ...Object.values(b)].every(known)) return null;
      return [...new Set([...one.actions, ...two.actions])].reduce((sum, action) => sum + Math.abs((a[action] || 0) - (b[action] || 0)), 0) / 2;
    };
    const all = frame.classes.map((_, k) => of(k)), most = strategy ? 1000 : Math.max(1e-9, ...all.filter(known).map(Math.abs));
    this.sides[2].heads.replaceChildren(h("h2", {}, "Difference"), h("span", { class: "soft" }, strategy ? "share of play that differs" : "first less second"));
    this.sides[2].grid.draw(k => known(all[k]) ? { height: 100, background: strategy ? ramp(frame.shares, all[k] / 1000) : ramp(frame.goodness, .5 + .5 * all[k] / most),
      text: isWorth(mode) ? (all[k] > 0 ? "+" : "") + chips(all[k]) : (all[k] > 0 && !strategy ? "+" : "") + pct(all[k], 0) } : null);
  }
  drawLine() {
    const { place } = this, { steps, line } = place;
    const board = place.views[0].board;
    const crumbs = steps.map((step, k) => {
      const back = line.slice(0, k), here = k === line.length;
      if (step.kind === "deal" && step.taken) return h("button", { class: "step deal", onclick: () => this.to(back) },
        h("small", {}, "dealt"), h("span", {}, step.taken.replace(/[[\]]/g, "").split(" ").map(one => card(one, place.frame))));
      if (step.kind === "decision") return h("div", { class: "step" + (here ? " here" : "") },
        h("button", { class: "who", onclick: () => this.to(back) }, `${step.who} · ${chips(step.pot)}`),
        h("div", { class: "choices" }, step.actions.map((action, n) => h("button", { class: "choice" + (action === step.taken ? " taken" : ""),
          "aria-pressed": action === step.taken ? "true" : "false", style: { "--c": step.colours[n] },
          onclick: () => this.to([...back, action]) }, action))));
      if (step.kind === "deal") return h("div", { class: "step here" }, h("small", {}, `pot ${chips(step.pot)}`), h("span", {}, place.next.count === 1 ? "choose a card" : "cards come"));
      return h("div", { class: "step end here" }, h("small", {}, `pot ${chips(step.pot)}`), h("span", {}, "the hand ends"));
    });
    this.parts.line.replaceChildren(
      h("div", { class: "step board" }, h("small", {}, place.game), h("span", {}, board.length ? board.map(one => card(one, place.frame)) : "before the flop")), ...crumbs);
    const now = this.parts.line.lastElementChild;
    this.parts.line.scrollLeft = now.offsetLeft;
  }
  totals() {
    const { place } = this, [view] = place.views;
    this.parts.told.replaceChildren(...[...view.told, place.about].map(text => h("div", { class: "soft" }, text)));
    const parts = [];
    if (view.frequencies.length && view.frequencies.every(known)) parts.push(bar(view.frequencies, view.colours));
    parts.push(h("div", { class: "actions" }, view.actions.map((action, k) => h("button", { class: "action", style: { "--c": view.colours[k] },
      onclick: () => this.to([...place.line, action]) }, h("kbd", {}, "abcdefghi"[k]), h("b", {}, action), h("span", {}, pct(view.frequencies[k]))))));
    this.parts.totals.replaceChildren(...parts);
  }
  async detail() {
    const { place } = this, k = this.pinned ?? this.cell, box = this.parts.detail;
    if (k === null || k === undefined) {
      box.replaceChildren(h("p", { class: "soft" }, "Point at a cell to see its hands; click to keep it."));
      return;
    }
    const parts = place.views.map(view => this.cellOf(view, k));
    box.replaceChildren(h("h2", {}, place.frame.classes[k]), ...parts);
    for (const view of place.views) {
      if (!(view.cells.combos[k] > 0)) continue;
      const key = view.player;
      if (!this.hands[key]) this.hands[key] = get("/browse/hands", { file: this.file, line: place.line.join(", "), player: key }).catch(() => null);
      const found = await this.hands[key];
      if (place !== this.place || (this.pinned ?? this.cell) !== k || !found) return;
      const slot = box.querySelector(`[data-player="${CSS.escape(key)}"]`);
      if (slot) slot.replaceChildren(this.combos(view, found.hands, k));
    }
  }
  cellOf(view, k) {
    const c = view.cells, made = h("div", { class: "cellof" });
    if (this.place.views.length > 1) made.append(h("h3", {}, view.player));
    if (!(c.combos[k] > 0)) { made.append(h("p", { class: "soft" }, "No such hand gets here.")); return made; }
    made.append(h("div", { class: "soft" }, `${chips(c.combos[k])} of ${c.possible[k]} combos, EV ${chips(c.ev[k])}, equity ${pct(c.equity[k])}`));
    if (view.actions.length) made.append(bar(c.mix.map(row => row[k]), view.colours));
    made.append(h("div", { class: "scroll combos", data: { player: view.player } }));
    return made;
  }
  combos(view, hands, k) {
    const head = h("tr", {}, h("th", {}, "hand"), h("th", {}, "weight"), view.actions.map((action, n) => h("th", { style: { "border-bottom": `3px solid ${view.colours[n]}` } }, action)),
      h("th", {}, "EV"), h("th", {}, "equity"), hands.evs.map((_, n) => h("th", {}, "EV " + view.actions[n])));
    const rows = [];
    for (let n = hands.begin[k]; n < hands.begin[k + 1]; n++) {
      const name = hands.names.slice(4 * n, 4 * n + 4);
      rows.push(h("tr", {}, h("td", { class: "hand" }, [name.slice(0, 2), name.slice(2)].map(one => h("span", { class: "suit-" + one[1] }, one[0] + signs[suits.indexOf(one[1])]))),
        h("td", {}, pct(hands.weight[n], 0)), hands.mix.map(row => h("td", {}, pct(row[n]))), h("td", {}, chips(hands.ev[n])), h("td", {}, pct(hands.equity[n])),
        hands.evs.map(row => h("td", {}, chips(row[n])))));
    }
    return h("table", {}, h("thead", {}, head), h("tbody", {}, rows));
  }
  // Cards of the next street, coloured by EV; also at places right after a card, for the one before.
  async strip() {
    const { place } = this, box = this.parts.strip;
    const dealt = place.line.findLastIndex(word => word.startsWith("["));
    const from = place.next.kind === "deal" && place.next.count === 1 ? place.line : dealt >= 0 ? place.line.slice(0, dealt) : null;
    const flop = place.next.kind === "deal" && place.next.count > 1;
    box.parentNode.hidden = !place.deals;
    if (flop) { this.stripKey = this.cards = null; this.pickFlop(box); return; }
    if (!from) { this.cards = this.stripKey = null; box.replaceChildren(h("p", { class: "soft" }, "Every card of the next street is told here when a street ends.")); return; }
    const key = this.file + "|" + from.join(", ");
    if (this.stripKey !== key) {
      this.stripKey = key;
      box.replaceChildren(h("p", { class: "soft" }, "Every card…"));
      this.cards = await get("/browse/cards", { file: this.file, line: from.join(", ") }).catch(() => null);
      this.cardsFrom = from;
      if (this.stripKey !== key) return;
      if (!this.cards) { box.replaceChildren(h("p", { class: "soft" }, "No card is told here.")); return; }
    }
    if (this.cards) this.drawStrip(box);
  }
  // Several cards that come at once: chosen one by one.
  pickFlop(box) {
    const { place } = this, { cards, count } = place.next, chosen = [];
    const told = h("h2", {}), draw = () => { told.textContent = `Choose ${count - chosen.length} card${count - chosen.length > 1 ? "s" : ""} of the board`; };
    const deck = cards.map(one => h("button", { class: "pick suit-" + one[1], "aria-label": one, "aria-pressed": "false", style: deckPlace(one), onclick: event => {
      if (chosen.includes(one)) chosen.splice(chosen.indexOf(one), 1); else chosen.push(one);
      event.currentTarget.setAttribute("aria-pressed", chosen.includes(one));
      draw();
      if (chosen.length === count) this.to([...place.line, `[${chosen.join(" ")}]`]);
    } }, one[0], h("small", {}, signs[suits.indexOf(one[1])])));
    draw();
    const laid = h("div", { class: "deck" }, deck);
    box.replaceChildren(told, laid);
    roving(laid);
  }
  drawStrip(box) {
    const { cards, place } = this, frame = place.frame;
    const names = [...["ev", "equity"].filter(name => cards.cards.some(one => known(one[name]))), ...cards.actions];
    const mode = names.includes(this.stripMode) ? this.stripMode : names[0];
    const of = one => mode === "ev" ? one.ev : mode === "equity" ? one.equity : one.frequencies[cards.actions.indexOf(mode)];
    const values = cards.cards.map(of).filter(known);
    const low = mode === "ev" ? Math.min(...values) : 0, high = mode === "ev" ? Math.max(...values, low + 1e-9) : 1;
    const now = place.line[this.cardsFrom.length];
    const told = one => { const x = of(one); return !known(x) ? "" : mode === "ev" ? String(+x.toPrecision(3)) : Math.round(100 * x) + "%"; };
    const colours = cards.actions.includes(mode) ? [frame.shares[0], cards.colours[cards.actions.indexOf(mode)]] : frame.goodness;
    box.replaceChildren(
      h("div", { class: "row between" }, h("h2", {}, `${cards.player} after each card`),
        h("select", { "aria-label": "cards by", onchange: event => { this.stripMode = event.target.value; this.drawStrip(box); } },
          names.map(name => h("option", { value: name, selected: name === mode }, modeTitle(name))))),
      h("div", { class: "deck" }, cards.cards.map(one => h("button", { class: "next", "aria-label": `${one.card} ${told(one)}`, "aria-current": now === `[${one.card}]` ? "true" : null,
        style: { ...deckPlace(one.card), background: known(of(one)) ? ramp(colours, (of(one) - low) / (high - low)) : "" },
        onclick: () => this.to([...this.cardsFrom, `[${one.card}]`]) },
      h("b", {}, one.card[0] + signs[suits.indexOf(one.card[1])]), h("small", {}, told(one))))));
    roving(box.querySelector(".deck"));
  }
  key(event) {
    const { place } = this;
    if (!place) return false;
    const { line } = place, [view] = place.views, letter = event.key;
    if (letter === "ArrowLeft" || letter === "Backspace") {
      if (!line.length) return true;
      this.ahead.push(line.at(-1));
      this.to(line.slice(0, -1));
    } else if (letter === "ArrowRight") {
      const again = this.ahead.pop();
      if (again && (place.next.actions.includes(again) || again.startsWith("["))) this.to([...line, again]);
      else if (view.actions.length) this.to([...line, view.actions[view.frequencies.indexOf(Math.max(...view.frequencies))]]);
      else if (place.next.kind === "deal") this.shift(1);
    } else if (letter === "Home") this.to([]);
    else if (letter === "]") this.shift(1);
    else if (letter === "[") this.shift(-1);
    else if (letter === "o") this.to(line, { both: this.both ? "" : "1" });
    else if (letter === "m" || letter === "M") {
      const all = usable(view), next = all[(all.indexOf(this.mode) + (letter === "m" ? 1 : all.length - 1)) % all.length];
      this.to(line, { mode: next === "strategy" ? "" : next });
    } else if (/^[a-i]$/.test(letter) && view.actions["abcdefghi".indexOf(letter)]) {
      this.ahead = [];
      this.to([...line, view.actions["abcdefghi".indexOf(letter)]]);
    } else return false;
    return true;
  }
  shift(step) {
    if (!this.cards || !this.cardsFrom) { notice("no card comes here"); return; }
    const names = this.cards.cards.map(one => `[${one.card}]`), at = this.cardsFrom.length;
    const now = names.indexOf(this.place.line[at]);
    const next = names[now < 0 ? (step > 0 ? 0 : names.length - 1) : (now + step + names.length) % names.length];
    this.to([...this.cardsFrom, next, ...this.place.line.slice(at + 1)]);
  }
}
