# SPDX-License-Identifier: Apache-2.0
"""Every #include between rooms (top-level folders) must follow the data flow; see CONTRIBUTING.md.

Usage: include_directions.py SOURCE_FOLDER. Prints each violating include."""

import pathlib
import re
import sys

# The rooms that a room may include, besides itself.
ALLOWED = {
    "support": set(),
    "kernels": {"support"},
    "empirical_roofline": {"support", "kernels"},
    "collector": {"support", "kernels"},
    "analyzer": {"support", "kernels", "empirical_roofline", "collector"},
    "reports": {"support", "kernels", "empirical_roofline", "collector", "analyzer"},
    "gui": {"support", "kernels", "empirical_roofline", "collector", "analyzer", "reports"},
    "cli": {"support", "kernels", "empirical_roofline", "collector", "analyzer", "reports"},
}
# System headers that only one folder may include.
ONLY_IN = {
    re.compile(r"<cupti.*>"): "collector/cupti/",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))')
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


def violations(root: pathlib.Path):
    for room, allowed in ALLOWED.items():
        for file in sorted((root / room).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            place = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                quoted, system = match.groups()
                if quoted:
                    target = quoted.split("/")[0]
                    if "/" not in quoted or not (root / quoted).exists():
                        yield f"{place}:{number}: '{quoted}' is not a path relative to the root of the tree"
                    elif target in ALLOWED and target != room and target not in allowed:
                        yield f"{place}:{number}: {room} must not include {target} ('{quoted}')"
                else:
                    for pattern, owner in ONLY_IN.items():
                        if pattern.fullmatch(system) and not place.startswith(owner):
                            yield f"{place}:{number}: {system} may only be included in {owner}"


def self_test(tmp: pathlib.Path):
    """The check itself must be able to fail."""
    for room in ALLOWED:
        (tmp / room).mkdir()
    (tmp / "kernels/a.h").write_text("")
    (tmp / "collector/b.h").write_text("")
    (tmp / "analyzer/good.cpp").write_text('#include "kernels/a.h"\n#include <vector>\n')
    (tmp / "empirical_roofline/bad.cpp").write_text(
        '#include "collector/b.h"\n#include "b.h"\n#include <cupti.h>\n')
    found = list(violations(tmp))
    assert len(found) == 3, found
    assert all(line.startswith("empirical_roofline/bad.cpp") for line in found), found


def main():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        self_test(pathlib.Path(folder))
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "all includes follow the data flow")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
