// What pages draw of a node: numbers as the terminal writes them, bars, cards, cells of the grid.
// A view is what grid_html.view_document tells; frame has what all views share (frame_of).
export const suits = "cdhs", signs = "♣♦♥♠";

export function make(tag, text, classes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}
export const known = x => x !== null && x !== undefined;
// Shares are thousandths with two decimals; halves go up, as in the terminal and in pictures.
const steps = x => Math.round(100 * x);
export const pct = (x, digits = 1) => !known(x) ? "?" : (digits
  ? (Math.floor((steps(x) + 50) / 100) / 10).toFixed(1)
  : Math.floor((steps(x) + 500) / 1000)) + "%";
export const chips = x => {
  if (!known(x)) return "?";
  const digits = Math.abs(x) >= 999.5 ? 0 : Math.abs(x) >= 99.5 ? 1 : 2;
  return String(+x.toFixed(digits) || 0);
};

export function ramp(colours, place) {
  const x = Math.min(Math.max(place, 0), 1) * (colours.length - 1);
  const k = Math.min(Math.floor(x), colours.length - 2);
  const part = n => {
    const [a, b] = [k, k + 1].map(m => parseInt(colours[m].slice(n, n + 2), 16));
    return Math.round(a + (b - a) * (x - k));
  };
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}
export function split(mix, colours) {
  let from = 0;
  const stops = mix.map((p, k) => {
    const text = `${colours[k]} ${from / 10}% ${(from + p) / 10}%`;
    from += p;
    return text;
  });
  return `linear-gradient(90deg,${stops.join(",")})`;
}
export function bar(mix, colours) {
  const made = make("div", undefined, "bar");
  if (mix.length && mix.every(known)) made.style.background = split(mix, colours);
  return made;
}
export function card(name, frame) {
  const suit = suits.indexOf(name[1]);
  const made = make("span", name[0] + signs[suit], "card");
  made.style.background = frame.suits[suit];
  return made;
}

// What a grid can show of a view: strategy, ev, equity, weight, an action, ev:ACTION.
export function modes(v) {
  const names = [...(v.actions.length ? ["strategy"] : []), "ev", "equity", "weight"];
  return [...names, ...v.actions, ...v.cells.evs.map((_, n) => "ev:" + v.actions[n])];
}
export const modeTitle = name => ({ strategy: "Strategy", ev: "EV", equity: "Equity",
  weight: "Weight" })[name] || name.replace("ev:", "EV ");
function worth(v, mode) {
  return mode === "ev" ? v.cells.ev : v.cells.evs[v.actions.indexOf(mode.slice(3))];
}
export const isWorth = mode => mode === "ev" || mode.startsWith("ev:");
// From low to high in a mode, for the colours of one view or, given several, of all.
export function span(views, mode) {
  if (!isWorth(mode)) return [0, 1000];
  const all = views.flatMap(v => (worth(v, mode) || []).filter((x, n) => known(x) && v.cells.full[n]));
  const low = Math.min(0, ...all);
  return [low, Math.max(low + 1e-9, ...all)];
}
export function value(v, k, mode) {
  const c = v.cells;
  if (isWorth(mode)) return (worth(v, mode) || [])[k];
  if (mode === "equity") return c.equity[k];
  if (mode === "weight") return c.weight[k];
  return (c.mix[v.actions.indexOf(mode)] || [])[k];
}
export function colour(v, k, mode, frame, [low, high]) {
  const c = v.cells;
  if (mode === "strategy")
    return c.mix.length && known(c.mix[0][k]) ? split(c.mix.map(row => row[k]), v.colours) : null;
  const there = value(v, k, mode), n = v.actions.indexOf(mode);
  const colours = mode === "weight" ? frame.shares
    : n >= 0 ? [frame.shares[0], v.colours[n]] : frame.goodness;
  return known(there) ? ramp(colours, (there - low) / (high - low)) : null;
}
export function number(v, k, mode) {
  if (isWorth(mode)) return chips(value(v, k, mode));
  if (mode !== "strategy") return pct(value(v, k, mode), 0);
  const most = Math.max(...v.cells.mix.map(row => row[k]));
  return most < 995 ? pct(most, 0) : "";
}
// A cell's fill: how high it stands, and its colour.
export function fill(v, k, mode, frame, range) {
  if (!(v.cells.full[k] > 0)) return null;
  return {
    height: mode === "strategy" ? Math.max(v.cells.full[k] / 10, 3) : 100,
    background: colour(v, k, mode, frame, range) || "none",
  };
}
