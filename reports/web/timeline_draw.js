// SPDX-License-Identifier: Apache-2.0
// Draws a timeline with a painter: a canvas, or the text of an SVG.
import {timeAxis} from "./time_ticks.js";
import {endOf, nsPerPx, toPx} from "./time_view.js";
import {firstStartingAt, visibleBlocks} from "./timeline_blocks.js";
import {formatSi} from "./units.js";

export const axisHeight = 26;
const textMiddle = 4; // from the middle of a line of text to its base line
const quiet = 0.28;   // opacity of what is not in focus
const leastHeight = 2;
const lineWidth = 2;  // as kSliceLine_px of reports/figure/slice_style.h

// Both ends of a name tell kernels apart; of short room its head alone makes better sense.
export function fitText(painter, text, width) {
  const whole = painter.width(text);
  if (whole <= width) return text;
  for (let room = Math.floor((width / whole) * text.length) - 1; room >= 3; --room) {
    const head = room < 12 ? room : Math.ceil(room / 2);
    const fitted = `${text.slice(0, head)}…${text.slice(text.length - (room - head))}`;
    if (painter.width(fitted) <= width) return fitted;
  }
  return "";
}

function boxOf(view, start, end) {
  let x = Math.max(view.left, toPx(view, start));
  let width = Math.min(view.right, toPx(view, end)) - x;
  if (width < 1) {
    x = Math.min(x, view.right - 1);
    width = 1;
  }
  // A pixel of ground keeps wide neighbours apart.
  return {x, width: width >= 4 ? width - 1 : width};
}

function drawAxis(painter, scene) {
  const {view, colours, bottom} = scene;
  const {base, ticks} = timeAxis(view, 84);
  let free = 0; // the first pixel that a label may take
  painter.rect(0, axisHeight - 1, view.right, 1, colours.grid);
  if (base) {
    if (scene.narrow) free = painter.width(`${base} +`) + 10;
    painter.text(scene.narrow ? 0 : view.left - 10, 17, `${base} +`, colours.faint,
                 scene.narrow ? "left" : "right");
  }
  for (const {at, label} of ticks) {
    painter.rect(Math.round(at), axisHeight, 1, bottom - axisHeight, colours.grid);
    painter.rect(Math.round(at), axisHeight - 4, 1, 4, colours.faint);
    const half = painter.width(label) / 2;
    const middle = scene.narrow && !base ? Math.max(at, half) : at;
    if (middle + half > view.right || middle - half < free) continue;
    painter.text(middle, 17, label, colours.faint, "center");
  }
}

// The class that most of a block's time is of, and how long all of it takes.
function tally(scene, slices, first, next) {
  const {items, classTimes} = scene;
  let [busy, most] = [0, items.ofClass[slices.of[first]]];
  for (let i = first; i < next; ++i) classTimes[items.ofClass[slices.of[i]]] = 0;
  for (let i = first; i < next; ++i) {
    const ofClass = items.ofClass[slices.of[i]];
    const duration = slices.end[i] - slices.start[i];
    busy += duration;
    classTimes[ofClass] += duration;
    if (classTimes[ofClass] > classTimes[most]) most = ofClass;
  }
  return {ofClass: most, busy};
}

function drawStream(painter, scene, row) {
  const {view, colours, items} = scene;
  const {slices} = row.track;
  painter.rect(view.left, row.y, view.right - view.left, row.height, colours.roof);
  const opacity = scene.focus === null ? 1 : quiet;
  visibleBlocks(slices, view, (first, next) => {
    const {ofClass, busy} = tally(scene, slices, first, next);
    const {x, width} = boxOf(view, slices.start[first], slices.end[next - 1]);
    // Its area is its time, of what is narrower than a pixel as well.
    const length = Math.max(slices.end[next - 1] - slices.start[first], nsPerPx(view));
    const height = Math.max(leastHeight, Math.min(1, busy / length) * row.height);
    const hidden = scene.hidden(items.classes[ofClass]);
    const {fill, on, shape} = colours.classes[ofClass];
    painter.rect(x, row.y + row.height - height, width, height, hidden ? colours.grid : fill,
                 hidden ? 1 : opacity);
    ++scene.drawn;
    if (hidden || scene.focus !== null) return;
    drawLines(painter, scene, row, {x, width, height}, ofClass);
    if (next - first > 1 || width < 24) return;
    drawName(painter, row, {x, width}, items.text(slices.of[first]), on, shape);
  });
  if (scene.focus !== null) drawFocus(painter, scene, row);
}

