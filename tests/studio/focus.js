// What has the focus, as a person at a keyboard sees it; and all that should have it once.
({
  now() {
    const one = document.activeElement, box = one.getBoundingClientRect(), look = getComputedStyle(one);
    const label = one.labels && one.labels[0] ? one.labels[0].textContent : one.placeholder;
    return {
      tag: one.tagName,
      name: one.getAttribute("aria-label") || one.title || one.textContent.trim() || label || "",
      ring: look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 1 || one.matches(".skip"),
      seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
      place: [...document.querySelectorAll("*")].indexOf(one),
    };
  },
  every() {
    const stops = "a[href], button, input, select, textarea, summary, [tabindex='0']";
    return [...document.querySelectorAll("*")].map((one, k) => [one, k])
      .filter(([one]) => one.matches(stops) && !one.disabled && one.tabIndex >= 0)
      .filter(([one]) => one.checkVisibility() && one.getClientRects().length).map(([, k]) => k);
  },
})
