// SPDX-License-Identifier: Apache-2.0

// element("button", {type: "button", onclick: f}, "text", child...)
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// A toggle button. `change(on, event)` is called after each press; setOn() sets the state without
// calling it.
export function toggle(children, on, change) {
  const button = element("button", {type: "button", class: "toggle", "aria-pressed": on});
  button.append(...children);
  button.setOn = (now) => button.setAttribute("aria-pressed", now);
  button.addEventListener("click", (event) => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setOn(now);
    change(now, event);
  });
  return button;
}

// A group of buttons with a label.
export function group(name, buttons) {
  return element("div", {class: "group", role: "group", "aria-label": name},
                 element("span", {}, name), ...buttons);
}

const svgNamespace = "http://www.w3.org/2000/svg";

export function classMark(style) {
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("class", "mark c");
  svg.setAttribute("style", style.style);
  svg.setAttribute("viewBox", "-8 -8 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svgNamespace, "path");
  path.setAttribute("d", style.shape);
  path.setAttribute("transform", "scale(5.2)");
  svg.append(path);
  return svg;
}

const darkScheme = matchMedia("(prefers-color-scheme: dark)");

export const onSchemeChange = (listener) => darkScheme.addEventListener("change", listener);

// The current "#rrggbb" of a style with a light and a dark color, for drawing without CSS.
export function colorOf(style) {
  return style.match(darkScheme.matches ? /--d:(#\w+)/ : /--l:(#\w+)/)[1];
}
