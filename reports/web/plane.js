// SPDX-License-Identifier: Apache-2.0
// An interactive plane. It replaces the static figures of its container and draws the same lines
// and points, at the size of the screen, with zoom, tooltips and what its part selects.
import {event, mouse, select} from "d3-selection";
// The module alone: the package's index would bring the scales of colours and of dates along.
import scaleLog from "d3-scale/src/log";
import {drawX, drawY} from "./axes.js";
import {createDensity} from "./density.js";
import {colourOf, element, onSchemeChange} from "./dom.js";
import {fileButtons, levelButtons} from "./figure_tools.js";
import {coordinateFacts, createTooltip, kernelFacts} from "./kernel_facts.js";
import {listenToKeys} from "./plane_keys.js";
import {drawLines, textWidth} from "./plane_lines.js";
import {drawPoints, nearest, placeMarks} from "./points.js";
import {createView, listenToZoom} from "./zoom.js";

function layout(width, lines) {
  const narrow = width < 560;
  const nameOf = (line) => (narrow ? line.name : line.label);
  const beside = lines.filter((line) => line.place === "margin");
  const margin = beside.length ? Math.max(...beside.map((l) => textWidth(nameOf(l)))) + 24 : 22;
  const height = narrow ? 400 : Math.round(Math.max(440, Math.min(0.5 * width, 560)));
  return {width, height, nameOf,
          plot: {left: 58, top: 28, right: width - margin, bottom: height - 46}};
}

function scaffold(container, id, label) {
  const canvas = element("canvas", {class: "density", "aria-hidden": "true"});
  container.replaceChildren(canvas);
  const svg = select(container).append("svg").attr("class", "interactive")
    .attr("role", "application").attr("aria-roledescription", "interactive figure")
    .attr("tabindex", 0).attr("aria-label", label);
  svg.append("clipPath").attr("id", `${id}-clip`).append("rect");
  const clip = `url(#${id}-clip)`;
  const layer = (name, clipped) => {
    const group = svg.append("g").attr("class", name);
    return clipped ? group.attr("clip-path", clip) : group;
  };
  return {
    svg, canvas,
    x: layer("x"), y: layer("y"),
    boxes: layer("boxes", true), roofs: layer("roofs", true), labels: layer("labels"),
    link: layer("links", true), gaps: layer("gaps", true), points: layer("points", true),
    xName: svg.append("text").attr("class", "axis").attr("text-anchor", "middle"),
    yName: svg.append("text").attr("class", "axis"),
  };
}

// Points outside of the figure's limits can be reached by zooming out of it.
function pointsOutside({points, x, y}) {
  const out = (value, axis) => value > axis.max || (value > 0 && value < axis.min && !axis.floor);
  return points.some((p) => out(p.x, x) || out(p.y, y));
}

