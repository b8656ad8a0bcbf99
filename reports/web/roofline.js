// SPDX-License-Identifier: Apache-2.0
// The interactive roofline. It replaces the static figures of its container and draws the same
// lines and points, at the size of the screen, with zoom, tooltips and toggles.
import {event, mouse, select} from "d3-selection";
// The module alone: the package's index would bring the scales of colours and of dates along.
import scaleLog from "d3-scale/src/log";
import {zoom, zoomIdentity} from "d3-zoom";
import {drawX, drawY} from "./axes.js";
import {buildControls} from "./controls.js";
import {marginLabels, slopeLabels, visibleSlope} from "./labels.js";
import {createTooltip, kernelFacts} from "./kernel_facts.js";
import {drawPoints, nearest, placeMarks} from "./points.js";

const characterWidth = 6.8; // of the 12 px label font, on the wide side

function layout(width, lines) {
  const narrow = width < 560;
  const name = (line) => (narrow ? line.name : line.label);
  const widest = Math.max(0, ...lines.filter((l) => !l.diagonal).map((l) => name(l).length));
  const height = narrow ? 400 : Math.round(Math.max(440, Math.min(0.5 * width, 560)));
  const margin = widest * characterWidth + 24;
  return {
    width, height, name,
    plot: {left: 54, top: 28, right: width - Math.max(16, margin), bottom: height - 46},
  };
}

function scaffold(container, id, label) {
  container.replaceChildren();
  const svg = select(container).append("svg").attr("class", "interactive")
    .attr("role", "application").attr("aria-roledescription", "interactive figure")
    .attr("tabindex", 0).attr("aria-label", label);
  svg.append("clipPath").attr("id", `${id}-clip`).append("rect");
  const clip = `url(#${id}-clip)`;
  const layer = (name) => svg.append("g").attr("class", name);
  return {
    svg,
    x: layer("x"), y: layer("y"),
    roofs: layer("roofs").attr("clip-path", clip),
    labels: layer("labels"),
    link: layer("links").attr("clip-path", clip),
    points: layer("points").attr("clip-path", clip),
    xName: svg.append("text").attr("class", "axis").attr("text-anchor", "middle"),
    yName: svg.append("text").attr("class", "axis"),
  };
}

