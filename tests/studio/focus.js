// What has the focus, as a person at a keyboard sees it; and all that should have had it once.
({
  now() {
    const one = document.activeElement, box = one.getBoundingClientRect(), look = getComputedStyle(one);
    one.met = true;
    const label = one.labels && one.labels[0] ? one.labels[0].textContent : one.placeholder;
    return {
      tag: one.tagName,
      name: one.getAttribute("aria-label") || one.title || one.textContent.trim() || label || "",
      ring: look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 1 || one.matches(".skip"),
      seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
      place: [...document.querySelectorAll("*")].indexOf(one),
    };
  },
  missed() {
    const stops = "a[href], button, input, select, textarea, summary, [tabindex='0']";
    return [...document.querySelectorAll(stops)].filter(one => !one.disabled && one.tabIndex >= 0 && !one.met)
      .filter(one => one.checkVisibility() && one.getClientRects().length).map(one => one.outerHTML.slice(0, 200));
  },
})
