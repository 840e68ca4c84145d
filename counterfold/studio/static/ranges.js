// A range to paint: 169 cells with weights, the suits of a class, and the same in words.
import { h, post, later } from "./parts.js";
import { HandGrid } from "./grid.js";
import { signs, suits } from "/grid_draw.js";

let ranges = 0;
export class RangeEditor {
  constructor(cards, title, changed) {
    this.cards = cards;
    this.changed = changed;
    this.weights = new Array(cards.names.length).fill(0);
    this.text = "";
    this.brush = 1;
    this.cell = 0;
    this.words = h("textarea", { rows: 2, spellcheck: "false", "aria-label": `${title} in words`, placeholder: "QQ+,AKs:0.5",
      oninput: later(() => this.read(), 300) });
    this.trouble = h("p", { class: "trouble", role: "alert", id: `range${++ranges}` });
    this.words.setAttribute("aria-describedby", this.trouble.id);
    this.told = h("span", { class: "soft" });
    this.suits = h("div", { class: "suits" });
    this.shown = h("output", {}, "100%");
    const slider = h("input", { type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": "weight of the brush",
      oninput: () => { this.brush = slider.value / 100; this.shown.textContent = slider.value + "%"; } });
    let erase = false;
    this.grid = new HandGrid(cards.classes, {
      label: `${title}: paint with the mouse, or move with the arrow keys and paint with space, or with shift and the arrow keys`,
      paint: (k, first) => {
        if (k === null) { this.write(); return; }
        const holes = cards.holes[k];
        if (first) erase = holes.every(hole => this.weights[hole] === this.brush);
        for (const hole of holes) this.weights[hole] = erase ? 0 : this.brush;
        this.cell = k;
        this.draw();
      },
    });
    const all = weight => { this.weights.fill(weight); this.draw(); this.write(); };
    this.element = h("div", { class: "range" }, h("div", { class: "row between" }, h("h2", {}, title), this.told),
      this.grid.element, this.suits,
      h("div", { class: "row brush" }, h("span", { class: "soft" }, "Brush"), slider, this.shown,
        h("button", { onclick: () => all(1) }, "All"), h("button", { onclick: () => all(0) }, "None")),
      this.words, this.trouble);
  }
  mark(text) {
    this.trouble.textContent = text || "";
    this.words.setAttribute("aria-invalid", text ? "true" : "false");
  }
  async set(text) {
    this.words.value = text || "";
    await this.read();
  }
  take(found, words) {
    this.weights = found.weights;
    this.text = found.text;
    if (words) this.words.value = found.text;
    this.told.textContent = `${+found.combos.toFixed(1)} combos, ${(100 * found.share).toFixed(1)}%`;
    this.mark("");
    this.draw();
    this.changed();
  }
  async read() {
    try { this.take(await post("/build/range", { text: this.words.value }), false); }
    catch (error) { this.text = this.words.value; this.mark(error.message); this.changed(); }
  }
  async write() {
    try { this.take(await post("/build/words", { weights: this.weights }), true); }
    catch (error) { this.mark(error.message); }
  }
  draw() {
    const { holes, classes, names } = this.cards;
    this.grid.draw(k => {
      const mean = holes[k].reduce((sum, hole) => sum + this.weights[hole], 0) / holes[k].length;
      if (mean <= 0) return null;
      return { height: Math.max(100 * mean, 4), background: "var(--range)", text: mean > .995 ? "" : Math.round(100 * mean) + "%",
        told: `${classes[k]} ${Math.round(100 * mean)}%` };
    });
    this.suits.replaceChildren(h("b", {}, classes[this.cell]), ...holes[this.cell].map(hole => {
      const name = names[hole], weight = this.weights[hole];
      return h("button", { class: "combo", "aria-pressed": weight > 0 ? "true" : "false", "aria-label": `${name} ${Math.round(100 * weight)}%`, onclick: () => {
        this.weights[hole] = weight === this.brush ? 0 : this.brush;
        this.draw();
        this.write();
      } }, [0, 2].map(n => h("span", { class: "suit-" + name[n + 1] }, name[n] + signs[suits.indexOf(name[n + 1])])),
      weight > 0 && weight < 1 && h("small", {}, Math.round(100 * weight)));
    }));
  }
}
