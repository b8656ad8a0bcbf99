// SPDX-License-Identifier: Apache-2.0
// The tool bar that all figures and tables of a part share: kernel search, class filter, launch
// density, and the pinned kernel.
import {classMark, element, group, toggle} from "./dom.js";
import {kernelFacts} from "./kernel_facts.js";

function searchField(selection) {
  const found = element("span", {class: "muted", role: "status"});
  const field = element("input", {type: "search", class: "kernel-search", autocomplete: "off",
                                  placeholder: "Find kernels ( / )", "aria-label": "Find kernels",
                                  "aria-keyshortcuts": "/"});
  field.addEventListener("input", () => selection.search(field.value, "search"));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    selection.search("", "search");
  });
  selection.onChange((source, what) => {
    if (what !== "search") return;
    found.textContent = selection.found === null ? "" : `${selection.found.size} found`;
  });
  return element("div", {class: "group"}, field, found);
}

function classButtons(run, selection) {
  const names = Object.keys(run.classes);
  if (names.length < 2) return null;
  const buttons = names.map((name) => {
    const button = toggle([classMark(run.classes[name]), name || "other"], true, (on, event) => {
      if (event.shiftKey) selection.onlyClass(name, "controls");
      else selection.toggleClass(name, "controls");
    });
    button.title = "Click: show or hide this class. Shift+click: only this class, or all.";
    // Not every browser reports Shift in the click event of a key.
    button.addEventListener("keydown", (event) => {
      if (!event.shiftKey || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      selection.onlyClass(name, "controls");
    });
    return button;
  });
  selection.onChange(() => names.forEach((name, i) => buttons[i].setOn(!selection.hidden.has(name))));
  return group("Class", buttons);
}

function pinnedPanel(run, selection) {
  const panel = element("div", {class: "pinned", "aria-live": "polite", hidden: ""});
  selection.onChange((source, what) => {
    if (what !== "pin") return;
    panel.hidden = !run.rows[selection.pinned];
    if (panel.hidden) return;
    const unpin = element("button", {type: "button", class: "reset",
                                     onclick: () => selection.clear("details")}, "Unpin");
    panel.replaceChildren(...kernelFacts(run, selection.pinned), unpin);
  });
  return panel;
}

// Fades the rows of other tables whose class is hidden.
function fadeRows(part, selection) {
  const rows = [...part.querySelectorAll("tr[data-class]")];
  selection.onChange((source, what) => {
    if (what !== "classes") return;
    for (const row of rows) row.classList.toggle("off", selection.hidden.has(row.dataset.class));
  });
}

// `showLaunches(on)` is null if the page has no launches.
export function buildBar(part, run, selection, showLaunches) {
  const bar = element("div", {class: "controls part-bar", role: "group",
                              "aria-label": "Kernels in all figures and tables of this run"},
                      searchField(selection));
  const classes = classButtons(run, selection);
  if (classes) bar.append(classes);
  if (showLaunches) {
    const button = toggle(["Launches"], false, showLaunches);
    button.title = "Show the density of all launches under the marks";
    bar.append(button);
  }
  bar.append(pinnedPanel(run, selection));
  fadeRows(part, selection);
  return bar;
}
