// A spot, clicked together; or a small game by name.
import { h, get, post, href, field, checking, bytes, seconds, count, marking } from "../parts.js";
import { RangeEditor } from "../ranges.js";
import { command, kept } from "../send.js";
import { roving } from "../keys.js";

const RANKS = "AKQJT98765432", SUITS = "shdc", SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const STREETS = { 0: "preflop", 3: "flop", 4: "turn", 5: "river" }, ORDER = ["preflop", "flop", "turn", "river"];
const KEYS = [["arrows in the deck or the grid", "another card, another hand"], ["Space in the grid", "paint a hand, or take it off"], ["shift and arrows in the grid", "paint along the way"]];
const START = { board: "Ks 9h 6s 4d 2c", pot: 100, stack: 200, oop: "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,ATo+,KTo+,QJo",
  ip: "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,98s,A9o+,KTo+,QTo+,JTo", bets: ["50%", "100%"], raises: ["60%", "allin"] };

export async function show(root, params, go) {
  const cards = await get("/build/cards");
  const begin = { ...(params.file ? (await get("/build/spot", { file: params.file })).spot : START), ...(params.board && { board: params.board }) };
  const spotPart = h("div", { class: "build" }), gamePart = h("div", { class: "games" });
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const which = name => {
    spotPart.hidden = name !== "spot";
    gamePart.hidden = name !== "game";
    tabs.replaceChildren(...[["spot", "A spot of hold'em"], ["game", "A game by name"]].map(([id, title]) =>
      h("button", { role: "tab", "aria-selected": id === name ? "true" : "false", onclick: () => which(id) }, title)));
  };
  root.append(h("h1", { class: "sr" }, "Build"), tabs, spotPart, gamePart);
  which(params.game ? "game" : "spot");
  const own = [await spotEditor(spotPart, cards, begin, params.file, go), await gameChooser(gamePart, params.game, go)];
  // What is built is kept with the command, so that its link leads to it.
  return { help: KEYS, send: { command: () => own[spotPart.hidden ? 1 : 0](), link: () => own[spotPart.hidden ? 1 : 0].link(), rows: () => own[spotPart.hidden ? 1 : 0].rows() } };
}

// What fields show of a spot; whatever else its file says stays as it is.
const EDITED = ["name", "board", "oop", "ip", "pot", "stack", "blinds", "bets", "raises", "donks", "raise_cap", "rake"];
// Values of a spot in normal form, as fields show them.
function shownSizes(value, street) {
  const pick = (v, player) => {
    if (Array.isArray(v) || typeof v === "string") return v;
    if (!v || typeof v !== "object") return [];
    if (player in v) return pick(v[player], player);
    return street in v ? pick(v[street], player) : [];
  };
  const text = player => [].concat(pick(value, player)).join(", ");
  return { oop: text("oop"), ip: text("ip") };
}

