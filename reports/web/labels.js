// SPDX-License-Identifier: Apache-2.0
// Where the ceilings' names go, so that none covers another: compute ceilings in the margin at the
// right, pushed apart where they lie close; bandwidths along their slope.

const lineHeight = 15;

// Positions in the order of `wanted` (rising), at least `gap` apart and within [low, high], of
// least squared displacement: isotonic regression by pooling neighbours that collide.
export function spread(wanted, gap, low, high) {
  const pools = [];
  wanted.forEach((w, i) => {
    pools.push({sum: w - i * gap, count: 1});
    for (;;) {
      const last = pools[pools.length - 1];
      const before = pools[pools.length - 2];
      if (!before || before.sum / before.count <= last.sum / last.count) break;
      pools.splice(-2, 2, {sum: before.sum + last.sum, count: before.count + last.count});
    }
  });
  const top = high - (wanted.length - 1) * gap;
  const shifted = pools.flatMap((p) => Array(p.count).fill(p.sum / p.count));
  return shifted.map((s, i) => Math.max(low, Math.min(s, top)) + i * gap);
}

// Labels of horizontal lines: {line, y, textY}, for lines whose height is inside the plot.
export function marginLabels(lines, y, plot) {
  const inside = lines
    .map((line) => ({line, y: y(line.y1)}))
    .filter((l) => l.y >= plot.top && l.y <= plot.bottom)
    .sort((a, b) => a.y - b.y);
  // More lines than room: the highest keep their names, the others have their tooltips.
  const room = Math.floor((plot.bottom - plot.top) / lineHeight) + 1;
  const named = inside.slice(0, room);
  const places = spread(named.map((l) => l.y), lineHeight, plot.top, plot.bottom);
  return named.map((l, i) => ({...l, textY: places[i]}));
}

// The visible part of y = value * x below `end`, in pixels; null when there is none.
export function visibleSlope(line, x, y, plot) {
  const [x0, x1] = x.domain();
  const [y0, y1] = y.domain();
  const from = Math.max(x0, y0 / line.value);
  const to = Math.min(x1, y1 / line.value, line.x1 >= line.limit ? Infinity : line.x1);
  if (!(from < to)) return null;
  const clamp = (v, low, high) => Math.max(low, Math.min(v, high));
  return [
    [clamp(x(from), plot.left, plot.right), clamp(y(line.value * from), plot.top, plot.bottom)],
    [clamp(x(to), plot.left, plot.right), clamp(y(line.value * to), plot.top, plot.bottom)],
  ];
}

// Labels along slopes: {line, x, y, angle}. All slopes are parallel on logarithmic axes, so in
// coordinates turned by their angle every label is an upright box. A label that would cover another
// is left out; one that covers a mark is accepted only where there is no free place.
export function slopeLabels(segments, marks, widthOf) {
  const placed = [];
  const result = [];
  for (const {line, ends: [[ax, ay], [bx, by]]} of segments) {
    const length = Math.hypot(bx - ax, by - ay);
    const angle = Math.atan2(by - ay, bx - ax);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const turned = (px, py) => [px * cos + py * sin, py * cos - px * sin];
    const width = widthOf(line);
    if (length < width + 20) continue;
    let best = null;
    for (let t = 16 + width / 2; t <= length - width / 2 - 2; t += 12) {
      const cx = ax + t * cos + 9 * sin;
      const cy = ay + t * sin - 9 * cos;
      const [u, v] = turned(cx, cy);
      const clash = placed.some((p) =>
        Math.abs(p.u - u) < (p.width + width) / 2 + 4 && Math.abs(p.v - v) < lineHeight);
      if (clash) continue;
      const covered = marks.filter((m) => {
        const [mu, mv] = turned(m.cx, m.cy);
        return Math.abs(mu - u) < width / 2 + m.r && Math.abs(mv - v) < lineHeight / 2 + m.r;
      }).length;
      if (!best || covered < best.covered) best = {line, x: cx, y: cy, u, v, width, covered, angle};
      if (covered === 0) break;
    }
    if (!best) continue;
    placed.push(best);
    result.push({line, x: best.x, y: best.y, angle: (best.angle * 180) / Math.PI});
  }
  return result;
}
