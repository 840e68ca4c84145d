// A table: cards and chips, what decisions were worth, the score with luck taken out, drills.
import { h, get, post, href, field, marking, tried, notice } from "../parts.js";
import { signs, suits } from "/grid_draw.js";
import { command } from "../send.js";

const chips = x => +(+x).toFixed(2);
const signed = x => (x > 0 ? "+" : "") + chips(x);
export async function show(root, params) {
  const table = new PersonTable(root, params);
  await table.choose();
  return { key: event => table.key(event), leave: () => { table.gone = true; }, help: [["a to i", "an action, in order"], ["Enter or n", "the next hand"], ["h", "a hint"]],
    send: { command: () => table.words(), link: () => table.link() } };
}
const playing = one => h("span", { class: "playing suit-" + (one[1] || "") }, one[0], h("small", {}, signs[suits.indexOf(one[1])] || ""));
const cards = text => (text.match(/../g) || []).map(playing);

class PersonTable {
  constructor(root, params) { Object.assign(this, { root, params, game: params.game || "", against: params.against || "", search: params.search !== "no", seconds: params.seconds || "" }); }
  async choose() {
    const found = await get("/play");
    const game = h("input", { type: "text", value: this.game, list: "playable", placeholder: "such as leduc", autocomplete: "off" });
    const against = h("input", { type: "text", value: this.against || "equilibrium", list: "opponents", autocomplete: "off" });
    // A blueprint plays as it is, or searches with the cards that came.
    const how = h("select", { onchange: () => shape() }, [["yes", "searching with the cards that came"], ["no", "its blueprint as it is"]].map(([value, title]) => h("option", { value, selected: (value === "yes") === this.search }, title)));
    const pace = h("input", { type: "text", class: "short", inputmode: "decimal", value: this.seconds, placeholder: "10" });
    const plays = field("It plays", how, "at a table of hold'em"), within = field("Seconds", pace, "of work for a search, at most");
    const shape = () => { plays.hidden = !(/\.cf$/.test(against.value) || found.files.some(f => f.name === against.value.trim() && f.kind === "blueprint")); within.hidden = plays.hidden || how.value === "no"; };
    against.addEventListener("input", shape);
    shape();
    this.fields = { against: field("Against", against, "a solution of the folder, or an agent by name"), game: field("Game", game, "empty: the game of the solution"), search: plays, seconds: within };
    this.setup = h("details", { class: "card setup", open: !this.params.against && !this.params.session }, h("summary", {}, h("h1", {}, "Sit down")), h("div", { class: "row fields" },
      Object.values(this.fields),
      this.go = h("button", { class: "strong", onclick: () => this.sit(game.value.trim(), against.value.trim(), how.value === "yes", pace.value.trim()) }, "Play")),
      h("datalist", { id: "opponents" }, [...new Set([...found.files.map(f => f.name), ...found.files.filter(f => f.kind === "blueprint").map(f => `holdem(${f.name})`), ...found.agents.map(a => a.name), ...found.bots])].map(value => h("option", { value }))),
      h("datalist", { id: "playable" }, ["kuhn", "leduc", "liars_dice", "holdem:hu", "holdem:3max", "holdem:6max", ...found.games].map(value => h("option", { value }))));
    this.felt = h("section", { class: "card felt", "aria-live": "polite", hidden: true });
    this.side = h("div", { class: "beside", hidden: true });
    this.root.append(this.setup, h("div", { class: "play" }, this.felt, this.side));
    const { table, session, moves } = this.params;
    const there = table && await get("/play/state", { table }).catch(() => null);  // else the server was started again
    if (there) this.seated({ ...there, table });
    else if (session) await this.sitDown({ session, moves: moves || "" }, {});
    else if (this.params.against) await this.sit(this.game, this.against, this.search, this.seconds);
  }
  async sit(game, against, search, seconds) {
    Object.assign(this, { game, against, search, seconds });
    await this.sitDown({ game: game || null, against, search, seconds });
  }
  async sitDown(how, fields = this.fields) {
    this.go.disabled = true;
    this.go.textContent = "Sitting down…";
    const found = await marking(fields, () => post("/play/sit", how));
    this.go.disabled = false;
    this.go.textContent = "Play";
    if (this.gone) return;
    if (found) this.seated(found); else this.setup.open = true;
  }
  // At a table that the server has, which a reload comes back to.
  seated(found) {
    this.setup.open = false;
    this.table = found.table;
    Object.assign(this, found.asked);
    history.replaceState(null, "", this.address({ table: this.table }));
    this.felt.hidden = this.side.hidden = false;
    this.take(found);
    this.felt.focus();
  }
  address(more) {
    const { game, against, search, seconds } = this;
    return href("play", { game, against, search: search ? "" : "no", seconds: search ? seconds : "", ...more });
  }
  // The hands so far in a file of the folder, and the moves of the one at hand.
  async link() {
    if (!this.table) return location.href;
    const { file, moves } = await post("/play/keep", { table: this.table });
    return location.origin + href("play", { session: file, moves });
  }
  words() {
    return command("play", this.game, ["--against", this.against || "equilibrium"], ["--no-search", !this.search], ["--seconds", this.search ? this.seconds : ""], ["--seed", this.state && this.state.seed]);
  }
  take(found) {
    this.state = found;
    this.drilling = null;
    if (found.trouble) notice(found.trouble, true);
    if (found.phase === "thinking") { setTimeout(async () => { if (!this.gone) this.take(await get("/play/state", { table: this.table })); }, 300); }
    this.draw();
  }
  async act(action) {
    if (this.busy) return;
    this.busy = true;
    this.felt.classList.add("thinking");
    for (const button of this.felt.querySelectorAll("button")) button.disabled = true;
    const found = await tried(() => post("/play/act", { table: this.table, action }));
    this.felt.classList.remove("thinking");
    this.busy = false;
    if (found) this.take(found); else this.draw();
  }
  async deal() {
    if (this.busy || !this.state || this.state.phase !== "over") return;
    this.busy = true;
    this.advice = null;
    const found = await tried(() => post("/play/deal", { table: this.table }));
    this.busy = false;
    if (found) this.take(found);
  }
  async hint() {
    const found = await tried(() => get("/play/hint", { table: this.table }));
    if (found) { this.advice = found.advice; this.draw(); }
  }
  draw() {
    const { state } = this, over = state.phase === "over";
    const won = state.payoff;
    this.felt.replaceChildren(
      h("div", { class: "row between" }, h("h2", {}, `Hand ${state.number} · ${state.game.split("/").pop()}`), h("span", { class: "soft" }, `against ${state.names.slice(1).join(", ")}`)),
      state.felt ? this.oval(state.felt) : h("dl", { class: "hand" }, state.rows.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
      h("div", { class: "result" }, over && won !== null ? h("b", { class: won > 0 ? "good" : won < 0 ? "bad" : "" }, won > 0 ? `You win ${chips(won)}` : won < 0 ? `You lose ${chips(-won)}` : "You win nothing") : "", over && state.searches.map(text => h("div", { class: "soft small" }, `It searched: ${text}`))),
      h("div", { class: "row deciding" }, over ? h("button", { class: "strong", onclick: () => this.deal() }, h("kbd", {}, "n"), " Next hand")
        : state.actions.map((action, k) => h("button", { class: "move", onclick: () => this.act(action) }, h("kbd", {}, "abcdefghi"[k] || ""), " ", action)),
        !over && h("button", { class: "quiet", onclick: () => this.hint() }, h("kbd", {}, "h"), " Hint")),
      h("div", { class: "advice" }, !over && this.advice ? this.advice.map(one => h("p", { class: "soft" }, `${one.who}: `, Object.entries(one.odds).map(([a, p]) => `${a} ${Math.round(100 * p)}%`).join(", "),
        one.worth ? `; worth ${Object.entries(one.worth).map(([a, x]) => `${a} ${signed(x)}`).join(", ")}` : "")) : ""));
    if (over || state.phase === "decision") this.advice = over ? null : this.advice;
    this.side.replaceChildren(this.score(), this.judged(), this.rulesCard());
  }
  oval(felt) {
    const [own, ...others] = felt.seats;
    const seat = one => h("div", { class: "place" + (one.folded ? " folded" : "") + (one.acts ? " acts" : "") },
      h("div", { class: "laid" }, one.cards ? one.cards.map(playing) : own.cards.map(() => h("span", { class: "playing back" }))),
      h("div", { class: "stack" }, h("b", {}, one.name), h("span", { class: "soft" }, one.who), one.behind !== null && h("span", {}, `${chips(one.behind)} behind`)),
      h("div", { class: "said" }, one.bet > 0 ? [h("i", { class: "chip" }), ` ${chips(one.bet)} `] : "", h("span", { class: "soft" }, one.folded ? "folded" : one.said)));
    return h("div", { class: "oval" }, h("div", { class: "others" }, others.map(seat)),
      h("div", { class: "middle" }, h("div", { class: "laid" }, felt.board.map(playing)), h("div", { class: "pot" }, h("i", { class: "chip" }), `Pot ${chips(felt.pot)}`), h("div", { class: "soft line-said" }, felt.line.join(", ") || "nothing yet")),
      seat(own));
  }
  score() {
    const { score, judges, drills } = this.state;
    const rows = [];
    const row = (name, value) => rows.push(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
    if (score) {
      row("Hands", score.hands);
      row("A hand", `${signed(score.mean)}${score.half ? ` ± ${chips(score.half)}` : ""}`);
      if (score.reduced) row("Luck taken out", `${signed(score.reduced.mean)}${score.reduced.half ? ` ± ${chips(score.reduced.half)}` : ""}`);
    }
    return h("section", { class: "card" }, h("h2", {}, "Score"), score ? h("dl", {}, rows) : h("p", { class: "soft" }, "No hand is over yet."),
      h("div", { class: "row" }, judges && h("button", { disabled: !drills, onclick: () => this.drill() }, `Drill what cost most (${drills})`),
        score && h("button", { onclick: () => tried(async () => notice(`The session is in ${(await post("/play/save", { table: this.table, name: "session" })).file}`)) }, "Save the session")));
  }
  judged() {
    const { judged, judges } = this.state;
    return h("section", { class: "card judgedcard" }, h("h2", {}, "Decisions of this hand"), judged.length ? judged.map(one => verdict(one))
      : h("p", { class: "soft" }, judges === "exact" ? "Each is judged by its exact value as soon as you have made it." : judges === "drawn" ? "Each is judged by the opponents' blueprint, played on by everybody over drawn hands and boards; ± tells how far that may be wrong." : judges ? "Each is judged by what the opponent's own search finds, before it by its blueprint over drawn boards; ± tells how far that may be wrong." : "Where the opponent's strategy for all hands is known, each is judged by its exact value; a hint tells what others would do."));
  }
  rulesCard() { return h("details", { class: "card" }, h("summary", {}, "The rules"), (this.state.rules || []).map(text => h("p", {}, text))); }
  // Decisions that cost most, one after the other, to be made again.
  async drill() {
    const { drills } = await get("/play/drills", { table: this.table });
    if (!drills.length) return;
    let at = 0;
    const next = () => {
      const one = drills[at % drills.length], [hand, board, line] = one.cards || ["", "", ""];
      const answer = h("div", { class: "result" });
      const choose = action => {
        answer.replaceChildren(verdict({ action, worth: one.worth, best: Object.entries(one.worth).sort((a, b) => b[1] - a[1])[0][0], lost: Math.max(...Object.values(one.worth)) - one.worth[action], pot: one.pot, doubt: one.doubt }));
        buttons.replaceChildren(h("button", { class: "strong", onclick: () => { at++; next(); } }, h("kbd", {}, "n"), " Next"), h("button", { onclick: () => { this.drilling = null; this.draw(); } }, "Back to the table"));
        this.drilling = { next: () => { at++; next(); } };
      };
      const buttons = h("div", { class: "row deciding" }, Object.keys(one.worth).map((action, k) => h("button", { class: "move", onclick: () => choose(action) }, h("kbd", {}, "abcdefghi"[k]), " ", action)));
      this.drilling = { choose: k => Object.keys(one.worth)[k] && choose(Object.keys(one.worth)[k]) };
      this.felt.replaceChildren(h("h2", {}, `Drill ${at % drills.length + 1} of ${drills.length}`), !one.cards ? h("div", { class: "oval" }, h("p", { class: "seen" }, `You see ${one.seen || "nothing"}`)) : h("div", { class: "oval" },
        h("div", { class: "middle" }, h("div", { class: "laid" }, cards(board.replaceAll(" ", ""))), h("div", { class: "pot" }, `Pot ${chips(one.pot)}`), h("div", { class: "soft" }, line || "nothing yet")),
        h("div", { class: "place" }, h("div", { class: "laid" }, cards(hand)))), buttons, answer);
    };
    next();
  }
  key(event) {
    if (!this.state) return false;
    const k = "abcdefghi".indexOf(event.key);
    if (this.drilling) {
      if (this.drilling.next && (event.key === "n" || event.key === "Enter")) this.drilling.next();
      else if (this.drilling.choose && k >= 0) this.drilling.choose(k);
      else return false;
      return true;
    }
    if (event.key === "h" && this.state.phase === "decision" && !this.state.actions[k]) { this.hint(); return true; }
    if (k >= 0 && this.state.actions[k]) { this.act(this.state.actions[k]); return true; }
    if (this.state.phase === "over" && (event.key === "n" || event.key === "Enter")) { this.deal(); return true; }
    return false;
  }
}
function verdict(one) {
  const fine = one.lost <= Math.max(.002 * one.pot, one.doubt), all = Object.entries(one.worth).sort((a, b) => b[1] - a[1]);
  return h("div", { class: "verdict" }, h("b", { class: fine ? "good" : "bad" }, fine ? `${one.action}: right` : `${one.action}: costs ${chips(one.lost)}, ${one.best} is best`), one.doubt > .005 && h("span", { class: "soft" }, ` ± ${chips(one.doubt)}`),
    h("table", {}, h("tbody", {}, all.map(([action, x]) => h("tr", { class: action === one.action ? "taken" : "" }, h("td", {}, action), h("td", { class: "num" }, signed(x)))))));
}
