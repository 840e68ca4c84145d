// The queue: what is at work, how far it is, and what came out.
import { h, post, live, href, seconds, count, bytes, tried } from "../parts.js";
import { falling } from "../curve.js";
import { commandOf } from "../send.js";

const PHASES = { waiting: "waiting", running: "at work", stopping: "stopping", stopped: "stopped", done: "done", failed: "failed" };

// Where the result of a job is looked at, if it is no solution of its own.
const bent = job => href("bend", { job: job.id });
const LOOK = { blueprint: job => href("report", { file: job.file }), report: job => href("report", { job: job.id }), style: bent, target: bent, exploit: bent };

export async function show(root, params) {
  const list = h("div", { class: "jobs" });
  root.append(h("h1", { class: "sr" }, "Solve"), list);
  const cards = new Map();
  const stop = live.watch(jobs => {
    if (!jobs.length) {
      list.replaceChildren(h("section", { class: "card empty" }, h("h2", {}, "No jobs yet"), h("p", { class: "soft" }, "What you solve is shown here while it runs."),
        h("a", { class: "button strong", href: "/build" }, "Build a spot")));
      cards.clear();
      return;
    }
    const there = jobs.map(job => {
      let card = cards.get(job.id);
      if (!card) { card = new JobCard(job.id); cards.set(job.id, card); }
      card.update(job);
      card.element.classList.toggle("chosen", job.id === params.job);
      return card.element;
    });
    const same = there.length === list.children.length && there.every((one, k) => list.children[k] === one);
    if (!same) list.replaceChildren(...there);
  });
  // What is sent is the job of the link, or the latest one: its curve, and the command that does it.
  const sent = () => (live.jobs || []).find(one => one.id === params.job) || (live.jobs || [])[0];
  return { leave: stop, send: { command: () => sent() ? commandOf(sent()) : "", link: () => sent() ? location.origin + href("solve", { job: sent().id }) : location.href,
    rows: () => [["iteration", "seconds", sent() && sent().kind === "blueprint" ? "a response gains" : "exploitability"], ...((sent() || {}).trace || [])] } };
}

class JobCard {
  constructor(id) {
    this.id = id;
    this.before = "";
    this.head = h("div", { class: "row between" });
    this.figure = h("div", { class: "figure" });
    this.told = h("div", { class: "facts" });
    this.doing = h("div", { class: "row" });
    this.element = h("section", { class: "card job", data: { id } }, this.head, h("div", { class: "halves" }, this.figure, this.told), this.doing);
  }
  update(job) {
    const now = JSON.stringify(job);
    if (now === this.before) return;
    this.before = now;
    this.element.dataset.phase = job.phase;
    this.element.dataset.kind = job.kind;
    this.head.replaceChildren(h("h2", {}, job.title || job.file || job.kind), h("span", { class: "tag " + job.phase }, PHASES[job.phase] || job.phase));
    const pot = job.pot, unit = job.blind ? y => Math.round(1000 * y / job.blind) + " mbb" : pot ? y => +(100 * y / pot).toPrecision(2) + "%" : undefined;
    if (job.kind === "solve" || job.kind === "blueprint") this.figure.replaceChildren(falling((job.trace || []).map(([i, , e]) => [i, e]), { goal: job.goal, unit }));
    this.told.replaceChildren(...this.facts(job, pot));
    const act = (path, title, more = {}) => h("button", { onclick: () => tried(async () => live.take((await post(path, { id: job.id, ...more })).jobs)) }, title);
    const buttons = [];
    const busy = ["running", "waiting", "stopping"].includes(job.phase);
    const look = LOOK[job.kind] || (job => href(pot || job.result && job.result.boards ? "browse" : "game", { file: job.file }));
    if (!busy && (job.result || (job.trace || []).length)) buttons.push(h("a", { class: "button strong", href: look(job) }, "Browse"));
    if (busy) buttons.push(act("/jobs/stop", "Stop"));
    if (["stopped", "failed"].includes(job.phase)) buttons.push(act("/jobs/go", "Go on"));
    if (job.phase === "done" && job.kind === "solve" && pot) {
      const percent = job.result.percent_of_pot;
      const next = +(percent / 2).toPrecision(2) + "%";
      buttons.push(act("/jobs/go", `Go on to ${next}`, { exploitability: next }));
    }
    if (!busy) buttons.push(act("/jobs/remove", "Remove from the list"));
    this.doing.replaceChildren(...buttons);
  }
  facts(job, pot) {
    const rows = [];
    const row = (name, value) => rows.push(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
    const last = (job.trace || []).at(-1);
    if (job.message) rows.push(h("p", { class: "trouble" }, job.message));
    if (job.result && job.kind === "blueprint") {
      const r = job.result, told = x => r.blind ? `${(1000 * x / r.blind).toPrecision(2)}` : x.toPrecision(2);
      row("A response gains", r.gains.map(one => `${r.seats[one.player]} ${told(one.gain)} ± ${told(one.error)}`).join(", ") + (r.blind ? " mbb a hand" : ""));
      row("Iterations", `${count(r.iterations)} of ${r.method}`);
      row("Time", seconds(r.seconds));
      row("Memory", bytes(r.memory));
      row("File", job.file);
      rows.push(h("p", { class: "soft small" }, "The response sees the same buckets; one that sees more may gain more."));
    } else if (job.result && job.kind !== "solve") {
      const r = job.result;
      if (r.flops) row("Flops", count(r.flops));
      if (r.cost !== undefined) row("It costs", r.pot ? `${(100 * r.cost / r.pot).toPrecision(2)}% of the pot` : r.cost.toPrecision(3));
      row("File", job.file || "in the studio's own folder");
    } else if (job.result) {
      const r = job.result;
      if (r.evs) row("EV", r.evs.map((ev, k) => `${r.players[k]} ${ev.toFixed(2)}`).join(", "));
      else if (r.value !== undefined && r.value !== null) row("Value", r.value.toPrecision(6));
      row("Exploitability", r.percent_of_pot !== undefined && r.percent_of_pot !== null ? `${r.percent_of_pot.toPrecision(3)}% of the pot, exactly` : `${r.exploitability.toPrecision(3)}, exactly`);
      row("Iterations", `${count(r.iterations)} of ${r.method}`);
      row("Time", `${r.seconds.toFixed(1)} s`);
      if (r.memory) row("Memory", bytes(r.memory));
      row("File", job.file);
      rows.push(h("p", { class: "soft small" }, r.promise));
    } else {
      if (job.phase === "running") row("Doing", job.doing || "beginning");
      if (job.total) row("Done", `${job.done} of ${job.total}`);
      if (job.iteration) row("Iteration", count(job.iteration));
      if (last) row(job.kind === "blueprint" ? "A response gains" : "Exploitability", job.blind ? `${Math.round(1000 * last[2] / job.blind)} mbb a hand` : pot ? `${(100 * last[2] / pot).toPrecision(3)}% of the pot` : last[2].toPrecision(3));
      if (job.seconds) row("Time", seconds(job.seconds));
      if (job.goal) row("Goal", pot ? `${+(100 * job.goal / pot).toPrecision(3)}% of the pot` : job.goal.toPrecision(2));
    }
    return [h("dl", {}, rows.filter(one => one.tagName === "DIV")), ...rows.filter(one => one.tagName !== "DIV")];
  }
}
