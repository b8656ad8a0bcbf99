#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interactive timeline in headless Chromium: zooms, pans, points, pins, selects and copies.

usage: browser_timeline.py <write_fixture_pages> [--measure]; exits 77 where there is no Chromium.

With --measure it prints instead when the page with 100000 launches is loaded and when all its figures are
interactive (since the navigation, medians of 7), and what zooming takes, and fails if loading takes more than
300 ms or a frame more than 50 ms: a test may not depend on speed. Needs chromedriver.
"""
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from browser import expect, failures, island, probe

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "browser"))
from webdriver import Browser  # noqa: E402

START = """
<script>
const look = () => {
  // Each change is drawn at once, whatever the browser thinks is seen.
  window.requestAnimationFrame = (draw) => { draw(performance.now()); return 0; };
  const seen = {};
  const part = document.querySelector("article");
  const figure = part.querySelector(".timeline-view");
  const canvas = figure.querySelector("canvas");
  const act = (Type, name, extra, target = canvas) => target.dispatchEvent(
      new Type(name, {bubbles: true, cancelable: true, view: window, button: 0, ...extra}));
  const box = canvas.getBoundingClientRect();
  const at = (x, y) => ({clientX: box.x + x, clientY: box.y + y, pointerId: 1});
  const key = (name) => act(KeyboardEvent, "keydown", {key: name});
  const shown = () => figure.dataset.window.split(" ").map(Number);
  // Wheel events know whole pixels only.
  const middle = Math.round(box.x + box.width / 2) - box.x;
  const press = (label) => [...figure.querySelectorAll("button")]
      .find((b) => b.textContent === label).click();
  // Blobs are read in real time, for which virtual time does not wait.
  let saved = null;
  window.Blob = class { constructor([text]) { saved = text; } };
  URL.createObjectURL = () => "#";
  const savedSvg = () => {
    press("Download SVG");
    return new DOMParser().parseFromString(saved, "image/svg+xml");
  };
"""

END = """
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
};
"""
LATER = """whenStarted(look);
</script></body>"""

PROBE = START + """
  const drag = (from, to, y, extra) => {
    act(PointerEvent, "pointerdown", {...at(from, y), ...extra});
    for (let i = 1; i <= 4; ++i) {
      act(PointerEvent, "pointermove", {...at(from + (to - from) * i / 4, y), ...extra});
    }
    act(PointerEvent, "pointerup", {...at(to, y), ...extra});
  };
  const data = JSON.parse(document.getElementById("report-data").textContent).sections;
  const own = OWN_DATA;
  seen.static_left = figure.querySelectorAll(".plot > svg").length;
  seen.wide = document.documentElement.scrollWidth > innerWidth;
  seen.label = canvas.getAttribute("aria-label");
  seen.focusable = canvas.tabIndex;
  seen.boxes = Number(figure.dataset.boxes);
  seen.height = box.height;
  seen.first = shown();

  // Where a time lies, while the first window is shown; the labels are left of it.
  const left = own.layouts.filter(({from}) => box.width >= from).pop().plot[0];
  const px = (time) => left + (time - seen.first[0]) / (seen.first[1] - seen.first[0]) *
                              (box.width - 1 - left);
  // The longest launch of the window, and its row of pixels.
  let [time, best] = [0, null];
  const launches = own.tracks.find((track) => track.label === "stream 7");
  launches.gap_ns.forEach((gap, i) => {
    const start = time + gap;
    const duration = launches.duration_ns[i];
    time = start + duration;
    if (start < seen.first[0] || time > seen.first[1]) return;
    if (!best || duration > best.duration) {
      best = {i, start, duration, row: own.names[launches.name[i]][1]};
    }
  });
  const x = px(best.start + best.duration / 2);
  const tooltip = () => part.querySelector(".timeline-view .tooltip");
  let y = 30;
  for (; y < box.height; y += 4) {
    act(PointerEvent, "pointermove", at(x, y));
    if (!tooltip().hidden && tooltip().innerText.includes("Launch")) break;
  }
  seen.tooltip = tooltip().innerText;
  seen.name = data["run1-rows"].rows[best.row].name;
  seen.hovered_row = part.querySelector(".kernels .hovered-row")?.dataset.row;
  seen.row = String(best.row);
  drag(x, x, y);
  seen.pinned_row = part.querySelector(".kernels [aria-current]")?.dataset.row;
  const status = () => figure.querySelector(".timeline-status").textContent;
  seen.status = status();
  key("n");
  seen.next = status();
  key("p");
  seen.back = status();
  key("Escape");
  seen.unpinned = part.querySelector(".kernels [aria-current]")?.dataset.row ?? null;
  key("0");

  const under = seen.first[0] + (middle - left) / (box.width - 1 - left) *
                                (seen.first[1] - seen.first[0]);
  act(WheelEvent, "wheel", {deltaY: -200, ...at(middle, y)});
  seen.zoomed = shown();
  seen.under = [under, seen.zoomed[0] + (middle - left) / (box.width - 1 - left) *
                                        (seen.zoomed[1] - seen.zoomed[0])];
  drag(middle, middle - 100, y);
  seen.dragged = shown();
  key("ArrowLeft");
  seen.panned = shown();
  act(MouseEvent, "dblclick", at(middle, y));
  seen.reset = shown();
  key("End");
  seen.end = shown();
  key("Home");
  seen.home = shown();
  for (let i = 0; i < 60; ++i) key("-");
  seen.whole = shown();
  seen.whole_boxes = Number(figure.dataset.boxes);
  for (let i = 0; i < 99; ++i) key("+");
  seen.closest = shown();
  key("0");

  const panel = () => figure.querySelector(".pinned");
  drag(px(seen.first[0]) + 0.01, px(seen.first[1]) + 50, y, {shiftKey: true});
  seen.panel = panel().hidden ? null : panel().innerText;
  key("Escape");
  seen.cleared = panel().hidden;
  drag(left + 40, left + 140, 8);
  seen.axis_panel = panel().hidden ? null : panel().innerText;
  [...panel().querySelectorAll("button")].find((b) => b.textContent === "Zoom to selection").click();
  seen.zoomed_to = (shown()[1] - shown()[0]) / (seen.first[1] - seen.first[0]);
  key("Escape");
  key("0");

  let copied = null;
  Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { copied = t; }}});
  press("Copy as CSV");
  seen.csv = copied;
  const svg = savedSvg();
  seen.svg = {name: svg.documentElement.localName, rects: svg.querySelectorAll("rect").length,
              texts: [...svg.querySelectorAll("text")].map((t) => t.textContent)};
