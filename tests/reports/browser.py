#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the fixture's pages in headless Chromium and operates them like a user.

usage: browser.py <write_fixture_pages>; exits 77 where there is no Chromium.

A probe is added to a copy of each page. It runs after the page's own script, drives the figure and
the table by events, and leaves what it saw as JSON in an element, which --dump-dom brings back.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

# Opens all folds, and calls a probe once all figures and tables have started.
OPEN = """
<script>
function whenStarted(look) {
  const wait = () => ("ready" in document.documentElement.dataset ? setTimeout(look, 50) : setTimeout(wait, 10));
  addEventListener("load", () => {
    for (const fold of document.querySelectorAll(".fold")) fold.open = true;
    wait();
  });
}
</script>"""

PROBE = """
<script>
whenStarted(() => {
  const seen = {};
  const part = document.querySelector("article");
  const svg = part.querySelector("svg.interactive");
  const marks = () => [...svg.querySelectorAll(".point")];
  const act = (target, Type, name, extra) => target.dispatchEvent(
      new Type(name, {bubbles: true, cancelable: true, view: window, ...extra}));
  const center = (node) => {
    const box = node.getBoundingClientRect();
    return {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2};
  };
  const press = (label) => [...part.querySelectorAll("button")]
      .find((b) => b.textContent.trim() === label).click();
  seen.requests = performance.getEntriesByType("resource").length;
  seen.static_left = part.querySelectorAll(".plane-view svg.wide, .plane-view svg.narrow").length;
  seen.wide = document.documentElement.scrollWidth > innerWidth;
  // Some kernels are outside of the first view of the roofline.
  [...part.querySelectorAll(".plane-view button")].find((b) => b.textContent === "All")?.click();
  seen.total_marks = Number(document.documentElement.dataset.marks);
  if (svg) {
    seen.marks = marks().length;
    seen.label = svg.getAttribute("aria-label");
    seen.ceilings = [...svg.querySelectorAll("text[data-link^=line]")].map((t) => t.textContent);
    const boxes = [...svg.querySelectorAll("text[data-link^=line]:not([transform*=rotate])")]
        .map((t) => t.getBoundingClientRect());
    seen.covered = boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right &&
        b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom));
  }
  const table = part.querySelector(".kernels table");
  if (svg && table && marks().length) {
    const rows = () => [...table.tBodies[0].rows].filter((r) => !r.hidden);
    const top = marks()[marks().length - 1];
    act(svg, MouseEvent, "mousemove", center(top));
    seen.tooltip = part.querySelector(".tooltip").innerText;
    act(svg, MouseEvent, "click", center(top));
    seen.pinned_row = part.querySelector("[aria-current]")?.dataset.row;
    seen.pinned = part.querySelector(".pinned").innerText;
    act(rows()[0], KeyboardEvent, "keydown", {key: "Enter"});
    seen.pinned_by_key = part.querySelector("[aria-current]")?.dataset.row;
    press("L2");
    seen.marks_two_tiers = marks().length;
    press("L2");
    press("gemm");
    seen.marks_without_gemm = marks().length;
    press("gemm");
    const before = marks()[0].getAttribute("transform");
    act(svg, WheelEvent, "wheel", {deltaY: -300, ...center(svg)});
    seen.zoomed = marks()[0]?.getAttribute("transform") !== before;
    const whole = [...part.querySelectorAll(".plane-view button")].find((b) => b.textContent === "All");
    if (whole) whole.click();
    else act(svg, MouseEvent, "dblclick", center(svg));
    seen.reset = marks()[0].getAttribute("transform") === before;
    const times = () => rows().map((r) =>
        Number(r.cells[[...table.tHead.rows[0].cells].findIndex((c) => c.dataset.key === "time_s")]
            .dataset.v));
    const header = table.querySelector("th[data-key=time_s]");
    header.querySelector("button").click();
    seen.falling = [header.getAttribute("aria-sort"), times()];
    header.querySelector("button").click();
    seen.rising = [header.getAttribute("aria-sort"), times()];
    const filter = part.querySelector(".kernels input");
    filter.value = "attention BF16";
    filter.dispatchEvent(new Event("input"));
    seen.filtered = rows().length;
    let copied = null;
    Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { copied = t; }}});
    [...part.querySelectorAll(".kernels button")].find((b) => b.textContent === "Copy as CSV").click();
    seen.csv = copied;
  }
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script></body>"""


def open_page(chromium, page, size="1440,900", fragment="",
              waiting=("--virtual-time-budget=20000",)):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--no-first-run", "--enable-logging=stderr", "--v=0", f"--user-data-dir={profile}",
             f"--window-size={size}", *waiting, "--dump-dom", page.as_uri() + fragment],
            capture_output=True, text=True, errors="replace", timeout=100)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    if done.returncode != 0:
        raise SystemExit(f"chromium failed on {page}:\n{done.stderr[-2000:]}")
    return done.stdout, console


def read_probe(chromium, page, *how):
    dom, console = open_page(chromium, page, *how)
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    if not found:
        raise SystemExit(f"{page.name}: the probe did not finish; console: {console}")
    text = found.group(1)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u00a0"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return json.loads(text), console