async function spotEditor(root, cards, begin, file, go) {
  const state = { board: (Array.isArray(begin.board) ? begin.board.join(" ") : begin.board || "").split(/\s+/).filter(Boolean) };
  const text = (value, props = {}) => h("input", { type: "text", value: value ?? "", data: { begin: value ?? "" }, autocomplete: "off", spellcheck: "false", oninput: changed, ...props });
  const number = (value, props = {}) => text(value, { inputmode: "decimal", class: "short", ...props });
  const stack = Array.isArray(begin.stack) ? begin.stack : [begin.stack, begin.stack];
  const inputs = {
    pot: number(begin.pot), oopStack: number(stack[0]), ipStack: number(stack[1]),
    rate: number(begin.rake ? 100 * begin.rake.rate : "", { placeholder: "0" }), cap: number(begin.rake ? begin.rake.cap : "", { placeholder: "none" }),
    small: number(begin.blinds ? begin.blinds[0] : 1), big: number(begin.blinds ? begin.blinds[1] : 2),
    raiseCap: number(Array.isArray(begin.raise_cap) ? begin.raise_cap[0] : begin.raise_cap, { placeholder: "none" }),
    donks: text(begin.donks ? shownSizes(begin.donks, "river").oop : "", { placeholder: "as bets" }),
    name: text(file ? file.replace(/\.\w+$/, "") : "river spot"), target: text("0.3%", { class: "short" }),
    apart: h("input", { type: "checkbox", onchange: () => { streets(); changed(); } }),
  };
  const others = Object.fromEntries(Object.entries(begin).filter(([key]) => !EDITED.includes(key)));
  const othersBox = h("p", { class: "soft small" });
  const drawOthers = () => othersBox.replaceChildren(...Object.entries(others).flatMap(([key, value], k) => [k ? ", " : "Also in this spot: ", `${key.replaceAll("_", " ")} ${JSON.stringify(value)} `,
    h("button", { class: "quiet", "aria-label": `take ${key.replaceAll("_", " ")} away`, onclick: () => { delete others[key]; drawOthers(); streets(); changed(); } }, "✕")]));
  const sizes = {};
  for (const street of ORDER) {
    const bets = shownSizes(begin.bets, street), raises = shownSizes(begin.raises, street);
    const usual = { bets: street === "preflop" ? "" : "50%, 100%", raises: street === "preflop" ? "2.5x, allin" : "60%, allin" };
    sizes[street] = Object.fromEntries(["oop", "ip"].map(player => [player, {
      bets: field("", text(bets[player] || usual.bets)), raises: field("", text(raises[player] || usual.raises)) }]));
    if (bets.oop !== bets.ip || raises.oop !== raises.ip) inputs.apart.checked = true;
  }
  const general = h("p", { class: "trouble", role: "alert" });
  general.mark = text => { general.textContent = text; };
  // By the names that complaints have for them.
  const fields = {
    "": general, pot: field("Pot", inputs.pot), stack: field("Stack, first to act", inputs.oopStack), "stack: ip": field("Stack, last to act", inputs.ipStack),
    blinds: field("Small blind", inputs.small), "blinds: ip": field("Big blind", inputs.big), rake: field("Rake in %", inputs.rate), "rake: cap": field("Rake cap", inputs.cap),
    raise_cap: field("Most raises a street", inputs.raiseCap), donks: field("Donk bets", inputs.donks),
    name: field("Name", inputs.name), exploitability: field("Accuracy", inputs.target, "of the pot, such as 0.3%"),
  };
  for (const street of ORDER) for (const player of ["oop", "ip"]) for (const kind of ["bets", "raises"]) fields[`${kind}: ${player}: ${street}`] = sizes[street][player][kind];

  // The board: 52 cards to click.
  const picker = h("div", { class: "picker", role: "group", "aria-label": "cards of the board" });
  for (const suit of SUITS) for (const rank of RANKS) {
    const name = rank + suit;
    picker.append(h("button", { class: "pick suit-" + suit, data: { card: name }, "aria-label": name, onclick: () => {
      if (state.board.includes(name)) state.board = state.board.filter(card => card !== name);
      else if (state.board.length < 5) state.board.push(name);
      drawBoard(); streets(); changed();
    } }, rank, h("small", {}, SIGNS[suit])));
  }
  roving(picker);
  fields.board = field("", picker, "3 cards are a flop, 4 a turn, 5 a river; none is before the flop.");
  const laid = h("div", { class: "laid" });
  function drawBoard() {
    for (const button of picker.children) button.setAttribute("aria-pressed", state.board.includes(button.dataset.card));
    laid.replaceChildren(...[0, 1, 2, 3, 4].map(k => {
      const card = state.board[k];
      return card ? h("button", { class: "playing suit-" + card[1], title: "take it off", onclick: () => {
        state.board.splice(k, 1); drawBoard(); streets(); changed(); } }, card[0], h("small", {}, SIGNS[card[1]]))
        : h("span", { class: "playing none" });
    }));
  }

  // Sizes by street.
  const sizeBox = h("div", { class: "sizes" });
  const played = () => { const first = STREETS[state.board.length]; return first ? ORDER.slice(ORDER.indexOf(first), ORDER.indexOf(others.last_street || "river") + 1) : []; };
  function streets() {
    const apart = inputs.apart.checked;
    sizeBox.hidden = !!others.limit;
    sizeBox.replaceChildren(
      h("div", { class: "sizerow head" }, h("span"), h("span", {}, "Bets"), h("span", {}, "Raises")),
      ...played().flatMap(street => (apart ? ["oop", "ip"] : ["oop"]).map(player =>
        h("div", { class: "sizerow" }, h("span", {}, street + (apart ? ", " + player : "")),
          ["bets", "raises"].map(kind => {
            const one = sizes[street][player][kind];
            one.input.ariaLabel = `${kind} on the ${street}` + (apart ? ` of ${player}` : "");
            return one;
          })))));
    const blinds = !state.board.length;
    fields.pot.hidden = blinds;
    fields.blinds.hidden = fields["blinds: ip"].hidden = !blinds;
  }

  const editors = {
    oop: new RangeEditor(cards, "First to act (oop)", changed), ip: new RangeEditor(cards, "Last to act (ip)", changed) };
  Object.assign(fields, editors, { ranges: { mark: text => { for (const one of Object.values(editors)) one.mark(text); } } });
  const taken = h("div", { class: "taken", "aria-live": "polite" });
  const solve = h("button", { class: "strong", disabled: true, onclick: begin_ }, "Solve");
  const keep = h("button", { onclick: save }, "Save the spot");

  const list = input => input.value.split(",").map(word => word.trim()).filter(Boolean);
  // A number, or what is written instead, which the library refuses in its own words.
  const untouched = input => input.value === input.dataset.begin;
  const num = input => { const text = input.value.trim().replace(",", "."); return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text); };
  function spot() {
    const made = { ...others, board: state.board.join(" "), oop: editors.oop.text, ip: editors.ip.text, stack: [num(inputs.oopStack), num(inputs.ipStack)] };
    if (!others.limit) for (const kind of ["bets", "raises"]) {
      made[kind] = {};
      for (const player of ["oop", "ip"]) {
        made[kind][player] = {};
        for (const street of played()) made[kind][player][street] = list(sizes[street][inputs.apart.checked ? player : "oop"][kind].input);
      }
    }
    if (state.board.length) made.pot = num(inputs.pot);
    else { delete made.board; made.blinds = [num(inputs.small), num(inputs.big)]; }
    if (begin.donks && untouched(inputs.donks)) made.donks = begin.donks;
    else if (inputs.donks.value.trim()) made.donks = { oop: Object.fromEntries(played().map(s => [s, list(inputs.donks)])), ip: Object.fromEntries(played().map(s => [s, list(inputs.donks)])) };
    if (begin.raise_cap && untouched(inputs.raiseCap)) made.raise_cap = begin.raise_cap;
    else if (inputs.raiseCap.value.trim()) made.raise_cap = num(inputs.raiseCap);
    const rate = num(inputs.rate), cap = num(inputs.cap);
    const { rate: _, cap: __, ...houses } = begin.rake || {};
    if (rate !== null || cap !== null) made.rake = { ...houses, rate: typeof rate === "number" ? rate / 100 : rate ?? 0, ...(cap !== null && { cap }) };
    return made;
  }
  const wish = () => ({ spot: spot(), name: inputs.name.value.trim() || "spot", exploitability: inputs.target.value.trim() });
  const row = (title, text, about) => h("div", {}, h("dt", {}, title), h("dd", about ? { title: about } : {}, text));
  const check = checking(fields, taken, solve, () => post("/build/check", wish()), found => [h("dl", {},
    row("Memory", bytes(found.bytes)),
    row("Time", "about " + seconds(found.seconds), found.learned ? `from ${found.learned} jobs in this folder` : "of a usual machine"),
    row("Decisions", count(found.infosets)), row("Boards", count(found.boards)))]);
  let whole = false;  // until both ranges are there
  function changed() { if (whole) check(); }
  async function begin_() {
    solve.disabled = true;
    const made = await marking(fields, () => post("/jobs", wish()));
    if (made) go("/solve?job=" + made.id);
  }
  async function save() {
    const made = await marking(fields, () => post("/build/save", wish()));
    if (made) go("/");
  }

  root.append(
    h("section", { class: "card" }, h("h2", {}, "Board"), laid, fields.board,
      h("div", { class: "row fields" }, fields.pot, fields.blinds, fields["blinds: ip"], fields.stack, fields["stack: ip"]),
      h("h2", {}, "Sizes"), sizeBox,
      h("label", { class: "check" }, inputs.apart, "different sizes for each player"),
      h("p", { class: "soft small" }, "50% of the pot, 3x the bet, 300c to 300 chips, +100, 2e in two equal parts, allin; with commas between."),
      h("details", {}, h("summary", {}, "Rake, caps, donk bets"), h("div", { class: "row fields" }, fields.rake, fields["rake: cap"], fields.raise_cap, fields.donks)), othersBox),
    h("section", { class: "card" }, editors.oop.element),
    h("section", { class: "card" }, editors.ip.element),
    h("section", { class: "card takes" }, h("h2", {}, "What it takes"), taken, general,
      h("div", { class: "row fields" }, fields.name, fields.exploitability),
      h("div", { class: "row" }, solve, keep)));
  drawOthers();
  drawBoard();
  streets();
  await Promise.all([editors.oop.set(begin.oop), editors.ip.set(begin.ip)]);
  whole = true;
  changed();
  let link = location.href;
  return Object.assign(async () => {
    const { file } = await kept(wish());
    link = location.origin + href("build", { file });
    return command("solve", file, ["--exploitability", inputs.target.value.trim()], ["--save", file.replace(/json$/, "safetensors")]);
  }, { link: () => link, rows: () => [["hand", "oop", "ip"], ...cards.names.map((name, k) => [name, editors.oop.weights[k], editors.ip.weights[k]]).filter(row => row[1] || row[2])] });
}

