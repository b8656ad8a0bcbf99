// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts of a focused plane; the same as in `mansard gui` for common functions.

const arrows = {ArrowLeft: ["x", 1], ArrowRight: ["x", -1], ArrowUp: ["y", -1], ArrowDown: ["y", 1]};

// `plane`: {view, changed(), reset(), showAll(), rows(), nextLevel()}; rows() returns the drawn rows
// as strings.
export function listenToKeys(svg, plane, selection) {
  const zoom = (axes, factor) => {
    axes.forEach((axis) => plane.view.zoom(axis, factor, 0.5));
    plane.changed();
  };
  const pinNext = (step) => {
    const rows = [...new Set(plane.rows())].sort((a, b) => a - b);
    if (rows.length === 0) return;
    const at = rows.indexOf(selection.pinned);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length;
    if (rows[next] !== selection.pinned) selection.pin(rows[next], "figure");
  };
  const actions = {
    "+": () => zoom(["x", "y"], 1.5),
    "=": () => zoom(["x", "y"], 1.5),
    "-": () => zoom(["x", "y"], 1 / 1.5),
    0: plane.reset,
    a: plane.showAll,
    n: () => pinNext(1),
    p: () => pinNext(-1),
    t: plane.nextLevel,
    Escape: () => selection.clear("figure"),
  };
  function pressed(key, shift) {
    if (arrows[key]) {
      const [axis, direction] = arrows[key];
      // With Shift, right and up zoom in on an axis, left and down zoom out.
      if (shift) {
        zoom([axis], 1.25 ** -direction);
      } else {
        plane.view.pan(axis, 0.1 * direction);
        plane.changed();
      }
      return true;
    }
    if (!actions[key]) return false;
    actions[key]();
    return true;
  }
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // browser shortcuts
    if (pressed(event.key, event.shiftKey)) event.preventDefault();
  });
}
