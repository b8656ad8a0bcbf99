// SPDX-License-Identifier: Apache-2.0
// Logarithmic axes at any zoom: as many labelled ticks as fit, round numbers first.
import {formatTick} from "./units.js";

function roundness(value) {
  const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
  return digit === 1 || digit === 10 ? 0 : digit === 5 || digit === 2 ? 1 : 2;
}

// [{value, at, label}], label null on minor ticks; `style` as of formatTick().
export function logTicks(scale, gap, style) {
  const [low, high] = scale.domain();
  const decades = Math.log10(high / low);
  const [from, to] = scale.range();
  const crowded = Math.abs(to - from) / decades < 60;
  // A little wider than the domain, so that rounding loses no tick at its ends.
  const wider = scale.copy().domain([low * (1 - 1e-9), high * (1 + 1e-9)]);
  const values = decades > 1.5
    ? wider.ticks(10).filter((v) => !crowded || roundness(v) === 0)
    : wider.ticks(8);
  const ticks = values.map((value) => ({value, at: scale(value), label: null,
                                        major: roundness(value) === 0}));
  const labelled = [];
  for (const level of [0, 1, 2]) {
    for (const tick of ticks) {
      if (roundness(tick.value) !== level) continue;
      if (labelled.some((other) => Math.abs(other.at - tick.at) < gap)) continue;
      tick.label = formatTick(tick.value, style);
      labelled.push(tick);
    }
    if (labelled.length >= 4) break;
  }
  return ticks;
}

function joinTicks(group, ticks) {
  const nodes = group.selectAll("g").data(ticks, (d) => d.value);
  nodes.exit().remove();
  const entered = nodes.enter().append("g");
  entered.append("line").attr("class", "grid");
  entered.append("text").attr("class", "tick");
  const all = entered.merge(nodes);
  all.select("text").text((d) => d.label || "");
  return all;
}

export function drawX(group, scale, plot, style) {
  const all = joinTicks(group, logTicks(scale, style === "seconds" ? 56 : 46, style));
  all.select("line").classed("minor", (d) => !d.major)
    .attr("x1", (d) => d.at).attr("x2", (d) => d.at)
    .attr("y1", plot.top).attr("y2", plot.bottom);
  all.select("text").attr("x", (d) => d.at).attr("y", plot.bottom + 18)
    .attr("text-anchor", "middle");
}

export function drawY(group, scale, plot, style) {
  const all = joinTicks(group, logTicks(scale, 24, style));
  all.select("line").classed("minor", (d) => !d.major)
    .attr("x1", plot.left).attr("x2", plot.right)
    .attr("y1", (d) => d.at).attr("y2", (d) => d.at);
  all.select("text").attr("x", plot.left - 8).attr("y", (d) => d.at + 4)
    .attr("text-anchor", "end");
}
