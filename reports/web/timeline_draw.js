// SPDX-License-Identifier: Apache-2.0
// Draws a timeline with a painter (canvas or SVG text). Rows, looks and sizes come from the page's
// data (timeline_data.h); a view maps times to pixels.
import {timeAxis} from "./time_ticks.js";
import {endOf, nsPerPx, toPx} from "./time_view.js";
import {firstStartingAt, visibleBlocks} from "./timeline_blocks.js";

// Shortens names like SliceNames of reports/figure: keeps both ends, or only the start if room is
// short.
function fitText(painter, text, room, sizes) {
  const whole = painter.width(text);
  if (whole <= room) return text;
  const all = [...text];
  for (let columns = Math.floor((room / whole) * all.length); columns >= sizes.fewest; --columns) {
    const head = columns < sizes.both_ends ? columns - 1 : columns >> 1;
    const tail = all.slice(all.length - (columns - 1 - head));
    const fitted = `${all.slice(0, head).join("")}…${tail.join("")}`;
    if (painter.width(fitted) <= room) return fitted;
  }
  return "";
}

// Aligned to pixels, at least one pixel wide.
function boxOf({view, sizes}, start, end) {
  const inside = (time) => Math.max(view.left, Math.min(toPx(view, time), view.right));
  let [left, right] = [inside(start), inside(end)];
  if (right - left < 1) {
    left = Math.min(left, view.right - 1);
    right = left + 1;
  }
  const x = Math.round(left);
  const width = Math.max(1, Math.round(right) - x);
  return {x, width: width >= sizes.separated ? width - 1 : width};
}

// Labels avoid the base to which they are relative.
function drawAxis(painter, scene, {base, ticks}) {
  const {view, layout, sizes, axis, inks} = scene;
  const [left, top] = layout.plot;
  const atStart = layout.labels.align === "left";
  const y = top - axis.tick - 1 - sizes.text / 2 + sizes.baseline;
  let free = 0; // first pixel available for a label
  if (base) {
    const text = `${base} +`;
    const x = atStart ? 0 : left - axis.margin;
    painter.text(x, y, text, inks.faint, layout.labels.align);
    free = x + (atStart ? painter.width(text) : 0) + axis.margin;
  }
  painter.rect(0, top - 1, scene.width, 1, inks.grid);
  for (const {at, label} of ticks) {
    const tick = label ? axis.tick : axis.tick / 2;
    painter.rect(Math.round(at), top - tick, 1, tick, inks.faint);
    const half = painter.width(label) / 2;
    const x = base ? Math.round(at) : Math.max(Math.round(at), free + half);
    if (!label || x - half < free || x + half > view.right) continue;
    painter.text(x, y, label, inks.faint, "center");
  }
}

// The look with the most time in a block, and the total time of the block's slices.
function tally({timeline: {items}, times}, {slices, first: number}, first, next) {
  let [busy, most] = [0, items.look[number + first]];
  for (let i = first; i < next; ++i) times[items.look[number + i]] = 0;
  for (let i = first; i < next; ++i) {
    const look = items.look[number + i];
    const duration = slices.end[i] - slices.start[i];
    busy += duration;
    times[look] += duration;
    if (times[look] > times[most]) most = look;
  }
  return {look: most, busy};
}

function drawName(painter, {sizes}, row, {x, width}, text, color) {
  const fitted = fitText(painter, text, width - 2 * sizes.padding, sizes);
  const y = row.y + row.height / 2 + sizes.baseline;
  if (fitted) painter.text(x + sizes.padding, y, fitted, color);
}

// A box at the bottom of its row, with the lines of its look.
function drawBox(painter, {sizes, inks}, row, {x, width}, top, fill, lines) {
  const y = Math.round(top);
  painter.rect(x, y, width, Math.max(1, row.y + row.height - y), fill);
  for (const line of lines) {
    const at = row.y + line * row.height - sizes.line / 2;
    if (at >= top) painter.rect(x, Math.round(at), width, sizes.line, inks.background);
  }
}

function drawSlices(painter, scene, row) {
  const {view, sizes, looks, timeline: {items}} = scene;
  const {kind, slices, first: number} = row.track;
  visibleBlocks(slices, view, sizes.merge, (first, next) => {
    const {look: most, busy} = tally(scene, row.track, first, next);
    const look = looks[most];
    const [start, end] = [slices.start[first], slices.end[next - 1]];
    const box = boxOf(scene, start, end);
    ++scene.drawn;
    if (look.merged && (next - first > 1 || box.width < sizes.separated)) {
      drawBox(painter, scene, row, box, row.y, look.merged, []);
      return;
    }
    // The area represents the busy time, even below a width of one pixel.
    const share = look.rises ? Math.min(1, busy / Math.max(end - start, nsPerPx(view))) : 1;
    const top = row.y + row.height - Math.max(sizes.least, share * row.height);
    const passes = kind !== "stream" || (scene.focus === null && !scene.hidden(look.class));
    drawBox(painter, scene, row, box, top, passes ? look.fill : look.faded, passes ? look.lines : []);
    const name = passes ? look.name : look.faded_name;
    if (!name || next - first > 1 || box.width < sizes.named || row.height < sizes.text) return;
    drawName(painter, scene, row, box, items.text(number + first), name);
  });
  if (kind === "stream" && scene.focus !== null) drawFocus(painter, scene, row);
}