export function rooflineView(figure, id, data, selection) {
  const container = figure.querySelector(".plot");
  const layers = scaffold(container, id, container.dataset.label);
  const tooltip = createTooltip(container);
  const state = {levels: new Set([data.first_level]), hidden: new Set(), transform: zoomIdentity};
  let size = layout(container.clientWidth, data.lines);
  let marks = [];

  const shownLevels = () => data.levels.filter((l) => state.levels.has(l.key));
  const focus = () => selection.hovered ?? selection.pinned;

  function draw() {
    const {plot} = size;
    const x = state.transform.rescaleX(scaleLog().domain(data.x).range([plot.left, plot.right]));
    const y = state.transform.rescaleY(scaleLog().domain(data.y).range([plot.bottom, plot.top]));
    drawX(layers.x, x, plot);
    drawY(layers.y, y, plot);
    marks = placeMarks(data, x, y, plot, state);
    drawRoofs(x, y);
    drawPoints(layers, marks, data, focus());
  }

  function drawRoofs(x, y) {
    const {plot} = size;
    const active = (line) => !line.diagonal || !data.levels.length || state.levels.has(line.level);
    const slopes = [];
    const shapes = [];
    for (const line of data.lines) {
      const ends = line.diagonal
        ? visibleSlope({...line, limit: data.x[1]}, x, y, plot)
        : [[Math.max(x(line.x0), plot.left), y(line.y0)], [plot.right, y(line.y0)]];
      if (!ends || ends[0][0] >= plot.right) continue;
      shapes.push({line, ends});
      if (line.diagonal) slopes.push({line, ends});
    }
    const roofs = layers.roofs.selectAll("path").data(shapes, (d) => d.line.id);
    roofs.exit().remove();
    const entered = roofs.enter().append("path").attr("style", (d) => d.line.style);
    entered.append("title").text((d) => d.line.label);
    entered.merge(roofs)
      .attr("class", (d) => (active(d.line) ? "roof" : "roof quiet"))
      .attr("d", (d) => `M${d.ends[0]}L${d.ends[1]}`);

    // The tiers that are shown name their lines first.
    slopes.sort((a, b) => active(b.line) - active(a.line));
    const along = slopeLabels(slopes, marks, (line) => size.name(line).length * characterWidth);
    const beside = marginLabels(data.lines.filter((l) => !l.diagonal), y, plot);
    const texts = [
      ...along.map((l) => ({key: l.line.id, text: size.name(l.line), anchor: "middle", dy: 4,
                            quiet: !active(l.line),
                            at: `translate(${l.x},${l.y}) rotate(${l.angle})`})),
      ...beside.map((l) => ({key: l.line.id, text: size.name(l.line), anchor: "start", dy: 4,
                             at: `translate(${plot.right + 16},${l.textY})`})),
    ];
    const labels = layers.labels.selectAll("text").data(texts, (d) => d.key);
    labels.exit().remove();
    labels.enter().append("text").merge(labels)
      .attr("class", (d) => (d.quiet ? "roof-label quiet" : "roof-label"))
      .attr("text-anchor", (d) => d.anchor).attr("dy", (d) => d.dy)
      .attr("transform", (d) => d.at).text((d) => d.text);
    const leaders = layers.labels.selectAll("path").data(beside, (d) => d.line.id);
    leaders.exit().remove();
    leaders.enter().append("path").attr("class", "leader").merge(leaders)
      .attr("d", (d) => `M${plot.right},${d.y}L${plot.right + 12},${d.textY}`);
  }

  // Zooming out past the whole figure makes sense only where points lie outside of it.
  const outside = data.points.some((p) => p.x < data.x[0] || p.x > data.x[1] ||
                                          p.y < data.y[0] || p.y > data.y[1]);
  const zooming = zoom().scaleExtent([outside ? 0.2 : 1, 400]).on("zoom", () => {
    state.transform = event.transform;
    tooltip.hide();
    draw();
  }).filter(() => {
    // With nothing left to zoom out of, the wheel scrolls the page; one finger always does.
    if (event.type === "wheel") return event.deltaY < 0 || state.transform.k > 1.001 || outside;
    if (event.type === "touchstart") return event.touches.length > 1;
    return !event.button;
  });
  const reset = () => zooming.transform(layers.svg, zoomIdentity);

  function resize() {
    size = layout(container.clientWidth, data.lines);
    const {plot, width, height} = size;
    layers.svg.attr("width", width).attr("height", height).attr("viewBox", [0, 0, width, height]);
    layers.svg.select("clipPath rect").attr("x", plot.left).attr("y", plot.top)
      .attr("width", plot.right - plot.left).attr("height", plot.bottom - plot.top);
    layers.xName.attr("x", (plot.left + plot.right) / 2).attr("y", plot.bottom + 40)
      .text("Arithmetic intensity (FLOP/B)");
    layers.yName.attr("x", plot.left).attr("y", plot.top - 11).text("FLOP/s");
    const extent = [[plot.left, plot.top], [plot.right, plot.bottom]];
    zooming.extent(extent).translateExtent(outside ? [[-1e9, -1e9], [1e9, 1e9]] : extent);
    reset();
    draw();
  }

  layers.svg.call(zooming).on("dblclick.zoom", null).on("dblclick", reset);
  layers.svg.on("mousemove", () => {
    const [px, py] = mouse(container);
    const mark = nearest(marks, px, py, 8);
    selection.hover(mark ? mark.row : null, "figure");
    layers.svg.classed("on-mark", Boolean(mark));
    if (mark) tooltip.show(kernelFacts(data, mark.row, shownLevels()), px, py);
    else tooltip.hide();
  }).on("mouseleave", () => {
    selection.hover(null, "figure");
    tooltip.hide();
  }).on("click", () => {
    const mark = nearest(marks, ...mouse(container), 14);
    if (mark) selection.pin(mark.row, "figure");
    else selection.clear("figure");
  }).on("keydown", () => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step) {
      const rows = [...new Set(marks.map((m) => m.row))].sort((a, b) => a - b);
      const at = rows.indexOf(selection.pinned);
      if (rows.length) {
        const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
        selection.pin(rows[(next + rows.length) % rows.length], "figure");
      }
    } else if (event.key === "Escape") selection.clear("figure");
    else if (event.key === "+" || event.key === "=") zooming.scaleBy(layers.svg, 1.5);
    else if (event.key === "-") zooming.scaleBy(layers.svg, 1 / 1.5);
    else if (event.key === "0") reset();
    else return;
    event.preventDefault();
  });

  const controls = buildControls(figure, container, data, state, draw, reset);
  selection.onChange(() => {
    drawPoints(layers, marks, data, focus());
    controls.showPinned(selection, shownLevels());
  });
  let lastWidth = 0;
  new ResizeObserver(() => {
    if (container.clientWidth === lastWidth || container.clientWidth === 0) return;
    lastWidth = container.clientWidth;
    resize();
  }).observe(container);
  lastWidth = container.clientWidth;
  resize();
  return marks.length;
}