async function gameChooser(root, chosen, go) {
  const { games } = await get("/build/games");
  const input = h("input", { type: "text", value: chosen || "leduc", list: "games", autocomplete: "off", spellcheck: "false", oninput: changed });
  const short = (value, placeholder = "") => h("input", { type: "text", class: "short", value, placeholder, oninput: changed });
  const target = short("", "1e-6"), buckets = short("200"), minutes = short("5");
  const name = field("Game", input, "a name, with parameters in brackets: leduc(raises=1+2)");
  const limit = field("Exploitability", target), sorted = field("Buckets", buckets, "hands that share one strategy, a street"), time = field("Minutes", minutes, "in all, when hands are sorted");
  const fields = { "": name, game: name, exploitability: limit, buckets: sorted, minutes: time };
  const taken = h("div", { class: "taken", "aria-live": "polite" });
  const asked = () => ({ game: input.value.trim(), exploitability: target.value.trim(), buckets: buckets.value.trim(), minutes: minutes.value.trim() });
  const solve = h("button", { class: "strong", disabled: true, onclick: async () => {
    const made = await marking(fields, () => post("/jobs", asked()));
    if (made) go("/solve?job=" + made.id);
  } }, "Solve");
  // A table of hold'em is too large for a solution hand by hand: a blueprint is made by sampling.
  const shape = table => { limit.hidden = table; sorted.hidden = time.hidden = !table; };
  const row = (title, text) => h("div", {}, h("dt", {}, title), h("dd", {}, text));
  const check = checking(fields, taken, solve, () => get("/build/game", asked()), found => {
    shape(!!found.table);
    return [h("dl", {}, row("Memory", bytes(found.bytes)), row("Time", found.table ? `${seconds(found.seconds)}, and once some minutes for the buckets` : "about " + seconds(found.seconds)), row("Infosets", count(found.infosets)),
      found.histories ? row("Histories", count(found.histories)) : found.nodes ? row("Nodes of betting", count(found.nodes)) : null)];
  });
  function changed() { check(); }
  shape(/^holdem(?!:jamfold)/.test(input.value));
  root.append(h("section", { class: "card" }, h("div", { class: "row fields" }, name, limit, sorted, time), taken, h("div", { class: "row" }, solve),
    h("datalist", { id: "games" }, games.map(game => h("option", { value: game.example })))),
    h("section", { class: "card" }, h("h2", {}, "Games"), h("dl", { class: "catalog" }, games.map(game => h("div", {},
      h("dt", {}, h("button", { class: "link", onclick: () => { input.value = game.name; changed(); window.scrollTo(0, 0); input.focus(); } }, game.name)),
      h("dd", {}, game.about, game.parameters && h("span", { class: "soft small" }, game.parameters)))))));
  changed();
  const stem = () => input.value.trim().replace(/^.*\//, "").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "game";
  return Object.assign(async () => sorted.hidden ? command("solve", input.value.trim(), ["--exploitability", target.value.trim()], ["--save", stem() + ".safetensors"])
    : (await get("/jobs/command", asked())).command,
  { link: () => location.origin + href("build", { game: input.value.trim() }), rows: () => [["game", "parameters", "about"], ...games.map(game => [game.name, game.parameters, game.about])] });
}