// Draws the launches of the focused kernel over all others.
function drawFocus(painter, scene, row) {
  const {view, sizes, looks, timeline: {items}} = scene;
  const {slices, first: number} = row.track;
  let done = -Infinity;
  let i = firstStartingAt(slices, view.start);
  if (i > 0 && slices.end[i - 1] > view.start) --i;
  for (; i < slices.start.length && slices.start[i] <= endOf(view); ++i) {
    if (items.row[number + i] !== scene.focus) continue;
    const {x, width: own} = boxOf(scene, slices.start[i], slices.end[i]);
    const width = Math.max(2, own);
    if (x + width <= done + 0.5) continue;
    done = x + width;
    const look = looks[items.look[number + i]];
    drawBox(painter, scene, row, {x, width}, row.y, look.fill, look.lines);
    if (width >= sizes.named) {
      drawName(painter, scene, row, {x, width}, items.text(number + i), look.name);
    }
  }
}

function drawValues(painter, {view, value}, row) {
  const {y, slices} = row.track;
  const points = [];
  for (let i = Math.max(0, firstStartingAt(slices, view.start) - 1); i < y.length; ++i) {
    points.push([toPx(view, slices.start[i]), row.y + y[i]]);
    if (slices.start[i] > endOf(view)) break;
  }
  if (points.length < 2) return;
  painter.clip(view.left, row.y, view.right - view.left, row.height,
               () => painter.line(points, value.stroke, value.width));
}

function drawLabels(painter, {width, sizes, layout: {labels: {x, align, room}}, fill}, row) {
  for (const [text, y, style] of row.labels) {
    const fitted = fitText(painter, text, room > 0 ? room : width + room, sizes);
    painter.text(x, y + sizes.baseline, fitted, fill(style), align);
  }
}

function drawRange(painter, {view, inks, range, bottom}) {
  const [from, to] = range.map((time) => toPx(view, time));
  const [left, right] = [Math.max(view.left, from), Math.min(view.right, to)];
  // Fades everything outside of the selected interval.
  painter.rect(view.left, 0, left - view.left, bottom, inks.background, 0.6);
  painter.rect(right, 0, view.right - right, bottom, inks.background, 0.6);
  for (const edge of [from, to]) {
    if (edge >= view.left && edge <= view.right) painter.rect(edge - 0.5, 0, 1, bottom, inks.accent);
  }
}

function drawMark(painter, scene, {row, index}, thickness) {
  const {view, inks} = scene;
  const {slices} = row.track;
  if (slices.end[index] < view.start || slices.start[index] > endOf(view)) return;
  const {x, width} = boxOf(scene, slices.start[index], slices.end[index]);
  painter.frame(x - 1, row.y, Math.max(3, width + 2), row.height,
                thickness > 1 ? inks.accent : inks.text, thickness);
}

// Draws an arrow between a kernel and the API call that launched it.
function drawLaunch(painter, {view, inks, timeline: {items}, rows, bottom}, {row, index}) {
  const item = row.track.first + index;
  const call = items.call(item);
  const of = rows.find(({track: {first, slices}}) =>
    call >= first && call < first + slices.start.length);
  if (call < 0 || !of) return;
  const [from, to] = [call, item].map((n) => toPx(view, items.start[n]));
  painter.clip(view.left, 0, view.right - view.left, bottom, () => painter.line(
    [[from, of.y + of.height], [from, of.y], [to, row.y + row.height]], inks.text, 1.5));
}

// `scene`: content (timeline, rows), geometry (view, layout, width, bottom), styles (sizes, axis,
// and the result of readStyles()), and highlighting (focus: a kernel's row or null; hover and
// current: {row, index} or null; range: times or null). Counts boxes in scene.drawn.
export function drawTimeline(painter, scene) {
  const {view, inks, layout} = scene;
  const axis = timeAxis(view, scene.axis);
  scene.drawn = 0;
  scene.times = new Float64Array(scene.looks.length);
  for (const {at, label} of axis.ticks) {
    const top = layout.plot[1];
    if (label) painter.rect(Math.round(at), top, 1, scene.bottom - top, inks.grid);
  }
  for (const row of scene.rows) {
    drawLabels(painter, scene, row);
    const {kind, ground} = row.track;
    if (ground) painter.rect(view.left, row.y, view.right - view.left, row.height, inks.ground);
    (kind === "line" ? drawValues : drawSlices)(painter, scene, row);
  }
  drawAxis(painter, scene, axis);
  if (scene.range) drawRange(painter, scene);
  for (const [mark, thickness] of [[scene.current, 2], [scene.hover, 1]]) {
    if (!mark) continue;
    drawLaunch(painter, scene, mark);
    drawMark(painter, scene, mark, thickness);
  }
}
