// SPDX-License-Identifier: Apache-2.0
// The lines of a plane, its shaded boxes, and their names.
import {clip} from "./geometry.js";
import {lineLabels, marginLabels, regionLabels} from "./labels.js";

const characterWidth = 6.8; // of the 12 px label font, on the wide side

export const textWidth = (text) => text.length * characterWidth;

// The visible part, in pixels; a line is straight on logarithmic axes. Its open ends only met the
// edge of the whole figure, so they go on.
function visiblePart(line, x, y, plot) {
  let [[ax, ay], [bx, by]] = [[x(line.x0), y(line.y0)], [x(line.x1), y(line.y1)]];
  const length = Math.hypot(bx - ax, by - ay);
  const far = 1e6 / length;
  const [dx, dy] = [(bx - ax) * far, (by - ay) * far];
  if (line.open[0]) [ax, ay] = [ax - dx, ay - dy];
  if (line.open[1]) [bx, by] = [bx + dx, by + dy];
  return clip([[ax, ay], [bx, by]], plot);
}

function lineClass(line, levels) {
  if (line.kind !== "ceiling") return line.kind;
  return line.level === null || levels.size === 0 || levels.has(line.level) ? "roof" : "roof quiet";
}

// What holds for a tier is drawn while the points of the tier are; ceilings always are.
const holds = (item, levels) => !item.level || levels.size === 0 || levels.has(item.level);

function drawBoxes(layer, regions, x, y, plot) {
  const boxes = layer.selectAll("rect").data(regions.filter((r) => r.x1 > 0), (d) => d.id);
  boxes.exit().remove();
  boxes.enter().append("rect").attr("class", "region").merge(boxes)
    .attr("x", plot.left).attr("width", (d) => Math.max(0, x(d.x1) - plot.left))
    .attr("y", (d) => y(d.y1)).attr("height", (d) => Math.max(0, plot.bottom - y(d.y1)));
}

function drawNames(layers, {along, beside, corners, plot, nameOf, levels}) {
  const turned = (box) => `translate(${box.cx},${box.cy}) rotate(${(box.angle * 180) / Math.PI})`;
  const corner = ({region, box}) => {
    const right = region.corner.endsWith("right");
    return {key: `region ${region.id}`, text: region.label, kind: "region-label",
            anchor: right ? "end" : "start",
            at: `translate(${box.cx + (right ? 1 : -1) * (box.width / 2)},${box.cy})`};
  };
  const texts = [
    ...corners.map(corner),
    ...along.map(({line, box}) => ({key: line.id, text: nameOf(line), anchor: "middle",
                                    kind: lineClass(line, levels) === "roof quiet" ||
                                          line.kind === "iso" ? "roof-label quiet" : "roof-label",
                                    at: turned(box)})),
    ...beside.map((l) => ({key: l.line.id, text: nameOf(l.line), anchor: "start",
                           kind: "roof-label", at: `translate(${plot.right + 16},${l.textY})`})),
  ];
  const labels = layers.labels.selectAll("text").data(texts, (d) => d.key);
  labels.exit().remove();
  labels.enter().append("text").attr("dy", 4).merge(labels)
    .attr("class", (d) => d.kind).attr("text-anchor", (d) => d.anchor)
    .attr("transform", (d) => d.at).text((d) => d.text);
  const leaders = layers.labels.selectAll("path").data(beside, (d) => d.line.id);
  leaders.exit().remove();
  leaders.enter().append("path").attr("class", "leader").merge(leaders)
    .attr("d", (d) => `M${plot.right},${d.y}L${plot.right + 12},${d.textY}`);
}

// `levels`: the keys of the tiers whose points are shown. `nameOf(line)`: its name at this width.
export function drawLines(layers, data, {x, y, plot, levels, nameOf, marks}) {
  const shapes = [];
  for (const line of data.lines) {
    if (line.kind !== "ceiling" && !holds(line, levels)) continue;
    const ends = visiblePart(line, x, y, plot);
    if (ends) shapes.push({line, ends});
  }
  const regions = data.regions.filter((region) => holds(region, levels));
  drawBoxes(layers.boxes, regions, x, y, plot);

  const lines = layers.roofs.selectAll("path").data(shapes, (d) => d.line.id);
  lines.exit().remove();
  const entered = lines.enter().append("path").attr("style", (d) => d.line.style);
  entered.filter((d) => d.line.label).append("title").text((d) => d.line.label);
  entered.merge(lines)
    .attr("class", (d) => lineClass(d.line, levels)).attr("d", (d) => `M${d.ends[0]}L${d.ends[1]}`);

  const corners = regionLabels(regions, plot, textWidth);
  // The tiers that are shown name their lines first.
  const quiet = ({line}) => lineClass(line, levels) === "roof quiet";
  const inOrder = [...shapes].sort((a, b) => quiet(a) - quiet(b));
  drawNames(layers, {
    along: lineLabels(inOrder, marks, corners.map((c) => c.box), plot,
                      (line) => textWidth(nameOf(line))),
    beside: marginLabels(shapes, plot),
    corners, plot, nameOf, levels,
  });
}
