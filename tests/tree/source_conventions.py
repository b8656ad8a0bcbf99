# SPDX-License-Identifier: Apache-2.0
"""Checks every source file: it must start with a license line and must not be too long.

Usage: source_conventions.py SOURCE_FOLDER"""

import pathlib
import sys

ROOMS = ["support", "python", "kernels", "empirical_roofline", "collector", "analyzer", "reports", "gui", "cli", "tests",
         "cmake", "scripts"]
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".cmake", ".py", ".sh", ".js", ".css"}
MAX_LINES = 500


def main():
    root = pathlib.Path(sys.argv[1])
    files = [f for room in ROOMS for f in sorted((root / room).rglob("*"))
             if f.suffix in SOURCES or f.name == "CMakeLists.txt"]
    bad = []
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        place = file.relative_to(root)
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:2]):
            bad.append(f"{place}:1: no SPDX-License-Identifier line")
        if len(lines) > MAX_LINES:
            bad.append(f"{place}: {len(lines)} lines; split it, or raise MAX_LINES with a reason")
    print("\n".join(bad) if bad else f"{len(files)} files keep the conventions")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
