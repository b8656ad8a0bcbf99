# SPDX-License-Identifier: Apache-2.0
"""No two files of different meaning share a name, because error messages, debuggers and searches show only file names.

Usage: unique_basenames.py SOURCE_FOLDER. Prints each name that several files have."""

import collections
import pathlib
import sys

ROOMS = ["support", "kernels", "empirical_roofline", "collector", "analyzer", "reports", "gui", "cli"]
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".js"}
# Folders with corresponding files: versions of one module for each format.
ALIKE = [{"kernels/fp8", "kernels/nvfp4"}]


def kind(file: pathlib.PurePath):
    """The set in which a file's name must be unique: commands, for example, are named after their file."""
    place = file.as_posix()
    if file.name == "main.cpp" or place.startswith("cli/commands/"):
        return place
    for folders in ALIKE:
        for folder in folders:
            if place.startswith(folder + "/"):
                return folder
    return ""


def shared_names(files):
    by_name = collections.defaultdict(list)
    for file in files:
        by_name[(kind(file), file.name)].append(file.as_posix())
    return {name: places for (_, name), places in by_name.items() if len(places) > 1}


def self_test():
    """The check itself must be able to fail."""
    paths = [pathlib.PurePosixPath(p) for p in
             ("a/x.cpp", "b/x.cpp", "b/x.h", "kernels/fp8/y.h", "kernels/nvfp4/y.h", "cli/commands/x.cpp")]
    assert shared_names(paths) == {"x.cpp": ["a/x.cpp", "b/x.cpp"]}, shared_names(paths)


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    files = [f.relative_to(root) for room in ROOMS for f in sorted((root / room).rglob("*")) if f.suffix in SOURCES]
    found = shared_names(files)
    for name, places in sorted(found.items()):
        print(f"{name}: {', '.join(places)}")
    if not found:
        print(f"{len(files)} files have unique names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
