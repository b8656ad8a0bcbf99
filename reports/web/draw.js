// SPDX-License-Identifier: Apache-2.0
// Renders a display list (reports/figure/drawing.h, in the format of drawing_json.h) as SVG: shapes
// in the view are positioned, others removed from the document. The list defines what is drawn,
// where, and at which zoom.

const svgNamespace = "http://www.w3.org/2000/svg";
const things = {k: "kernel", l: "line", r: "region", a: "axis", "": ""};
const baseline = 4; // below the middle of a line of text

function svgElement(name, attributes = {}) {
  const node = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

const short = (value) => Math.round(value * 100) / 100;
const clamp = (value, [low, high]) => Math.max(low, Math.min(value, high));

// The mapping of the list's pixels to a screen of this width: [size, frame].
function frameOf(list, width) {
  const size = list.sizes.filter(({from}) => width >= from)
    .reduce((best, each) => (each.from > best.from ? each : best));
  const height = clamp(Math.round(width / 2), size.heights);
  const [left, top, right, bottom] = size.plot;
  return {size, width, height,
          plot: {left, top, right: width - (size.width - right), bottom: height - (size.height - bottom)}};
}

// The mappings of both axes. `seen`: {x: [from, to], y: ...}, fractions of the whole figure, y from
// the bottom.
export function mapsOf(list, frame, seen) {
  const [left, top, right, bottom] = list.sizes[0].plot;
  const {plot, size} = frame;
  const axis = (low, high, to, toHigh, [from, until], ofSize) => {
    const stretch = (toHigh - to) / (high - low);
    const scale = stretch / (until - from);
    return {
      scale, zoom: Math.abs((toHigh - to) / ofSize) / (until - from),
      moving: (at) => to + (at - low) * scale - from * scale * (high - low),
      still: (at) => ((at - low) * Math.sign(high - low) <= 0 ? at + to - low
                      : (at - high) * Math.sign(high - low) >= 0 ? at + toHigh - high
                      : to + (at - low) * stretch),
    };
  };
  const x = axis(left, right, plot.left, plot.right, seen.x, size.plot[2] - size.plot[0]);
  const y = axis(bottom, top, plot.bottom, plot.top, seen.y, size.plot[3] - size.plot[1]);
  // Points on the left edge follow lines of slope 1 as that edge moves.
  const decade = (vertical) => list.axes.find((each) => each.vertical === vertical)?.decade ?? 1;
  const rise = (seen.x[0] * (right - left) / decade(false)) * decade(true);
  y.following = (at) => y.moving(at + rise);
  return {x, y};
}

// Whether a layer is drawn with the keys in the set `on`.
function allows(when, on) {
  return when === "" || when.split(" ").every((key) =>
    (key.startsWith("!") ? !on.has(key.slice(1)) : on.has(key)));
}

function createTicks(axis, grid, labels, styles) {
  const shown = new Map();
  const across = axis.vertical ? "x" : "y";
  const along = axis.vertical ? "y" : "x";
  const translate = (at) => (axis.vertical ? `translate(0,${short(at)})` : `translate(${short(at)},0)`);
  const line = (from, to, style) => {
    const node = svgElement("path", {class: "tick-line", style: styles[style]});
    node.setAttribute("d", axis.vertical ? `M${from},0H${to}` : `M0,${from}V${to}`);
    return node;
  };
  function make(flags, text, maps) {
    const [from, to] = axis.span.map(maps[across].still);
    const [major, labeled] = [flags & 1, text !== null];
    const nodes = [grid.appendChild(line(from, to, axis.styles[major]))];
    if (labeled) {
      const edge = axis.vertical ? from : to;
      const out = axis.vertical ? -axis.tick : axis.tick;
      nodes.push(labels.appendChild(line(edge, edge + out, axis.styles[2])));
      const at = maps[across].still(axis.label);
      const label = svgElement("text", {
        class: "tick", style: styles[axis.styles[3]], "text-anchor": axis.vertical ? "end" : "middle",
        x: axis.vertical ? at : 0, y: (axis.vertical ? 0 : at) + baseline});
      label.textContent = text;
      nodes.push(labels.appendChild(label));
    }
    return nodes;
  }
  return {
    clear() {
      for (const {nodes} of shown.values()) nodes.forEach((node) => node.remove());
      shown.clear();
    },
    update(maps, plot) {
      const map = maps[along];
      const decade = Math.abs(axis.decade * map.scale);
      const [, every, runs] = axis.levels.filter(([from]) => decade >= from).pop() ?? axis.levels[0];
      const [low, high] = axis.vertical ? [plot.top, plot.bottom] : [plot.left, plot.right];
      const left = new Set(shown.keys());
      for (const [exponent, factor, suffix] of axis.decades) {
        const ends = [exponent, exponent + 1].map((e) => map.moving(axis.one + e * axis.decade));
        if (Math.max(...ends) < low - 1 || Math.min(...ends) > high + 1) continue;
        for (const [first, step, count, flags] of runs) {
          for (let i = 0; i < count; ++i) {
            const digits = first + i * step;
            const log = exponent + Math.log10(digits);
            const at = map.moving(axis.one + log * axis.decade);
            if (at < low - 0.5 || at > high + 0.5) continue;
            const named = flags & 2 && (digits !== 1 || exponent % every === 0);
            const text = named ? +(digits * factor).toPrecision(6) + suffix : null;
            const key = `${log} ${flags} ${text}`;
            if (!shown.has(key)) shown.set(key, {nodes: make(flags, text, maps)});
            left.delete(key);
            const transform = translate(at);
            shown.get(key).nodes.forEach((node) => node.setAttribute("transform", transform));
          }
        }
      }
      for (const key of left) {
        shown.get(key).nodes.forEach((node) => node.remove());
        shown.delete(key);
      }
    },
  };
}

// `id`: unique in the page. `state(row)`: CSS class of the highlighting of a kernel's shapes.
export function createDrawing(svg, list, id, {state, isHidden}) {
  let frame = frameOf(list, list.width);
  let maps = mapsOf(list, frame, {x: [0, 1], y: [0, 1]});
  let on = new Set();
  let marks = [];   // in view, in drawing order
  let active = [];  // including those out of view
  const clips = [];
  const ticks = [];
  const items = [];
  const titles = {};
  const joint = svgElement("path", {class: "joint"});
  const layers = list.layers.map(([xMoves, yMoves, when, zoom, from, to, starts]) =>
    ({x: xMoves ? "moving" : "still", y: ["still", "moving", "following"][yMoves],
      turns: xMoves && yMoves,
      when, zoom, from, to: to || Infinity, starts, drawn: false}));
  const placeX = (item, x) => maps.x[item.layer.x](x);
  const placeY = (item, y) => maps.y[item.layer.y](y);

  function pathOf(item) {
    const {kind, numbers} = item;
    const [xs, ys] = [[], []];
    for (let i = 0; i < numbers.length; i += 2) {
      xs.push(short(placeX(item, numbers[i])));
      ys.push(short(placeY(item, numbers[i + 1])));
    }
    if (kind === "rect") return `M${xs[0]},${ys[0]}H${xs[1]}V${ys[1]}H${xs[0]}Z`;
    return xs.map((x, i) => `${i && (kind !== "lines" || i % 2) ? "L" : "M"}${x},${ys[i]}`).join("") +
           (kind === "area" ? "Z" : "");
  }

  // By kind of shape: make() creates the element, place() positions it and returns false if it is
  // out of view.
  const kinds = {
    mark: {
      make: ({shape}) => svgElement("path", {class: "point", d: list.marks[shape]}),
      place(item) {
        const {plot} = frame;
        [item.x, item.y] = [placeX(item, item.at[0]), placeY(item, item.at[1])];
        active.push(item);
        // Marks on the edge stay visible despite rounding by half a pixel.
        return item.x >= plot.left - 0.5 && item.x <= plot.right + 0.5 &&
               item.y >= plot.top - 0.5 && item.y <= plot.bottom + 0.5;
      },
      show: ({node, x, y, r}) =>
        node.setAttribute("transform", `translate(${short(x)},${short(y)}) scale(${r})`),
    },
    text: {
      make({text, anchor, lift}) {
        const node = svgElement("text", {y: baseline - lift,
                                         "text-anchor": ["start", "middle", "end"][2 * anchor]});
        node.textContent = list.texts[text];
        return node;
      },
      place(item) {
        const {reach} = item;
        const {left, top, right, bottom} = item.clip?.box ?? {left: 0, top: 0, right: frame.width,
                                                              bottom: frame.height};
        [item.x, item.y] = [placeX(item, item.at[0]), placeY(item, item.at[1])];
        return item.x > left - reach && item.x < right + reach && item.y > top - reach &&
               item.y < bottom + reach;
      },
      show({node, layer, x, y, angle}) {
        const [kx, ky] = layer.turns ? [maps.x.scale, maps.y.scale] : [1, 1];
        const turn = (Math.atan2(ky * Math.sin(angle), kx * Math.cos(angle)) * 180) / Math.PI;
        node.setAttribute("transform", `translate(${short(x)},${short(y)})` +
                                       (angle ? ` rotate(${short(turn)})` : ""));
      },
    },
    path: {
      make: () => svgElement("path"),
      place: () => true,
      show: (item) => item.node.setAttribute("d", pathOf(item)),
    },
  };

  const titleOf = ({link}) => list.titles[link && link.replace(/^(.)\D* /, "$1")];
  function make(item) {
    item.node = kinds[item.way].make(item);
    item.node.setAttribute("style", list.styles[item.style]);
    if (item.base) item.node.setAttribute("class", item.base);
    if (item.link) item.node.dataset.link = item.link;
    if (item.kernel !== null && item.layer.when) item.node.dataset.tier = item.layer.when;
    if (titleOf(item) && item.way === "path") {
      item.node.append(svgElement("title"));
      item.node.firstChild.textContent = titleOf(item);
    }
    if (titles[item.link] !== undefined) item.node.textContent = titles[item.link];
  }

  // Processes the list once into clip groups, ticks, and items with one position each. Items are
  // added to `parent` when they come into view, so it must have no other children.
  let group = svg;
  let parent = group.appendChild(svgElement("g"));
  let clip = null;
  function addItems(kind, style, link, ...numbers) {
    const [, to, index, part] = link.match(/^(\D*)(\d*)\.?(\d*)$/);
    const kernel = to === "k" ? index : null;
    if (kernel !== null && !joint.parentNode) {
      group.append(joint);
      parent = group.appendChild(svgElement("g"));
    }
    const mark = part === "2" ? "ring"
               : /fill-opacity/.test(list.styles[style]) ? "point tinted" : "point";
    const item = {kind, style, link: link && `${things[to]} ${index}${part && ` ${part}`}`, kernel,
                  ideal: part !== "", clip, parent, node: null, shown: false, state: "",
                  // Lines of a kernel connect its mark and its ideal.
                  base: kernel === null ? "" : kind === "m" ? mark : "gap"};
    const add = (layer, own) => items.push({...item, layer: layers[layer], ...own});
    if (kind === "m") {
      const [shape, r, ...places] = numbers;
      for (let i = 0; i < places.length; i += 3) {
        add(places[i], {way: "mark", shape, r, at: places.slice(i + 1, i + 3)});
      }
    } else if (kind === "t") {
      const [text, anchor, angle, width, height, lift, x, y, ...groups] = numbers;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (const [layer, ...places] of groups) {
        for (const t of places) {
          add(layer, {way: "text", text, anchor, angle, reach: Math.max(width, height), lift,
                      at: [x + t * c, y + t * s]});
        }
      }
    } else {
      add(numbers[0], {way: "path", numbers: numbers.slice(1)});
    }
  }
  for (const [kind, ...rest] of list.shapes) {
    if (kind === "clip") {
      const node = svgElement("clipPath", {id: `${id}-clip-${clips.length}`});
      node.append(svgElement("rect"));
      svg.append(node);
      clip = {numbers: rest, rect: node.firstChild, box: null};
      clips.push(clip);
      group = svg.appendChild(svgElement("g", {"clip-path": `url(#${node.id})`}));
      parent = group.appendChild(svgElement("g"));
    } else if (kind === "unclip") {
      [group, clip] = [svg, null];
      parent = group.appendChild(svgElement("g"));
    } else if (kind === "axis") {
      ticks.push([list.axes[rest[0]], group.appendChild(svgElement("g"))]);
      parent = group.appendChild(svgElement("g"));
    } else {
      addItems(kind, ...rest);
    }
  }
  const axes = ticks.map(([axis, grid]) =>
    createTicks(axis, grid, svg.appendChild(svgElement("g", {class: axis.vertical ? "y" : "x"})),
                list.styles));

  function emphasize() {
    const joined = [];
    for (const item of items) {
      if (item.kernel === null || !item.shown) continue;
      const now = state(item.kernel);
      if (item.way === "mark" && !item.ideal && now.includes("focus")) joined.push(item);
      if (now === item.state) continue;
      item.state = now;
      item.node.setAttribute("class", `${item.base} ${now}`.trim());
    }
    // Joins the marks of one kernel at several tiers.
    joint.setAttribute("d", joined.length < 2 ? "" :
      `M${joined.map(({x, y}) => `${short(x)},${short(y)}`).join("L")}`);
  }

  function update() {
    const zooms = {x: maps.x.zoom, y: maps.y.zoom, "": Math.min(maps.x.zoom, maps.y.zoom)};
    for (const layer of layers) {
      const zoom = zooms[layer.zoom];
      layer.drawn = zoom >= layer.from && zoom < layer.to && allows(layer.when, on) &&
                    !(layer.starts !== undefined && maps.x.moving(layer.starts) > frame.plot.right);
    }
    [marks, active] = [[], []];
    let next = null;
    for (let i = items.length - 1; i >= 0; --i) {
      const item = items[i];
      const way = kinds[item.way];
      const drawn = item.layer.drawn && !(item.kernel !== null && isHidden(item.kernel)) &&
                    way.place(item);
      if (drawn) {
        if (!item.node) make(item);
        if (!item.shown) item.parent.insertBefore(item.node, next?.parent === item.parent ? next.node : null);
        way.show(item);
        if (item.way === "mark") marks.push(item);
        next = item;
      } else if (item.shown) {
        item.node.remove();
      }
      item.shown = drawn;
    }
    marks.reverse();
    active.reverse();
    axes.forEach((axis) => axis.update(maps, frame.plot));
    emphasize();
  }

  return {
    get frame() { return frame; },
    get marks() { return marks; },
    get active() { return active; },
    emphasize,
    resize(width) {
      frame = frameOf(list, width);
      svg.setAttribute("width", width);
      svg.setAttribute("height", frame.height);
      svg.setAttribute("viewBox", `0 0 ${width} ${frame.height}`);
      const {still} = mapsOf(list, frame, {x: [0, 1], y: [0, 1]}).x;
      const stillY = mapsOf(list, frame, {x: [0, 1], y: [0, 1]}).y.still;
      for (const each of clips) {
        const [left, top, right, bottom] = each.numbers;
        each.box = {left: still(left), top: stillY(top), right: still(right), bottom: stillY(bottom)};
        each.rect.setAttribute("x", each.box.left);
        each.rect.setAttribute("y", each.box.top);
        each.rect.setAttribute("width", each.box.right - each.box.left);
        each.rect.setAttribute("height", each.box.bottom - each.box.top);
      }
      axes.forEach((axis) => axis.clear());
    },
    // `seen` as in mapsOf(). `keys`: the active layer keys, in addition to that of the screen's
    // size.
    show(seen, keys) {
      maps = mapsOf(list, frame, seen);
      on = new Set([...keys, frame.size.key]);
      update();
    },
    // Replaces the text of the shapes with this link.
    setText(link, text) {
      titles[link] = text;
      for (const {node} of items.filter((item) => item.link === link && item.node)) node.textContent = text;
    },
    // Converts a position of the list to a fraction of the whole figure.
    partsOf({at: [x, y]}) {
      const [left, top, right, bottom] = list.sizes[0].plot;
      return {x: (x - left) / (right - left), y: (bottom - y) / (bottom - top)};
    },
    // The topmost mark that covers the position, else the nearest within `slack`.
    nearest(x, y, slack) {
      let [best, bestGap] = [null, slack];
      for (const mark of marks) {
        const gap = Math.max(0, Math.hypot(mark.x - x, mark.y - y) - mark.r);
        if (gap <= bestGap) [best, bestGap] = [mark, gap];
      }
      return best;
    },
  };
}
