// Many flops in a table to sort, filter and plot.
import { h, s, get, post, href, field, live, marking } from "../parts.js";
import { command, kept } from "../send.js";
import { HandGrid } from "../grid.js";
import { bar, fill, number, pct, span } from "/grid_draw.js";

export async function show(root, params, go) {
  if (params.file) return charts(root, params, go);
  if (!params.job) return choose(root, go);
  let found = await get("/report", { job: params.job });
  let { sort: by = "ev0", find: filter = "", across = "equity0", up = "bet" } = params, down = params.order !== "up";
  const table = h("div", { class: "scroll" }), plot = h("div", { class: "scatter" }), told = h("p", { class: "soft" });
  const wanted = h("input", { type: "search", placeholder: "two suits, pair, Ks…", "aria-label": "Only flops that fit", value: filter, oninput: () => { filter = wanted.value.toLowerCase(); draw(); } });
  const columns = () => {
    const actions = [...new Set(found.rows.flatMap(row => Object.keys(row.frequencies)))];
    return [["flop", "Flop", row => row.flop], ["texture", "Texture", row => row.texture],
      ...found.players.map((name, k) => ["ev" + k, `EV ${name}`, row => row.ev[name]]),
      ...found.players.map((name, k) => ["equity" + k, `Equity ${name}`, row => row.equity[name]]),
      ...actions.map(action => ["f:" + action, action, row => row.frequencies[action]]),
      ["bet", "bets in all", row => Object.entries(row.frequencies).filter(([a]) => /^(bet|all|raise)/.test(a)).reduce((sum, [, p]) => sum + p, 0)]];
  };
  const shown = (key, value) => typeof value !== "number" ? value ?? "" : key.startsWith("ev") ? value.toFixed(2) : (100 * value).toFixed(1) + "%";
  const across_ = h("select", { "aria-label": "across", onchange: () => { across = across_.value; draw(); } }), up_ = h("select", { "aria-label": "up", onchange: () => { up = up_.value; draw(); } });
  function draw() {
    history.replaceState(null, "", href("report", { job: params.job, sort: by, order: down ? "" : "up", find: filter, across, up }));
    const all = columns(), rows = found.rows.filter(row => (row.flop + " " + row.texture).toLowerCase().includes(filter));
    const of = (all.find(([key]) => key === by) || all[0])[2];
    rows.sort((a, b) => { const [x, y] = [of(a), of(b)]; return (typeof x === "string" ? x.localeCompare(y) : (x ?? -1e9) - (y ?? -1e9)) * (down ? -1 : 1); });
    const mass = rows.reduce((sum, row) => sum + row.mass, 0);
    const mean = get_ => mass ? rows.reduce((sum, row) => sum + row.mass * (get_(row) ?? 0), 0) / mass : null;
    table.replaceChildren(h("table", { class: "list" }, h("thead", {}, h("tr", {}, all.map(([key, title], k) => h("th", { class: k > 1 ? "num" : "", "aria-sort": key === by ? (down ? "descending" : "ascending") : null },
      h("button", { class: "link", onclick: () => { down = by === key ? !down : true; by = key; draw(); } }, title + (key === by ? (down ? " ↓" : " ↑") : "")))))),
      h("tbody", {}, rows.map(row => h("tr", {}, all.map(([key, , get_], k) => h("td", { class: k > 1 ? "num" : "" }, k ? shown(key, get_(row)) : h("a", { href: href("build", { file: found.source, board: row.flop }), title: "build this flop" }, row.flop)))))),
      h("tfoot", {}, rows.length ? h("tr", {}, all.map(([key, , get_], k) => h("th", { class: k > 1 ? "num" : "" }, k === 0 ? "mean" : k === 1 ? "" : shown(key, mean(get_))))) : "")));
    told.textContent = `${found.rows.length} of ${found.all} flops are done` + (rows.length < found.rows.length ? `; ${rows.length} fit` : "");
    for (const [box, now] of [[across_, across], [up_, up]]) box.replaceChildren(...all.slice(2).map(([key, title]) => h("option", { value: key, selected: key === now }, title)));
    plot.replaceChildren(scatter(rows, all.find(([key]) => key === across) || all[2], all.find(([key]) => key === up) || all[3]));
  }
  root.append(h("section", { class: "card" }, h("div", { class: "row between" }, h("h1", {}, found.title), wanted), told, table),
    h("section", { class: "card" }, h("div", { class: "row" }, h("h2", {}, "Plot"), h("span", { class: "soft" }, "across"), across_, h("span", { class: "soft" }, "up"), up_), plot));
  draw();
  const stop = live.watch(async jobs => {
    const job = jobs.find(one => one.id === params.job);
    if (job && (job.done || 0) > found.rows.length) { found = await get("/report", { job: params.job }); draw(); }
  });
  return { leave: stop, send: { command: async () => command("report", (await kept({ file: found.source })).file, ["--flops", found.flops], ["--exploitability", found.exploitability]) } };
}
function scatter(rows, [, xTitle, x], [, yTitle, y]) {
  const W = 640, H = 300, L = 50, B = 34, svg = s("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${yTitle} against ${xTitle}`, class: "curve plot" });
  const points = rows.map(row => [x(row), y(row), row.flop]).filter(([a, b]) => typeof a === "number" && typeof b === "number");
  if (!points.length) return svg;
  const range = k => { const v = points.map(p => p[k]), low = Math.min(...v), high = Math.max(...v); return [low, high > low ? high : low + 1e-9]; };
  const [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const text = (px, py, words, anchor) => { const t = s("text", { x: px, y: py, "text-anchor": anchor }); t.textContent = words; svg.append(t); };
  svg.append(s("line", { x1: L, y1: H - B, x2: W - 8, y2: H - B, class: "axis" }), s("line", { x1: L, y1: 8, x2: L, y2: H - B, class: "axis" }));
  const short = v => Math.abs(v) < 2 ? v.toFixed(2) : v.toFixed(1);
  text(L, H - B + 13, short(x0), "start"); text(W - 8, H - B + 13, short(x1), "end"); text(L - 5, H - B, short(y0), "end"); text(L - 5, 16, short(y1), "end");
  text((L + W) / 2, H - 5, xTitle, "middle"); text(L + 6, 14, yTitle, "start");
  for (const [a, b, name] of points) {
    const dot = s("circle", { cx: L + (W - L - 16) * (a - x0) / (x1 - x0) + 4, cy: H - B - 4 - (H - B - 20) * (b - y0) / (y1 - y0), r: 4, class: "dot soft" }), t = s("title");
    t.textContent = name; dot.append(t); svg.append(dot);
  }
  return svg;
}
// A table of hold'em: what each position does in a situation before the flop, and VPIP and its like.
async function charts(root, params, go) {
  const found = await get("/report/charts", { file: params.file, situation: params.situation });
  const { situations } = found, seats = h("div", { class: "scroll seats", style: { "min-height": `${2.4 * found.players + 2.6}rem` } }, h("p", { class: "soft" }, "Counting VPIP and its like…"));
  const move = to => go(href("report", { file: params.file, situation: to }));
  const options = [...(found.small ? [[-1, "All situations"]] : []), ...situations.map((title, k) => [k, title])];
  const box = h("select", { onchange: () => move(box.value) }, options.map(([value, title]) => h("option", { value, selected: value === found.situation }, title)));
  const shift = step => { const at = options.findIndex(([value]) => value === found.situation); move(options[(at + step + options.length) % options.length][0]); };
  root.append(h("section", { class: "card" }, h("h1", {}, found.file), h("p", { class: "soft" }, found.game), h("div", { class: "row fields" }, field("Situation", box, "everybody else has folded")), seats),
    h("div", { class: "charts" }, found.views.map(view => {
      const to = href("browse", { file: found.file, line: view.line.join(", ") });
      const grid = new HandGrid(found.frame.classes, { label: `what ${view.player} does` }), range = span([view], "strategy");
      grid.draw(k => { const one = fill(view, k, "strategy", found.frame, range); return one && { ...one, text: number(view, k, "strategy"), told: `${found.frame.classes[k]}: ${view.actions.map((action, n) => `${action} ${pct(view.cells.mix[n][k], 0)}`).join(", ")}` }; });
      return h("section", { class: "card chart" }, h("div", { class: "row between" }, h("h2", {}, view.player), h("span", { class: "soft" }, view.line.length ? "after " + told(view.line) : "first to act")), grid.element, bar(view.frequencies, view.colours),
        h("div", { class: "row between" }, h("div", { class: "row legend" }, view.actions.map((action, k) => h("span", {}, h("i", { class: "swatch", style: { background: view.colours[k] } }), action + " ", h("b", {}, pct(view.frequencies[k]))))), h("a", { class: "button", href: to }, "Browse")));
    })));
  get("/report/seats", { file: params.file }).then(answer => seats.replaceChildren(statistics(answer.seats)), error => seats.replaceChildren(h("p", { class: "soft" }, error.message)));
  return { send: { command: () => command("show", params.file, found.views.length === 1 || found.situation >= 0 ? found.views[0].line.join(", ") : ["--stats", true]) },
    key: event => event.key === "]" ? (shift(1), true) : event.key === "[" ? (shift(-1), true) : false, help: [["[ and ]", "the situation before, the next one"]] };
}
// A line in few words: who folds is left out.
const told = line => line.filter(word => word !== "fold").join(", ") || "folds";
function statistics(seats) {
  const names = [...new Set(Object.values(seats).flatMap(own => Object.keys(own).filter(name => own[name] && own[name].chances > 0)))];
  const one = (name, x) => !x || !(x.chances > 0) || x.value === null ? "" : (name === "af" ? x.value.toFixed(2) : (100 * x.value).toFixed(1) + "%");
  const half = (name, x) => x && x.chances > 0 && x.half > 0 ? h("small", { class: "soft" }, ` ±${name === "af" ? x.half.toFixed(2) : (100 * x.half).toFixed(1)}`) : "";
  return h("table", { class: "list" }, h("thead", {}, h("tr", {}, h("th", {}, "Seat"), names.map(name => h("th", { class: "num" }, name.toUpperCase())))),
    h("tbody", {}, Object.entries(seats).map(([seat, own]) => h("tr", {}, h("td", {}, seat), names.map(name => h("td", { class: "num" }, one(name, own[name]), half(name, own[name])))))));
}
async function choose(root, go) {
  const { files } = await get("/home"), reports = (await get("/jobs")).jobs.filter(job => job.kind === "report");
  const spots = files.filter(file => file.kind === "spot" || file.kind === "solution" && !file.table);
  const file = h("select", {}, spots.map(one => h("option", { value: one.name }, one.name)));
  const flops = h("input", { type: "text", value: "25" }), accuracy = h("input", { type: "text", class: "short", value: "0.5%" });
  const parts = { file: field("Spot", file), flops: field("Flops", flops, "how many that stand for all, all, or a list: Ks7h2d, AsAhAd"), exploitability: field("Accuracy", accuracy) };
  root.append(h("section", { class: "card" }, h("h1", {}, "A spot on many flops"), spots.length ? h("div", { class: "row fields" }, Object.values(parts),
    h("button", { class: "strong", onclick: async () => {
      const made = await marking(parts, () => post("/report", { file: file.value, flops: flops.value, exploitability: accuracy.value }));
      if (made) go(href("report", { job: made.id }));
    } }, "Solve them")) : h("p", { class: "soft" }, "Build a spot on a flop first.")),
    h("section", { class: "card" }, h("h2", {}, "Tables by position"), h("ul", { class: "plain" }, files.filter(one => one.table && ["solution", "blueprint"].includes(one.kind)).map(one => h("li", {}, h("a", { href: href("report", { file: one.name }) }, one.name)))),
      h("p", { class: "soft" }, "A solution that begins before the flop is shown seat by seat, with VPIP and its like.")),
    reports.length ? h("section", { class: "card" }, h("h2", {}, "Reports"), h("ul", { class: "plain" }, reports.map(job =>
      h("li", {}, h("a", { href: href("report", { job: job.id }) }, job.title), " ", h("span", { class: "tag " + job.phase }, job.phase))))) : "");
  return { send: { command: async () => file.value ? command("report", (await kept({ file: file.value })).file, ["--flops", flops.value], ["--exploitability", accuracy.value]) : "" } };
}
