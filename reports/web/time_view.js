// SPDX-License-Identifier: Apache-2.0
// The visible time interval of a figure and its position on the screen, like TimeScale of
// reports/figure. Times are nanoseconds since time zero, exact in doubles for a hundred days. Views
// are immutable and never exceed [first, last].

// Views are at least `shortest` long.
export function createView(first, last, shortest) {
  const extent = Math.max(last - first, shortest);
  return {first, last: first + extent, start: first, length: extent, extent, shortest,
          left: 0, right: 1};
}

const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

function windowed(view, start, length) {
  const shown = clamp(length, view.shortest, view.extent);
  return {...view, length: shown, start: clamp(start, view.first, view.last - shown)};
}

export const nsPerPx = (view) => view.length / (view.right - view.left);
export const toPx = (view, time) => view.left + (time - view.start) / nsPerPx(view);
export const toTime = (view, px) => view.start + (px - view.left) * nsPerPx(view);
export const endOf = (view) => view.start + view.length;

// Zooms about `px`; a factor of 2 shows half as much time.
export function zoomed(view, factor, px) {
  const length = clamp(view.length / factor, view.shortest, view.extent);
  const part = (px - view.left) / (view.right - view.left);
  return windowed(view, view.start + part * (view.length - length), length);
}

// Moves the content by `px`.
export const panned = (view, px) => windowed(view, view.start - px * nsPerPx(view), view.length);

export function showing(view, start, end) {
  const wider = Math.max(0, view.shortest - (end - start));
  return windowed(view, start - wider / 2, end - start);
}

export const resized = (view, left, right) => ({...view, left, right});
