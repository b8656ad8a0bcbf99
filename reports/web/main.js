// SPDX-License-Identifier: Apache-2.0
// Starts the page. Each part (a run or a machine) has one selection, shared by its figures and
// tables.
import {buildBar} from "./controls.js";
import {followLinks} from "./deep_link.js";
import {readLaunches} from "./density.js";
import {element} from "./dom.js";
import {followAnchors, openLedgerLines, startLater, startQueue} from "./folds.js";
import {canUnpack, unpack} from "./packed_json.js";
import {planeView} from "./plane.js";
import {addPrintButtons} from "./print.js";
import {createSelection} from "./selection.js";
import {enhanceTable} from "./table.js";
import {timelineView} from "./timeline.js";

const {sections} = JSON.parse(document.getElementById("report-data").textContent);

// The time plane and the complexity plane are shown side by side for comparison.
function standSideBySide(part) {
  const pair = ["time-plane", "complexity-plane"].map((name) => part.querySelector(`section.${name}`));
  if (pair.includes(null)) return;
  const frame = element("div", {class: "side-by-side"});
  pair[0].before(frame);
  frame.append(...pair);
}

function startPart(part) {
  const run = sections[`${part.id}-rows`] ?? {rows: {}, classes: {}};
  const selection = createSelection(run);
  const packed = canUnpack ? sections[`${part.id}-timeline`] : null;
  let unpacked = null; // promises
  let read = null;
  const timeline = () => (unpacked = unpacked ?? unpack(packed));
  const launches = packed
    ? () => (read = read ?? timeline().then((data) => readLaunches(data, run))) : null;
  const figures = [...part.querySelectorAll(".plane-view")];
  const planes = [];
  const listeners = [];
  let launchesShown = false;
  if (figures.length > 0 && Object.keys(run.rows).length > 0) {
    const showLaunches = (on) => {
      launchesShown = on;
      planes.forEach((plane) => plane.showLaunches(on));
    };
    figures[0].closest("section").before(
      buildBar(part, run, selection, launches ? showLaunches : null));
  }
  standSideBySide(part);
  for (const figure of figures) {
    const id = figure.dataset.for;
    startLater(figure, () => {
      const plane = planeView(figure, id, {...sections[id], ...run}, selection, launches);
      if (launchesShown) plane.showLaunches(true);
      planes.push(plane);
      listeners.forEach((listener) => listener(plane));
      countMarks(plane.count);
    });
  }
  const time = part.querySelector(".timeline-view");
  if (time && packed) {
    startLater(time, async () => (
      timelineView(time, time.dataset.for, await timeline(), run, selection)));
  }
  for (const table of part.querySelectorAll("table[data-interactive]")) {
    const linked = table.closest("section").classList.contains("kernels");
    startLater(table, () => enhanceTable(table, linked ? run : null, selection));
  }
  // Calls `listener` for each plane, now or when its fold opens.
  const eachPlane = (listener) => {
    planes.forEach(listener);
    listeners.push(listener);
  };
  return {part, run, selection, planes, eachPlane};
}

// For tests: the script has run, and the number of marks drawn.
let marks = 0;
function countMarks(count) {
  marks += count;
  document.documentElement.dataset.marks = marks;
}

const parts = [...document.querySelectorAll("article")].map(startPart);
countMarks(0);
openLedgerLines();
addPrintButtons();
followAnchors();
followLinks(parts.filter(({part}) => part.querySelector(".plane-view")));
startQueue();

// "/" focuses the search field of the part in view.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const middle = innerHeight / 2;
  const fields = [...document.querySelectorAll(".kernel-search")];
  const read = fields.find((field) => {
    const box = field.closest("article").getBoundingClientRect();
    return box.top <= middle && box.bottom >= middle;
  });
  const field = read ?? fields[0];
  if (!field) return;
  event.preventDefault();
  field.focus();
});
