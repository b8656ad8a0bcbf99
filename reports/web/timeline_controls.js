// SPDX-License-Identifier: Apache-2.0
// The buttons above a timeline, and the help on its keys below.
import {copyButton} from "./csv.js";
import {element} from "./dom.js";

const hints =
  " Scroll to zoom, drag to move. Drag the time axis, or Shift+drag, to select an interval. " +
  "Click a kernel to pin it, a step or range to select its interval. N and P: next and previous " +
  "launch of the pinned kernel; [ and ]: previous and next step.";

function button(label, onclick, name) {
  return element("button", {type: "button", onclick, "aria-label": name}, label);
}

// `act`: zoomIn, zoomOut, showAll, reset, saveSvg, savePng, csv (its text), and
// previousStep and nextStep where there are steps.
export function addTimelineControls(figure, container, act) {
  const bar = element("div", {class: "controls"});
  const group = (...children) => bar.append(element("div", {class: "group"}, ...children));
  group(button("+", act.zoomIn, "Zoom in"), button("\u2212", act.zoomOut, "Zoom out"),
        button("All", act.showAll, "Show the whole profile"), button("Reset view", act.reset));
  if (act.nextStep) {
    group(button("\u2039", act.previousStep, "Previous step"), "Step",
          button("\u203a", act.nextStep, "Next step"));
  }
  group(button("Download SVG", act.saveSvg), button("Download PNG", act.savePng),
        copyButton("Copy as CSV", act.csv));
  figure.insertBefore(bar, container);
  figure.querySelector(".hints").append(hints);
}
