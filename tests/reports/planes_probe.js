// SPDX-License-Identifier: Apache-2.0
// Operates the planes of a part like a user, and writes the observations as JSON to an element.
// Inserted into a page by planes_browser.py.
whenStarted(async () => {
  const seen = {};
  const part = document.querySelector("article");
  const all = (selector, root = part) => [...root.querySelectorAll(selector)];
  const figures = all(".plane-view");
  const svgs = figures.map((figure) => figure.querySelector("svg.interactive"));
  const [roofline, time, complexity] = svgs;
  const marks = (svg) => all(".point", svg);
  const counts = () => svgs.map((svg) => marks(svg).length);
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  // Virtual time does not wait for browser work outside of the page (images, blobs), so this waits
  // in real time.
  const spend = () => { for (let spin = 0; spin < 3e6; ++spin); };
  const settled = async (isDone) => {
    for (let i = 0; i < 500 && !isDone(); ++i) {
      spend();
      await wait(1);
    }
  };
  const act = (target, Type, name, extra) => {
    const event = new Type(name, {bubbles: true, cancelable: true, view: window, ...extra});
    target.dispatchEvent(event);
    return event;
  };
  const center = (node) => {
    const box = node.getBoundingClientRect();
    return {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2};
  };
  const button = (label, root = part) =>
    all("button", root).find((b) => b.textContent.trim() === label);
  const key = (target, name, extra) => act(target, KeyboardEvent, "keydown", {key: name, ...extra});
  const rowOf = (node) => node.dataset.link.split(" ")[1];
  // The positions of all marks of a figure by link.
  const places = (svg) => new Map(marks(svg).map((node) => {
    const {e, f} = node.transform.baseVal.consolidate().matrix;
    return [`${node.dataset.link} ${node.dataset.tier}`, [e, f]];
  }));
  // The largest horizontal and vertical movement by an action.
  const shift = (svg, action) => {
    const before = places(svg);
    action();
    let [dx, dy] = [0, 0];
    for (const [name, [x, y]] of places(svg)) {
      if (!before.has(name)) continue;
      dx = Math.max(dx, Math.abs(x - before.get(name)[0]));
      dy = Math.max(dy, Math.abs(y - before.get(name)[1]));
    }
    return [dx, dy];
  };
  const wheel = (svg, extra) =>
    act(svg, WheelEvent, "wheel", {deltaY: -60, ...center(svg), ...extra});
  // Back to the whole figure: the roofline opens on a part of it.
  const reset = (svg) => {
    const whole = button("All", svg.closest("figure"));
    if (whole) whole.click();
    else act(svg, MouseEvent, "dblclick", center(svg));
  };
  svgs.forEach(reset);

  seen.ids = figures.map((figure) => figure.dataset.for);
  seen.beside = all(".side-by-side > section").length;
  seen.counts = counts();
  // Areas are below the grid, lines and marks.
  seen.areasBelow = svgs.map((svg) => {
    const paths = all("g[clip-path] path", svg);
    const isOnArea = (path) => path.matches(".point, .ring, .tick-line, [data-link^=line]");
    const isArea = (path) => !path.matches(".point, .ring, .gap") && path.getAttribute("d").endsWith("Z");
    return paths.some(isArea) && paths.findLastIndex(isArea) < paths.findIndex(isOnArea);
  });
  const names = (svg) => all("text[data-link^=line], text[data-link^=region]", svg);
  // Dashes and width of each line.
  seen.lines = svgs.map((svg) => all("path[data-link^=line]", svg).map((node) => {
    const style = getComputedStyle(node);
    return `${style.strokeDasharray} ${style.strokeWidth}`;
  }));
  seen.boxes = svgs.map((svg) => all("path[data-link^=region]", svg).length);
  seen.names = svgs.map((svg) => names(svg).map((node) => node.textContent));
  seen.axes = svgs.map((svg) => all("text[data-link^=axis]", svg).map((node) => node.textContent));
  // Overlapping labels: rotated rectangles are disjoint if a side of either separates them.
  const corners = (text) => {
    const {x, y, width, height} = text.getBBox();
    const matrix = text.getScreenCTM();
    return [[x, y + 2], [x + width, y + 2], [x + width, y + height - 2], [x, y + height - 2]]
      .map(([cx, cy]) => new DOMPoint(cx, cy).matrixTransform(matrix));
  };
  const meet = (a, b) => ![a, b].some((box) => [[0, 1], [1, 2]].some(([i, j]) => {
    const [dx, dy] = [box[j].x - box[i].x, box[j].y - box[i].y];
    const range = (points) => {
      const along = points.map((p) => p.x * dx + p.y * dy);
      return [Math.min(...along), Math.max(...along)];
    };
    const [[aLow, aHigh], [bLow, bHigh]] = [range(a), range(b)];
    return aHigh <= bLow || bHigh <= aLow;
  }));
  const covered = () => svgs.map((svg) => {
    const boxes = names(svg).map(corners);
    return boxes.some((a, i) => boxes.some((b, j) => i < j && meet(a, b)));
  });
  seen.covered = covered();
  // Zoomed in, and with the lines of another tier.
  svgs.forEach((svg) => act(svg, WheelEvent, "wheel", {deltaY: -300, ...center(svg)}));
  button("L2", figures[2]).click();
  seen.covered_closer = covered();
  button("L2", figures[2]).click();
  svgs.forEach(reset);

  // All figures and tables share the filter.
  const tableRows = () => all(".kernels tbody tr").filter((row) => !row.hidden).length;
  button("gemm").click();
  seen.without_gemm = {counts: counts(), rows: tableRows(),
                       faded: all("tr.off").map((row) => row.dataset.class)};
  button("gemm").click();
  act(button("norm"), MouseEvent, "click", {shiftKey: true});
  seen.only_norm = {counts: counts(), pressed: all(".part-bar [aria-pressed=true]").map((b) => b.textContent.trim())};
  key(button("norm"), "Enter", {shiftKey: true});
  seen.all_again = counts();

  // A pinned kernel is highlighted everywhere.
  const top = marks(time).pop();
  act(time, MouseEvent, "mousemove", center(top));
  seen.tooltip = figures[1].querySelector(".tooltip").innerText;
  act(time, MouseEvent, "click", center(top));
  act(time, MouseEvent, "mouseleave", {});
  seen.pinned = {row: part.querySelector("[aria-current]")?.dataset.row,
                 panel: part.querySelector(".pinned").innerText,
                 focus: svgs.map((svg) => [...new Set(all(".point.focus", svg).map(rowOf))])};
  key(complexity, "n");
  seen.next = part.querySelector("[aria-current]")?.dataset.row;
  key(complexity, "Escape");
  seen.unpinned = part.querySelectorAll("[aria-current]").length;

  // Tiers are selected per figure.
  button("L2", figures[2]).click();
  seen.two_tiers = counts();
  button("L2", figures[2]).click();
  key(roofline, "t");
  seen.next_tier = figures.map((figure) => all(".group [aria-pressed=true]", figure).map((b) => b.textContent));
  while (button("HBM", figures[0]).getAttribute("aria-pressed") !== "true") key(roofline, "t");

  // Zoom of both axes and of one, by wheel, keys and drag.
  seen.zoom = {both: shift(time, () => wheel(time)), others: shift(roofline, () => wheel(time))};
  reset(time);
  seen.zoom.shift = shift(time, () => wheel(time, {shiftKey: true}));
  reset(time);
  seen.zoom.shift_across = shift(time, () => wheel(time, {shiftKey: true, deltaY: 0, deltaX: -60}));
  reset(time);
  seen.zoom.alt = shift(time, () => wheel(time, {altKey: true}));
  reset(time);
  seen.zoom.pinch = shift(time, () => wheel(time, {ctrlKey: true, deltaY: -6}));
  reset(time);
  key(document.body, "Control", {ctrlKey: true});
  seen.zoom.control = shift(time, () => wheel(time, {ctrlKey: true}));
  act(document.body, KeyboardEvent, "keyup", {key: "Control"});
  reset(time);
  seen.scrolls_on = wheel(time, {deltaY: 60}).defaultPrevented === false;
  seen.zoom.plus = shift(time, () => key(time, "+"));
  seen.zoom.arrow = shift(time, () => key(time, "ArrowLeft"));
  seen.zoom.arrow_up = shift(time, () => key(time, "ArrowUp"));
  seen.zoom.shift_arrow = shift(time, () => key(time, "ArrowUp", {shiftKey: true}));
  key(time, "0");
  wheel(time);
  wheel(time);
  seen.zoom.drag = shift(time, () => {
    const from = center(time);
    const at = (dx, dy) => ({pointerId: 1, button: 0, clientX: from.clientX + dx, clientY: from.clientY + dy});
    act(time, PointerEvent, "pointerdown", at(0, 0));
    act(time, PointerEvent, "pointermove", at(30, 20));
    act(time, PointerEvent, "pointerup", at(30, 20));
    act(time, MouseEvent, "click", center(marks(time)[0]));
  });
  seen.drag_pins = part.querySelectorAll("[aria-current]").length;
  seen.whole_again = shift(time, () => { key(time, "0"); reset(time); });
  const start = places(time);
  seen.reset = [...places(time)].every(([name, at]) => String(start.get(name)) === String(at));
  seen.tab_leaves = !key(time, "Tab").defaultPrevented;
  seen.focusable = svgs.every((svg) => svg.tabIndex === 0);
  seen.positive_tabindex = all("[tabindex]").filter((node) => node.tabIndex > 0).length;

  // The search.
  key(document.body, "/");
  const field = document.activeElement;
  seen.search_focused = field.classList.contains("kernel-search");
  field.value = "flash fwd";
  field.dispatchEvent(new Event("input"));
  seen.found = svgs.map((svg) => [...new Set(all(".point.found", svg).map(rowOf))]);
  seen.dim = svgs.map((svg) => all(".point.dim", svg).length);
  seen.found_rows = all(".found-row").map((row) => row.dataset.row);
  key(field, "Escape");
  seen.found_cleared = all(".found, .dim").length;

  // Files.
  const saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "#"; };
  const files = [];
  HTMLAnchorElement.prototype.click = function click() { files.push(this.download); };
  button("Download SVG", figures[1]).click();
  button("Download PNG", figures[1]).click();
  await settled(() => saved.length === 2);
  seen.files = files;
  let [text, header] = [null, null];
  saved[0].text().then((all) => { text = all; });
  if (saved[1]) saved[1].arrayBuffer().then((all) => { header = new DataView(all); });
  await settled(() => text !== null && header !== null);
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const texts = [...parsed.querySelectorAll("text")];
  seen.svg = {error: parsed.querySelector("parsererror") !== null, root: parsed.documentElement.tagName,
              background: parsed.querySelector("rect").getAttribute("fill"),
              classes: (text.match(/ class=/g) ?? []).length, variables: text.includes("var(--"),
              unstyled: texts.filter((t) => !t.style.fill && !t.getAttribute("fill")).length,
              texts: texts.map((t) => t.textContent), paths: parsed.querySelectorAll("path").length};
  // The size is in the file's header.
  seen.png = [saved[1].type, header.getUint32(16), header.getUint32(20),
              Number(time.getAttribute("width"))];
  let copied = null;
  Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { copied = t; }}});
  button("Copy as CSV", figures[1]).click();
  await wait(10);
  seen.csv = copied;

  // The address has the whole state. The wheel zooms only after the page has stopped scrolling to
  // the focus, which may be late on a busy machine.
  await wait(600);
  button("gemm").click();
  key(time, "n");
  for (let i = 0; i < 50 && !location.hash.includes("&x="); ++i) {
    spend();
    wheel(time);
    await wait(400);
  }
  seen.hash = location.hash;

  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