def probe(chromium, page, size="1440,900", script=PROBE, fragment=""):
    copy = page.with_name("probe_" + page.name)
    html = page.read_text(encoding="utf-8")
    copy.write_text((OPEN + script).join(html.rsplit("</body>", 1)), encoding="utf-8")
    return read_probe(chromium, copy, size, fragment)


def island(page):
    """The data of a page by section, decompressed."""
    html = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', html, re.S)
    return {name: json.loads(zlib.decompress(base64.b64decode(data["deflate"]))) if "deflate" in data else data
            for name, data in json.loads(found.group(1))["sections"].items()}


def points_of(data):
    """A plane's points, {row, level, x, y, ideal}, from columns where null repeats the value before."""
    keys = list(data["level_names"])
    columns = {}
    for name, column in data["points"].items():
        columns[name] = []
        for value in column:
            columns[name].append(columns[name][-1] if value is None else value)
    points = []
    for i in range(len(columns.get("row", []))):
        point = {name: column[i] for name, column in columns.items()}
        if "ideal_x" in point:
            point["ideal"] = [point.pop("ideal_x"), point.pop("ideal_y")]
        points.append({**point, "level": keys[point["level"]] if point["level"] >= 0 else None})
    return points


PLANES = ("roofline", "time-plane", "complexity-plane")


def shown_points(sections, part, plane):
    """The points of a plane in the initial view."""
    data = sections[f"{part}-{plane}"]
    return [p for p in points_of(data) if not data["levels"] or p["level"] == data["first_level"]]


failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def check_run(chromium, page, size):
    name = f"{page.name} at {size}"
    data = {**island(page)["run1-roofline"], **island(page)["run1-rows"]}
    shown = [p for p in points_of(data) if p["level"] == data["first_level"]]
    seen, console = probe(chromium, page, size)
    expect(not console, f"{name}: console says {console}")
    expect(seen["requests"] == 0, f"{name}: {seen['requests']} requests")
    expect(seen["static_left"] == 0, f"{name}: the static figure was not replaced")
    expect(not seen["wide"], f"{name}: the page is wider than the window")
    expect(seen["marks"] == len(shown), f"{name}: {seen['marks']} marks of {len(shown)} points")
    expect(seen["ceilings"], f"{name}: no ceiling has a name")
    expect(not seen["covered"], f"{name}: labels of ceilings cover each other")
    # The pointer finds the topmost mark; figure, panel and table show the same kernel.
    row = seen.get("pinned_row")
    expect(row in data["rows"], f"{name}: a click on a mark selected {row}")
    if row in data["rows"]:
        expect(data["rows"][row]["name"] in seen["pinned"], f"{name}: {seen['pinned']!r}")
        percent = f"{100 * data['rows'][row]['sol_fraction']:.1f} %"
        expect(percent in seen["tooltip"], f"{name}: no {percent} in {seen['tooltip']!r}")
    expect(seen.get("pinned_by_key") == "0", f"{name}: Enter pinned {seen['pinned_by_key']}")
    expect(seen["marks_two_tiers"] == len(points_of(data)), f"{name}: tiers do not toggle")
    gemms = [p for p in shown if data["rows"][str(p["row"])]["class"] == "gemm"]
    expect(seen["marks_without_gemm"] == len(shown) - len(gemms), f"{name}: classes do not toggle")
    expect(seen["zoomed"] and seen["reset"], f"{name}: zoom {seen['zoomed']}, reset {seen['reset']}")
    direction, times = seen["falling"]
    expect(direction == "descending" and times == sorted(times, reverse=True), f"{name}: {times}")
    direction, times = seen["rising"]
    expect(direction == "ascending" and times == sorted(times), f"{name}: {times}")
    expect(seen["filtered"] == 2, f"{name}: the filter left {seen['filtered']} rows")
    lines = seen["csv"].splitlines()
    expect(len(lines) == 3 and lines[0].startswith("name,class,"), f"{name}: copied {seen['csv']!r}")


def check_opens(chromium, page, marks, size="1440,900"):
    seen, console = probe(chromium, page, size)
    expect(not console, f"{page.name}: console says {console}")
    expect(seen["requests"] == 0, f"{page.name}: {seen['requests']} requests")
    expect(seen["total_marks"] == marks, f"{page.name}: {seen['total_marks']} marks, not {marks}")
    expect(not seen["wide"], f"{page.name}: the page is wider than the window")


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("skipped: no chromium on PATH (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        for size in ("1440,900", "390,844"):
            check_run(chromium, folder / "run.html", size)
        sections = island(folder / "run.html")
        points = sum(len(shown_points(sections, "run1", plane)) for plane in PLANES)
        check_opens(chromium, folder / "machine.html", 0)
        check_opens(chromium, folder / "several.html", 2 * points)
        for size in ("1440,900", "390,844"):
            check_opens(chromium, folder / "hostile.html", points, size)
        check_opens(chromium, folder / "no_machine.html", 0)
    for failure in failures:
        print("FAILED:", failure)
    print("failed" if failures else "passed", "with", chromium)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
