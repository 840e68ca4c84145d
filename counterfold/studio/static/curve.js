// Curves as SVG: exploitability as it falls, on logarithmic axes.
import { s } from "./parts.js";

const W = 320, H = 120, LEFT = 44, BOTTOM = 20, TOP = 8, RIGHT = 8;
const shown = x => x >= 100 ? Math.round(x) : x < 1e-3 ? x.toExponential(1) : +x.toPrecision(2);

// points: [[x, y]...] above 0; goal: a level to reach; unit: how y is written.
export function falling(points, { goal, unit = y => shown(y), label = "exploitability by iteration" }) {
  const made = s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": label });
  const good = points.filter(([x, y]) => x > 0 && y > 0);
  if (!good.length) {
    if (points.length) { const t = s("text", { x: W / 2, y: H / 2, "text-anchor": "middle" }); t.textContent = "0 from the first check on"; made.append(t); }
    return made;
  }
  const xs = good.map(p => Math.log(p[0])), ys = [...good.map(p => Math.log(p[1])), ...(goal > 0 ? [Math.log(goal)] : [])];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const X = x => LEFT + (W - LEFT - RIGHT) * (x1 > x0 ? (x - x0) / (x1 - x0) : 1);
  const Y = y => TOP + (H - TOP - BOTTOM) * (y1 > y0 ? (y1 - y) / (y1 - y0) : .5);
  const line = (a, b, c, d, name) => s("line", { x1: a, y1: b, x2: c, y2: d, class: name });
  const text = (x, y, words, anchor) => {
    const t = s("text", { x, y, "text-anchor": anchor });
    t.textContent = words;
    return t;
  };
  made.append(line(LEFT, H - BOTTOM, W - RIGHT, H - BOTTOM, "axis"), line(LEFT, TOP, LEFT, H - BOTTOM, "axis"));
  made.append(text(LEFT - 4, Y(y1) + 4, unit(Math.exp(y1)), "end"));
  if (y1 - y0 > .4) made.append(text(LEFT - 4, Y(y0) + 2, unit(Math.exp(y0)), "end"));
  made.append(text(LEFT, H - 5, Math.round(Math.exp(x0)).toLocaleString("en-US"), "start"));
  made.append(text(W - RIGHT, H - 5, `iteration ${Math.round(Math.exp(x1)).toLocaleString("en-US")}`, "end"));
  if (goal > 0) made.append(line(LEFT, Y(Math.log(goal)), W - RIGHT, Y(Math.log(goal)), "goal"));
  const path = good.map((p, k) => `${k ? "L" : "M"}${X(xs[k]).toFixed(1)} ${Y(Math.log(p[1])).toFixed(1)}`).join("");
  made.append(s("path", { d: path, class: "fall" }));
  const last = good.length - 1;
  made.append(s("circle", { cx: X(xs[last]), cy: Y(Math.log(good[last][1])), r: 3, class: "dot" }));
  return made;
}
