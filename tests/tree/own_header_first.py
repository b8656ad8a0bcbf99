# SPDX-License-Identifier: Apache-2.0
"""A source file includes its own header first, so that compiling it shows that the header is self-contained. Headers
without a source file are compiled by tests/headers.

Usage: own_header_first.py SOURCE_FOLDER. Prints each source file that includes another header first."""

import pathlib
import re
import sys

ROOMS = ["support", "kernels", "empirical_roofline", "collector", "analyzer", "reports", "gui", "cli"]
# Their headers need CUDA, which they check for first; tests/headers compiles those.
CHECKS_FIRST = {"kernels/recipes/cuda_backend.cpp"}
INCLUDE = re.compile(r"^\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", re.MULTILINE)


def first_include(text):
    match = INCLUDE.search(text)
    return match.group(1) if match else None


def violations(root):
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            if file.suffix not in {".cpp", ".cu"}:
                continue
            header = file.with_suffix(".h")
            if file.relative_to(root).as_posix() in CHECKS_FIRST:
                continue
            if header.exists() and first_include(file.read_text(encoding="utf-8")) != header.relative_to(root).as_posix():
                yield f"{file.relative_to(root)}: does not include {header.relative_to(root)} first"


def main():
    assert first_include('// a\n#include "a/b.h"\n#include <c>\n') == "a/b.h"
    root = pathlib.Path(sys.argv[1])
    bad = list(violations(root))
    print("\n".join(bad) if bad else "every source file includes its own header first")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
