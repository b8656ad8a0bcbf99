// SPDX-License-Identifier: Apache-2.0
// An interactive plane. It replaces the static figures of its container by a drawing of the same
// plane at screen size, with zoom, tooltips and the selection of its part.
import {createDensity} from "./density.js";
import {colorOf, element, onSchemeChange} from "./dom.js";
import {createDrawing} from "./draw.js";
import {fileButtons, levelButtons} from "./figure_tools.js";
import {coordinateFacts, createTooltip, kernelFacts} from "./kernel_facts.js";
import {listenToKeys} from "./plane_keys.js";
import {onPrint, paperWidth} from "./print.js";
import {formatPercent} from "./units.js";
import {createView, listenToZoom} from "./zoom.js";

function scaffold(container) {
  const canvas = element("canvas", {class: "density", "aria-hidden": "true"});
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({
    class: "interactive", role: "application", "aria-roledescription": "interactive figure",
    tabindex: 0, "aria-label": container.dataset.label})) svg.setAttribute(name, value);
  container.replaceChildren(canvas, svg);
  return {svg, canvas};
}

// The highlighting of a row's marks: the hovered or pinned kernel, else the search results.
function emphasis({hovered, pinned, found}) {
  const focus = hovered ?? pinned;
  return (row) => {
    const [isFocus, isFound] = [row === focus, found !== null && found.has(row)];
    const isDim = focus !== null ? !isFocus && !isFound : found !== null && !isFound;
    return [isFocus && "focus", isFound && "found", isDim && "dim"].filter(Boolean).join(" ");
  };
}

// [{row, level, x, y, ideal}] from columns; null repeats the previous value.
function readPoints({points, level_names: names}) {
  const keys = Object.keys(names);
  const before = {};
  return (points.row ?? []).map((_, i) => {
    for (const [name, column] of Object.entries(points)) before[name] = column[i] ?? before[name];
    const {row, level, x, y} = before;
    return {row, level: keys[level] ?? null, x, y,
            ...(points.ideal_x ? {ideal: [before.ideal_x, before.ideal_y]} : {})};
  });
}

