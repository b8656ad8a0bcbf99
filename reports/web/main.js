// SPDX-License-Identifier: Apache-2.0
// Starts the page: each part (a run or a machine) has one selection, which its figure and its
// kernel table share.
import {rooflineView} from "./roofline.js";
import {createSelection} from "./selection.js";
import {enhanceTable} from "./table.js";

const {sections} = JSON.parse(document.getElementById("report-data").textContent);

let marks = 0;
for (const part of document.querySelectorAll("article")) {
  const selection = createSelection();
  const figure = part.querySelector(".roofline-view");
  const data = figure ? sections[figure.dataset.for] : null;
  if (data) marks += rooflineView(figure, figure.dataset.for, data, selection);
  for (const table of part.querySelectorAll("table[data-interactive]")) {
    const linked = data && table.closest("section").classList.contains("kernels");
    enhanceTable(table, linked ? data : null, selection);
  }
}
// For whoever checks, from outside, that the page came alive.
document.documentElement.dataset.marks = marks;
