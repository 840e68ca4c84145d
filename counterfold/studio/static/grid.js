// The 13 x 13 grid: made once, then only changed in place, so that a click shows within a frame.
import { h } from "./parts.js";

let grids = 0;
export class HandGrid {
  // pick(k, event) when a cell is chosen, paint(k, first) while one drags, point(k) when pointed at.
  constructor(classes, { label, pick, paint, point }) {
    this.at = 0;
    const own = `grid${++grids}`;
    this.cells = classes.map((name, k) => {
      const inside = h("i"), number = h("span");
      const cell = h("div", { class: "cell", id: `${own}-${k}`, data: { k }, role: "gridcell", "aria-label": name },
        inside, h("b", {}, name), number);
      return Object.assign(cell, { inside, number });
    });
    const rows = [...Array(13)].map((_, r) =>
      h("div", { role: "row", class: "gridrow" }, this.cells.slice(13 * r, 13 * r + 13)));
    this.element = h("div", { class: paint ? "grid painted" : "grid", tabindex: 0, role: "grid", "aria-label": label, "aria-activedescendant": `${own}-0` }, rows);
    const where = event => {
      const under = document.elementFromPoint(event.clientX, event.clientY);
      const cell = under && under.closest(".cell");
      return cell && this.element.contains(cell) ? +cell.dataset.k : null;
    };
    let last = null;
    this.element.addEventListener("pointerdown", event => {
      const k = where(event);
      if (k === null || event.button) return;
      last = k;
      this.mark(k);
      if (pick) pick(k, event);
      if (paint) { paint(k, true); this.element.setPointerCapture(event.pointerId); }
    });
    this.element.addEventListener("pointermove", event => {
      const k = where(event);
      if (point && k !== null && !event.buttons) point(k);
      if (!paint || !this.element.hasPointerCapture(event.pointerId) || k === null || k === last) return;
      last = k;
      paint(k, false);
    });
    this.element.addEventListener("pointerup", () => { if (paint && last !== null) paint(null, false); last = null; });
    this.element.addEventListener("pointerleave", () => { if (point) point(null); });
    let stroke = false;  // with shift, as if the mouse were held
    const end = () => { if (stroke) { stroke = false; paint(null, false); } };
    this.element.addEventListener("keyup", event => { if (event.key === "Shift") end(); });
    this.element.addEventListener("focusout", end);
    this.element.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 }[event.key];
      if (step !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
        event.preventDefault(); event.stopPropagation();
        const next = this.at + step;
        if (next < 0 || next > 168) return;
        if (event.shiftKey && paint && !stroke) { stroke = true; paint(this.at, true); }
        this.mark(next);
        if (stroke) paint(next, false);
        else if (pick && !paint) pick(next, event);
        if (point) point(next);
      } else if ((event.key === " " || event.key === "Enter") && (paint || pick)) {
        event.preventDefault(); event.stopPropagation();
        if (pick) pick(this.at, event);
        if (paint) { paint(this.at, true); paint(null, false); }
      }
    });
  }
  mark(k) {
    this.cells[this.at].classList.remove("chosen");
    this.at = k;
    this.cells[k].classList.add("chosen");
    this.element.setAttribute("aria-activedescendant", this.cells[k].id);
  }
  // fill(k) gives { height, background, text } or null for a class that is not there.
  draw(fill) {
    this.cells.forEach((cell, k) => {
      const found = fill(k);
      cell.classList.toggle("there", !!found);
      cell.inside.style.height = (found ? found.height : 0) + "%";
      cell.inside.style.background = found ? found.background : "none";
      const text = found && found.text || "";
      if (cell.number.textContent !== text) cell.number.textContent = text;
      if (found && found.told) cell.setAttribute("aria-label", found.told);
    });
  }
}
