// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline from top to bottom, as reports/figure/timeline_layout.h has them.

const heights = {steps: 20, ranges: 18, stream: 34, line: 34, calls: 14};
const quietHeight = 16; // of streams on which hardly anything runs
const quiet = 0.01;     // of the busiest stream's time
const most = {steps: 8, ranges: 8, stream: 24, line: 8, calls: 3}; // rows of a label; devices
                                                                   // share ranges and streams
const laneGap = 1;
const labelGap = 8;
const labelLine = 18; // of a label above its rows

// {rows: [{track, y, height, first}], bottom, leftOut}. `first`: the row its label stands beside;
// `leftOut`: tracks without a row, of which there would be too many.
export function layoutRows(tracks, top, labelsAbove) {
  const rows = [];
  let y = top;
  let before = null;
  const counts = new Map();
  const devices = new Set(tracks.filter((t) => t.kind === "stream").map((t) => t.device)).size;
  const busiest = Math.max(0, ...tracks.map((track) => track.busy ?? 0));
  for (const track of tracks) {
    const place = {stream: track.device, line: ""}[track.kind] ?? track.label;
    const key = `${track.kind} ${place}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const shared = track.kind === "stream" || (track.kind === "ranges" && track.device >= 0);
    if (counts.get(key) > Math.max(2, most[track.kind] / (shared ? devices : 1))) continue;
    const first = !before || before.label !== track.label;
    if (before) y += first ? labelGap : laneGap;
    if (first && labelsAbove) y += labelLine;
    const height = track.busy < quiet * busiest ? quietHeight : heights[track.kind];
    rows.push({track, y, height, first});
    y += height;
    before = track;
  }
  return {rows, bottom: y, leftOut: tracks.length - rows.length};
}

export const rowAt = (rows, y) => rows.find((row) => y >= row.y && y < row.y + row.height) ?? null;
