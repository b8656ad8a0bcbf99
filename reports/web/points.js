// SPDX-License-Identifier: Apache-2.0
// The marks of a roofline: one a kernel and shown tier, its area linear in its share of the time.

const smallestRadius = 4.5;
const largestRadius = 22;

export function markRadius(share) {
  const least = smallestRadius ** 2;
  return Math.sqrt(least + Math.max(0, Math.min(share, 1)) * (largestRadius ** 2 - least));
}

// Largest first, so that small marks are drawn on top of large ones.
export function placeMarks(data, x, y, plot, state) {
  const marks = [];
  for (const point of data.points) {
    const row = data.rows[point.row];
    if (!state.levels.has(point.level) || state.hidden.has(row.class)) continue;
    const [cx, cy] = [x(point.x), y(point.y)];
    if (cx < plot.left || cx > plot.right || cy < plot.top || cy > plot.bottom) continue;
    marks.push({row: String(point.row), level: point.level, cx, cy, r: markRadius(row.share),
                style: data.classes[row.class]});
  }
  return marks.sort((a, b) => b.r - a.r);
}

// The topmost mark that covers the place, else the nearest within `slack`.
export function nearest(marks, px, py, slack) {
  let best = null;
  let bestGap = slack;
  for (const mark of marks) {
    const gap = Math.max(0, Math.hypot(mark.cx - px, mark.cy - py) - mark.r);
    if (gap <= bestGap) [best, bestGap] = [mark, gap];
  }
  return best;
}

export function drawPoints(layers, marks, data, focus) {
  const nodes = layers.points.selectAll("path").data(marks, (d) => `${d.row} ${d.level}`);
  nodes.exit().remove();
  nodes.enter().append("path").merge(nodes)
    .attr("class", "point").attr("style", (d) => d.style.style)
    .classed("focus", (d) => d.row === focus)
    .classed("dim", (d) => focus !== null && d.row !== focus)
    .attr("d", (d) => d.style.shape)
    .attr("transform", (d) => `translate(${d.cx},${d.cy}) scale(${d.r})`)
    .order();
  // The same kernel at several tiers: one line, because its FLOP/s is the same at all.
  const own = marks.filter((m) => m.row === focus).sort((a, b) => a.cx - b.cx);
  const links = layers.link.selectAll("path").data(own.length > 1 ? [own] : []);
  links.exit().remove();
  links.enter().append("path").attr("class", "link").merge(links)
    .attr("d", (d) => `M${d[0].cx},${d[0].cy}L${d[d.length - 1].cx},${d[d.length - 1].cy}`);
}
