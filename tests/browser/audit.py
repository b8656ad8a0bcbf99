# SPDX-License-Identifier: Apache-2.0
"""An audit for all pages: it runs in the page and returns a list of problems. Based on the Web Content
Accessibility Guidelines 2.1 (www.w3.org/TR/WCAG21), level AA."""

AUDIT = r"""
const faults = [];
const describe = (e) => {
  const text = (e.textContent || "").trim().slice(0, 40);
  return `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""} class="${e.getAttribute("class") || ""}"> ${text}`;
};
const visible = (e) => {
  const box = e.getBoundingClientRect();
  const style = getComputedStyle(e);
  return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && Number(style.opacity) > 0;
};

// ---- 1.1.1: a figure has a name, and the numbers are there as a table
for (const figure of document.querySelectorAll("figure")) {
  if (!visible(figure)) continue;
  for (const drawing of figure.querySelectorAll("svg, canvas")) {
    if (!visible(drawing) || drawing.closest("[aria-hidden=true]")) continue;
    const named = drawing.closest("[role=img][aria-label], [role=application][aria-label]");
    if (!named || named.getAttribute("aria-label").trim().length < 20) {
      faults.push(`1.1.1 no text alternative: ${describe(drawing)}`);
    }
  }
  const part = figure.closest("article") || document.body;
  if (!part.querySelector("table")) faults.push(`1.1.1 no table beside ${describe(figure)}`);
}

// ---- 1.3.1: headings in order, tables with headers
let level = 0;
for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
  const now = Number(heading.tagName[1]);
  if (now > level + 1) faults.push(`1.3.1 heading of level ${now} after ${level}: ${describe(heading)}`);
  level = now;
}
for (const table of document.querySelectorAll("table")) {
  if (!table.querySelector("thead th[scope=col]")) faults.push(`1.3.1 no headers: ${describe(table)}`);
}

// ---- 1.4.3: contrast of text, 4.5:1
const channel = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const canvas = document.createElement("canvas");
canvas.width = canvas.height = 1;
const context = canvas.getContext("2d", {willReadFrequently: true});
const known = new Map();
// Any color of CSS as [r, g, b, a].
const rgba = (color) => {
  if (!known.has(color)) {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    known.set(color, [r, g, b, a / 255]);
  }
  return known.get(color);
};
const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3]));
const background = (e) => {
  const layers = [];
  for (let at = e; at; at = at.parentElement) {
    const color = rgba(getComputedStyle(at).backgroundColor);
    if (color[3] > 0) layers.push(color);
    if (color[3] === 1) break;
  }
  return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255]);
};
const ratio = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const reported = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const e = node.parentElement;
  if (!node.data.trim() || e.closest("script, style, title, option") || !visible(e)) continue;
  const style = getComputedStyle(e);
  // Black or white on the color of a box, whichever stands out more: 4.58:1 on any color.
  if (e.closest("svg.timeline") && ["rgb(0, 0, 0)", "rgb(255, 255, 255)"].includes(style.fill)) continue;
  const back = background(e);
  const color = rgba(e instanceof SVGElement ? style.fill : style.color);
  const got = ratio(over(color, back), back);
  const key = `${style.color} ${style.fill} ${back}`;
  if (got < 4.5 && !reported.has(key)) {
    reported.add(key);
    faults.push(`1.4.3 contrast ${got.toFixed(2)}: ${describe(e)}`);
  }
}

// ---- 1.4.10: no scrolling in two directions
if (document.documentElement.scrollWidth > innerWidth) {
  faults.push(`1.4.10 the page is ${document.documentElement.scrollWidth} px wide`);
}

// ---- 2.4.2, 3.1.1, 4.1.1
if (!document.title.trim()) faults.push("2.4.2 no title");
if (!document.documentElement.lang) faults.push("3.1.1 no language");
const ids = new Set();
for (const e of document.querySelectorAll("[id]")) {
  if (ids.has(e.id)) faults.push(`4.1.1 two elements have the id ${e.id}`);
  ids.add(e.id);
}
for (const link of document.querySelectorAll("a[href^='#']")) {
  if (!document.getElementById(link.getAttribute("href").slice(1))) {
    faults.push(`2.4.1 a link leads nowhere: ${link.getAttribute("href")}`);
  }
}

// ---- 4.1.2: what can be used has a name and, with a keyboard, is reached
for (const e of document.querySelectorAll("button, input, select, summary, a[href], [tabindex]")) {
  if (!visible(e)) continue;
  const name = (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || "").trim();
  if (!name) faults.push(`4.1.2 no name: ${describe(e)}`);
  if (e.tabIndex < 0 && !e.closest("[tabindex='0']") && e.tagName !== "A") {
    faults.push(`2.1.1 not reached by keyboard: ${describe(e)}`);
  }
}
return faults;
"""

# The focused element, and whether its focus is visible.
FOCUS = r"""
const e = document.activeElement;
if (!e || e === document.body) return null;
const style = getComputedStyle(e);
const box = e.getBoundingClientRect();
const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
return {tag: e.tagName.toLowerCase(), ring, text: (e.getAttribute("aria-label") || e.textContent).trim().slice(0, 40),
        width: box.width, height: box.height};
"""


def faults_of(browser):
    return browser.run(AUDIT)


def faults_of_keyboard(browser, most=400):
    """Tab through the whole page: each stop is visible, and the end is reached."""
    faults = []
    browser.run("document.activeElement.blur(); scrollTo(0, 0);")
    for stop in range(most):
        browser.press("Tab")
        focus = browser.run(FOCUS)
        if focus is None:
            return faults if stop else ["2.1.1 nothing takes the focus"]
        if not focus["ring"]:
            faults.append(f"2.4.7 no focus ring: {focus['tag']} {focus['text']}")
        if not (focus["width"] > 0 and focus["height"] > 0):
            faults.append(f"2.4.7 focus on nothing visible: {focus['tag']} {focus['text']}")
    return faults + [f"2.1.2 still in the page after {most} stops"]
