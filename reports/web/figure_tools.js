// SPDX-License-Identifier: Apache-2.0
// The buttons of a figure: above it the tiers at which bytes are counted, below it downloads and
// copying.
import {actionButton, copyButton, csvText} from "./csv.js";
import {element, group, toggle} from "./dom.js";
import {figurePng, figureSvg, save} from "./download.js";

// `levels`: set of the keys of the shown tiers, changed by the buttons. Returns a function that
// updates the buttons.
export function levelButtons(bar, data, levels, changed) {
  if (data.levels.length < 2) return () => {};
  const buttons = data.levels.map((level) => toggle([level.label], levels.has(level.key), (on) => {
    if (on) levels.add(level.key);
    else levels.delete(level.key);
    changed();
  }));
  bar.append(group("Bytes at", buttons));
  return () => data.levels.forEach((level, i) => buttons[i].setOn(levels.has(level.key)));
}

// `marks`: [{row, point}]. One CSV line each: the kernel, then its coordinates in columns named by
// the keys of the axes, or the bandwidth of a kernel without FLOPs.
export function pointsCsv(data, marks) {
  const axes = [data.x, data.y];
  const ideal = axes.filter((axis) => axis.ideal_key);
  const rates = data.rates ? ["bytes_per_s"] : [];
  const head = ["name", "class", "precision", "launches", "time_s", "tier",
                ...axes.map((axis) => axis.key), ...rates, ...ideal.map((axis) => axis.ideal_key)];
  const known = (value) => (value > 0 ? value : null);
  const lines = marks.map(({row, point}) => {
    const kernel = data.rows[row];
    const isRate = data.rates && point.x === 0;
    return [kernel.name, kernel.class, kernel.precision, kernel.launches, kernel.time_s, point.level,
            known(point.x), isRate ? null : known(point.y), ...rates.map(() => (isRate ? point.y : null)),
            ...ideal.map((axis, i) => known(point.ideal[i]))];
  });
  return csvText([head, ...lines]);
}

// `figure`: {svg, canvas(), marks(), classes(), name}, with marks() as in pointsCsv().
export function fileButtons(bar, data, figure) {
  const drawn = () => figureSvg(figure.svg, figure.canvas(), figure.classes());
  bar.append(
    actionButton("Download SVG", "Saved", () =>
      save(new Blob([drawn().text], {type: "image/svg+xml"}), `${figure.name}.svg`)),
    actionButton("Download PNG", "Saved", async () =>
      save(await figurePng(drawn()), `${figure.name}.png`)));
  if (data.points.length > 0) {
    bar.append(copyButton("Copy as CSV", () => pointsCsv(data, figure.marks())));
  }
}