// What tells boxes of one colour apart, however narrow they are.
function drawLines(painter, {colours}, row, {x, width, height}, ofClass) {
  for (const line of colours.classes[ofClass].lines) {
    const y = row.height * line;
    if (y < row.height - height) continue;
    painter.rect(x, row.y + y - lineWidth / 2, width, lineWidth, colours.background);
  }
}

function drawName(painter, row, {x, width}, text, colour, shape) {
  const middle = row.y + row.height / 2;
  let at = x + 6;
  if (shape) {
    painter.shape(at + 4, middle, 4, shape, colour);
    at += 13;
  }
  const fitted = fitText(painter, text, x + width - 5 - at);
  if (fitted) painter.text(at, middle + textMiddle, fitted, colour);
}

// The launches of the kernel in focus, over all others.
function drawFocus(painter, scene, row) {
  const {view, colours, items} = scene;
  const {slices} = row.track;
  const fill = (i) => colours.classes[items.ofClass[slices.of[i]]];
  let done = -Infinity;
  let i = firstStartingAt(slices, view.start);
  if (i > 0 && slices.end[i - 1] > view.start) --i;
  for (; i < slices.start.length && slices.start[i] <= endOf(view); ++i) {
    if (items.row[slices.of[i]] !== scene.focus) continue;
    const box = boxOf(view, slices.start[i], slices.end[i]);
    const width = Math.max(2, box.width);
    if (box.x + width <= done + 0.5) continue;
    done = box.x + width;
    const {fill: colour, on, shape} = fill(i);
    painter.rect(box.x, row.y, width, row.height, colour);
    drawLines(painter, scene, row, {x: box.x, width, height: row.height}, items.ofClass[slices.of[i]]);
    if (width >= 24) drawName(painter, row, {x: box.x, width}, items.text(slices.of[i]), on, shape);
  }
}

// Calls that wait for the device stand out: while they do, nothing is launched.
function drawCalls(painter, scene, row) {
  const {view, colours} = scene;
  const {slices, note} = row.track;
  visibleBlocks(slices, view, (first, next) => {
    const {x, width} = boxOf(view, slices.start[first], slices.end[next - 1]);
    ++scene.drawn;
    let waiting = 0;
    let busy = 0;
    for (let i = first; i < next; ++i) {
      const length = slices.end[i] - slices.start[i];
      busy += length;
      if (note(slices.of[i]) === "waiting call") waiting += length;
    }
    if (2 * waiting > busy) painter.rect(x, row.y, width, row.height, colours.accent, 0.7);
    else painter.rect(x, row.y, width, row.height, colours.axis, 0.6);
  });
}

// Steps and ranges: their names matter, not their classes.
function drawSpans(painter, scene, row) {
  const {view, colours} = scene;
  const {slices, text, typical} = row.track;
  visibleBlocks(slices, view, (first, next) => {
    const {x, width} = boxOf(view, slices.start[first], slices.end[next - 1]);
    ++scene.drawn;
    if (next - first > 1 || width < 4) {
      painter.rect(x, row.y, width, row.height, colours.axis, 0.6);
      return;
    }
    const stands = typical(slices.of[first]);
    painter.rect(x, row.y, width, row.height, stands ? colours.grid : colours.roof);
    if (width < 26) return;
    const fitted = fitText(painter, text(slices.of[first]), width - 10);
    if (!fitted) return;
    painter.text(x + 5, row.y + row.height / 2 + textMiddle, fitted,
                 stands ? colours.text : colours.faint);
  });
}

