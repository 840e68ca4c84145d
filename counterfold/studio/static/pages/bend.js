// Bending a solution: locks that are painted, a style with its price, a target, an opponent.
import { h, s, get, post, href, field, live, marking, tried, notice } from "../parts.js";
import { HandGrid } from "../grid.js";
import { split, chips, pct, suits, signs, card } from "/grid_draw.js";
import { atRisk, command, kept } from "../send.js";

const TABS = [["lock", "Lock decisions"], ["style", "A style"], ["target", "A target"], ["exploit", "An opponent"]];
export async function show(root, params, go) {
  if (params.job && !params.file) {
    const job = (await get("/jobs")).jobs.find(one => one.id === params.job);
    if (job) params = { ...params, file: job.request.source, tab: job.kind };
  }
  if (!params.file) {
    const { files } = await get("/home"), good = files.filter(file => ["solution", "strategy"].includes(file.kind));
    root.append(h("section", { class: "card" }, h("h1", {}, "Which solution shall bend?"), good.length ? h("ul", { class: "plain" }, good.map(file => h("li", {}, h("a", { href: href("bend", { file: file.name }) }, file.name))))
      : h("p", { class: "soft" }, "There is none yet: ", h("a", { href: "/build" }, "build a spot"), " and solve it.")));
    return {};
  }
  const it = await get("/bend", { file: params.file });
  const tabs = h("div", { class: "tabs", role: "tablist" }), body = h("div", { class: "bendbody" }), results = h("div", { class: "jobs" });
  let words = () => "", keys = null, link = null;
  const open = async name => {
    tabs.replaceChildren(...TABS.map(([id, title]) => h("button", { role: "tab", "aria-selected": id === name ? "true" : "false", onclick: () => open(id) }, title)));
    history.replaceState(null, "", href("bend", { file: it.file, tab: name, ...(name === "lock" && { line: params.line, locks: params.locks }) }));
    body.replaceChildren();
    ({ words = () => "", keys = null, link = null } = await { lock: lockPart, style: stylePart, target: targetPart, exploit: exploitPart }[name](body, it, params) || {});
  };
  root.append(h("div", { class: "row between" }, h("h1", {}, "Bend ", h("a", { href: href(it.poker ? "browse" : "game", { file: it.file }) }, it.file)), tabs), body, results);
  await open(TABS.some(([id]) => id === params.tab) ? params.tab : "lock");
  const cards = new Map();
  const stop = live.watch(jobs => {
    const mine = jobs.filter(job => job.request.source === it.file && job.kind !== "report");
    results.replaceChildren(...mine.map(job => {
      const text = JSON.stringify(job), old = cards.get(job.id);
      if (old && old.text === text) return old.element;
      const element = resultCard(job, it);
      cards.set(job.id, { text, element });
      return element;
    }));
  });
  return { leave: stop, key: event => keys ? keys(event) : false, help: [["arrows and Space in the grid", "lock a hand, or free it"], ["← and → on a tab", "another way to bend"]], send: { command: () => words(), link: () => link ? link() : location.href } };
}
// The game of a solution, as the command line names it.
const named = async it => [it.spot ? (await kept({ file: it.file })).file : it.game];
// How exactly to solve: of the pot, or where hands begin without one in big blinds.
const accuracyOf = it => it.pot ? "0.3%" : "1mbb";
const done = (what, made) => { if (made) notice(`${what} is in the queue`); };
const queued = async (what, fields, path, given) => done(what, await marking(fields, () => post(path, given)));

