// SPDX-License-Identifier: Apache-2.0
// Where the names of lines and regions go, so that none covers another: of ceilings that end at the
// right edge in the margin there, pushed apart where they lie close; of all others along the line.
// The same rules as reports/figure/line_labels.h.
import {boxAlong, inside, makeBox, overlap} from "./geometry.js";

const lineHeight = 15;
const endGap = 10;
const aboveLine = 2;
const step = 8;
const cornerGap = 8;
// Labels give way to this many marks, the largest; more would fill the figure anyway.
const marksThatPush = 60;

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

// Of lines beside the plot: {line, y, textY}. `shapes` are {line, ends}.
export function marginLabels(shapes, plot) {
  const inOrder = shapes.filter(({line}) => line.place === "margin" && line.label)
    .map(({line, ends}) => ({line, y: ends[1][1]}))
    .sort((a, b) => a.y - b.y);
  // More lines than room: the highest keep their names, the others have their tooltips.
  const room = Math.floor((plot.bottom - plot.top) / lineHeight) + 1;
  const named = inOrder.slice(0, room);
  const places = spread(named.map((l) => l.y), lineHeight, plot.top, plot.bottom);
  return named.map((l, i) => ({...l, textY: places[i]}));
}

// In the corners of the plot: {region, box}.
export function regionLabels(regions, plot, widthOf) {
  const placed = [];
  for (const region of regions) {
    if (!region.label) continue;
    const width = widthOf(region.label);
    const dx = cornerGap + width / 2;
    const dy = cornerGap + lineHeight / 2;
    const box = makeBox(region.corner.endsWith("right") ? plot.right - dx : plot.left + dx,
                        region.corner.startsWith("top") ? plot.top + dy : plot.bottom - dy,
                        width, lineHeight);
    if (!inside(box, plot) || placed.some((p) => overlap(p.box, box))) continue;
    placed.push({region, box});
  }
  return placed;
}

function candidate([[ax, ay], [bx, by]], length, width, fromStart, above) {
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const off = (lineHeight / 2 + aboveLine) * (above ? 1 : -1);
  const t = fromStart + width / 2;
  return makeBox(ax + ux * t + uy * off, ay + uy * t - ux * off, width, lineHeight,
                 Math.atan2(uy, ux));
}

// Along the lines: {line, box}. A label keeps clear of other labels always, and of other lines and
// of marks where it can; that of an iso line goes missing rather than cover any.
export function lineLabels(shapes, marks, labels, plot, widthOf) {
  const boxes = (ofKind) => shapes.filter(({line}) => ofKind(line.kind))
    .map(({ends}) => boxAlong(ends, 3));
  const solid = boxes((kind) => kind !== "iso");
  const iso = boxes((kind) => kind === "iso");
  const discs = marks.slice(0, marksThatPush).map((m) => makeBox(m.cx, m.cy, 2 * m.r, 2 * m.r));
  const taken = [...labels];
  const placed = [];
  for (const {line, ends} of shapes) {
    if (line.place === "margin" || !line.label) continue;
    const [[ax, ay], [bx, by]] = ends;
    const length = Math.hypot(bx - ax, by - ay);
    const width = widthOf(line);
    const slide = (obstacles) => {
      for (const above of [true, false]) {
        for (let d = endGap; d + width + endGap <= length; d += step) {
          const box = candidate(ends, length, width,
                                line.place === "end" ? length - width - d : d, above);
          const clear = (other) => !overlap(box, other);
          if (inside(box, plot) && taken.every(clear) && obstacles.every(clear)) return box;
        }
      }
      return null;
    };
    // A faint line may cross it rather than a mark lie on it, and that rather than another ceiling
    // cross it.
    let box = slide([...solid, ...discs, ...iso]);
    if (!box && line.kind !== "iso") {
      box = slide([...solid, ...discs]) || slide(solid) || slide([]);
    }
    if (!box) continue;
    taken.push(box);
    placed.push({line, box});
  }
  return placed;
}
