# SPDX-License-Identifier: Apache-2.0
"""A client of W3C WebDriver (www.w3.org/TR/webdriver2) for chromedriver, with a few Chromium
extensions."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of element references in the standard
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "Space": "\ue00d", "Home": "\ue011",
        "End": "\ue010", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a"}


def browser_programs():
    """(chromium, chromedriver), or None if one of them is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    return (chromium, driver) if chromium and driver else None


class WebDriverError(RuntimeError):
    pass


class Browser:
    """with Browser(size=(1440, 900)) as browser: browser.open(path)"""

    def __init__(self, size=(1440, 900), dark=False, scale=1):
        chromium, driver = browser_programs()
        self.profile = tempfile.TemporaryDirectory()
        self.downloads = pathlib.Path(self.profile.name) / "downloads"
        self.downloads.mkdir()
        self.process = subprocess.Popen([driver, "--port=0"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{self._port()}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update",
                     "--no-first-run", "--disable-dev-shm-usage",
                     f"--force-device-scale-factor={scale}", f"--user-data-dir={self.profile.name}/data"]
        options = {"binary": chromium, "args": arguments,
                   "prefs": {"download.default_directory": str(self.downloads)},
                   "perfLoggingPrefs": {"enableNetwork": True}}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]
        self.scale = scale
        self.resize(size)
        self.media(dark=dark)
        self._call("POST", self.session + "/url", {"url": "about:blank"})
        self.requests()  # drop those of the browser's start page

    def _port(self):
        for line in self.process.stdout:
            if "started successfully on port" in line:
                return int(line.rsplit(" ", 1)[1].rstrip(". \n"))
        raise WebDriverError("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        except WebDriverError:
            pass
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()
        for _ in range(20):  # processes of the browser may still write
            try:
                self.profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def _call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}") from None

    # ---- The page -----------------------------------------------------------------------------------

    def open(self, file, fragment=""):
        url = file if file == "about:blank" else pathlib.Path(file).resolve().as_uri() + fragment
        self._call("POST", self.session + "/url", {"url": url})

    def reload(self):
        self._call("POST", self.session + "/refresh")

    def run(self, script, *arguments):
        """Runs a function body with `arguments` and returns its result."""
        return self._call("POST", self.session + "/execute/sync",
                          {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        return self._call("POST", self.session + "/goog/cdp/execute",
                          {"cmd": command, "params": parameters})

    def resize(self, size):
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                 deviceScaleFactor=self.scale, mobile=False)

    def media(self, dark=False, media=""):
        self.cdp("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def console(self):
        """Console messages since the last call."""
        return [entry["message"] for entry in
                self._call("POST", self.session + "/se/log", {"type": "browser"})]

    def requests(self):
        """URLs requested since the last call."""
        addresses = []
        for entry in self._call("POST", self.session + "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.startswith(("file:", "http:", "https:", "ws:", "wss:")):
                    addresses.append(url)
        return addresses

    def screenshot(self, file, whole=False):
        """PNG, or WebP if the file name ends so. `whole`: the whole page, else the window."""
        parameters = {"format": "png"}
        if str(file).endswith(".webp"):
            parameters = {"format": "webp", "quality": 85}
        if whole:
            size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
            parameters["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"],
                                  "scale": 1}
            parameters["captureBeyondViewport"] = True
        data = self.cdp("Page.captureScreenshot", **parameters)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    # ---- Elements -----------------------------------------------------------------------------------

    def find_all(self, css):
        return self._call("POST", self.session + "/elements", {"using": "css selector", "value": css})

    def find(self, css):
        found = self.find_all(css)
        if not found:
            raise WebDriverError(f"the page has no {css}")
        return found[0]

    def _of(self, element, path, method="GET", body=None):
        element = self.find(element) if isinstance(element, str) else element
        return self._call(method, f"{self.session}/element/{element[ELEMENT]}/{path}", body)

    def text(self, element):
        return self._of(element, "text")

    def attribute(self, element, name):
        return self._of(element, f"attribute/{name}")

    def click(self, element):
        return self._of(element, "click", "POST")

    def name(self, element):
        """The accessible name, as read by assistive technology."""
        return self._of(element, "computedlabel")

    def type(self, element, text):
        return self._of(element, "value", "POST", {"text": text})

    def until(self, condition, seconds=5):
        """Waits until `condition()` is true and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    # ---- Hands --------------------------------------------------------------------------------------

    def _act(self, *sources):
        self._call("POST", self.session + "/actions", {"actions": list(sources)})

    def press(self, *keys):
        """Presses keys one after the other; "Shift+a" holds the first one."""
        actions = []
        for key in keys:
            *held, last = key.split("+") if len(key) > 1 else [key]
            names = [KEYS.get(k, k) for k in held] + [KEYS.get(last, last)]
            actions += [{"type": "keyDown", "value": k} for k in names]
            actions += [{"type": "keyUp", "value": k} for k in reversed(names)]
        self._act({"type": "key", "id": "keyboard", "actions": actions})

    def _pointer(self, *actions):
        self._act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                   "actions": list(actions)})

    def point(self, x, y):
        self._pointer({"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)})

    def click_at(self, x, y, times=1):
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._pointer({"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                      *(press * times))

    def drag(self, start, end):
        self._pointer({"type": "pointerMove", "duration": 0, "x": round(start[0]), "y": round(start[1])},
                      {"type": "pointerDown", "button": 0},
                      {"type": "pointerMove", "duration": 60, "x": round(end[0]), "y": round(end[1])},
                      {"type": "pointerUp", "button": 0})

    def wheel(self, x, y, delta):
        self._act({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "duration": 0, "x": round(x), "y": round(y), "deltaX": 0,
             "deltaY": delta}]})

    def box(self, css):
        """x, y, width, height of the first such element, scrolled to the middle of the window."""
        return self.run("const e = document.querySelector(arguments[0]);"
                        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
                        "const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height];", css)
