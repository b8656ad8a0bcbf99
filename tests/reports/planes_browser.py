#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The planes of a page in headless Chromium: one selection for all of them, zoom, files, links.

usage: planes_browser.py <write_fixture_pages>; exits 77 where there is no Chromium.

What the probes (planes_probe.js, launches_probe.js) saw is compared with the page's own data.
"""
import base64
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

from browser import PLANES, expect, failures, island, points_of, probe, shown_points

HERE = pathlib.Path(__file__).resolve().parent
LAUNCHES = 100000
ISLAND = '<script type="application/json" id="report-data">'


def script(name):
    return "<script>\n" + (HERE / name).read_text(encoding="utf-8") + "</script></body>"


def planes_of(sections):
    """Per plane the points of the initial view, with the classes of their rows."""
    rows = sections["run1-rows"]["rows"]
    return [[{**p, "class": rows[str(p["row"])]["class"]} for p in shown_points(sections, "run1", plane)]
            for plane in PLANES]


def marks(points):
    """Ideals have their own marks."""
    return [sum(2 if "ideal" in p else 1 for p in plane) for plane in points]


def of_class(points, wanted):
    return [[p for p in plane if wanted(p["class"])] for plane in points]


def check_selection(name, sections, seen):
    rows = sections["run1-rows"]["rows"]
    points = planes_of(sections)
    expect(seen["ids"] == [f"run1-{plane}" for plane in PLANES], f"{name}: figures {seen['ids']}")
    expect(seen["beside"] == 2, f"{name}: {seen['beside']} planes stand side by side")
    expect(seen["counts"] == marks(points), f"{name}: {seen['counts']} marks, not {marks(points)}")
    without = marks(of_class(points, lambda c: c != "gemm"))
    expect(seen["without_gemm"]["counts"] == without, f"{name}: hiding a class left {seen['without_gemm']}")
    left = sum(row["class"] != "gemm" for row in rows.values())
    expect(seen["without_gemm"]["rows"] == left, f"{name}: the table has {seen['without_gemm']['rows']} rows")
    expect(seen["without_gemm"]["faded"] == ["gemm"], f"{name}: faded {seen['without_gemm']['faded']}")
    only = marks(of_class(points, lambda c: c == "norm"))
    expect(seen["only_norm"]["counts"] == only, f"{name}: only norm: {seen['only_norm']}")
    expect(seen["only_norm"]["pressed"] == ["norm"], f"{name}: pressed {seen['only_norm']['pressed']}")
    expect(seen["all_again"] == marks(points), f"{name}: Shift and Enter showed {seen['all_again']}")

    pinned = seen["pinned"]
    expect(pinned["row"] in rows, f"{name}: pinned {pinned['row']}")
    expect(pinned["focus"] == [[pinned["row"]]] * 3, f"{name}: {pinned['row']} stands out as {pinned['focus']}")
    expect(rows[pinned["row"]]["name"] in pinned["panel"], f"{name}: panel {pinned['panel']!r}")
    tier = next(p["level"] for p in points[1] if str(p["row"]) == pinned["row"])
    tier = sections["run1-time-plane"]["level_names"][tier]
    expect("Measured time per launch" in seen["tooltip"] and
           f"Bandwidth time per launch, {tier}" in seen["tooltip"], f"{name}: {seen['tooltip']!r}")
    in_turn = sorted({p["row"] for p in points[2]})
    expected = str(in_turn[(in_turn.index(int(pinned["row"])) + 1) % len(in_turn)])
    expect(seen["next"] == expected, f"{name}: n went to {seen['next']}, not {expected}")
    expect(seen["unpinned"] == 0, f"{name}: Escape did not unpin")

    expect(seen["two_tiers"][:2] == marks(points)[:2] and seen["two_tiers"][2] > marks(points)[2],
           f"{name}: a tier of one figure changed {seen['two_tiers']}")
    expect(seen["next_tier"][0] != ["HBM"] and len(seen["next_tier"][0]) == 1 and
           seen["next_tier"][2] == ["HBM"], f"{name}: t chose {seen['next_tier']}")

    found = [key for key, row in rows.items() if "flash" in row["name"] and "fwd" in row["name"]]
    expect(seen["search_focused"], f"{name}: / does not go to the search")
    expect(seen["found"] == [found] * 3, f"{name}: found {seen['found']}, not {found}")
    expect(seen["found_rows"] == found, f"{name}: rows found {seen['found_rows']}")
    dim = [m - sum(2 if "ideal" in p else 1 for p in plane if str(p["row"]) in found)
           for m, plane in zip(marks(points), points)]
    expect(seen["dim"] == dim, f"{name}: dimmed {seen['dim']}, not {dim}")
    expect(seen["found_cleared"] == 0, f"{name}: Escape did not end the search")


def check_drawing(name, seen):
    expect(seen["areasBelow"][0], f"{name}: the area below the roof covers what is drawn on it")
    for key in ("covered", "covered_closer"):
        expect(not any(seen[key]), f"{name}: names cover each other: {key} {seen[key]}")
    for i in (1, 2):
        for kind, stroke in (("boundary", "none 1.5px"), ("iso", "4px, 4px 1px")):
            expect(stroke in seen["lines"][i], f"{name}: no {kind} in {seen['lines'][i]}")
    expect(seen["boxes"][0] == 0 and seen["boxes"][1] == 1 and seen["boxes"][2] >= 2,
           f"{name}: boxes {seen['boxes']}")
    for region in ("Bandwidth-bound", "Compute-bound"):
        expect(region in seen["names"][1] and region in seen["names"][2], f"{name}: {seen['names']}")
    expect(seen["axes"][0][0] == "Arithmetic intensity at HBM (FLOP/B)", f"{name}: {seen['axes'][0]}")
    expect(seen["axes"][1][0] == "Compute time per launch (s)", f"{name}: {seen['axes'][1]}")
    expect(seen["axes"][2][1] == "Bytes per launch at HBM (B)", f"{name}: {seen['axes'][2]}")


def check_zoom(name, seen):
    zoom = seen["zoom"]
    moved = {key: [value > 0.5 for value in shift] for key, shift in zoom.items()}
    still, across, up, both = [False, False], [True, False], [False, True], [True, True]
    for key, expected in (("both", both), ("others", still), ("shift", across),
                          ("shift_across", across), ("alt", up), ("control", up), ("pinch", both),
                          ("plus", both), ("arrow", across), ("arrow_up", up), ("shift_arrow", up)):
        expect(moved[key] == expected, f"{name}: {key} moved marks by {zoom[key]}")
    expect(abs(zoom["drag"][0] - 30) < 0.01 and abs(zoom["drag"][1] - 20) < 0.01,
           f"{name}: a drag by 30, 20 moved marks by {zoom['drag']}")
    expect(seen["drag_pins"] == 0, f"{name}: the end of a drag pinned a kernel")
    expect(seen["scrolls_on"], f"{name}: the wheel is caught with nothing left to zoom out of")
    expect(seen["reset"], f"{name}: 0 does not show the whole figure")
    expect(seen["tab_leaves"], f"{name}: Tab does not leave the figure")
    expect(seen["focusable"] and seen["positive_tabindex"] == 0, f"{name}: focus order")


def check_files(name, sections, seen):
    expect(seen["files"] == ["run1-time-plane.svg", "run1-time-plane.png"], f"{name}: {seen['files']}")
    svg = seen["svg"]
    expect(svg["root"] == "svg" and not svg["error"], f"{name}: the saved SVG does not parse")
    expect(svg["background"].startswith("rgb("), f"{name}: background {svg['background']}")
    expect(svg["classes"] == 0 and not svg["variables"] and svg["unstyled"] == 0,
           f"{name}: the saved SVG needs the page's styles: {svg}")
    for text in ("gemm", "Compute time per launch (s)", "10 µs"):
        expect(text in svg["texts"], f"{name}: no {text!r} in the saved SVG")
    expect(svg["paths"] > seen["counts"][1], f"{name}: {svg['paths']} paths saved")
    kind, width, height, css_width = seen.get("png", ["", 0, 0, 0])
    expect(kind == "image/png" and width == 2 * css_width and height > 400, f"{name}: PNG {kind} {width}x{height}")
    lines = list(csv.DictReader(io.StringIO(seen["csv"] or "")))
    data = points_of(sections["run1-time-plane"])
    expect(len(lines) == len(data), f"{name}: {len(lines)} lines of {len(data)} points")
    by_name = {line["name"]: line for line in lines}
    for point in data:
        line = by_name.get(sections["run1-rows"]["rows"][str(point["row"])]["name"], {})
        values = [float(line.get(key) or 0) for key in
                  ("time_plane_x_s", "time_plane_y_s", "compute_s", "bandwidth_s")]
        expect(values == [point["x"], point["y"], *point["ideal"]], f"{name}: copied {line}")


def with_launches(page, sections):
    """The page with data of launches that all have the mean time of their row, without gaps."""
    rows = sections["run1-rows"]["rows"]
    keys = [int(key) for key in rows]
    row = [keys[i % len(keys)] for i in range(LAUNCHES)]
    mean_ns = {key: 1e9 * rows[str(key)]["time_s"] / rows[str(key)]["launches"] for key in keys}
    timeline = dict(sections["run1-timeline"])
    stream = next(track for track in timeline["tracks"] if track["kind"] == "stream")
    look = timeline["names"][stream["name"][0]][0]
    launches = {**stream, "gap_ns": [1000] * LAUNCHES, "duration_ns": [mean_ns[r] for r in row],
                "name": [keys.index(r) for r in row], "call": [-1] + [0] * (LAUNCHES - 1),
                "launch_latency_ns": [-1] + [0] * (LAUNCHES - 1),
                "within": [0] * LAUNCHES}
    timeline.update(names=[[look, key] for key in keys], tracks=[launches], lines=[], layouts=[
        {**layout, "rows": [[0, *layout["rows"][0][1:]]]} for layout in timeline["layouts"]])
    packed = {"deflate": base64.b64encode(zlib.compress(json.dumps(timeline).encode())).decode()}
    text = json.dumps({"sections": {**sections, "run1-timeline": packed}}).replace("<", "\\u003c")
    before, after = page.read_text(encoding="utf-8").split(ISLAND, 1)
    copy = page.with_name("launches.html")
    copy.write_text(before + ISLAND + text + after[after.index("</script>"):], encoding="utf-8")
    return copy, row


def check_launches(chromium, page):
    sections = island(page)
    rows = sections["run1-rows"]["rows"]
    copy, row = with_launches(page, sections)
    seen, console = probe(chromium, copy, script=script("launches_probe.js"))
    name = "launches"
    expect(not console, f"{name}: console says {console}")
    expect(seen["hidden_at_first"] == [True] * 3, f"{name}: density is on at first")
    expect(seen["hidden"] == [False, False, True], f"{name}: hidden {seen['hidden']}")
    points = planes_of(sections)
    for i in (0, 1):
        drawn = {p["row"] for p in points[i]}
        count = sum(r in drawn for r in row)
        expect(seen["launches"][i] == count, f"{name}: {seen['launches'][i]} launches, not {count}")
        gemms = sum(r in drawn and rows[str(r)]["class"] != "gemm" for r in row)
        expect(seen["without_gemm"][i] == gemms, f"{name}: {seen['without_gemm'][i]} without gemm")
        expect(all(alpha > 0 for alpha in seen["painted"][i]), f"{name}: nothing painted at a mark")
    expect(seen["launches_again"] == seen["launches"], f"{name}: zooming in and out lost launches")


def check_link(chromium, page, fragment, sections):
    seen, console = probe(chromium, page, script=script("launches_probe.js"), fragment=fragment)
    name = f"link {fragment}"
    fields = dict(field.split("=") for field in fragment.split("&")[1:])
    rows = sections["run1-rows"]["rows"]
    expect(not console, f"{name}: console says {console}")
    expect(seen["pinned"] == fields.get("kernel"), f"{name}: pinned {seen['pinned']}")
    classes = sorted({row["class"] for row in rows.values()})
    shown = sorted(fields["classes"].split(",")) if "classes" in fields else classes
    pressed = sorted(p for p in seen["pressed"] if p in classes)
    expect(pressed == shown, f"{name}: shows {pressed}")
    expect(all(rows[p["row"]]["class"] in shown for p in seen["points"][1]), f"{name}: other classes")
    return seen


def check_view(chromium, page, size, view):
    """Marks of a zoomed view are at the positions of the GUI's scales."""
    seen, console = probe(chromium, page, size, script("launches_probe.js"), view["fragment"])
    name = f"view at {size}"
    expect(not console, f"{name}: console says {console}")
    left, top, width, height = seen["plots"][1]
    drawn = {p["row"]: p for p in seen["points"][1] if not p["ideal"]}
    inside = [m for m in view["marks"] if 0 < (m["x"] or 0) < 1 and 0 < (m["y"] or 0) < 1]
    expect(len(inside) >= 3, f"{name}: only {len(inside)} marks are in it")
    for mark in inside:
        at = drawn.get(str(mark["row"]), {"cx": -1e9, "cy": -1e9})
        off = (at["cx"] - left - mark["x"] * width, at["cy"] - top - (1 - mark["y"]) * height)
        expect(max(map(abs, off)) < 0.05, f"{name}: kernel {mark['row']} is {off} px off")


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("skipped: no chromium on PATH (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder_name:
        folder = pathlib.Path(folder_name)
        subprocess.run([sys.argv[1], folder_name], check=True)
        page = folder / "run.html"
        sections = island(page)
        classes = list(sections["run1-rows"]["classes"])
        but_gemm = ",".join(name for name in classes if name != "gemm")
        hashes = []
        for size in ("1440,900", "390,844"):
            name = f"planes at {size}"
            seen, console = probe(chromium, page, size, script("planes_probe.js"))
            expect(not console, f"{name}: console says {console}")
            check_drawing(name, seen)
            check_selection(name, sections, seen)
            check_zoom(name, seen)
            check_files(name, sections, seen)
            hashes.append(seen["hash"])
        for fragment in hashes:
            expect(fragment.startswith("#run1-time-plane&kernel=") and "&x=" in fragment and
                   "&y=" in fragment and fragment.endswith(f"&classes={but_gemm}"), f"address {fragment}")
            seen = check_link(chromium, page, fragment, sections)
            expect(seen["hash"] == fragment, f"restoring {fragment} changed it to {seen['hash']}")
            whole = check_link(chromium, page, "#run1-time-plane&kernel=2", sections)
            expect(seen["ticks"][0] == whole["ticks"][0], f"{fragment} zoomed another figure")
            expect(seen["ticks"][1] != whole["ticks"][1], f"{fragment} did not zoom")
        seen, console = probe(chromium, page, script=script("launches_probe.js"),
                              fragment="#run1-complexity-plane&tiers=l2&kernel=%ZZ&x=9..1&y=1..2")
        expect(not console and seen["pinned"] is None, f"a broken link: {console}, {seen['pinned']}")
        expect(seen["tiers"][2] == ["L2"], f"tiers of a link: {seen['tiers']}")
        seen, console = probe(chromium, page, script=script("launches_probe.js"),
                              fragment="#run1-kernels")
        expect(not console and seen["hash"] == "#run1-kernels" and seen["pinned"] is None,
               f"a plain anchor: {console}, {seen['hash']}, {seen['pinned']}")
        check_launches(chromium, page)
        view = json.loads((folder / "view.json").read_text(encoding="utf-8"))
        for size in ("1440,900", "390,844"):
            check_view(chromium, page, size, view)
    for failure in failures:
        print("FAILED:", failure)
    print("failed" if failures else "passed", "with", chromium)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
