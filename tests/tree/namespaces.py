# SPDX-License-Identifier: Apache-2.0
"""Each room (top-level folder) has its own namespace; support/ and the vocabulary, which every room uses, have the root
namespace.

Usage: namespaces.py SOURCE_FOLDER. Prints each namespace that is opened by a file of another room."""

import pathlib
import re
import sys

# The longest prefix of a file's path decides.
NAMESPACES = {
    "support/": "mansard",
    "kernels/": "mansard::kernels",
    "kernels/vocabulary/": "mansard",
    "kernels/annotation/annotate.h": "mansard",  # included by other programs
    "empirical_roofline/": "mansard::roofline",
    "collector/": "mansard::collector",
    "collector/store/": "mansard::store",
    "analyzer/": "mansard::analysis",
    "reports/": "mansard::reports",
    "reports/figure/": "mansard::figure",
    "gui/": "mansard::gui",
    "cli/": "mansard::cli",
}
# Namespaces of support/ within the root.
NESTED_IN_ROOT = {"mansard", "mansard::nvml"}
OPENED = re.compile(r"^namespace (mansard[\w:]*)", re.MULTILINE)
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


def expected(place):
    return NAMESPACES[max((p for p in NAMESPACES if place.startswith(p)), key=len)]


def violations(place, text):
    wanted = expected(place)
    for opened in OPENED.findall(text):
        if wanted == "mansard":
            right = opened in NESTED_IN_ROOT
        else:
            right = opened == wanted or opened.startswith(wanted + "::")
        if not right:
            yield f"{place}: opens {opened}; its room is {wanted}"


def self_test():
    """The check itself must be able to fail."""
    assert not list(violations("gui/a.h", "namespace mansard::gui {\n"))
    assert not list(violations("kernels/a.h", "namespace mansard::kernels::nvfp4 {\n"))
    assert list(violations("gui/a.h", "namespace mansard {\n"))
    assert list(violations("collector/store/a.h", "namespace mansard::collector {\n"))
    assert list(violations("support/a.h", "namespace mansard::gui {\n"))


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    rooms = sorted({prefix.split("/")[0] for prefix in NAMESPACES})
    files = [f for room in rooms for f in sorted((root / room).rglob("*")) if f.suffix in SOURCES]
    bad = [line for f in files for line in violations(f.relative_to(root).as_posix(), f.read_text(encoding="utf-8"))]
    print("\n".join(bad) if bad else f"{len(files)} files open their room's namespace")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