// `data`: the section's island and the part's kernels. `launches`: all launches, or null.
export function planeView(figure, id, data, selection, launches) {
  const container = figure.querySelector(".plot");
  const layers = scaffold(container, id, container.dataset.label);
  const tooltip = createTooltip(container);
  const view = createView({x: [data.x.min, data.x.max], y: [data.y.min, data.y.max]},
                          pointsOutside(data));
  const listeners = [];
  const levels = new Set(data.first_level ? [data.first_level] : []);
  // In the complexity plane a launch lies where its row does, however long it takes.
  const hasDensity = launches !== null && data.launch.some((exponent) => exponent !== 0);
  const paintDensity = hasDensity ? createDensity(layers.canvas, launches) : null;
  let dense = false;
  let size = layout(container.clientWidth, data.lines);
  let drawn = {marks: [], gaps: []};

  const ofLevel = (point) => data.levels.length === 0 || levels.has(point.level);
  const shown = (point) => ofLevel(point) && !selection.hidden.has(data.rows[point.row].class);

  function axisTitle({label, unit, of_level: at}) {
    const names = data.levels.filter((level) => levels.has(level.key)).map((level) => level.label);
    return `${label}${at && names.length ? ` at ${names.join(", ")}` : ""} (${unit})`;
  }
  // A logarithm, or -Infinity on the lower edge; one that is at a floor is there while that is seen.
  function placeOn(axis, value) {
    const {floor} = data[axis];
    if (!(value > 0)) return -Infinity;
    if (value >= floor) return Math.log10(value);
    return view.seen[axis][0] <= Math.log10(floor) + 1e-6 ? -Infinity : NaN;
  }
  function drawDensity() {
    layers.svg.classed("dense", dense && hasDensity);
    layers.canvas.hidden = !dense || !hasDensity;
    if (layers.canvas.hidden) return;
    const count = Math.max(...Object.keys(data.rows)) + 1;
    const places = {x: new Float64Array(count).fill(NaN), y: new Float64Array(count).fill(NaN)};
    for (const point of data.points.filter(shown)) {
      for (const axis of ["x", "y"]) places[axis][point.row] = placeOn(axis, point[axis]);
    }
    const colours = {};
    for (const [name, {style}] of Object.entries(data.classes)) {
      if (!selection.hidden.has(name)) colours[name] = colourOf(style);
    }
    paintDensity({plot: size.plot, seen: view.seen, places, exponent: data.launch, colours});
  }
  function draw() {
    const {plot, nameOf} = size;
    const x = scaleLog().domain(view.values("x")).range([plot.left, plot.right]);
    const y = scaleLog().domain(view.values("y")).range([plot.bottom, plot.top]);
    drawX(layers.x, x, plot, data.x.ticks);
    drawY(layers.y, y, plot, data.y.ticks);
    layers.xName.text(axisTitle(data.x));
    layers.yName.text(axisTitle(data.y));
    drawn = placeMarks(data, x, y, plot, shown);
    drawLines(layers, data, {x, y, plot, levels, nameOf, marks: drawn.marks});
    drawPoints(layers, drawn, selection);
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

  function resize() {
    size = layout(container.clientWidth, data.lines);
    const {plot, width, height} = size;
    layers.svg.attr("width", width).attr("height", height).attr("viewBox", [0, 0, width, height]);
    layers.svg.select("clipPath rect").attr("x", plot.left).attr("y", plot.top)
      .attr("width", plot.right - plot.left).attr("height", plot.bottom - plot.top);
    layers.xName.attr("x", (plot.left + plot.right) / 2).attr("y", plot.bottom + 40);
    layers.yName.attr("x", plot.left).attr("y", plot.top - 11);
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
  const svg = layers.svg.node();
  listenToZoom(svg, view, () => size.plot, viewChanged);
  listenToKeys(svg, {view, changed: viewChanged, reset, nextLevel,
                     rows: () => drawn.marks.map((mark) => mark.row)}, selection);
  layers.svg.on("mousemove", () => {
    const [px, py] = mouse(container);
    const mark = event.buttons ? null : nearest(drawn.marks, px, py, 8);
    selection.hover(mark ? mark.row : null, "figure");
    layers.svg.classed("on-mark", Boolean(mark));
    if (mark) tooltip.show(facts(mark.row), px, py);
    else tooltip.hide();
  }).on("mouseleave", () => {
    selection.hover(null, "figure");
    tooltip.hide();
  }).on("click", () => {
    const mark = nearest(drawn.marks, ...mouse(container), 14);
    if (mark) selection.pin(mark.row, "figure");
    else selection.clear("figure");
  }).on("dblclick", reset);

  const above = element("div", {class: "controls"});
  const showLevels = levelButtons(above, data, levels, viewChanged);
  above.append(element("button", {type: "button", class: "reset", onclick: reset}, "Reset view"));
  figure.insertBefore(above, container);
  const below = element("div", {class: "controls figure-tools"});
  const classesDrawn = () => {
    const names = new Set(drawn.marks.map((mark) => data.rows[mark.row].class));
    return [...names].map((name) => ({name: name || "other", shape: data.classes[name].shape,
                                      colour: colourOf(data.classes[name].style)}));
  };
  fileButtons(below, data, {svg, name: id, marks: () => drawn.marks, classes: classesDrawn,
                            canvas: () => (layers.canvas.hidden ? null : layers.canvas)});
  container.after(below);
  // Once a part: the others work alike.
  if (!figure.closest("article").querySelector(".hints:not(:empty)")) {
    figure.querySelector(".hints").append(
      " Scroll or pinch to zoom, drag to move, double-click to reset.",
      data.points.length ? " Click a mark to pin its kernel in all figures." : "");
  }

  selection.onChange((source, what) => {
    if (what === "classes") draw();
    else drawPoints(layers, drawn, selection);
  });
  onSchemeChange(drawDensity);
  let lastWidth = container.clientWidth;
  new ResizeObserver(() => {
    if (container.clientWidth === lastWidth || container.clientWidth === 0) return;
    lastWidth = container.clientWidth;
    resize();
  }).observe(container);
  resize();
  return {
    id, count: drawn.marks.filter((m) => m.kind !== "ideal").length, hasDensity,
    showLaunches(on) {
      dense = on;
      drawDensity();
    },
    onView(listener) { listeners.push(listener); },
    // What a link says of it: the values seen and the tiers, where they are not the first ones.
    state() {
      const whole = view.isWhole("x") && view.isWhole("y");
      const shownLevels = data.levels.map(({key}) => key).filter((key) => levels.has(key));
      return {view: whole ? null : {x: view.values("x"), y: view.values("y")},
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
