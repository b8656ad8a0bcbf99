// SPDX-License-Identifier: Apache-2.0
// Device activity in a time interval: statistics and CSV.
import {firstStartingAt} from "./timeline_blocks.js";
import {csvText} from "./csv.js";

// Calls take(track, index) for the stream slices that overlap [from, to).
function eachIn(tracks, from, to, take) {
  for (const track of tracks) {
    if (track.kind !== "stream") continue;
    const {start, end} = track.slices;
    let i = firstStartingAt(track.slices, from);
    if (i > 0 && end[i - 1] > from) --i;
    for (; i < start.length && start[i] < to; ++i) take(track, i);
  }
}

// The total length of the union of intervals, in any order.
function unionOf(spans) {
  spans.sort((a, b) => a[0] - b[0]);
  let [sum, done] = [0, -Infinity];
  for (const [start, end] of spans) {
    sum += Math.max(0, end - Math.max(start, done));
    done = Math.max(done, end);
  }
  return sum;
}

// {length, busy: share of the devices' time, count, classes: [{look, time}] by falling time}
export function summarize({items, tracks, looks}, from, to) {
  const times = new Float64Array(looks.length);
  const spans = new Map(); // by device
  for (const track of tracks) if (track.kind === "stream") spans.set(track.device, []);
  let count = 0;
  eachIn(tracks, from, to, (track, i) => {
    const start = Math.max(from, track.slices.start[i]);
    const end = Math.min(to, track.slices.end[i]);
    times[items.look[track.first + i]] += end - start;
    spans.get(track.device).push([start, end]);
    if (track.slices.start[i] >= from) ++count;
  });
  let busy = 0;
  for (const list of spans.values()) busy += unionOf(list);
  const classes = looks.map((look, i) => ({look, time: times[i]}))
    .filter((c) => c.time > 0).sort((a, b) => b.time - a.time);
  return {length: to - from, busy: to > from ? busy / (to - from) / spans.size : 0, count, classes};
}

// `origin`: the recorded time of time zero, as a BigInt of nanoseconds.
export function toCsv({items, tracks, looks, run: {rows}}, origin, from, to) {
  const lines = [["stream", "name", "class", "start_ns", "duration_ns", "bytes"]];
  eachIn(tracks, from, to, (track, i) => {
    const item = track.first + i;
    const start = track.slices.start[i];
    lines.push([track.label, rows[items.row[item]]?.name ?? items.text(item),
                looks[items.look[item]].class, String(origin + BigInt(start)),
                String(track.slices.end[i] - start),
                items.bytes(item) ? String(items.bytes(item)) : ""]);
  });
  return csvText(lines);
}
