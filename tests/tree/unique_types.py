# SPDX-License-Identifier: Apache-2.0
"""No two types share a qualified name: two definitions of one class in a program are undefined behavior, which a
compiler notices only when it optimizes across files (-flto -Wodr).

Usage: unique_types.py SOURCE_FOLDER. Prints each name that several files define."""

import collections
import pathlib
import re
import sys

ROOMS = ["support", "kernels", "empirical_roofline", "collector", "analyzer", "reports", "gui", "cli"]
SOURCES = {".h", ".cpp", ".cu", ".cuh"}
# Types and namespaces start in the first column (clang-format); types in anonymous namespaces are local.
OPENED = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{(?!.*\})")
CLOSED = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: :(?!:)[^;]*)?(?: \{|$)")


def types_of(text):
    open_namespaces = []
    for line in text.splitlines():
        if opened := OPENED.match(line):
            open_namespaces.append(opened.group(1) or "")
        elif CLOSED.match(line) and open_namespaces:
            open_namespaces.pop()
        elif (found := TYPE.match(line)) and "" not in open_namespaces:
            yield "::".join([*open_namespaces, found.group(1)])


def shared_types(texts):
    """`texts`: (place, content) of each file."""
    places = collections.defaultdict(set)
    for place, text in texts:
        for name in types_of(text):
            places[name].add(place)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1}


def self_test():
    """The check itself must be able to fail."""
    step = "namespace mansard::a {\nstruct Step {\n};\nnamespace {\nstruct Own {\n};\n}  // namespace\n}  // namespace mansard::a\n"
    other = step.replace("mansard::a", "mansard::b")
    assert not shared_types([("x.h", step), ("y.h", other), ("z.h", "namespace mansard::a {\nstruct Step;\n")])
    assert shared_types([("x.h", step), ("y.cpp", step)]) == {"mansard::a::Step": ["x.h", "y.cpp"]}


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    files = [f for room in ROOMS for f in sorted((root / room).rglob("*")) if f.suffix in SOURCES]
    texts = [(f.relative_to(root).as_posix(), f.read_text(encoding="utf-8")) for f in files]
    found = shared_types(texts)
    for name, places in sorted(found.items()):
        print(f"{name}: {', '.join(places)}")
    if not found:
        print(f"{sum(1 for _, text in texts for _ in types_of(text))} types have unique names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
