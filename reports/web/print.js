// SPDX-License-Identifier: Apache-2.0
// Printing: the style sheet selects what is printed, by default the answer, the ledger, roofline and
// timeline, and the first kernels of the table. "Print everything" prints all of the page.
import {element} from "./dom.js";

// Width of A4 or Letter within the margins, in CSS pixels. Figures are drawn at this width, since a
// figure scaled down from the width of a window has illegible text.
export const paperWidth = 700;

export function onPrint(before, after) {
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
}

export function addPrintButtons() {
  const root = document.documentElement;
  const button = (label, title, what) => element("button", {type: "button", title, onclick() {
    root.dataset.print = what;
    print();
    delete root.dataset.print;
  }}, label);
  document.querySelector("header").append(element("div", {class: "controls print-tools"},
    button("Print", "Answer, ledger, roofline and timeline, top 20 kernels, and the folds that are open", "summary"),
    button("Print everything", "All sections and tables", "everything")));
}
