// SPDX-License-Identifier: Apache-2.0
// Above the figure: which tiers and classes are drawn. Below: the pinned kernel.
import {classMark, element, toggle} from "./dom.js";
import {kernelFacts} from "./kernel_facts.js";

function change(set, key, inside) {
  if (inside) set.add(key);
  else set.delete(key);
}

function group(name, buttons) {
  return element("div", {class: "group", role: "group", "aria-label": name},
                 element("span", {}, name), ...buttons);
}

export function buildControls(figure, container, data, state, draw, reset) {
  const bar = element("div", {class: "controls"});
  if (data.levels.length > 1) {
    bar.append(group("Bytes at", data.levels.map((level) =>
      toggle([level.label], state.levels.has(level.key), (on) => {
        change(state.levels, level.key, on);
        draw();
      }))));
  }
  const drawn = new Set(data.points.map((point) => data.rows[point.row].class));
  const classes = Object.entries(data.classes).filter(([name]) => drawn.has(name));
  if (classes.length > 1) {
    bar.append(group("Class", classes.map(([name, style]) =>
      toggle([classMark(style), name || "other"], true, (on) => {
        change(state.hidden, name, !on);
        draw();
      }))));
  }
  bar.append(element("button", {type: "button", class: "reset", onclick: reset}, "Reset view"));
  figure.insertBefore(bar, container);

  figure.querySelector(".hints").append(
    " Scroll or pinch to zoom, drag to move, double-click to reset.",
    data.points.length ? " Click a mark to pin it; arrow keys step through them." : "");

  const details = element("div", {class: "pinned", "aria-live": "polite", hidden: ""});
  container.after(details);
  return {
    showPinned(selection, levels) {
      const row = selection.pinned;
      details.hidden = row === null || !data.rows[row];
      if (details.hidden) return;
      const close = element("button", {type: "button", class: "reset",
                                       onclick: () => selection.clear("details")}, "Unpin");
      details.replaceChildren(...kernelFacts(data, row, levels), close);
    },
  };
}