""" + END + LATER

SHAPES = START + """
  const color = (css) => css.replace(/^rgb\\((\\d+), (\\d+), (\\d+)\\)$/, (all, ...channels) =>
    "#" + channels.slice(0, 3).map((c) => Number(c).toString(16).padStart(2, "0")).join(""));
  const numbers = (node, ...names) => names.map((name) => Number(node.getAttribute(name)));
  const own = OWN_DATA;
  // Names of slices start in the plot; labels start at its edge or are not anchored there.
  const [plotLeft] = own.layouts.filter(({from}) => box.width >= from).pop().plot;
  const isName = ([x, , , anchor]) => anchor === 0 && x > plotLeft;
  const anchors = {start: 0, middle: 0.5, end: 1};
  for (const view of ["Reset view", "All"]) {
    press(view);
    const svg = savedSvg();
    seen[view] = {
      rects: [...svg.querySelectorAll("svg > rect:not([width='100%'])")].map((rect) =>
        [...numbers(rect, "x", "y", "width", "height"), color(rect.getAttribute("fill"))]),
      texts: [...svg.querySelectorAll("text")].map((text) =>
        [...numbers(text, "x", "y"), text.textContent, anchors[text.getAttribute("text-anchor")]])
        .filter((text) => !isName(text)),
    };
  }
