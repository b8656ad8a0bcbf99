// SPDX-License-Identifier: Apache-2.0
// The selection shared by the figures and tables of a part: the kernel (row number as a string),
// the hidden classes of operation, and the search results. `pinned` stays until replaced or
// cleared; `hovered` is the kernel under the pointer.

// `run`: {rows, classes} of the page's JSON; empty for a part without kernels.
export function createSelection(run = {rows: {}, classes: {}}) {
  const listeners = [];
  const names = Object.keys(run.classes);
  const hidden = new Set();
  let pinned = null;
  let hovered = null;
  let found = null;
  const notify = (source, what) => listeners.forEach((listener) => listener(source, what));
  const hideAllBut = (shown, source) => {
    hidden.clear();
    for (const name of names) if (!shown.has(name)) hidden.add(name);
    notify(source, "classes");
  };
  return {
    get pinned() { return pinned; },
    get hovered() { return hovered; },
    get hidden() { return hidden; },
    // The set of matching rows; null without a search.
    get found() { return found; },
    get shownClasses() { return names.filter((name) => !hidden.has(name)); },
    // The listener gets the source of the change and its kind: "pin", "hover", "classes" or
    // "search".
    onChange(listener) { listeners.push(listener); },
    pin(row, source) {
      pinned = row === pinned ? null : row;
      notify(source, "pin");
    },
    clear(source) {
      if (pinned === null) return;
      pinned = null;
      notify(source, "pin");
    },
    hover(row, source) {
      if (row === hovered) return;
      hovered = row;
      notify(source, "hover");
    },
    toggleClass(name, source) {
      if (!hidden.delete(name)) hidden.add(name);
      notify(source, "classes");
    },
    // Shows only this class, or all classes if only this class is shown already.
    onlyClass(name, source) {
      const alone = !hidden.has(name) && hidden.size === names.length - 1;
      hideAllBut(new Set(alone ? names : [name]), source);
    },
    showClasses(shown, source) { hideAllBut(new Set(shown ?? names), source); },
    // All words must occur in the kernel's name, class, precision or bound.
    search(text, source) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      found = words.length === 0 ? null : new Set(Object.keys(run.rows).filter((key) => {
        const row = run.rows[key];
        const all = [row.name, row.class, row.precision, row.bound].join(" ").toLowerCase();
        return words.every((word) => all.includes(word));
      }));
      notify(source, "search");
    },
  };
}
