// SPDX-License-Identifier: Apache-2.0
// The density of all launches of a run: launches per screen cell, on a canvas under the marks.
// Counting is linear in launches and painting in cells, so zooming is smooth with a hundred
// thousand launches.

const cellSize = 2; // CSS pixels

// `timeline`: the page's timeline data. A launch with f times the mean duration of its row is at (x
// f^ex, y f^ey), with (x, y) the row's point, so only log(f) is stored. Grouped by class.
export function readLaunches(timeline, run) {
  const mean = {};
  for (const [key, row] of Object.entries(run.rows)) mean[key] = row.time_s / row.launches;
  const byClass = new Map();
  for (const {name, duration_ns: durations} of timeline.tracks) {
    for (let i = 0; i < name.length; ++i) {
      const [, row] = timeline.names[name[i]];
      const known = typeof row === "number" ? run.rows[row] : null; // else a name
      if (!known || !(mean[row] > 0) || !(durations[i] > 0)) continue;
      if (!byClass.has(known.class)) byClass.set(known.class, {rows: [], factors: []});
      const group = byClass.get(known.class);
      group.rows.push(row);
      group.factors.push(Math.log10((durations[i] * 1e-9) / mean[row]));
    }
  }
  return [...byClass].map(([name, group]) => ({
    name, rows: Int32Array.from(group.rows), factors: Float32Array.from(group.factors),
  }));
}

// Adds the group's launches to `counts`; returns how many are inside the grid.
function countLaunches({rows, factors}, {x, y}, [ex, ey], grid, counts) {
  const {columns, lines, x0, xScale, y0, yScale} = grid;
  let inside = 0;
  for (let i = 0; i < rows.length; ++i) {
    const row = rows[i];
    // Unknown values (-Infinity) are on the lower edge of the axis; rows without a point are NaN,
    // which is in no cell.
    const px = x[row];
    const py = y[row];
    const column = px === -Infinity ? 0 : Math.floor((px + ex * factors[i] - x0) * xScale);
    const above = py === -Infinity ? 0 : Math.floor((py + ey * factors[i] - y0) * yScale);
    if (!(column >= 0 && column < columns && above >= 0 && above < lines)) continue;
    ++counts[(lines - 1 - above) * columns + column];
    ++inside;
  }
  return inside;
}

function channels(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Alpha grows with the logarithm of the count, from barely visible to opaque.
function paint(canvas, {columns, lines, total, owner, highest}, palette) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, lines);
  const least = 0.3;
  const scale = (1 - least) / Math.log1p(highest);
  for (let i = 0; i < total.length; ++i) {
    if (total[i] === 0) continue;
    const color = palette[owner[i]];
    image.data[4 * i] = color[0];
    image.data[4 * i + 1] = color[1];
    image.data[4 * i + 2] = color[2];
    image.data[4 * i + 3] = 255 * (least + scale * Math.log1p(total[i]));
  }
  context.putImageData(image, 0, 0);
}

// Returns a function draw({plot, seen, places, exponent, colors}) that returns the number of
// visible launches. `places`: {x, y}, the logarithms of each row's point. `colors`: "#rrggbb" by
// class; classes without a color are hidden. A cell has the color of the class with the most
// launches in it.
export function createDensity(canvas, groups) {
  let cells = 0;
  let counts, total, most, owner;
  return ({plot, seen, places, exponent, colors}) => {
    const [width, height] = [plot.right - plot.left, plot.bottom - plot.top];
    const columns = Math.max(1, Math.ceil(width / cellSize));
    const lines = Math.max(1, Math.ceil(height / cellSize));
    canvas.style.cssText =
      `left:${plot.left}px;top:${plot.top}px;width:${width}px;height:${height}px`;
    if (canvas.width !== columns) canvas.width = columns;
    if (canvas.height !== lines) canvas.height = lines;
    if (cells !== columns * lines) {
      cells = columns * lines;
      [counts, total, most] = [0, 0, 0].map(() => new Uint32Array(cells));
      owner = new Uint8Array(cells);
    }
    total.fill(0);
    most.fill(0);
    const grid = {columns, lines, x0: seen.x[0], xScale: columns / (seen.x[1] - seen.x[0]),
                  y0: seen.y[0], yScale: lines / (seen.y[1] - seen.y[0])};
    let shown = 0;
    let highest = 1;
    groups.forEach((group, g) => {
      if (!colors[group.name]) return;
      counts.fill(0);
      const inside = countLaunches(group, places, exponent, grid, counts);
      shown += inside;
      for (let i = 0; inside > 0 && i < cells; ++i) {
        const count = counts[i];
        if (count === 0) continue;
        total[i] += count;
        if (total[i] > highest) highest = total[i];
        if (count <= most[i]) continue;
        most[i] = count;
        owner[i] = g;
      }
    });
    paint(canvas, {columns, lines, total, owner, highest},
          groups.map((group) => channels(colors[group.name] ?? "#000000")));
    canvas.dataset.launches = shown;
    return shown;
  };
}