// `data`: the section's JSON and the kernels of the part. `launches()`: a promise of all launches,
// null if the page has none.
export function planeView(figure, id, island, selection, launches) {
  const data = {...island, points: readPoints(island)};
  const container = figure.querySelector(".plot");
  const {svg, canvas} = scaffold(container);
  const tooltip = createTooltip(container);
  const limits = {x: [data.x.min, data.x.max], y: [data.y.min, data.y.max]};
  const view = createView(limits, {x: data.x.first, y: data.y.first}, data.drawing.free);
  const listeners = [];
  const levels = new Set(data.first_level ? [data.first_level] : []);
  // In the complexity plane all launches of a row are at the row's point, independent of duration.
  const hasDensity = launches !== null && data.launch.some((exponent) => exponent !== 0);
  let paintDensity = null; // once the launches are read
  let reading = null;
  let dense = false;
  let stateOf = emphasis(selection);
  const drawing = createDrawing(svg, data.drawing, id, {
    state: (row) => stateOf(row),
    isHidden: (row) => selection.hidden.has(data.rows[row].class),
  });

  const ofLevel = (point) => data.levels.length === 0 || levels.has(point.level);
  const pointOf = new Map(data.points.map((point) =>
    [`${point.row} ${data.levels.length ? point.level : ""}`, point]));
  const measured = () => drawing.marks.filter((mark) => !mark.ideal)
    .map(({kernel, layer}) => ({row: kernel, point: pointOf.get(`${kernel} ${layer.when}`)}));

  function axisTitle({label, unit, of_level: at}) {
    const names = data.levels.filter((level) => levels.has(level.key)).map((level) => level.label);
    return `${label}${at && names.length ? ` at ${names.join(", ")}` : ""} (${unit})`;
  }
  // Converts a base-10 logarithm to a fraction of the whole figure, and back.
  const [start, span] = [{}, {}];
  for (const axis of ["x", "y"]) {
    start[axis] = Math.log10(limits[axis][0]);
    span[axis] = Math.log10(limits[axis][1]) - start[axis];
  }
  const seenParts = (axis) => view.seen[axis].map((log) => (log - start[axis]) / span[axis]);

  // Logarithms of the center of a row's launches: -Infinity if its mark stays on the lower edge, or
  // is on the edge of the whole figure while that edge is visible.
  function placeOnAxis(axis, mark, part) {
    if (mark.layer[axis] === "still") return -Infinity;
    if (mark.layer[axis] === "following") return start.y + part * span.y + view.seen.x[0] - start.x;
    if (Math.abs(part) > 1e-5) return start[axis] + part * span[axis];
    return view.seen[axis][0] <= start[axis] + 1e-6 ? -Infinity : NaN;
  }
  function drawDensity() {
    svg.classList.toggle("dense", dense && hasDensity);
    canvas.hidden = !dense || !hasDensity;
    if (canvas.hidden) return;
    const count = Math.max(...Object.keys(data.rows)) + 1;
    const places = {x: new Float64Array(count).fill(NaN), y: new Float64Array(count).fill(NaN)};
    for (const mark of drawing.active.filter(({ideal}) => !ideal)) {
      const parts = drawing.partsOf(mark);
      for (const axis of ["x", "y"]) places[axis][mark.kernel] = placeOnAxis(axis, mark, parts[axis]);
    }
    const colors = {};
    for (const [name, {style}] of Object.entries(data.classes)) {
      if (!selection.hidden.has(name)) colors[name] = colorOf(style);
    }
    if (!paintDensity) {
      reading = reading ?? launches().then((groups) => {
        paintDensity = createDensity(canvas, groups);
        drawDensity();
      });
      return;
    }
    paintDensity({plot: drawing.frame.plot, seen: view.seen, places, exponent: data.launch, colors});
  }
  // Counts the kernels outside the view at the edge beyond which they are.
  function countBeyond() {
    const sides = ["←", "→", "↓", "↑"].map((arrow) => ({arrow, rows: new Set()}));
    const {left, right, bottom, top} = drawing.frame.plot;
    const inView = new Set(drawing.marks);
    for (const mark of drawing.active) {
      if (mark.ideal || inView.has(mark)) continue;
      sides[mark.x < left ? 0 : mark.x > right ? 1 : mark.y > bottom ? 2 : 3].rows.add(mark.kernel);
    }
    sides.forEach(({arrow, rows}, i) => {
      const share = [...rows].reduce((sum, row) => sum + (data.rows[row].share ?? 0), 0);
      drawing.setText(`axis ${2 + i}`, rows.size === 0 ? "" :
        `${arrow} ${rows.size} ${rows.size === 1 ? "kernel" : "kernels"}, ${formatPercent(share)}`);
    });
  }
  function draw() {
    drawing.setText("axis 0", axisTitle(data.x));
    drawing.setText("axis 1", axisTitle(data.y));
    // Without a selected tier, the lines of all tiers are highlighted.
    const ofLines = levels.size ? [...levels] : data.levels.map(({key}) => key);
    drawing.show({x: seenParts("x"), y: seenParts("y")},
                 [...levels, ...ofLines.map((key) => `${key}-lines`),
                  ...(view.isFirst() ? ["first"] : []), ...(dense && hasDensity ? ["dense"] : [])]);
    countBeyond();
    drawDensity();
  }
  function viewChanged() {
    tooltip.hide();
    draw();
    listeners.forEach((listener) => listener());
  }
  const reset = () => {
    view.reset();
    viewChanged();
  };
  const showAll = () => {
    view.showAll();
    viewChanged();
  };

  function resize(width = container.clientWidth) {
    drawing.resize(width);
    draw();
  }

  function nextLevel() {
    const keys = data.levels.map((level) => level.key);
    const next = keys[(keys.findIndex((key) => levels.has(key)) + 1) % keys.length];
    levels.clear();
    if (next) levels.add(next);
    showLevels();
    viewChanged();
  }

  const facts = (row) => kernelFacts(data, row, coordinateFacts(data, row, ofLevel));
  listenToZoom(svg, view, () => drawing.frame.plot, viewChanged);
  listenToKeys(svg, {view, changed: viewChanged, reset, showAll, nextLevel,
                     rows: () => drawing.marks.map((mark) => mark.kernel)}, selection);
  const markAt = (event, slack) => {
    const box = container.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    return {at, mark: drawing.nearest(...at, slack)};
  };
  svg.addEventListener("mousemove", (event) => {
    const {at, mark} = markAt(event, event.buttons ? -1 : 8);
    selection.hover(mark ? mark.kernel : null, "figure");
    svg.classList.toggle("on-mark", Boolean(mark));
    if (mark) tooltip.show(facts(mark.kernel), ...at);
    else tooltip.hide();
  });
  svg.addEventListener("mouseleave", () => {
    selection.hover(null, "figure");
    tooltip.hide();
  });
  svg.addEventListener("click", (event) => {
    const {mark} = markAt(event, 14);
    if (mark) selection.pin(mark.kernel, "figure");
    else selection.clear("figure");
  });
  svg.addEventListener("dblclick", reset);

  const above = element("div", {class: "controls"});
  const showLevels = levelButtons(above, data, levels, viewChanged);
  const views = [element("button", {type: "button", class: "reset", onclick: reset}, "Reset view")];
  if (!view.firstIsWhole) {
    views.push(element("button", {type: "button", class: "reset", onclick: showAll,
                                  title: "Show all kernels and ceilings"}, "All"));
  }
  above.append(element("div", {class: "group"}, ...views));
  figure.insertBefore(above, container);
  const below = element("div", {class: "controls figure-tools"});
  const classesDrawn = () => {
    const names = new Set(drawing.marks.map((mark) => data.rows[mark.kernel].class));
    return [...names].map((name) => ({name: name || "other", shape: data.classes[name].shape,
                                      color: colorOf(data.classes[name].style)}));
  };
  fileButtons(below, data, {svg, name: id, marks: measured, classes: classesDrawn,
                            canvas: () => (canvas.hidden ? null : canvas)});
  container.after(below);
  // Hints are shown only once per part.
  if (!figure.closest("article").querySelector(".hints:not(:empty)")) {
    figure.querySelector(".hints").append(
      " Scroll or pinch to zoom, drag to move, double-click to reset.",
      data.points.length ? " Click a mark to pin its kernel in all figures." : "");
  }

  selection.onChange((source, what) => {
    stateOf = emphasis(selection);
    if (what === "classes") draw();
    else drawing.emphasize();
  });
  onSchemeChange(drawDensity);
  onPrint(() => resize(paperWidth), () => resize());
  let lastWidth = container.clientWidth;
  new ResizeObserver(() => {
    if (container.clientWidth === lastWidth || container.clientWidth === 0) return;
    lastWidth = container.clientWidth;
    resize();
  }).observe(container);
  resize();
  return {
    id, count: drawing.active.filter(({ideal}) => !ideal).length, hasDensity,
    showLaunches(on) {
      dense = on;
      draw();
    },
    onView(listener) { listeners.push(listener); },
    // The state for a deep link: axis ranges and tiers, if they differ from the initial ones.
    state() {
      const shownLevels = data.levels.map(({key}) => key).filter((key) => levels.has(key));
      return {view: view.isFirst() ? null : {x: view.values("x"), y: view.values("y")},
              levels: shownLevels.join() === (data.first_level ?? "") ? null : shownLevels};
    },
    show(seen, tiers) {
      view.reset();
      if (seen) for (const axis of ["x", "y"]) view.show(axis, seen[axis]);
      levels.clear();
      for (const {key} of data.levels) {
        if (tiers ? tiers.includes(key) : key === data.first_level) levels.add(key);
      }
      showLevels();
      viewChanged();
    },
  };
}