// Locks: a place, an action to paint with, the grid. They are in the address as long as they are short.
const LONG = 6000;
const alike = play => Object.fromEntries(Object.entries(play).filter(([, share]) => share));
// Hands that play the same in one entry; single hands come after classes, of which they are.
function gathered(painted) {
  const found = new Map();
  for (const size of [false, true]) for (const [hand, mix] of Object.entries(painted)) {
    if ((hand.length === 4) !== size) continue;
    const key = size + JSON.stringify(alike(mix));
    found.set(key, { mix: alike(mix), hands: [...(found.get(key)?.hands || []), hand] });
  }
  return Object.fromEntries([...found.values()].map(({ mix, hands }) => [hands.join(","), mix]));
}
const isMix = play => Object.values(play).every(value => typeof value === "number");
const inWords = mix => Object.entries(mix).filter(([, share]) => share).map(([action, share]) => `${action} ${pct(1000 * share, 0)}`).join(", ");
// Whether the grid can show and change a lock: at one place, with full trust, hand by hand.
const paintable = lock => lock.at !== undefined && Object.keys(lock).every(key => key === "at" || key === "play");
function lockTold(who, lock) {
  const { play } = lock, hands = Object.keys(play).filter(hand => hand !== "random");
  const what = isMix(play) ? inWords(play) : [play.random && `the whole range ${inWords(play.random)}`, hands.length && hands.slice(0, 6).join(", ") + (hands.length > 6 ? `… (${hands.length})` : "")].filter(Boolean).join(" and ");
  const where = lock.at === undefined ? lock.street || "everywhere" : lock.at || "the first decision";
  return `${who}, ${where}${lock.hands ? ` with ${lock.hands}` : ""}: ${what}${(lock.trust ?? 1) < 1 ? `, trusted by ${pct(1000 * lock.trust, 0)}` : ""}`;
}
async function lockPart(root, it, params) {
  const came = params.locks ? await tried(() => get("/bend/locks", { file: it.file, locks: params.locks })) : null;
  const locks = came ? came.locks : [];
  let redraw = () => {};
  const list = h("ul", { class: "plain" }), solve = h("button", { class: "strong", disabled: true, onclick: async () =>
    done("Solving with locks", await tried(() => post("/bend/lock", { file: it.file, locks: made(), exploitability: it.poker ? accuracyOf(it) : "" }))) }, "Solve again with these locks");
  const made = () => locks.map(({ lock }) => isMix(lock.play) ? lock : { ...lock, play: gathered(lock.play) });
  const address = locks => href("bend", { file: it.file, tab: "lock", line: params.line, locks });
  const drawList = () => {
    solve.disabled = !locks.length;
    params.locks = locks.length ? JSON.stringify(made()) : "";
    if (params.locks.length > LONG) params.locks = "";
    history.replaceState(null, "", address(params.locks));
    list.replaceChildren(...locks.map((one, k) => h("li", { class: "row nowrap" }, h("span", {}, lockTold(one.who, one.lock)), h("button", { class: "quiet", "aria-label": "take this lock away", onclick: () => { locks.splice(k, 1); drawList(); redraw(); } }, "✕"))));
  };
  const side = h("section", { class: "card" }, h("h2", {}, "Locks"), h("p", { class: "soft" }, it.poker ? "What is painted is fixed; all else answers to it. Paint a class, one of its hands, or the whole range." : "What is locked is fixed; all else answers to it."), list, solve);
  const told = {
    words: async () => {
      const found = await kept({ file: it.file, locks: made() });
      return command("solve", found.file || found.game, ["--locks", found.locks], ["--exploitability", it.poker ? accuracyOf(it) : ""]);
    },
    link: async () => location.origin + address(params.locks || (locks.length ? (await kept({ file: it.file, locks: made() })).locks : "")),
  };
  if (!it.poker) {
    root.append(await infosetLocks(it, locks, drawList), side);
    drawList();
    return told;
  }
  const box = h("section", { class: "card" }), grid_ = h("div"), bar_ = h("div", { class: "line" }), brushes = h("div", { class: "row brush" }), combos = h("div", { class: "suits" });
  let place, cells, holes, brush = 0, share = 100, painted = {}, whole = null, cell = 0, grid = null;
  const cardsData = await get("/build/cards");
  holes = cardsData;
  async function at(line) {
    const found = await tried(() => get("/browse", { file: it.file, line: line.join(", ") }));
    if (!found) return;
    place = found; brush = 0;
    params.line = found.line.join(", ");
    take();
    drawList();
  }
  // What is locked at this place already.
  function take() {
    const own = locks.find(({ lock }) => paintable(lock) && lock.at === place.line.join(", "));
    const play = own ? own.lock.play : {};
    const full = mix => Object.fromEntries(place.views[0].actions.map(action => [action, mix[action] || 0]));
    whole = isMix(play) && own ? full(play) : play.random ? full(play.random) : null;
    painted = isMix(play) ? {} : Object.fromEntries(Object.entries(play).filter(([hand]) => hand !== "random").map(([hand, mix]) => [hand, full(mix)]));
    draw();
  }
  redraw = take;
  const mixOf = action => { const v = place.views[0], rest = v.actions.length - 1; return Object.fromEntries(v.actions.map((a, k) => [a, k === action ? share / 100 : rest ? (1 - share / 100) / rest : 1])); };
  function store() {
    const at = place.line.join(", ");
    const old = locks.findIndex(({ lock }) => paintable(lock) && lock.at === at);
    if (old >= 0) locks.splice(old, 1);
    if (whole || Object.keys(painted).length) locks.push({ lock: { at, play: { ...(whole && { random: whole }), ...painted } }, who: place.views[0].player });
    drawList();
  }
  function draw() {
    const v = place.views[0];
    bar_.replaceChildren(...place.steps.map((step, k) => step.kind === "decision" ? h("div", { class: "step" + (k === place.line.length ? " here" : "") }, h("button", { class: "who", onclick: () => at(place.line.slice(0, k)) }, step.who),
      h("div", { class: "choices" }, step.actions.map((action, n) => h("button", { class: "choice" + (action === step.taken ? " taken" : ""), style: { "--c": step.colours[n] }, onclick: () => at([...place.line.slice(0, k), action]) }, action))))
      : step.taken ? h("div", { class: "step" }, h("small", {}, "dealt"), step.taken) : h("div", { class: "step here" }, step.kind === "deal" ? place.next.cards.slice(0, 60).map(c => h("button", { class: "combo", onclick: () => at([...place.line, `[${c}]`]) }, c)) : "the hand ends")));
    if (!v.actions.length) { brushes.replaceChildren(); grid_.replaceChildren(); combos.replaceChildren(); return; }
    const slider = h("input", { type: "range", min: 0, max: 100, step: 5, value: share, "aria-label": "how often", oninput: () => { share = +slider.value; told.textContent = share + "%"; } }), told = h("output", {}, share + "%");
    brushes.replaceChildren(h("span", { class: "soft" }, `${v.player} plays`), ...v.actions.map((action, k) => h("button", { "aria-pressed": k === brush ? "true" : "false", style: { "border-left": `6px solid ${v.colours[k]}` }, onclick: () => { brush = k; draw(); } }, action)), slider, told,
      h("button", { onclick: () => { whole = mixOf(brush); store(); draw(); } }, "Whole range"), h("button", { onclick: () => { whole = null; painted = {}; store(); draw(); } }, "Free all"));
    if (!grid) {
      let erase = false;
      grid = new HandGrid(place.frame.classes, { label: "paint what is locked: with the mouse, or with the arrow keys and space", paint: (k, first) => {
        if (k === null) { store(); return; }
        const name = place.frame.classes[k];
        cell = k;
        if (!(place.views[0].cells.combos[k] > 0)) { paintGrid(); return; }
        if (first) erase = name in painted && painted[name][place.views[0].actions[brush]] === share / 100;
        for (const hole of holes.holes[k]) delete painted[holes.names[hole]];
        if (erase) delete painted[name]; else painted[name] = mixOf(brush);
        paintGrid();
      } });
      grid_.append(grid.element);
    }
    if (!grid_.firstChild) grid_.append(grid.element);
    paintGrid();
  }
  const single = k => holes.holes[k].some(hole => holes.names[hole] in painted);
  function paintGrid() {
    const v = place.views[0];
    grid.draw(k => {
      if (!(v.cells.full[k] > 0)) return null;
      const name = place.frame.classes[k], lock = painted[name] || whole, mix = lock ? v.actions.map(a => 1000 * lock[a]) : v.cells.mix.map(row => row[k]);
      return { height: 100, background: mix.every(x => x !== null) ? split(mix, v.colours) : "none", text: "", told: `${name}${lock ? " locked: " + inWords(lock) : single(k) ? " locked in part" : ""}` };
    });
    grid.cells.forEach((one, k) => {
      const held = painted[place.frame.classes[k]] || whole;
      one.classList.toggle("free", !held);
      one.classList.toggle("held", !!held);
      one.classList.toggle("part", !held && single(k));
    });
    const names = holes.holes[cell].map(hole => holes.names[hole]);
    combos.replaceChildren(h("b", {}, place.frame.classes[cell]), ...names.map(name => h("button", { class: "combo", "aria-pressed": name in painted ? "true" : "false", onclick: () => {
      if (name in painted) delete painted[name]; else painted[name] = mixOf(brush);
      store(); paintGrid();
    } }, [0, 2].map(n => h("span", { class: "suit-" + name[n + 1] }, name[n] + signs[suits.indexOf(name[n + 1])])))));
  }
  box.append(bar_, brushes, grid_, combos);
  await at(params.line ? params.line.split(", ") : []);
  root.append(h("div", { class: "bendgrid" }, box, side));
  return told;
}
// Locks of a game by its infosets: one is chosen, what is played there comes with it and is changed.
async function infosetLocks(it, locks, changed) {
  const { rows } = await get("/game", { file: it.file });
  const infoset = h("input", { type: "text", list: "infosets", placeholder: rows.length ? rows[0][1] : "", autocomplete: "off", spellcheck: "false" }), play = h("input", { type: "text", placeholder: "call=1", autocomplete: "off", spellcheck: "false" });
  const where = field("Infoset", infoset, "what the player sees, by its name; choose one, or write"), what = field("Plays", play, "actions with shares that make 1: fold=0.2, call=0.8");
  const row = () => rows.find(([, name]) => name === infoset.value.trim());
  infoset.addEventListener("input", () => { if (row()) play.value = Object.entries(row()[2]).map(([action, share]) => `${action}=${+share.toFixed(2)}`).join(", "); });
  const lockIt = async () => {
    const shares = Object.fromEntries(play.value.split(",").map(one => one.split("=")).map(([a, p]) => [a.trim(), Number(p)]).filter(([a]) => a));
    const lock = { at: infoset.value.trim(), play: shares, ...(row() && { player: row()[0] + 1 }) };
    where.mark(""); what.mark("");
    if (!lock.at) { where.mark("name an infoset"); return; }
    if (!Object.keys(shares).length || Object.values(shares).some(Number.isNaN)) { what.mark("say what is played, as in call=1"); return; }
    await marking({ "": row() ? what : where }, async () => {
      const [one] = (await get("/bend/locks", { file: it.file, locks: JSON.stringify([lock]) })).locks;
      const old = locks.findIndex(({ lock: other }) => other.at === lock.at && other.player === lock.player);
      locks.splice(old < 0 ? locks.length : old, old < 0 ? 0 : 1, one);
      changed();
    });
  };
  const enter = event => { if (event.key === "Enter") lockIt(); };
  infoset.addEventListener("keydown", enter);
  play.addEventListener("keydown", enter);
  return h("section", { class: "card" }, h("datalist", { id: "infosets" }, rows.map(([player, name]) => h("option", { value: name }, `player ${player + 1}`))),
    h("div", { class: "row fields locking" }, where, what, h("button", { onclick: lockIt }, "Lock it")));
}

