// SPDX-License-Identifier: Apache-2.0
// What the figures and tables of one part of the page agree on: the kernel, by its number in the
// part's rows (as text), the classes of operation that are hidden, and the kernels searched for.
// `pinned` stays until replaced or cleared; `hovered` is what the pointer is on.

// `run`: {rows, classes} of the island, or nothing of a part without kernels.
export function createSelection(run = {rows: {}, classes: {}}) {
  const listeners = [];
  const names = Object.keys(run.classes);
  const hidden = new Set();
  let pinned = null;
  let hovered = null;
  let found = null;
  const tell = (source, what) => listeners.forEach((listener) => listener(source, what));
  const hideAllBut = (shown, source) => {
    hidden.clear();
    for (const name of names) if (!shown.has(name)) hidden.add(name);
    tell(source, "classes");
  };
  return {
    get pinned() { return pinned; },
    get hovered() { return hovered; },
    get hidden() { return hidden; },
    // A set of rows; null while nothing is searched for.
    get found() { return found; },
    get shownClasses() { return names.filter((name) => !hidden.has(name)); },
    // The listener gets who did it, and what changed: "pin", "hover", "classes" or "search".
    onChange(listener) { listeners.push(listener); },
    pin(row, source) {
      pinned = row === pinned ? null : row;
      tell(source, "pin");
    },
    clear(source) {
      if (pinned === null) return;
      pinned = null;
      tell(source, "pin");
    },
    hover(row, source) {
      if (row === hovered) return;
      hovered = row;
      tell(source, "hover");
    },
    toggleClass(name, source) {
      if (!hidden.delete(name)) hidden.add(name);
      tell(source, "classes");
    },
    // That class and no other; all of them, if it is so already.
    onlyClass(name, source) {
      const alone = !hidden.has(name) && hidden.size === names.length - 1;
      hideAllBut(new Set(alone ? names : [name]), source);
    },
    showClasses(shown, source) { hideAllBut(new Set(shown ?? names), source); },
    // Each word must occur in the kernel's name, class, precision or bound.
    search(text, source) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      found = words.length === 0 ? null : new Set(Object.keys(run.rows).filter((key) => {
        const row = run.rows[key];
        const all = [row.name, row.class, row.precision, row.bound].join(" ").toLowerCase();
        return words.every((word) => all.includes(word));
      }));
      tell(source, "search");
    },
  };
}
