// What a keyboard needs on every page: focus that outlives a redrawing, tabs and decks by arrows.
const FOCUSABLE = "a[href], button:not(:disabled), input:not([type=file]):not(:disabled), select:not(:disabled), textarea, summary, [tabindex='0']";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const groupOf = one => `${one.tagName} in ${one.parentElement.tagName}.${one.parentElement.className}`;
const nameOf = one => (one.getAttribute("aria-label") || one.textContent).replace(/[↑↓]/g, "").trim();
const there = root => [...root.querySelectorAll(FOCUSABLE)].filter(one => one.checkVisibility());

// Where the focus was when what had it is drawn anew: at the same one again, or at the one in its place.
export function keepFocus(root) {
  let last = null;
  const note = one => { const group = groupOf(one); last = { one, group, name: nameOf(one), place: there(root).filter(other => groupOf(other) === group).indexOf(one) }; };
  root.addEventListener("focusin", event => { if (event.target !== root) note(event.target); });
  document.addEventListener("focusin", event => { if (!root.contains(event.target)) last = null; });
  document.addEventListener("pointerdown", () => { last = null; }, true);
  new MutationObserver(() => {
    if (!last || document.activeElement !== document.body) return;
    if (last.one.isConnected && !last.one.disabled && last.one.checkVisibility()) return;
    const alike = there(root).filter(one => groupOf(one) === last.group);
    const next = alike.find(one => nameOf(one) === last.name) || alike[Math.min(Math.max(last.place, 0), alike.length - 1)];
    if (next) next.focus({ preventScroll: true });
    else if (!last.one.isConnected) root.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden"] });
}

// One stop for Tab among many buttons; arrows go to the nearest one in their direction.
export function roving(box) {
  const all = () => [...box.querySelectorAll("button")];
  const stop = one => { for (const other of all()) other.tabIndex = other === one ? 0 : -1; };
  const begin = all().find(one => one.getAttribute("aria-current") === "true") || all()[0];
  if (begin) stop(begin);
  box.addEventListener("focusin", event => { if (event.target.matches("button")) stop(event.target); });
  box.addEventListener("keydown", event => {
    const step = STEPS[event.key];
    if (!step || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || !event.target.matches("button")) return;
    event.preventDefault();
    event.stopPropagation();
    const middle = one => { const at = one.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; };
    const [x, y] = middle(event.target), [right, down] = step;
    const far = one => { const [a, b] = middle(one), along = (a - x) * right + (b - y) * down, aside = Math.abs((a - x) * down) + Math.abs((b - y) * right);
      return along > 1 && aside <= along * 3 ? along + 4 * aside : Infinity; };
    const next = all().filter(one => one !== event.target).reduce((best, one) => far(one) < far(best || one) || !best ? one : best, null);
    if (next && far(next) < Infinity) next.focus();
  });
}

// Arrows between tabs.
export function betweenTabs(event) {
  const step = STEPS[event.key];
  if (!step || !step[0] || !event.target.matches("[role=tab]")) return false;
  const tabs = [...event.target.parentElement.querySelectorAll("[role=tab]")];
  const next = tabs[(tabs.indexOf(event.target) + step[0] + tabs.length) % tabs.length];
  next.focus();
  next.click();
  return true;
}
// Keys by which what has the focus is used: no page takes them for itself.
export const isUsed = event => (event.key === "Enter" || event.key === " ") && event.target.matches(FOCUSABLE)
  || event.target.matches("input[type=range]") && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")
  || event.target.matches("summary, input[type=checkbox]") && event.key === " ";