// A style: sliders from 1, no preference, up.
async function stylePart(root, it) {
  const who = h("select", { "aria-label": "whose" }, h("option", { value: "" }, "everybody"), it.players.map(name => h("option", { value: name }, it.poker ? name : `player ${name}`)));
  const give = h("input", { type: "text", class: "short", value: "0" }), rows = it.words.map(word => {
    const slider = h("input", { type: "range", min: 0, max: 100, step: 1, value: 0, "aria-label": `how much ${word} is preferred`, oninput: () => { told.textContent = degree(); } }), told = h("output", {}, "1");
    const degree = () => +(10 ** (slider.value / 100 * 1.3)).toFixed(1);
    return { word, degree, element: h("div", { class: "row slider" }, h("span", { class: "word" }, word), slider, told) };
  });
  const fields = { prefer: field("", h("div", { role: "group", "aria-label": "how much each action is preferred" }, rows.map(row => row.element))), player: field("Whose", who), give_up: field("May give up", give, it.poker ? "chips each time that a hand comes" : "of counterfactual regret") };
  const player = () => it.poker ? "" : who.value;
  const prefer = () => rows.filter(row => row.degree() > 1).map(row => `${it.poker && who.value ? who.value + ":" : ""}${row.word}=${row.degree()}`);
  root.append(h("section", { class: "card" }, h("p", { class: "soft" }, "1 is no preference; the more, the harder it pulls. What it costs is measured exactly, by solving with and without."), fields.prefer,
    h("div", { class: "row fields" }, fields.player, fields.give_up,
      h("button", { class: "strong", onclick: () => queued("The style", fields, "/bend/style", { file: it.file, prefer: prefer(), player: player(), give_up: give.value }) }, "Solve with this style"))));
  return { words: async () => command("style", ...await named(it), ...prefer().map(text => ["--prefer", text]), ["--player", player()], ["--give-up", give.value === "0" ? "" : give.value]) };
}
async function targetPart(root, it) {
  const where = it.poker ? [["bet", ...it.streets.map(street => `bet@${street}`)][1] || "bet"][0] : `${it.words.at(-1)}`;
  const what = h("input", { type: "text", value: where }), share = h("input", { type: "range", min: 0, max: 100, value: 60, "aria-label": "how often", oninput: () => { told.textContent = share.value + "%"; } }), told = h("output", {}, "60%");
  const give = h("input", { type: "text", class: "short", value: it.poker ? String(+(.02 * it.pot).toFixed(2)) : "0.01" });
  const fields = { frequency: field("What", what, it.poker ? "bet@flop, ip: raise@turn, bet@river[JJ-22]" : "bet@J, raise@round1, player2:call@K*"), share: field("How often", h("div", { class: "row" }, share, told)), give_up: field("May cost at most", give, "in exploitability, chips") };
  root.append(h("section", { class: "card" }, h("p", { class: "soft" }, "The strategy nearest to an equilibrium that does something as often as you say; where none can within the budget, the nearest that can is told."),
    h("div", { class: "row fields" }, fields.frequency, fields.share, fields.give_up, h("button", { class: "strong", onclick: () => queued("The target", fields, "/bend/target", { file: it.file, frequency: what.value, share: share.value / 100, give_up: give.value }) }, "Find it"))));
  return { words: async () => command("style", ...await named(it), ["--target", `${what.value}=${share.value / 100}`], ["--give-up", give.value]) };
}
async function exploitPart(root, it) {
  const model = h("select", {}, it.models.map(name => h("option", { value: name }, name))), player = h("select", {}, it.players.slice(0, 2).map((name, k) => h("option", { value: k }, it.poker ? name : `player ${name}`)));
  const budget = h("input", { type: "text", class: "short", placeholder: "any" });
  const fields = { model: field("The opponent plays", model), player: field("You are", player), budget: field("Risk at most", budget, "in chips a hand") };
  root.append(h("section", { class: "card" }, h("p", { class: "soft" }, "How you think the opponent plays, and what you would risk if that is wrong: winnings against exploitability, each point an exact answer."),
    h("div", { class: "row fields" }, Object.values(fields),
      h("button", { class: "strong", onclick: () => queued("The answer", fields, "/bend/exploit", { file: it.file, model: model.value, player: player.value, budget: budget.value }) }, "Answer"))));
  return { words: async () => command("exploit", ...await named(it), ["--form", it.poker && !it.spot ? "public" : ""], ["--model", model.value], ["--player", +player.value + 1], ...atRisk(budget.value.trim(), it.poker)) };
}

