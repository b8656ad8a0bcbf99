# SPDX-License-Identifier: Apache-2.0
"""Sentences are plain English, spelled American: patterns that readers had to decode are refused.

Usage: wording.py SOURCE_FOLDER. Prints each line of the project's text that holds one. Uses
codespell for the spelling, and skips that part with a message where codespell is missing."""

import pathlib
import re
import shutil
import subprocess
import sys

SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".js", ".css", ".py", ".md", ".cmake", ".sh", ".rules"}
FOLDERS = ["support", "kernels", "empirical_roofline", "collector", "analyzer", "reports", "gui", "cli", "tests",
           "docs", "scripts"]
FILES = ["README.md", "CONTRIBUTING.md", "CMakeLists.txt", "quickstart", "run-tests"]
# Recorded data, outputs that other programs wrote, and this file.
SKIPPED = ["tests/golden/", "tests/tree/wording.py"]

COMMENT = r"^\s*(?://+|#|\*)\s+"
REFUSED = {
    "a comment that begins with 'Of'": re.compile(COMMENT + r"Of (?!course)"),
    "a comment that begins with 'What'": re.compile(COMMENT + r"What (?![^.]*\?)"),
    "a comment that begins with 'The same'": re.compile(COMMENT + r"The same "),
    "'is no X' for 'is not an X'": re.compile(
        r"\b(?<!there )(?<!There )(?:is|are) no (?!longer|more|less|fewer|larger|smaller|better|worse|faster|slower|"
        r"earlier|later|higher|lower|longer)[a-z]+"),
    "'held against'": re.compile(r"\bheld against\b"),
    "'so many'": re.compile(r"\bso many\b"),
    "'for want of'": re.compile(r"\bfor want of\b"),
}
# Words that codespell's British list reports and the project means otherwise.
ALLOWED_WORDS = "analyses"


def findings(place, text):
    for number, line in enumerate(text.splitlines(), 1):
        for name, pattern in REFUSED.items():
            if pattern.search(line):
                yield f"{place}:{number}: {name}: {line.strip()}"


def self_test():
    """The check itself must be able to fail."""
    for bad in ("// Of no thread.", "  # What is shown.", "// The same for bytes.", 'say("it is no profile");',
                "held against it", "so many launches", "for want of a name"):
        assert list(findings("x", bad)), bad
    for good in ("// Returns the median.", "there is no GPU", "it is no longer open", "// What if it fails?",
                 "// Of course not."):
        assert not list(findings("x", good)), good


def project_files(root):
    files = [root / name for name in FILES]
    for folder in FOLDERS:
        files += sorted(f for f in (root / folder).rglob("*") if f.suffix in SUFFIXES or f.name == "CMakeLists.txt")
    return [f for f in files if not any(f.relative_to(root).as_posix().startswith(s) for s in SKIPPED)]


def spelling(root, files):
    """Lines of codespell; its dictionaries of typing errors and of British spelling."""
    if shutil.which("codespell") is None:
        print("codespell is missing: spelling is not checked")
        return []
    command = ["codespell", "--builtin", "en-GB_to_en-US", "--ignore-words-list", ALLOWED_WORDS]
    result = subprocess.run([*command, *(f.relative_to(root).as_posix() for f in files)], cwd=root,
                            stdout=subprocess.PIPE, text=True, check=False)
    return result.stdout.splitlines()


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    files = project_files(root)
    bad = [line for f in files for line in findings(f.relative_to(root).as_posix(), f.read_text(encoding="utf-8"))]
    bad += spelling(root, files)
    print("\n".join(bad) or f"{len(files)} files")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
