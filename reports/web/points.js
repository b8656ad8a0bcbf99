// SPDX-License-Identifier: Apache-2.0
// The marks of a plane: one a kernel and shown tier, its area linear in its share of the time; and
// where the figure has them, its ideal and the gap between the two.

const smallestRadius = 4.5;
const largestRadius = 22;
const idealRadius = 3.5; // of marks that stand for no time spent

export function markRadius(share) {
  const least = smallestRadius ** 2;
  return Math.sqrt(least + Math.max(0, Math.min(share, 1)) * (largestRadius ** 2 - least));
}

// Where a point lies; of what is not known (0), on the lower edge of the plot, and of what is less
// than the figure's floor, at that.
function place([px, py], data, x, y, plot) {
  return [px > 0 ? x(Math.max(px, data.x.floor)) : plot.left,
          py > 0 ? y(Math.max(py, data.y.floor)) : plot.bottom];
}

// Largest first, so that small marks are drawn on top of large ones. `gaps` join the measured mark
// to its ideal one.
export function placeMarks(data, x, y, plot, shown) {
  const marks = [];
  const gaps = [];
  // Half a pixel of rounding does not take a mark off the edge.
  const within = ([cx, cy]) => cx >= plot.left - 0.5 && cx <= plot.right + 0.5 &&
                               cy >= plot.top - 0.5 && cy <= plot.bottom + 0.5;
  for (const point of data.points) {
    if (!shown(point)) continue;
    const row = data.rows[point.row];
    const style = data.classes[row.class];
    const base = {row: String(point.row), level: point.level, style, point};
    const at = place([point.x, point.y], data, x, y, plot);
    const add = (kind, [cx, cy], r) => {
      if (!within([cx, cy])) return;
      marks.push({...base, kind, cx, cy, r, key: `${kind} ${point.row} ${point.level}`});
    };
    add(point.ideal ? "measured" : "only", at, markRadius(row.share));
    if (!point.ideal) continue;
    const ideal = place(point.ideal, data, x, y, plot);
    add("ideal", ideal, idealRadius);
    gaps.push({...base, ends: [at, ideal], key: `${point.row}`});
  }
  return {marks: marks.sort((a, b) => b.r - a.r), gaps};
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

// `selection` says what stands out: the kernel pointed at or pinned, else those searched for.
export function drawPoints(layers, {marks, gaps}, selection) {
  const focus = selection.hovered ?? selection.pinned;
  const isFocus = (d) => d.row === focus;
  const isFound = (d) => selection.found !== null && selection.found.has(d.row);
  const isDim = (d) => (focus !== null ? !isFocus(d) && !isFound(d)
                                       : selection.found !== null && !isFound(d));
  const lines = layers.gaps.selectAll("path").data(gaps, (d) => d.key);
  lines.exit().remove();
  lines.enter().append("path").merge(lines)
    .attr("class", "gap").classed("focus", isFocus).classed("dim", isDim)
    .attr("d", (d) => `M${d.ends[0]}L${d.ends[1]}`);
  const nodes = layers.points.selectAll("path").data(marks, (d) => d.key);
  nodes.exit().remove();
  nodes.enter().append("path").merge(nodes)
    .attr("class", (d) => (d.kind === "measured" ? "point open" : "point"))
    .attr("style", (d) => d.style.style)
    .classed("focus", isFocus).classed("found", isFound).classed("dim", isDim)
    .attr("d", (d) => d.style.shape)
    .attr("transform", (d) => `translate(${d.cx},${d.cy}) scale(${d.r})`)
    .order();
  // The same kernel at several tiers.
  const own = marks.filter((m) => isFocus(m) && m.kind === "only")
    .sort((a, b) => a.cx - b.cx || a.cy - b.cy);
  const links = layers.link.selectAll("path").data(own.length > 1 ? [own] : []);
  links.exit().remove();
  links.enter().append("path").attr("class", "link").merge(links)
    .attr("d", (d) => `M${d.map((m) => `${m.cx},${m.cy}`).join("L")}`);
}
