// SPDX-License-Identifier: Apache-2.0
// Translates mouse, pen and touch events on a timeline to actions. Positions are canvas pixels.

const clickSlack = 4; // pixels; shorter movements are clicks

// `on`: {axisHeight(), hover(x, y), leave(), click(x, y), pan(dx), zoom(factor, x), select(x0, x1),
// reset(), canZoomOut()}
export function listenToPointer(canvas, on) {
  const down = new Map(); // positions by pointer
  let press = null;       // {x, y, selects, moved} of the first pressed pointer
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event);
    down.set(event.pointerId, at);
    if (down.size === 1) {
      press = {...at, selects: event.shiftKey || at.y < on.axisHeight(), moved: false};
    }
    canvas.setPointerCapture?.(event.pointerId);
  });

  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    const before = down.get(event.pointerId);
    if (!before) return on.hover(at.x, at.y);
    down.set(event.pointerId, at);
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.max(20, Math.abs(p.x - other.x));
      press.moved = true;
      on.zoom(apart(at) / apart(before), other.x);
      return undefined;
    }
    if (!press.moved && Math.abs(at.x - press.x) < clickSlack) return undefined;
    press.moved = true;
    on.leave();
    if (press.selects) on.select(press.x, at.x);
    else on.pan(at.x - before.x);
    return undefined;
  });

  const onRelease = (event) => {
    if (!down.delete(event.pointerId)) return;
    const at = place(event);
    if (down.size === 0 && event.type === "pointerup" && !press.moved) on.click(at.x, at.y);
  };
  canvas.addEventListener("pointerup", onRelease);
  canvas.addEventListener("pointercancel", onRelease);
  canvas.addEventListener("pointerleave", () => { if (down.size === 0) on.leave(); });
  canvas.addEventListener("dblclick", () => on.reset());

  canvas.addEventListener("wheel", (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // The wheel scrolls the page if the view cannot zoom out further.
    if (!sideways && !event.shiftKey && event.deltaY > 0 && !on.canZoomOut()) return;
    event.preventDefault();
    const line = event.deltaMode === 1 ? 16 : 1;
    if (sideways || event.shiftKey) on.pan(-line * (event.deltaX || event.deltaY));
    else on.zoom(2 ** (-line * event.deltaY / (event.ctrlKey ? 50 : 200)), place(event).x);
  }, {passive: false});
}
