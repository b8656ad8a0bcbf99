// SPDX-License-Identifier: Apache-2.0
// Facts of a kernel for its tooltip and the panel of the pinned kernel.
import {element, classMark} from "./dom.js";
import {formatPercent, formatSi} from "./units.js";

// Formats a value as tables do.
function cellText(value, column) {
  if (column.format === "fraction") return formatPercent(value);
  if (column.format === "quantity") return formatSi(value, column.unit);
  return column.format === "count" ? value.toLocaleString("en-US") : value;
}

// `ofFigure`: further facts from the figure, as [name, value].
export function kernelFacts(data, rowKey, ofFigure = []) {
  const row = data.rows[rowKey];
  const facts = [...ofFigure];
  // Sums over the run are left out if there are values per step.
  const left = ["class", "precision", ...(data.columns.step_time_s ? ["time_s", "share"] : [])];
  for (const [key, column] of Object.entries(data.columns)) {
    if (row[key] === null || left.includes(key)) continue;
    facts.push([column.label[0].toUpperCase() + column.label.slice(1), cellText(row[key], column)]);
  }
  const list = element("dl");
  for (const [name, value] of facts) {
    list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  }
  const kind = [row.class || "other", row.precision].filter(Boolean).join(", ");
  return [
    element("p", {class: "name", title: row.name}, row.name),
    element("p", {class: "kind"}, classMark(data.classes[row.class]), kind),
    list,
  ];
}

// The coordinates of a kernel's points at the shown tiers. If points have ideals: the coordinates of
// the ideals and the measured time per launch.
export function coordinateFacts(data, rowKey, shown) {
  const facts = [];
  const amount = (value, axis) => (value > 0 ? formatSi(value, axis.unit) : "unknown");
  const points = data.points.filter((p) => String(p.row) === rowKey && shown(p));
  if (data.rates && points[0]?.x === 0) {  // kernels without FLOPs, on the left edge
    return points.map((p) => [`Bandwidth, ${data.level_names[p.level]}`, formatSi(p.y, "B/s")]);
  }
  ["x", "y"].forEach((axis, i) => {
    const {label, of_level: ofLevel} = data[axis];
    for (const point of ofLevel ? points : points.slice(0, 1)) {
      const level = ofLevel ? data.level_names[point.level] : null;
      facts.push([level ? `${label}, ${level}` : label,
                  amount(point.ideal ? point.ideal[i] : point[axis], data[axis])]);
    }
  });
  const [first] = points;
  if (first && first.ideal) {
    facts.push(["Measured time per launch", formatSi(Math.max(first.x, first.y), data.x.unit)]);
  }
  return facts;
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