function resultCard(job, it) {
  const r = job.result, part = x => it.pot ? `${chips(x)} chips, ${(100 * x / it.pot).toPrecision(2)}% of the pot` : (+x).toPrecision(3);
  const rows = [], row = (name, value) => rows.push(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  let more = null;
  if (r && job.kind === "style") {
    row("It costs", part(r.cost));
    for (const player of r.players) if (player.cost !== null) row(it.poker ? it.players[player.player - 1] : `Player ${player.player}`, `guarantees ${part(player.cost)} less`);
    const shares = (r.by_round && r.by_round.length ? r.by_round : r.first || []).slice(0, 20);
    more = h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["Action", "plain", "with the style"].map((t, k) => h("th", { class: k ? "num" : "" }, t)))), h("tbody", {}, shares.map(one => h("tr", {}, h("td", {}, `${it.poker ? it.players[one.player - 1] : "player " + one.player} ${one.action}${one.hand ? " with " + one.hand : ""}`),
      h("td", { class: "num" }, one.plain === null ? "never there" : pct(1000 * one.plain)), h("td", { class: "num" }, one.styled === null ? "never there" : pct(1000 * one.styled))))));
  } else if (r && job.kind === "target") {
    for (const one of r.targets) row(one.frequency, `${pct(1000 * one.reached)}, wanted ${pct(1000 * one.wanted)}, plain ${pct(1000 * one.plain)}`);
    row("It costs", part(r.cost));
    if (r.optimum !== null) row("Least possible", part(r.optimum));
    row("Reached", r.met ? "yes, within the budget" : "not fully: this is the nearest within the budget");
  } else if (r && job.kind === "exploit") {
    const best = r.points[r.chosen];
    row("Wins", part(best.winnings - r.value) + " more than the game is worth");
    row("Risks", part(best.exploitability));
    more = riskCurve(r);
  } else if (r) {
    if (r.evs) row("EV", r.evs.map((ev, k) => `${r.players[k]} ${ev.toFixed(2)}`).join(", "));
    row("Free play is exploitable by", part(r.exploitability));
  } else if (job.phase === "running") row("Doing", `${job.doing || "beginning"}${job.iteration ? `, iteration ${job.iteration}` : ""}`);
  return h("section", { class: "card job", data: { phase: job.phase, kind: job.kind } }, h("div", { class: "row between" }, h("h2", {}, job.title), h("span", { class: "tag " + job.phase }, job.phase)),
    job.message && h("p", { class: "trouble" }, job.message), h("dl", {}, rows), more,
    h("div", { class: "row" }, job.phase === "done" && h("a", { class: "button strong", href: it.poker ? href("browse", { file: it.file, with: job.file }) : href("game", { file: job.file }) }, it.poker ? "See the difference" : "Open"),
      ["running", "waiting"].includes(job.phase) ? h("button", { onclick: () => tried(() => post("/jobs/stop", { id: job.id })) }, "Stop") : h("button", { onclick: () => tried(() => post("/jobs/remove", { id: job.id })) }, "Remove from the list")));
}
function riskCurve(r) {
  const W = 320, H = 140, L = 46, B = 24, svg = s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": "winnings against exploitability" });
  const xs = r.points.map(p => p.exploitability), ys = r.points.map(p => p.winnings - r.value), x1 = Math.max(...xs, 1e-9), y1 = Math.max(...ys, 1e-9), y0 = Math.min(...ys, 0);
  const X = x => L + (W - L - 8) * x / x1, Y = y => 22 + (H - B - 22) * (y1 - y) / (y1 - y0);
  const text = (x, y, words, anchor) => { const t = s("text", { x, y, "text-anchor": anchor }); t.textContent = words; svg.append(t); };
  svg.append(s("line", { x1: L, y1: H - B, x2: W - 8, y2: H - B, class: "axis" }), s("line", { x1: L, y1: 8, x2: L, y2: H - B, class: "axis" }));
  const order = [...r.points.keys()].sort((a, b) => xs[a] - xs[b]);
  svg.append(s("path", { d: order.map((k, n) => `${n ? "L" : "M"}${X(xs[k])} ${Y(ys[k])}`).join(""), class: "fall" }));
  order.forEach(k => svg.append(s("circle", { cx: X(xs[k]), cy: Y(ys[k]), r: k === r.chosen ? 5 : 3, class: "dot" })));
  if (r.budget !== null && r.budget !== undefined && r.budget <= x1) svg.append(s("line", { x1: X(r.budget), y1: 8, x2: X(r.budget), y2: H - B, class: "goal" }));
  text(L - 4, Y(y1) + 4, chips(y1), "end"); text(L, H - 8, "risk 0", "start"); text(W - 8, H - 8, chips(x1), "end");
  text(L + 4, 12, "won more", "start");
  return svg;
}
