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

// A button that is on or off. `change(on)` is called after each press.
export function toggle(children, on, change) {
  const button = element("button", {type: "button", class: "toggle", "aria-pressed": on});
  button.append(...children);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", now);
    change(now);
  });
  return button;
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
