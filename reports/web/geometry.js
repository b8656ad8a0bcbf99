// SPDX-License-Identifier: Apache-2.0
// Plane geometry in pixels, y growing downwards; the same rules as reports/figure/geometry.h.

// The part of a segment [[ax, ay], [bx, by]] inside a rectangle; null when they do not meet.
export function clip([[ax, ay], [bx, by]], rect) {
  const [dx, dy] = [bx - ax, by - ay];
  if (!Number.isFinite(dx) || !Number.isFinite(dy)) return null;
  let [low, high] = [0, 1];
  // Each side limits the parameter t of a + t (b - a); what remains of [0, 1] is inside.
  for (const [speed, distance] of [[dx, rect.right - ax], [-dx, ax - rect.left],
                                   [dy, rect.bottom - ay], [-dy, ay - rect.top]]) {
    if (speed === 0 && distance < 0) return null;
    if (speed > 0) high = Math.min(high, distance / speed);
    if (speed < 0) low = Math.max(low, distance / speed);
    if (low > high) return null;
  }
  return [[ax + low * dx, ay + low * dy], [ax + high * dx, ay + high * dy]];
}

// A rectangle of a width and a height, turned by an angle about its centre.
export function makeBox(cx, cy, width, height, angle = 0) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [w, h] = [width / 2, height / 2];
  const corners = [[-w, -h], [w, -h], [w, h], [-w, h]]
    .map(([x, y]) => [cx + c * x - s * y, cy + s * x + c * y]);
  return {cx, cy, width, height, angle, corners, reach: Math.hypot(w, h)};
}

export function boxAlong([[ax, ay], [bx, by]], thickness) {
  return makeBox((ax + bx) / 2, (ay + by) / 2, Math.hypot(bx - ax, by - ay), thickness,
                 Math.atan2(by - ay, bx - ax));
}

const touch = 1e-9; // rounding must not turn touching into overlapping

function separated(a, b, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const range = (box) => {
    const along = box.corners.map(([x, y]) => c * x + s * y);
    return [Math.min(...along), Math.max(...along)];
  };
  const [aLow, aHigh] = range(a);
  const [bLow, bHigh] = range(b);
  return aHigh <= bLow + touch || bHigh <= aLow + touch;
}

// Two convex shapes are apart exactly when the normal of some edge separates them.
export function overlap(a, b) {
  if (Math.hypot(a.cx - b.cx, a.cy - b.cy) >= a.reach + b.reach) return false;
  return ![a.angle, b.angle].some((angle) =>
    separated(a, b, angle) || separated(a, b, angle + Math.PI / 2));
}

export function inside(box, rect) {
  return box.corners.every(([x, y]) =>
    x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom);
}
