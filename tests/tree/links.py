# SPDX-License-Identifier: Apache-2.0
"""Figures and pages follow links (analysis::RowLink, the record of a slice): they do not search for a launch or a row
by its time or name, and do not parse text made for people.

Usage: links.py SOURCE_FOLDER. Prints each violating line."""

import pathlib
import re
import sys

ROOMS = ["reports", "gui"]
SOURCES = {".h", ".cpp"}
REFUSED = {
    re.compile(r"\b(time_s|end_ns) == (?!nullptr)"): "searches by time",
    re.compile(r"\b(short_name|signature) == "): "searches by name",
    re.compile(r"\bstd::(stoi|stol|stoul|strtol|strtoul|atoi)\("): "parses a number from text",
}


def violations(place, text):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, why in REFUSED.items():
            if pattern.search(line.split("//")[0]):
                yield f"{place}:{number}: {why}: {line.strip()}"


def main():
    assert list(violations("a.cpp", "  return row.time_s == *time_s;\n"))
    assert list(violations("a.cpp", "std::strtoul(text->c_str(), nullptr, 10)\n"))
    assert not list(violations("a.cpp", "  // where time_s == 0\n  slices.record(i) == record\n"))
    root = pathlib.Path(sys.argv[1])
    files = [f for room in ROOMS for f in sorted((root / room).rglob("*")) if f.suffix in SOURCES]
    bad = [line for f in files for line in violations(f.relative_to(root).as_posix(), f.read_text(encoding="utf-8"))]
    print("\n".join(bad) if bad else f"{len(files)} files follow links")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
