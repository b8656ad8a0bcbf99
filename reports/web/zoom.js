// SPDX-License-Identifier: Apache-2.0
// The visible part of a plane (each axis separately), and how wheel, pointers and pinches change
// it.

const leastDecades = 0.02;
const mostDecades = 40;

// `whole`: the figure's limits, {x: [low, high], y: [low, high]}; `first`: the part that is shown
// first. With `free` the view may exceed the limits.
export function createView(whole, first, free) {
  const logs = ({x, y}) => ({x: x.map(Math.log10), y: y.map(Math.log10)});
  const limits = logs(whole);
  const initial = logs(first);
  const seen = logs(first);  // base-10 logarithms
  const equal = (a, b) => a.every((value, i) => Math.abs(value - b[i]) < 1e-9);

  function keep(axis) {
    const [low, high] = limits[axis];
    let [from, to] = seen[axis];
    const span = Math.max(leastDecades, Math.min(to - from, free ? mostDecades : high - low));
    const middle = (from + to) / 2;
    [from, to] = [middle - span / 2, middle + span / 2];
    if (!free) {
      const shift = Math.max(low - from, 0) + Math.min(high - to, 0);
      [from, to] = [from + shift, to + shift];
    }
    seen[axis] = [from, to];
  }
  return {
    seen,
    values: (axis) => seen[axis].map((log) => 10 ** log),
    isFirst: () => ["x", "y"].every((axis) => equal(seen[axis], initial[axis])),
    firstIsWhole: ["x", "y"].every((axis) => equal(initial[axis], limits[axis])),
    // Zooms about the position `part` of the axis (0 at its start, 1 at its end).
    zoom(axis, factor, part) {
      const [from, to] = seen[axis];
      const fixed = from + part * (to - from);
      seen[axis] = [fixed - (fixed - from) / factor, fixed + (to - fixed) / factor];
      keep(axis);
    },
    // Moves the content by `part` of the axis.
    pan(axis, part) {
      const [from, to] = seen[axis];
      const by = part * (to - from);
      seen[axis] = [from - by, to - by];
      keep(axis);
    },
    show(axis, [from, to]) {
      seen[axis] = [Math.log10(from), Math.log10(to)];
      keep(axis);
    },
    reset() {
      for (const axis of ["x", "y"]) seen[axis] = [...initial[axis]];
    },
    showAll() {
      for (const axis of ["x", "y"]) seen[axis] = [...limits[axis]];
    },
  };
}

// A trackpad pinch arrives as a wheel event with ctrlKey set; the key is pressed only if there was
// a keydown event.
let controlDown = false;
let lastScroll = -Infinity;
addEventListener("keydown", (event) => { if (event.key === "Control") controlDown = true; });
addEventListener("keyup", (event) => { if (event.key === "Control") controlDown = false; });
addEventListener("blur", () => { controlDown = false; });
addEventListener("scroll", () => { lastScroll = performance.now(); }, {passive: true});

function wheelFactor(event) {
  // With Shift some browsers report a horizontal wheel event.
  const delta = event.deltaY || event.deltaX;
  const unit = event.deltaMode === 1 ? 0.05 : event.deltaMode === 2 ? 1 : 0.002;
  const pinch = event.ctrlKey && !controlDown;
  return 2 ** (-delta * unit * (pinch ? 10 : 1));
}

// `plotOf()` returns the plot's pixels within `svg`. Calls `changed()` after each change.
export function listenToZoom(svg, view, plotOf, changed) {
  const parts = (event) => {
    const box = svg.getBoundingClientRect();
    const plot = plotOf();
    return {x: (event.clientX - box.left - plot.left) / (plot.right - plot.left),
            y: (plot.bottom - (event.clientY - box.top)) / (plot.bottom - plot.top)};
  };
  svg.addEventListener("wheel", (event) => {
    const only = event.shiftKey ? "x" : event.altKey || (event.ctrlKey && controlDown) ? "y" : null;
    const axes = only ? [only] : ["x", "y"];
    const factor = wheelFactor(event);
    // Scrolling the page must not zoom a figure that comes under the pointer. If the view cannot
    // zoom out further, the wheel scrolls the page.
    const passing = performance.now() - lastScroll < 250;
    const before = JSON.stringify(view.seen);
    if (!passing) axes.forEach((axis) => view.zoom(axis, factor, parts(event)[axis]));
    if (JSON.stringify(view.seen) !== before) changed();
    else if (!event.ctrlKey) return;
    event.preventDefault();
  }, {passive: false});

  const pointers = new Map();
  let dragged = false;
  const middle = () => {
    const all = [...pointers.values()];
    return {clientX: all.reduce((sum, p) => sum + p.clientX, 0) / all.length,
            clientY: all.reduce((sum, p) => sum + p.clientY, 0) / all.length};
  };
  const apart = () => {
    const [a, b] = [...pointers.values()];
    return b ? Math.max(Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), 1) : 1;
  };
  function move(event) {
    if (!pointers.has(event.pointerId)) return;
    const start = pointers.get(event.pointerId);
    const [from, distance] = [middle(), apart()];
    const moved = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
    if (!dragged && pointers.size === 1 && moved < 4) return; // pixels; a click, not a drag
    if (event.pointerType === "touch" && pointers.size === 1) return; // one finger scrolls the page
    dragged = true;
    pointers.set(event.pointerId, event);
    const [a, b] = [parts(from), parts(middle())];
    view.pan("x", b.x - a.x);
    view.pan("y", b.y - a.y);
    if (pointers.size === 2) {
      const factor = apart() / distance;
      for (const axis of ["x", "y"]) view.zoom(axis, factor, b[axis]);
    }
    changed();
  }
  function release(event) {
    pointers.delete(event.pointerId);
    if (pointers.size > 0) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", release);
    removeEventListener("pointercancel", release);
  }
  svg.addEventListener("pointerdown", (event) => {
    if (event.button > 0 || pointers.size === 2) return;
    if (pointers.size === 0) {
      dragged = false;
      addEventListener("pointermove", move);
      addEventListener("pointerup", release);
      addEventListener("pointercancel", release);
    }
    pointers.set(event.pointerId, event);
  });
  // Ignore the click event at the end of a drag.
  svg.addEventListener("click", (event) => {
    if (dragged) event.stopImmediatePropagation();
    dragged = false;
  }, {capture: true});
}