function drawLine(painter, scene, row) {
  const {view, colours} = scene;
  const {time, value, unit, low, high} = row.track;
  const y = (v) => row.y + row.height - 1 - (high > low ? (v - low) / (high - low) : 0.5) *
                                            (row.height - 3);
  painter.rect(view.left, row.y, view.right - view.left, row.height, colours.roof);
  const slices = {start: time};
  let i = Math.max(0, firstStartingAt(slices, view.start) - 1);
  const points = [];
  for (; i < time.length; ++i) {
    points.push([toPx(view, time[i]), y(value[i])]);
    if (time[i] > endOf(view)) break;
  }
  painter.clip(view.left, row.y, view.right - view.left, row.height, () => {
    if (points.length > 1) painter.line(points, colours.text);
    const most = formatSi(high, unit); // what the row is as high as
    painter.rect(view.left, row.y, painter.width(most) + 8, 15, colours.roof, 0.85);
    painter.text(view.left + 4, row.y + 12, most, colours.faint);
  });
}

const drawTrack = {stream: drawStream, line: drawLine, steps: drawSpans, ranges: drawSpans,
                   calls: drawCalls};

function drawLabel(painter, scene, row) {
  const {view, colours, narrow} = scene;
  if (!row.first) return;
  const label = fitText(painter, row.track.label, narrow ? view.right - view.left : view.left - 14);
  if (narrow) painter.text(view.left, row.y - 5, label, colours.text);
  else painter.text(view.left - 10, row.y + row.height / 2 + textMiddle, label, colours.text,
                    "right");
}

function drawRange(painter, {view, colours, range, bottom}) {
  const [from, to] = range.map((time) => toPx(view, time));
  const [left, right] = [Math.max(view.left, from), Math.min(view.right, to)];
  // What is not selected fades; what is keeps its colours.
  painter.rect(view.left, 0, left - view.left, bottom, colours.background, 0.6);
  painter.rect(right, 0, view.right - right, bottom, colours.background, 0.6);
  for (const edge of [from, to]) {
    if (edge >= view.left && edge <= view.right) painter.rect(edge - 0.5, 0, 1, bottom, colours.accent);
  }
}

function drawMark(painter, {view, colours}, {row, index}, thickness) {
  const {slices} = row.track;
  if (slices.end[index] < view.start || slices.start[index] > endOf(view)) return;
  const {x, width} = boxOf(view, slices.start[index], slices.end[index]);
  painter.frame(x - 1, row.y, Math.max(3, width + 2), row.height,
                thickness > 1 ? colours.accent : colours.text, thickness);
}

// From a kernel to the call that launched it.
function drawLaunch(painter, {view, colours, items, rows, bottom}, {row, index}) {
  if (row.track.kind !== "stream") return;
  const {start, of} = row.track.slices;
  const latency = items.latency(of[index]);
  if (latency < 0) return;
  const time = start[index] - latency;
  for (const {track, y, height} of rows) {
    if (track.kind !== "calls") continue;
    const call = firstStartingAt(track.slices, time);
    if (track.slices.start[call] !== time) continue;
    painter.clip(view.left, 0, view.right - view.left, bottom, () => painter.line(
      [[toPx(view, time), y + height], [toPx(view, time), y],
       [toPx(view, start[index]), row.y + row.height]], colours.text, 1.5));
    return;
  }
}

// `scene`: what is drawn (rows, items), where (view, bottom, narrow), how (colours), and what is
// marked (focus: a kernel's row or null; hover and current: {row, index} or null; range: times or
// null). Counts its boxes in scene.drawn.
export function drawTimeline(painter, scene) {
  scene.drawn = 0;
  scene.classTimes = new Float64Array(scene.items.classes.length);
  drawAxis(painter, scene);
  for (const row of scene.rows) {
    drawLabel(painter, scene, row);
    drawTrack[row.track.kind](painter, scene, row);
  }
  if (scene.range) drawRange(painter, scene);
  for (const [mark, thickness] of [[scene.current, 2], [scene.hover, 1]]) {
    if (!mark) continue;
    drawLaunch(painter, scene, mark);
    drawMark(painter, scene, mark, thickness);
  }
}
