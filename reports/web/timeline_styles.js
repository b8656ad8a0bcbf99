// SPDX-License-Identifier: Apache-2.0
// The page's styles for a canvas, in the colors of the user's scheme, since style sheets do not
// apply to it.
import {element} from "./dom.js";

const ofLook = ["fill", "faded", "merged", "name", "faded_name"];

// {looks, inks, value: {stroke, width}, font}: colors instead of the style numbers of `data`.
export function readStyles(data) {
  const probe = document.body.appendChild(element("span"));
  const styles = data.styles.map((css) => {
    probe.style.cssText = css;
    const {fill, stroke, strokeWidth} = getComputedStyle(probe);
    return {fill, stroke, width: parseFloat(strokeWidth)};
  });
  probe.remove();
  const fill = (style) => styles[style]?.fill;
  const inks = Object.fromEntries(
    Object.entries(data.inks).map(([name, style]) => [name, fill(style)]));
  const looks = data.looks.map((look) => ({
    ...look, ...Object.fromEntries(ofLook.map((name) => [name, fill(look[name])]))}));
  const font = {family: getComputedStyle(document.documentElement).fontFamily, size: 12};
  return {fill, inks, looks, value: styles[data.inks.value], font};
}
