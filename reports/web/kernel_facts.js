// SPDX-License-Identifier: Apache-2.0
// What is said of a kernel when it is pointed at or pinned.
import {element, classMark} from "./dom.js";
import {formatPercent, formatSi} from "./units.js";

export function kernelFacts(data, rowKey, levels) {
  const row = data.rows[rowKey];
  const facts = [];
  for (const level of levels) {
    const point = data.points.find((p) => String(p.row) === rowKey && p.level === level.key);
    if (point) facts.push([`Intensity, ${level.label}`, formatSi(point.x, "FLOP/B")]);
  }
  const any = data.points.find((p) => String(p.row) === rowKey);
  if (any) facts.push(["Reached", formatSi(any.y, "FLOP/s")]);
  if (row.of_roof !== null) facts.push(["Of its roof", formatPercent(row.of_roof)]);
  if (row.bound) facts.push(["Bound by", row.bound]);
  facts.push(["Time", `${formatSi(row.time_s, "s")} (${formatPercent(row.share)})`]);
  facts.push(["Launches", row.launches.toLocaleString("en-US")]);
  const list = element("dl");
  for (const [name, value] of facts) {
    list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  }
  const kind = [row.class || "other", row.precision].filter(Boolean).join(", ");
  return [
    element("p", {class: "name"}, row.name),
    element("p", {class: "kind"}, classMark(data.classes[row.class]), kind),
    list,
  ];
}

// A box that follows the pointer and stays inside `frame`.
export function createTooltip(frame) {
  const box = element("div", {class: "tooltip", hidden: ""});
  frame.append(box);
  return {
    show(content, x, y) {
      box.replaceChildren(...content);
      box.hidden = false;
      const left = x + 18 + box.offsetWidth > frame.clientWidth ? x - 18 - box.offsetWidth : x + 18;
      const top = Math.min(y + 12, frame.clientHeight - box.offsetHeight - 4);
      box.style.left = `${Math.max(4, left)}px`;
      box.style.top = `${Math.max(4, top)}px`;
    },
    hide() { box.hidden = true; },
  };
}
