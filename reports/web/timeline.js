// SPDX-License-Identifier: Apache-2.0
// The interactive timeline. It replaces the static figures of its container by a canvas with all
// tracks of the page, at any zoom.
import {element, onSchemeChange} from "./dom.js";
import {createTooltip} from "./kernel_facts.js";
import {canvasPainter} from "./painters.js";
import {onPrint, paperWidth} from "./print.js";
import {endOf, createView, nsPerPx, panned, resized, showing, toPx, toTime, zoomed}
  from "./time_view.js";
import {neighborOf, sliceAt, visibleBlocks} from "./timeline_blocks.js";
import {addTimelineControls} from "./timeline_controls.js";
import {decodeTimeline} from "./timeline_data.js";
import {drawTimeline} from "./timeline_draw.js";
import {mergedFacts, rangePanel, sliceFacts} from "./timeline_facts.js";
import {savePng, saveSvg} from "./timeline_files.js";
import {createLaunchCursor} from "./timeline_launches.js";
import {listenToPointer} from "./timeline_pointer.js";
import {readStyles} from "./timeline_styles.js";
import {summarize, toCsv} from "./timeline_summary.js";

const hitSlack = 4; // pixels
const printRatio = 3; // canvas pixels per CSS pixel: 288 per inch

export function timelineView(figure, id, data, run, selection) {
  const container = figure.querySelector(".plot");
  const timeline = {...decodeTimeline(data, run), run, axis: data.axis, looks: data.looks};
  const {items, tracks, lines} = timeline;
  const canvas = element("canvas", {
    class: "interactive", role: "application", tabindex: 0,
    "aria-roledescription": "interactive timeline", "aria-label": container.dataset.label});
  container.replaceChildren(canvas);
  const context = canvas.getContext("2d");
  const painter = canvasPainter(context);
  const tooltip = createTooltip(container);
  const status = element("p", {class: "timeline-status muted", role: "status"});
  const panel = element("div", {class: "pinned", hidden: ""});
  container.after(status, panel);

  let view = createView(...data.span_ns, data.shortest_ns);
  let size = {width: 0, height: 0};
  let [layout] = data.layouts;
  let rows = [];
  let styles = readStyles(data);
  let hover = null;   // {row, index} of the slice under the pointer
  let range = null;   // selected interval
  const cursor = createLaunchCursor(timeline, selection, status);
  let foreign = false; // hovered in another figure or table
  let frame = 0;

  const pinnedRow = () => (selection.pinned === null ? null : Number(selection.pinned));
  const focus = () => (foreign && selection.hovered !== null ? Number(selection.hovered)
                                                             : pinnedRow());

  function markOf(item) {
    if (item === null) return null;
    const holds = ({first, slices}) => item >= first && item < first + slices.start.length;
    const row = rows.find(({track}) => track.kind === "stream" && holds(track));
    return row ? {row, index: item - row.track.first} : null;
  }

  const sceneNow = () => ({
    timeline, rows, view, layout, width: size.width, bottom: size.height, sizes: data.sizes,
    axis: data.axis, ...styles, range, hover, focus: focus(), current: markOf(cursor.current),
    hidden: (name) => selection.hidden?.has(name) ?? false,
  });

  function draw() {
    frame = 0;
    const ratio = canvas.width / size.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `${styles.font.size}px ${styles.font.family}`;
    context.fillStyle = styles.inks.background;
    context.fillRect(0, 0, size.width, size.height);
    const scene = sceneNow();
    drawTimeline(painter, scene);
    // For tests: the visible window.
    figure.dataset.boxes = scene.drawn;
    figure.dataset.window = `${view.start} ${endOf(view)}`;
  }
  const redraw = () => { frame = frame || requestAnimationFrame(draw); };

  function move(next) {
    view = next;
    tooltip.hide();
    hover = null;
    redraw();
  }
  const showFirst = () => move(showing(view, ...data.shown_ns));

  function select(times) {
    range = times;
    panel.hidden = !range;
    if (range) {
      panel.replaceChildren(...rangePanel(summarize(timeline, ...range), [
        element("button", {type: "button", onclick: () => move(showing(view, ...range))},
                "Zoom to selection"),
        element("button", {type: "button", onclick: () => select(null)}, "Clear")]));
    }
    redraw();
  }

  function hit(x, y) {
    const row = rows.find((each) => y >= each.y && y < each.y + each.height);
    if (!row || x < view.left || row.track.kind === "line") return null;
    const index = sliceAt(row.track.slices, toTime(view, x), hitSlack * nsPerPx(view));
    return index < 0 ? null : {row, index};
  }

  // The slices of the block that contains a slice.
  function blockOf({row, index}) {
    let block = [index, index + 1];
    visibleBlocks(row.track.slices, view, data.sizes.merge, (first, next) => {
      if (index >= first && index < next) block = [first, next];
    });
    return block;
  }

  function factsOf(found) {
    const {slices} = found.row.track;
    const [first, next] = blockOf(found);
    const facts = sliceFacts(timeline, found.row.track, found.index);
    if (next - first < 2) return facts;
    let busy = 0;
    for (let i = first; i < next; ++i) busy += slices.end[i] - slices.start[i];
    const length = slices.end[next - 1] - slices.start[first];
    return [...facts, ...mergedFacts(next - first, length > 0 ? busy / length : 1, length)];
  }

  function pointAt(x, y) {
    hover = hit(x, y);
    const row = hover ? items.row[hover.row.track.first + hover.index] : -1;
    selection.hover(row < 0 ? null : String(row), "timeline");
    canvas.classList.toggle("on-mark", Boolean(hover));
    canvas.classList.toggle("on-axis", y < axisHeight());
    if (hover) tooltip.show(factsOf(hover), x, y);
    else tooltip.hide();
    redraw();
  }

  function leave() {
    hover = null;
    selection.hover(null, "timeline");
    tooltip.hide();
    redraw();
  }

  // A click on a kernel pins it, on other slices selects their interval.
  function click(x, y) {
    const found = hit(x, y);
    if (!found) {
      if (range) select(null);
      else selection.clear("timeline");
      return;
    }
    const item = found.row.track.first + found.index;
    if (items.row[item] < 0) {
      select([items.start[item], items.end[item]]);
      return;
    }
    cursor.choose(item);
    redraw();
  }

  // Moves to the next or previous launch of the pinned kernel.
  function goToLaunch(by) {
    const item = cursor.step(by, view.start);
    if (item === null) return;
    const [start, end] = [items.start[item], items.end[item]];
    if (start < view.start || end > endOf(view)) {
      view = panned(view, middle() - toPx(view, (start + end) / 2));
    }
    redraw();
  }

  // Shows the step after or before the one in the middle of the view.
  const steps = tracks.find((track) => track.kind === "steps");
  function goToStep(by) {
    if (!steps) return;
    const {start, end} = steps.slices;
    const next = neighborOf(steps.slices, (view.start + endOf(view)) / 2, by);
    move(showing(view, start[next], end[next]));
  }

  const axisHeight = () => layout.plot[1];
  const middle = () => (view.left + view.right) / 2;
  const part = () => (view.right - view.left) / 5;
  const keys = {
    ArrowLeft: () => move(panned(view, part())), a: () => move(panned(view, part())),
    ArrowRight: () => move(panned(view, -part())), d: () => move(panned(view, -part())),
    "+": () => move(zoomed(view, 1.5, middle())), "=": () => move(zoomed(view, 1.5, middle())),
    w: () => move(zoomed(view, 1.5, middle())), s: () => move(zoomed(view, 1 / 1.5, middle())),
    "-": () => move(zoomed(view, 1 / 1.5, middle())),
    0: showFirst,
    Home: () => move(showing(view, view.first, view.first + view.length)),
    End: () => move(showing(view, view.last - view.length, view.last)),
    n: () => goToLaunch(1), p: () => goToLaunch(-1),
    "]": () => goToStep(1), "[": () => goToStep(-1),
    Enter: () => select([Math.round(view.start), Math.round(endOf(view))]),
    z: () => range && move(showing(view, ...range)),
    Escape: () => (range ? select(null) : selection.clear("timeline")),
  };
  canvas.addEventListener("keydown", (event) => {
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[name];
    if (!act) return;
    event.preventDefault();
    act();
  });

  listenToPointer(canvas, {
    axisHeight, hover: pointAt, leave, click, reset: showFirst,
    pan: (dx) => move(panned(view, dx)),
    zoom: (factor, x) => move(zoomed(view, factor, Math.max(view.left, x))),
    select: (x0, x1) => {
      const times = [x0, x1].map((x) =>
        Math.round(toTime(view, Math.max(view.left, Math.min(x, view.right)))));
      select(times.sort((a, b) => a - b));
    },
    canZoomOut: () => view.length < view.extent,
  });

  function resize(width = container.clientWidth, ratio = window.devicePixelRatio || 1) {
    if (width === 0) return;
    layout = data.layouts.filter(({from}) => width >= from).pop();
    rows = layout.rows.map(([number, y, height, ...labels]) => (
      {track: tracks[number] ?? lines[number - tracks.length], y, height, labels}));
    size = {width, height: layout.height};
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(size.height * ratio);
    canvas.style.height = `${size.height}px`;
    const [left, , right] = layout.plot;
    view = resized(view, left, width - right);
    draw();
  }

  selection.onChange((source) => {
    foreign = source !== "timeline";
    cursor.follow();
    redraw();
  });
  onSchemeChange(() => {
    styles = readStyles(data);
    redraw();
  });
  onPrint(() => resize(paperWidth, printRatio), () => resize());
  const name = `${id}-${data.shown}`.replace(/[^A-Za-z0-9]+/g, "-");
  addTimelineControls(figure, container, {
    zoomIn: keys["+"], zoomOut: keys["-"], reset: showFirst,
    showAll: () => move(showing(view, view.first, view.last)),
    previousStep: steps && keys["["], nextStep: steps && keys["]"],
    saveSvg: () => saveSvg(sceneNow(), size, (text) => painter.width(text), name),
    savePng: () => savePng(canvas, name),
    csv: () => toCsv(timeline, BigInt(data.origin_ns),
                     ...(range ?? [view.start, endOf(view)])),
  });
  view = showing(view, ...data.shown_ns);
  let lastWidth = container.clientWidth;
  resize();
  new ResizeObserver(() => {
    if (container.clientWidth === lastWidth) return;
    lastWidth = container.clientWidth;
    resize();
  }).observe(container);
}
