#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of reports in a real browser, driven through chromedriver: one request, no complaints, nothing
that a reader with a keyboard or a screen reader misses, and what hands do to figures.

usage: pages_test.py <write_fixture_pages> <mansard>; exits 77 where chromium or chromedriver is missing.
"""

import base64
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from audit import faults_of, faults_of_keyboard
from webdriver import Browser, browser_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "h200"
MACHINE = ["--machine", EXAMPLES / "machine.json"]
LARGEST_PAGE = 2_000_000
SCREENS = {"screen": (1440, 900), "phone": (390, 844)}

failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def recorded_pages(mansard, folder):
    """Pages of the runs recorded on an H200."""
    training = EXAMPLES / "training"
    commands = {
        "h200_run": ["report", training / "llama_fp8.sqlite", *MACHINE],
        "h200_machine": ["report", *MACHINE],
        "h200_ranks": ["report", EXAMPLES / "ranks.sqlite", *MACHINE],
        "comparison": ["report", training / "layer_fp8.sqlite", "--baseline",
                       training / "layer_bf16.sqlite", *MACHINE],
        "prediction": ["predict", "--model", "llama3-8b", "--machine", "gb200", "--recipe", "nvfp4",
                       "--against", "bf16", "--format", "html"],
        "goodput": ["predict", "--goodput", "--model", "llama3-70b", "--machine", "b200", "--recipe", "fp8",
                    "--gpus", 1024, "--global-batch", 2048, "--spares", 1, "--simulate", "--replications", 5,
                    "--format", "html"],
    }
    for name, command in commands.items():
        page = folder / f"{name}.html"
        subprocess.run([mansard, *map(str, command), "-o", page], check=True, capture_output=True)
        if name != "comparison":  # it has two runs
            size = page.stat().st_size
            expect(size <= LARGEST_PAGE, f"{name}: {size} bytes")
        yield page


def short_pages(mansard, folder):
    """(page, most screens): each kind of run, comparison and machine, of which the page is long."""
    training = EXAMPLES / "training"
    trace = folder / "kineto.sqlite"
    subprocess.run([mansard, "import", ROOT / "examples/kineto/llama_fp8.json.gz", "-o", trace],
                   check=True, capture_output=True)
    runs = {
        "llama": [training / "llama_fp8.sqlite", *MACHINE],
        "layer": [training / "layer_nvfp4.sqlite", *MACHINE],
        "offload": [EXAMPLES / "h200_offload.sqlite", *MACHINE],
        "counters": [EXAMPLES / "h200_pytorch_counters.sqlite", *MACHINE],
        "ranks": [EXAMPLES / "ranks.sqlite", *MACHINE],
        "eager": [EXAMPLES / "unannotated/huggingface_eager.sqlite", *MACHINE],
        "graph": [EXAMPLES / "unannotated/pytorch_graph.sqlite", *MACHINE],
        "jax": [EXAMPLES / "unannotated/jax.sqlite", *MACHINE],
        "pretraining": [ROOT / "examples/h200/pretraining/train_fp8.sqlite"],
        "kineto": [trace],
        "nsight": [ROOT / "examples/nsight/llama_fp8.sqlite"],
        "machine_alone": MACHINE,
    }
    comparisons = {
        "layers": [training / "layer_fp8.sqlite", "--baseline", training / "layer_bf16.sqlite", *MACHINE],
        "llamas": [training / "llama_fp8.sqlite", "--baseline", training / "llama_bf16.sqlite", *MACHINE],
        "nsights": [ROOT / "examples/nsight/llama_fp8.sqlite", "--baseline",
                    ROOT / "examples/nsight/llama_bf16.sqlite"],
    }
    several = [training / f"{name}.sqlite" for name in ("layer_bf16", "layer_fp8", "llama_bf16", "llama_fp8")]
    groups = [(8, runs), (12, comparisons), (2 * len(several), {"several_runs": [*several, *MACHINE]})]
    for most, pages in groups:
        for name, arguments in pages.items():
            page = folder / f"{name}.html"
            subprocess.run([mansard, "report", *map(str, arguments), "-o", page], check=True,
                           capture_output=True)
            yield page, most


def height(browser, page, most):
    """With all folds closed, a page is at most `most` screens high, and not wider than the window."""
    open_started(browser, page)
    high, wide = browser.run("const e = document.documentElement;"
                             "return [e.scrollHeight / innerHeight, e.scrollWidth - innerWidth]")
    print(f"{page.stem}: {high:.1f} screens")
    expect(high <= most, f"{page.stem}: {high:.1f} screens, at most {most}")
    expect(wide <= 0, f"{page.stem}: {wide} px wider than the window")


def runs_on_a_phone(browser, page):
    """The table of runs shows the step time, and the change from the first run, without scrolling."""
    browser.resize(SCREENS["phone"])
    open_started(browser, page)
    right = browser.run("return ['step_s', 'difference'].map((key) => document.querySelector("
                        "`#runs-overview th[data-key=${key}]`).getBoundingClientRect().right)")
    expect(max(right) <= SCREENS["phone"][0], f"{page.stem}: columns of the runs end at {right} px on a phone")
    browser.resize(SCREENS["screen"])


def milliseconds(text):
    number, unit = text.replace("+", "").replace("\u2212", "-").split()
    return float(number) * {"s": 1e3, "ms": 1, "µs": 1e-3, "ns": 1e-6}[unit]


def ledger(browser, page, part):
    """A ledger is one figure: numbers that add up, a bar for each, and lines that open."""
    open_started(browser, page)
    lines = browser.run("""
        const own = [...document.querySelectorAll(arguments[0] + " .ledger:not(.inner) > tbody > .line")];
        return own.map((line) => {
          const bar = line.querySelector(".bar")?.getBoundingClientRect();
          return {name: line.cells[0].textContent, time: line.cells[1].textContent, left: bar?.left, right: bar?.right};
        });""", part)
    times = [milliseconds(line["time"]) for line in lines]
    whole = max(abs(time) for time in times)
    expect(len(lines) >= 4, f"{page.stem}: the ledger has {len(lines)} lines")
    expect(abs(sum(times[:-1]) - times[-1]) < 0.005 * whole,  # numbers have three digits
           f"{page.stem}: {times[:-1]} do not add up to {times[-1]}")
    expect(all(abs(time) >= 0.0195 * whole for time, line in zip(times, lines) if "smaller" not in line["name"]),
           f"{page.stem}: small lines are not gathered: {lines}")
    # Each bar starts where the one above it ends; a scale turns milliseconds to pixels.
    scale = (lines[-1]["right"] - lines[-1]["left"]) / times[-1]
    end = lines[0]["right"]
    for line, time in list(zip(lines, times))[1:-1]:
        if abs(time) * scale < 3:
            end += time * scale
            continue
        start, stop = (line["left"], line["right"]) if time > 0 else (line["right"], line["left"])
        expect(abs(start - end) < 4, f"{page.stem}: the bar of {line['name']} starts at {start}, not {end}")
        expect(abs(stop - start - time * scale) < 4, f"{page.stem}: the bar of {line['name']} is {stop - start} px long")
        end = stop
    # A click on the numbers opens the line, Enter on the marker closes it.
    state = f"return document.querySelectorAll('{part} .ledger:not(.inner) > tbody > .more > td > details[open]').length"
    browser.run(f"document.querySelectorAll('{part} .ledger .line')[1].cells[1].click()")
    expect(browser.run(state) == 1, f"{page.stem}: a click does not open the line")
    browser.run(f"document.querySelectorAll('{part} .ledger .more summary')[1].focus()")
    browser.press("Enter")
    expect(browser.until(lambda: browser.run(state) == 0), f"{page.stem}: Enter does not close the line")
    gathered = browser.run(f"const inner = document.querySelector('{part} .inner'); if (!inner) return null;"
                           "inner.closest('details').open = true;"
                           "return [...inner.querySelectorAll('.line')].map((line) => line.cells[1].textContent)")
    if gathered is not None:
        total = next(time for time, line in zip(times, lines) if "smaller" in line["name"])
        expect(abs(sum(map(milliseconds, gathered)) - total) < 0.003 * whole,
               f"{page.stem}: {gathered} do not add up to {total}")


def rows(browser, page):
    """The kernel table is one tab stop; arrow keys move between its rows, Enter pins."""
    open_started(browser, page)
    stops = "return document.querySelectorAll('.kernels tbody [tabindex=\"0\"]').length"
    expect(browser.run(stops) == 1, f"{page.stem}: {browser.run(stops)} rows are tab stops")
    browser.run("document.querySelector('.kernels tbody [tabindex=\"0\"]').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    at = browser.run("return [document.activeElement.rowIndex, document.activeElement.tabIndex]")
    expect(at == [3, 0], f"{page.stem}: arrow keys lead to row and tab index {at}")
    browser.press("Enter")
    pinned = browser.run("return document.querySelector('.kernels [aria-current]')?.rowIndex")
    expect(pinned == 3, f"{page.stem}: Enter pins row {pinned}")
    browser.run("const field = document.querySelector('.kernels input'); field.value = 'flash';"
                "field.dispatchEvent(new Event('input', {bubbles: true}))")
    hidden = browser.run("const row = document.querySelector('.kernels tbody [tabindex=\"0\"]'); return !row || row.hidden")
    expect(not hidden, f"{page.stem}: with a filter, no visible row is a tab stop")


def folds(browser, page):
    """Links open the fold that they lead to; its figure starts then."""
    drawn = "return document.querySelector('.time-plane svg.interactive') !== null"
    opened = "return document.querySelector('.time-plane > .fold').open"
    open_started(browser, page)
    expect(not browser.run(opened) and not browser.run(drawn), f"{page.stem}: the time plane is not folded")
    summary = browser.run("return document.querySelector('.time-plane summary').innerText")
    expect(re.search(r"\d+ kernels", summary), f"{page.stem}: the fold says {summary!r}")
    browser.run("document.querySelector('nav a[href$=time-plane]').click()")
    expect(browser.run(opened) and browser.run(drawn), f"{page.stem}: the contents bar does not open the time plane")
    browser.open("about:blank")
    open_started(browser, page, "#run1-time-plane")
    top = browser.run("return document.querySelector('.time-plane').getBoundingClientRect().top")
    expect(browser.run(opened) and 0 <= top < 400, f"{page.stem}: a link does not show the time plane ({top})")
    browser.open("about:blank")
    open_started(browser, page, "#%E0%A4%A")  # an invalid escape
    said = browser.console()
    expect(not said, f"{page.stem}: the console says {said}")


def sheets(browser):
    """Number of A4 pages on which the page is printed."""
    data = browser.cdp("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]
    return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(data)))


def printing(browser, page):
    """Four pages by default, more with an open fold, and all of the page by a button."""
    open_started(browser, page)
    browser.media(media="print")
    shown = browser.run("return [...document.querySelectorAll('article > section')]"
                        ".filter((e) => e.checkVisibility()).map((e) => e.className)")
    expect(shown == ["answer", "notes", "ledger", "roofline", "timeline", "kernels"], f"{page.stem}: prints {shown}")
    rows = browser.run("return [...document.querySelectorAll('.kernels tbody tr')]"
                       ".filter((e) => e.checkVisibility()).length")
    expect(rows == 20, f"{page.stem}: prints {rows} kernels")
    browser.media()
    count = sheets(browser)
    expect(count == 4, f"{page.stem}: printed on {count} pages")
    width = browser.run("return [innerWidth, document.querySelector('.roofline svg').clientWidth]")
    expect(width[1] > 0.9 * width[0] - 60, f"{page.stem}: after printing, the roofline is {width[1]} px wide")
    browser.run("document.querySelector('.time-plane > .fold').open = true")
    more = sheets(browser)
    expect(more > count, f"{page.stem}: an open fold is not printed")
    wanted = browser.run("window.print = () => { window.wanted = document.documentElement.dataset.print; };"
                         "[...document.querySelectorAll('.print-tools button')].pop().click(); return window.wanted")
    expect(wanted == "everything", f"{page.stem}: the button prints {wanted}")
    browser.run("document.documentElement.dataset.print = 'everything'")
    browser.media(media="print")
    folded = browser.run("return [...document.querySelectorAll('article > section')]"
                         ".filter((e) => !e.checkVisibility()).map((e) => e.id)")
    expect(not folded, f"{page.stem}: 'Print everything' leaves out {folded}")
    browser.media()


def audit(browser, page):
    for screen, size in SCREENS.items():
        for dark in (False, True):
            name = f"{page.stem}, {screen}, {'dark' if dark else 'light'}"
            browser.resize(size)
            browser.media(dark=dark)
            browser.console()
            browser.requests()
            browser.open(page)
            asked = browser.requests()
            expect(asked == [page.as_uri()], f"{name}: asked for {asked}")
            said = browser.console()
            expect(not said, f"{name}: the console says {said}")
            for fault in faults_of(browser):
                failures.append(f"{name}: {fault}")
    browser.resize(SCREENS["screen"])
    browser.media()


def open_started(browser, page, fragment=""):
    """Opens a page and waits until its figures and tables have started."""
    browser.open(page, fragment)
    expect(browser.until(lambda: browser.run("return 'ready' in document.documentElement.dataset")),
           f"{page.stem}: the script did not finish")


def answers_first(browser, page):
    """The first screen shows the step time and what to change first; the contents bar stays in sight."""
    for screen, size in SCREENS.items():
        browser.resize(size)
        browser.open(page)
        # The bottom of the answer and of each change, by the height of the screen.
        places = browser.run("return ['.answer .lead b', '.answer .first li'].map((s) => [...document.querySelectorAll(s)]"
                             ".map((e) => e.getBoundingClientRect().bottom / innerHeight))")
        expect(places[0] and max(places[0]) <= 1, f"{page.stem}, {screen}: the answer ends at {places[0]} of the screen")
        changes = places[1] if screen == "screen" else places[1][:1]
        expect(changes and max(changes) <= 1, f"{page.stem}, {screen}: what to change first ends at {places[1]} of the screen")
        browser.run("window.scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
        top = browser.run("return document.querySelector('nav').getBoundingClientRect().top")
        expect(abs(top) < 1, f"{page.stem}, {screen}: at the end of the page, the contents bar is at {top}")
    browser.resize(SCREENS["screen"])


def center(box):
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def hands(browser, page):
    """Mouse and keyboard events delivered by the browser."""
    open_started(browser, page)
    for name in ("time-plane", "complexity-plane"):
        browser.run("document.querySelector(arguments[0]).open = true", f".{name} > .fold")
        expect(browser.until(lambda: browser.run(f"return document.querySelector('.{name} svg.interactive') !== null")),
               f"{name} does not start when its fold opens")
    plane = ".roofline svg.interactive"
    mark = "document.querySelector('.roofline .point').getAttribute('transform')"
    before = browser.run(f"return {mark}")
    x, y = center(browser.box(plane))
    time.sleep(0.4)  # wheel events right after scrolling continue the scrolling
    browser.wheel(x, y, -240)
    expect(browser.until(lambda: browser.run(f"return {mark}") != before), "the wheel does not zoom")
    zoomed = browser.run(f"return {mark}")
    browser.drag((x, y), (x + 60, y + 30))
    expect(browser.until(lambda: browser.run(f"return {mark}") != zoomed), "dragging does not move")
    hash_of = "return location.hash"
    expect(browser.until(lambda: "x=" in browser.run(hash_of)),
           f"the address does not say the zoom: {browser.run(hash_of)}")
    browser.click_at(x, y, times=2)
    expect(browser.until(lambda: browser.run(f"return {mark}") == before), "no way back from a zoom")

    # The roofline opens on most of the time, counts the kernels outside, and shows them.
    counts = ("return [2, 3, 4, 5].map((i) => document.querySelector("
              "`.roofline [data-link='axis ${i}']`)?.textContent ?? '').join(' ')")
    shown = "return document.querySelectorAll('.roofline .point').length"
    first, at_first = browser.run(counts), browser.run(shown)
    expect("kernel" in first and "%" in first, f"the first roofline counts {first!r} outside")
    browser.run("[...document.querySelectorAll('.roofline button')].find((b) => b.textContent === 'All').click()")
    expect(browser.until(lambda: browser.run(counts).strip() == ""), f"All leaves {browser.run(counts)!r}")
    expect(browser.run(shown) > at_first, "All shows no further kernels")
    expect(browser.run("return document.querySelectorAll('.roofline .ring').length") > 0, "no ring")
    browser.click_at(x, y, times=2)
    expect(browser.until(lambda: browser.run(counts) == first), "no way back from All")

    # Keyboard only: focus the search, find, pin, unpin.
    browser.run("document.activeElement.blur()")
    browser.press("/")
    focus = "return document.activeElement.getAttribute('class') || ''"
    expect("kernel-search" in browser.run(focus), f"/ leads to {browser.run(focus)!r}")
    browser.press(*"flash")
    found = "return document.querySelectorAll('.roofline .point.found').length"
    expect(browser.until(lambda: browser.run(found)) == 2, f"found {browser.run(found)} of 2 kernels")
    browser.run("document.querySelector('.roofline svg.interactive').focus()")
    browser.press("n")
    pinned = "return document.querySelector('.kernels [aria-current]')?.dataset.row ?? null"
    row = browser.until(lambda: browser.run(pinned))
    expect(row is not None, "n pins no kernel")
    in_all = ("return ['.roofline', '.time-plane', '.complexity-plane']"
              ".map((s) => document.querySelectorAll(s + ' .point.focus').length)")
    expect(all(browser.run(in_all)), f"the pinned kernel is not in all planes: {browser.run(in_all)}")
    link = browser.until(lambda: "kernel=" in browser.run(hash_of) and browser.run(hash_of))
    expect(link, f"the address does not say the pinned kernel: {browser.run(hash_of)}")
    browser.press("Escape")
    expect(browser.until(lambda: browser.run(pinned) is None), "Escape does not release")

    # The deep link restores the kernel.
    browser.open(page, link or "")
    browser.reload()
    expect(browser.until(lambda: browser.run(pinned)) == row, "the link does not pin its kernel")

    # Files are written to the download folder and contain a figure.
    browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(browser.downloads))
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        browser.run("[...document.querySelectorAll('.roofline button')]"
                    ".find((b) => b.textContent === arguments[0]).click()", f"Download {kind}")
        file = browser.until(lambda: next(iter(browser.downloads.glob(f"*.{kind.lower()}")), None))
        expect(file and start in file.read_bytes()[:200], f"no {kind} of the roofline")


def without_script(browser, page):
    html = page.read_text(encoding="utf-8")
    plain = page.with_name("plain_" + page.name)
    plain.write_text(re.sub(r"<script>.*?</script>", "", html, flags=re.S), encoding="utf-8")
    browser.open(plain)
    browser.run("for (const fold of document.querySelectorAll('.fold')) fold.open = true")
    seen = browser.run("return [...document.querySelectorAll('figure svg.wide:not(.chart)')]"
                       ".map((e) => e.getBoundingClientRect().width > 300)")
    expect(len(seen) >= 6 and all(seen), f"without a script: static figures {seen}")
    for fault in faults_of(browser):
        failures.append(f"{page.stem} without a script: {fault}")


def main():
    if browser_programs() is None:
        print("skipped: no chromium or no chromedriver on PATH (Debian: chromium, chromium-driver)")
        return 77
    write_fixture_pages, mansard = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        subprocess.run([write_fixture_pages, name], check=True)
        pages = [folder / f"{stem}.html" for stem in ("run", "machine", "several", "hostile", "no_machine")]
        pages += recorded_pages(mansard, folder)
        for page in pages:
            audit(browser, page)
            if page.stem in ("h200_run", "h200_ranks"):
                answers_first(browser, page)
        for page in (folder / "run.html", folder / "prediction.html"):
            browser.open(page)
            failures.extend(f"{page.stem}: {fault}" for fault in faults_of_keyboard(browser))
        hands(browser, folder / "run.html")
        rows(browser, folder / "run.html")
        folds(browser, folder / "h200_run.html")
        printing(browser, folder / "h200_run.html")
        ledger(browser, folder / "h200_run.html", ".ledger")
        ledger(browser, folder / "comparison.html", ".findings")
        for page, most in short_pages(mansard, folder):
            height(browser, page, most)
        height(browser, folder / "prediction.html", 8)
        height(browser, folder / "goodput.html", 10)
        runs_on_a_phone(browser, folder / "several_runs.html")
        without_script(browser, folder / "run.html")
    for failure in failures:
        print("FAILED:", failure)
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
