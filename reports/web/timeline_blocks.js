// SPDX-License-Identifier: Apache-2.0
// The visible blocks of a track, like visible_blocks() of reports/figure/timeline.h.
import {endOf, nsPerPx} from "./time_view.js";

// The first slice from `from` on that starts at or after `time`.
export function firstStartingAt(slices, time, from = 0) {
  let [low, high] = [from, slices.start.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices.start[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Calls take(first, next) with the slices of each block in time order; each visible slice is in one
// block. Time is divided into cells of `mergeWidth` pixels from the first time on. Slices shorter
// than a cell that start in the same cell form a block; longer slices are blocks of their own.
export function visibleBlocks(slices, view, mergeWidth, take) {
  const {start, end} = slices;
  const cell = Math.max(1, Math.round(mergeWidth * nsPerPx(view)));
  let i = firstStartingAt(slices, view.start);
  if (i > 0 && end[i - 1] > view.start) --i;
  // Slices that start at the end are not visible, except events of zero length.
  const last = endOf(view);
  const seen = (k) => k < start.length && (start[k] < last || (start[k] === last && end[k] === last));
  while (seen(i)) {
    let next = i + 1;
    if (end[i] - start[i] < cell) {
      const cellEnd = view.first + (Math.floor((start[i] - view.first) / cell) + 1) * cell;
      while (seen(next) && start[next] < cellEnd && end[next] - start[next] < cell) ++next;
    }
    take(i, next);
    i = next;
  }
}

// The slice at a time, else the nearest one within `slack`, else -1.
export function sliceAt(slices, time, slack) {
  let found = -1;
  let least = slack;
  const after = firstStartingAt(slices, time);
  for (const i of [after, after - 1]) {
    if (i < 0 || i >= slices.start.length) continue;
    const gap = Math.max(0, slices.start[i] - time, time - slices.end[i]);
    if (gap <= least) [found, least] = [i, gap];
  }
  return found;
}

// The slice after (1) or before (-1) the one at a time, clamped to the ends.
export function neighborOf({start, end}, time, by) {
  const here = firstStartingAt({start}, time) - 1;
  const before = here >= 0 && end[here] > time ? here - 1 : here;
  return Math.max(0, Math.min(by > 0 ? here + 1 : before, start.length - 1));
}
