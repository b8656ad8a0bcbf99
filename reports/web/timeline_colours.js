// SPDX-License-Identifier: Apache-2.0
// The page's colours for a canvas, which no style sheet reaches: those of the reader's scheme.

export const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Black or white, whichever can be read on it (WCAG 2.1).
const readableOn = (hex) => (1.05 / (luminance(hex) + 0.05) >= (luminance(hex) + 0.05) / 0.05
  ? "#ffffff" : "#000000");

// `styles`: "--l:#2361d3;--d:#596ce7", a shape, and lines across boxes, by class.
export function readColours(classes, styles) {
  const css = getComputedStyle(document.documentElement);
  const variable = (name) => css.getPropertyValue(`--${name}`).trim();
  const side = darkScheme.matches ? "--d" : "--l";
  const other = {style: "--l:#767b82;--d:#9aa0a8", shape: "", lines: []};
  const colours = {font: {family: css.fontFamily, size: 12}};
  for (const name of ["background", "roof", "grid", "axis", "text", "faint", "accent"]) {
    colours[name] = variable(name);
  }
  colours.classes = classes.map((name) => {
    const {style, shape, lines} = styles[name] ?? other;
    const fill = new RegExp(`${side}:(#[0-9a-f]{6})`).exec(style)[1];
    return {fill, on: readableOn(fill), shape, lines: lines ?? []};
  });
  return colours;
}
