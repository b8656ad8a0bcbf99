// SPDX-License-Identifier: Apache-2.0
// Contents of the tooltip of a slice and of the panel of a selected interval.
import {classMark, element} from "./dom.js";
import {exactTime} from "./time_ticks.js";
import {formatPercent, formatSi} from "./units.js";

export const duration = (ns) => (ns < 1000 ? `${Math.round(ns)} ns` : formatSi(ns * 1e-9, "s"));

function swatch({style, lines}) {
  const box = element("span", {class: "swatch c", style});
  for (const line of lines) box.append(element("span", {style: `top:${100 * line}%`}));
  return box;
}

function factList(facts) {
  return element("dl", {}, ...facts.filter(Boolean).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function deviceFacts(item, {items, run, launches, looks, axis}, track, i) {
  const {start, end} = track.slices;
  const row = run.rows[items.row[item]];
  const look = looks[items.look[item]];
  const gap = i > 0 ? start[i] - end[i - 1] : 0;
  const list = launches.get(String(items.row[item])) ?? [];
  const bytes = items.bytes(item);
  const kind = [look.class || "other", row?.precision].filter(Boolean).join(", ");
  return [
    element("p", {class: "name"}, row?.name ?? items.text(item)),
    element("p", {class: "kind"}, classMark(look), kind),
    factList([
      ["Duration", duration(end[i] - start[i])],
      ["Start", exactTime(axis, start[i])],
      gap > 0 && ["Gap before", duration(gap)],
      items.latency(item) >= 0 && ["Launch latency", duration(items.latency(item))],
      items.within(item) && ["Range", items.within(item)],
      row && ["Launch", `${list.indexOf(item) + 1} of ${list.length}`],
      row && (row.step_time_s === undefined
        ? ["Kernel total", `${formatSi(row.time_s, "s")} (${formatPercent(row.share)})`]
        : ["Kernel per step", `${formatSi(row.step_time_s, "s")} (${formatPercent(row.step_share)})`]),
      bytes > 0 && ["Bytes", `${formatSi(bytes, "B")}, ${formatSi(bytes / (1e-9 *
        Math.max(1, end[i] - start[i])), "B/s")}`],
      ["Track", track.label],
    ]),
  ];
}

// Content of a tooltip.
export function sliceFacts(timeline, track, i) {
  const item = track.first + i;
  if (track.kind === "stream") return deviceFacts(item, timeline, track, i);
  const {items, looks, axis} = timeline;
  const {start, end} = track.slices;
  return [
    element("p", {class: "name"}, items.text(item)),
    element("p", {class: "kind"}, looks[items.look[item]].class),
    factList([["Duration", duration(end[i] - start[i])], ["Start", exactTime(axis, start[i])],
              ["Track", track.label]]),
  ];
}

export function mergedFacts(count, share, length) {
  return [element("p", {class: "name"}, `${count} merged events`),
          factList([["Interval", duration(length)], ["Busy", formatPercent(share)]]),
          element("p", {class: "kind"}, "Zoom in to tell them apart.")];
}

// Content of the panel of a selected interval, with the caller's buttons.
export function rangePanel({length, busy, count, classes}, buttons) {
  const legend = element("ul", {class: "legend"});
  for (const {look, time} of classes.slice(0, 8)) {
    legend.append(element("li", {}, swatch(look), `${look.class || "other"} ${duration(time)} `,
                          element("span", {}, formatPercent(time / length))));
  }
  return [
    element("p", {class: "name"},
            `${duration(length)} selected: busy ${formatPercent(busy)}, ` +
            `${count.toLocaleString("en-US")} kernels, memcpys and memsets start`),
    legend,
    element("div", {class: "group"}, ...buttons),
  ];
}
