// SPDX-License-Identifier: Apache-2.0
// Starts the page: each part (a run or a machine) has one selection, which its figure and its
// kernel table share.
import {rooflineView} from "./roofline.js";
import {createSelection} from "./selection.js";
import {enhanceTable} from "./table.js";
import {timelineView} from "./timeline.js";

const {sections} = JSON.parse(document.getElementById("report-data").textContent);

let marks = 0;
for (const part of document.querySelectorAll("article")) {
  const selection = createSelection();
  const run = sections[`${part.id}-rows`] ?? {rows: {}, classes: {}};
  const figure = part.querySelector(".roofline-view");
  const data = figure ? {...sections[figure.dataset.for], ...run} : null;
  if (data) marks += rooflineView(figure, figure.dataset.for, data, selection);
  const time = part.querySelector(".timeline-view");
  if (time) timelineView(time, time.dataset.for, sections[time.dataset.for], run, selection);
  for (const table of part.querySelectorAll("table[data-interactive]")) {
    const linked = table.closest("section").classList.contains("kernels");
    enhanceTable(table, linked ? run : null, selection);
  }
}
// For whoever checks, from outside, that the page came alive.
document.documentElement.dataset.marks = marks;
