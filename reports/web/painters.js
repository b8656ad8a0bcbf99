// SPDX-License-Identifier: Apache-2.0
// Drawing primitives for a canvas and for SVG text.

export function canvasPainter(context) {
  return {
    rect(x, y, width, height, fill, opacity = 1) {
      context.globalAlpha = opacity;
      context.fillStyle = fill;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    },
    frame(x, y, width, height, stroke, thickness) {
      context.strokeStyle = stroke;
      context.lineWidth = thickness;
      context.strokeRect(x, y, width, height);
    },
    line(points, stroke, thickness = 1) {
      context.strokeStyle = stroke;
      context.lineWidth = thickness;
      context.beginPath();
      points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    },
    text(x, y, text, fill, align = "left") {
      context.fillStyle = fill;
      context.textAlign = align;
      context.fillText(text, x, y);
    },
    clip(x, y, width, height, draw) {
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
      draw();
      context.restore();
    },
    width: (text) => context.measureText(text).width,
  };
}

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
const escaped = (text) => text.replace(/[&<>"]/g, (c) => escapes[c]);
const number = (value) => String(Math.round(value * 100) / 100);

// `measure(text)` returns the width of a text in the figure's font.
export function svgPainter(width, height, background, font, measure) {
  const parts = [];
  const anchors = {left: "start", center: "middle", right: "end"};
  const attributes = (values) => Object.entries(values)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? number(value) : value}"`)
    .join("");
  const add = (name, values) => parts.push(`<${name}${attributes(values)}/>`);
  let clips = 0;
  return {
    rect(x, y, w, h, fill, opacity = 1) {
      add("rect", {x, y, width: w, height: h, fill, ...(opacity < 1 ? {opacity} : {})});
    },
    frame(x, y, w, h, stroke, thickness) {
      add("rect", {x, y, width: w, height: h, fill: "none", stroke, "stroke-width": thickness});
    },
    line(points, stroke, thickness = 1) {
      add("polyline", {points: points.map(([x, y]) => `${number(x)},${number(y)}`).join(" "),
                       fill: "none", stroke, "stroke-width": thickness});
    },
    text(x, y, text, fill, align = "left") {
      parts.push(`<text${attributes({x, y, fill, "text-anchor": anchors[align]})}>` +
                 `${escaped(text)}</text>`);
    },
    clip(x, y, w, h, draw) {
      const id = `clip${++clips}`;
      parts.push(`<clipPath id="${id}"><rect${attributes({x, y, width: w, height: h})}/>` +
                 `</clipPath><g clip-path="url(#${id})">`);
      draw();
      parts.push("</g>");
    },
    width: measure,
    finish: () => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
                  `viewBox="0 0 ${width} ${height}" font-family="${escaped(font.family)}" ` +
                  `font-size="${font.size}">\n<rect width="100%" height="100%" ` +
                  `fill="${background}"/>\n${parts.join("\n")}\n</svg>\n`,
  };
}
