// SPDX-License-Identifier: Apache-2.0
// Saves a figure as SVG, with computed styles inlined so that it looks the same without the page,
// or as PNG of twice the size.
import {element} from "./dom.js";

const properties = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity",
                    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
                    "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline",
                    "paint-order", "vector-effect", "shape-rendering"];
const namespace = "http://www.w3.org/2000/svg";
const legendLine = 22;
const pictureScale = 2;

function svgElement(name, attributes, text = "") {
  const node = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function inlineStyles(from, to) {
  const style = getComputedStyle(from);
  for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-roledescription", "data-link",
                      "data-tier"]) {
    to.removeAttribute(name);
  }
  const shape = from.closest("clipPath") === null && from.tagName !== "title";
  if (shape) for (const name of properties) to.style.setProperty(name, style.getPropertyValue(name));
  [...from.children].forEach((child, i) => inlineStyles(child, to.children[i]));
}

// Adds a legend of the drawn classes below the figure; on the page the class buttons have this
// role.
function drawLegend(clone, classes, width, top, style) {
  let [x, y] = [16, top + legendLine / 2];
  for (const {name, shape, color} of classes) {
    const room = 28 + 7 * name.length;
    if (x > 16 && x + room > width) [x, y] = [16, y + legendLine];
    clone.append(svgElement("path", {d: shape, fill: color, transform: `translate(${x},${y}) scale(5.5)`}));
    clone.append(svgElement("text", {x: x + 12, y: y + 4, fill: style.color,
                                     "font-family": style.fontFamily, "font-size": "12px"}, name));
    x += room + 12;
  }
  return y + legendLine / 2;
}

// `canvas`: the density under the marks, or null. `classes`: [{name, shape, color}].
export function figureSvg(svg, canvas, classes) {
  const clone = svg.cloneNode(true);
  inlineStyles(svg, clone);
  const width = Number(svg.getAttribute("width"));
  let height = Number(svg.getAttribute("height"));
  const style = getComputedStyle(document.documentElement);
  if (canvas && canvas.dataset.launches) {
    const box = canvas.style;
    clone.prepend(svgElement("image", {
      x: parseFloat(box.left), y: parseFloat(box.top), width: parseFloat(box.width),
      height: parseFloat(box.height), preserveAspectRatio: "none",
      style: "image-rendering: pixelated", href: canvas.toDataURL("image/png")}));
  }
  for (const text of clone.querySelectorAll("text:empty")) text.remove();
  if (classes.length > 0) height = drawLegend(clone, classes, width, height, style) + 4;
  clone.prepend(svgElement("rect", {width, height, fill: style.backgroundColor}));
  clone.prepend(svgElement("title", {}, svg.getAttribute("aria-label")));
  clone.setAttribute("xmlns", namespace);
  clone.setAttribute("width", width);
  clone.setAttribute("height", height);
  clone.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return {text: new XMLSerializer().serializeToString(clone), width, height};
}

export async function figurePng({text, width, height}) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element("canvas", {width: width * pictureScale, height: height * pictureScale});
  const context = canvas.getContext("2d");
  context.scale(pictureScale, pictureScale);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) =>
    (blob ? resolve(blob) : reject(new Error("the browser could not create the image"))), "image/png"));
}

export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  element("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