""" + END + LATER

FRAMES = """
  // Each change is drawn at once.
  window.requestAnimationFrame = (draw) => { draw(performance.now()); return 0; };
  const canvas = document.querySelector(".timeline-view canvas");
  return [...Array(60)].map((_, i) => {
    const began = performance.now();
    canvas.dispatchEvent(new KeyboardEvent("keydown", {
      bubbles: true, cancelable: true, key: i < 20 ? "-" : i % 2 ? "+" : "ArrowRight"}));
    canvas.getContext("2d").getImageData(0, 0, 1, 1);  // wait for the drawing
    return performance.now() - began;
  });
"""


def script_text(data):
    """JSON within a script."""
    return json.dumps(data).replace("<", "\\u003c")


def starts(columns):
    end = 0
    for gap, duration in zip(columns["gap_ns"], columns["duration_ns"]):
        yield end + gap
        end += gap + duration


def check(chromium, page, size):
    name = f"{page.name} at {size}"
    data = island(page)["run1-timeline"]
    seen, console = probe(chromium, page, size, PROBE.replace("OWN_DATA", script_text(data)))
    expect(not console, f"{name}: console says {console}")
    expect(seen["static_left"] == 0, f"{name}: the static figure was not replaced")
    expect(not seen["wide"], f"{name}: the page is wider than the window")
    expect(seen["label"].startswith("Timeline of "), f"{name}: {seen['label']!r}")
    expect(seen["focusable"] == 0, f"{name}: no focus")
    first = seen["first"]
    expect(first == data["shown_ns"], f"{name}: shows {first}, not {data['shown_ns']}")
    expect(0 < seen["height"] < 1200, f"{name}: {seen['height']} px high")

    expect(seen["name"] in seen["tooltip"], f"{name}: tooltip {seen['tooltip']!r}")
    expect(seen["hovered_row"] == seen["row"], f"{name}: the table did not follow the pointer")
    expect(seen["pinned_row"] == seen["row"], f"{name}: pinned {seen['pinned_row']}")
    launch = lambda text: int(text.split()[1]) if text.startswith("Launch ") else None
    expect(launch(seen["next"]) == launch(seen["status"]) + 1,
           f"{name}: {seen['status']!r} then {seen['next']!r}")
    expect(seen["back"] == seen["status"], f"{name}: p led to {seen['back']!r}")
    expect(seen["unpinned"] is None, f"{name}: Escape left {seen['unpinned']} pinned")

    length = first[1] - first[0]
    inside = lambda window: first[0] <= window[0] < window[1] <= first[1]
    expect(inside(seen["zoomed"]) and
           abs((seen["zoomed"][1] - seen["zoomed"][0]) / length - 0.5) < 1e-6,
           f"{name}: zoomed to {seen['zoomed']}")
    expect(abs(seen["under"][0] - seen["under"][1]) < 1e-6 * length,
           f"{name}: the pointer's time became another: {seen['under']}")
    expect(seen["dragged"][0] > seen["zoomed"][0], f"{name}: dragging showed {seen['dragged']}")
    expect(seen["panned"][0] < seen["dragged"][0], f"{name}: the arrow showed {seen['panned']}")
    expect(seen["reset"] == first, f"{name}: reset showed {seen['reset']}")
    expect(seen["end"][1] == data["span_ns"][1] and seen["home"][0] == data["span_ns"][0],
           f"{name}: End {seen['end']}, Home {seen['home']}")
    expect(seen["whole"] == data["span_ns"], f"{name}: zoomed out to {seen['whole']}")
    expect(abs(seen["closest"][1] - seen["closest"][0] - 100) < 1e-3,
           f"{name}: zoomed in to {seen['closest']}")
    # At most two boxes per three pixels of a row, and rows are at least 14 px high.
    most = 2 * int(size.split(",")[0]) / 3 * seen["height"] / 14
    expect(0 < seen["whole_boxes"] < most, f"{name}: {seen['whole_boxes']} boxes")

    begin = [t for track in data["tracks"] if track["kind"] == "stream"
             for t in starts(track) if first[0] <= t < first[1]]
    counted = f"{len(begin):,} kernels"
    expect(seen["panel"] and counted in seen["panel"], f"{name}: {counted} in {seen['panel']!r}")
    expect(seen["cleared"], f"{name}: Escape left the time selected")
    expect(seen["axis_panel"] and "selected: busy" in seen["axis_panel"],
           f"{name}: {seen['axis_panel']!r} after dragging along the axis")
    expect(0 < seen["zoomed_to"] < 0.6, f"{name}: zoomed to {seen['zoomed_to']} of the step")

    lines = seen["csv"].splitlines()
    expect(lines[0] == "stream,name,class,start_ns,duration_ns,bytes", f"{name}: {lines[0]!r}")
    # One more slice may overlap the window.
    expect(len(lines) - 1 - len(begin) in (0, 1), f"{name}: {len(lines)} lines")
    svg = seen["svg"]
    expect(svg["name"] == "svg" and svg["rects"] > 20, f"{name}: the SVG has {svg['rects']} boxes")
    expect(any("stream" in text for text in svg["texts"]), f"{name}: texts {svg['texts']}")


def take_match(left, wanted, slack):
    """Removes a shape from the list that equals the wanted one within `slack`, given per number."""
    def near(a, b, by):
        return a == b if isinstance(a, str) else abs(a - b) <= by
    for i, shape in enumerate(left):
        if all(map(near, shape, wanted, slack)):
            return left.pop(i)
    return None


# Left, top, width, height, color; and x, y, text, anchor, where x may depend on the width of the text.
SLACK = {"rects": (1, 1, 1, 1, 0), "texts": (4, 1, 0, 0)}


def check_shapes(chromium, page, views):
    """The page draws the rectangles, labels and ticks that C++ draws."""
    own = script_text(island(page)["run1-timeline"])
    for width in sorted({view["width"] for view in views}):
        style = f"<style>.timeline-view .plot {{ width: {width:.0f}px; }}</style></head>"
        copy = page.with_name(f"{width:.0f}.html")
        copy.write_text(page.read_text(encoding="utf-8").replace("</head>", style, 1), encoding="utf-8")
        seen, console = probe(chromium, copy, script=SHAPES.replace("OWN_DATA", own))
        expect(not console, f"shapes: console says {console}")
        for view in views:
            if view["width"] == width:
                name = f"{view['button']!r} at {width:.0f} px"
                compare_shapes(name, view, seen[view["button"]])


def compare_shapes(name, wanted, drawn):
    for kind, least in (("rects", 100), ("texts", 9)):
        expect(len(wanted[kind]) > least, f"{name}: only {len(wanted[kind])} {kind} to compare")
        left = list(drawn[kind])
        missing = [shape for shape in wanted[kind] if not take_match(left, shape, SLACK[kind])]
        expect(not missing and not left, f"{name}: {len(missing)} of {len(wanted[kind])} {kind} are not "
               f"drawn: {missing[:3]}, and {len(left)} others are: {left[:3]}")


def measure(page):
    with Browser() as chromium:
        loaded, ready = [], []
        for _ in range(7):
            chromium.open("about:blank")
            chromium.open(page)
            ready.append(int(chromium.until(lambda: chromium.run("return document.documentElement.dataset.ready"))))
            loaded.append(chromium.run("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
        frames = sorted(chromium.run(FRAMES))
    for what, times in (("opens", loaded), ("interactive", ready)):
        print(f"{page.stat().st_size / 1e6:.2f} MB; {what} in {statistics.median(times):.0f} ms ({min(times):.0f} to "
              f"{max(times):.0f})")
    print(f"zoom frames: median {statistics.median(frames):.1f} ms, slowest {frames[-1]:.1f} ms")
    expect(statistics.median(loaded) <= 300, "opening takes more than 300 ms")
    expect(frames[-1] <= 50, "a frame takes more than 50 ms")


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("skipped: no chromium on PATH (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        if "--measure" in sys.argv:
            measure(folder / "long.html")
        else:
            for size in ("1440,900", "390,844"):
                check(chromium, folder / "long.html", size)
            views = json.loads((folder / "timeline.json").read_text(encoding="utf-8"))
            check_shapes(chromium, folder / "steps.html", views)
            expect((folder / "long.html").stat().st_size < 2e6, "the page is above 2 MB")
    for failure in failures:
        print("FAILED:", failure)
    print("failed" if failures else "passed", "with", chromium)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
