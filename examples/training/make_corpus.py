# SPDX-License-Identifier: Apache-2.0
"""Makes a folder of text for `mansard train`, from the documentation on this machine or from Debian packages:

    python3 examples/training/make_corpus.py corpus
    python3 examples/training/make_corpus.py corpus --packages linux-doc-6.1 --no-installed

Takes text in this order until the corpus has its size: the contents of --packages, the files under
--paths, and what is installed: /usr/share/doc, manual pages and the sources of Python's standard library.
Compressed text (.gz) is decompressed, HTML and the markup of manual pages are kept. Files with equal content
are taken once. With --no-installed, equal versions of the packages give the same corpus on every machine."""

import argparse
import collections
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib

INSTALLED = [pathlib.Path(p) for p in ("/usr/share/doc", "/usr/share/man", sysconfig.get_paths()["stdlib"])]
# Themes, search indexes and drawings of HTML documentation: text that nobody wrote.
GENERATED = {".css", ".js", ".map", ".svg"}
# Python packages that are not part of the standard library.
SKIPPED_FOLDERS = {"dist-packages", "site-packages"}
ARCHIVES = (".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tgz")
MARKER = ".mansard-corpus"  # in a folder that this program wrote and may overwrite; hidden files are not training data
MB = 1e6


class Failure(Exception):
    """An error whose message is for the user."""


def run(command, folder, advice):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError as error:
        raise Failure(f"{command[0]} is missing; --packages needs Debian or a distribution based on it") from error
    if done.returncode != 0:
        raise Failure(f"'{' '.join(map(str, command))}' failed; {advice}:\n{done.stderr.strip()}")


def unpacked_package(name, folder):
    """Downloads a package and returns a folder with its files. Archives in it become folders of their name."""
    download, content = folder / "download", folder / "content"
    download.mkdir(parents=True)
    run(["apt-get", "download", name], download, "check the name, or run 'apt-get update' first")
    package = next(download.glob("*.deb"))
    run(["dpkg-deb", "-x", package, content], folder, "check the space in the temporary folder, or set TMPDIR")
    print(f"{name}: {package.name}, {package.stat().st_size / MB:.1f} MB", flush=True)
    for archive in sorted(f for f in content.rglob("*") if f.name.endswith(ARCHIVES) and is_plain(f)):
        members = folder / "archive"
        members.mkdir()
        run(["tar", "-xf", archive, "-C", members], folder, "check the space in the temporary folder, or set TMPDIR")
        archive.unlink()
        members.rename(archive)
    return content


def is_plain(file):
    """Links are left out: their targets are found under their own names, or are not part of the package."""
    return file.is_file() and not file.is_symlink()


def files_under(root):
    """Plain files in a fixed order, without hidden ones."""
    def fail(error):
        raise Failure(f"cannot list '{error.filename}': {error.strerror}")

    if is_plain(root):
        yield root
        return
    for folder, folders, names in os.walk(root, onerror=fail):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            file = pathlib.Path(folder, name)
            if not name.startswith(".") and is_plain(file):
                yield file


def visible(path):
    """`path` without hidden folders, which are not training data."""
    return pathlib.Path(*(f"dot{part}" if part.startswith(".") else part for part in path.parts))


def text_of(file):
    """The content of a file; None and a reason if it is not text."""
    if file.suffix in GENERATED:
        return None, "generated"
    try:
        content = file.read_bytes()
        if file.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None, "unreadable"
    if not content:
        return None, "empty"
    if b"\0" in content:  # which separates the files of a corpus
        return None, "binary"
    return content, ""


class Corpus:
    def __init__(self, folder, max_bytes):
        self.folder = folder
        self.bytes_left = max_bytes
        self.seen = set()
        self.skipped = collections.Counter()
        self.sources = {}  # name: [files, bytes]

    def is_full(self):
        return self.bytes_left <= 0

    def add(self, source, root, base, prefix):
        """Adds the text under `root`, at prefix / its path relative to `base`."""
        count = self.sources.setdefault(source, [0, 0])
        for file in files_under(root):
            if self.is_full():
                return
            content, reason = text_of(file)
            if content is not None:
                digest = hashlib.sha256(content).digest()
                if digest in self.seen:
                    content, reason = None, "duplicate"
                self.seen.add(digest)
            if content is None:
                self.skipped[reason] += 1
                continue
            if len(content) > self.bytes_left:  # cut the last file after a line
                content = content[:content.rfind(b"\n", 0, self.bytes_left) + 1] or content[:self.bytes_left]
                self.bytes_left = 0
            else:
                self.bytes_left -= len(content)
            target = self.folder / prefix / visible(file.relative_to(base))
            if file.suffix == ".gz":
                target = target.with_name(target.name + ".txt")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            count[0] += 1
            count[1] += len(content)


def collect(corpus, args):
    for name in args.packages:
        if corpus.is_full():
            break
        with tempfile.TemporaryDirectory(prefix="mansard-corpus-") as folder:
            content = unpacked_package(name, pathlib.Path(folder))
            corpus.add(f"package {name}", content, content, pathlib.Path("packages", name))
    paths = [p.resolve() for p in args.paths]
    if args.installed:
        paths += [p for p in INSTALLED if p.exists()]
    for path in paths:
        if corpus.is_full():
            break
        corpus.add(str(path), path, path.anchor, "files")


def check_output(output, force):
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise Failure(f"'{output}' is not a folder; choose another one")
    if not output.exists() or not any(output.iterdir()):
        return
    if not (output / MARKER).exists():
        raise Failure(f"'{output}' contains other files; choose another folder")
    if not force:
        raise Failure(f"'{output}' exists; overwrite it with -f, or choose another folder")


def make(args):
    check_output(args.output, args.force)
    for path in args.paths:
        if not path.exists():
            raise Failure(f"'{path}' does not exist")
        if path.resolve() in [args.output, *args.output.parents]:
            raise Failure(f"the output is in '{path}'; choose a folder outside of it")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    # The corpus gets its name when it is complete.
    with tempfile.TemporaryDirectory(prefix=args.output.name + ".", dir=args.output.parent) as unfinished:
        folder = pathlib.Path(unfinished, "new")
        folder.mkdir()
        (folder / MARKER).touch()
        corpus = Corpus(folder, int(args.size * MB))
        collect(corpus, args)
        files = sum(count for count, _ in corpus.sources.values())
        if files == 0:
            raise Failure("found no text; name packages with --packages or folders with --paths")
        if args.output.exists():
            args.output.rename(pathlib.Path(unfinished, "old"))
        folder.rename(args.output)
    total = sum(size for _, size in corpus.sources.values())
    for source, (count, size) in [*corpus.sources.items(), (f"total, in '{args.output}'", (files, total))]:
        print(f"{size / MB:8.1f} MB  {count:6,} files  {source}")
    if corpus.skipped:
        print("skipped: " + ", ".join(f"{count:,} {reason}" for reason, count in sorted(corpus.skipped.items())))
    if not corpus.is_full():
        print(f"less than {args.size:g} MB: add packages with --packages (linux-doc-6.1, linux-source-6.1) or --paths")


def positive(text):
    value = float(text)
    if not 0 < value < 1e9:
        raise ValueError(text)
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="folder to create")
    parser.add_argument("--size", type=positive, default=200, metavar="MB", help="size of the corpus at most (200)")
    parser.add_argument("--packages", nargs="+", default=[], metavar="NAME",
                        help="Debian packages, which apt-get downloads")
    parser.add_argument("--paths", nargs="+", default=[], type=pathlib.Path, metavar="PATH", help="files and folders")
    parser.add_argument("--no-installed", dest="installed", action="store_false",
                        help="only --packages and --paths, not what is installed on this machine")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite a corpus that this program made")
    args = parser.parse_args()
    args.output = args.output.absolute()
    try:
        make(args)
    except Failure as error:
        sys.exit(f"make_corpus: {error}")
    except OSError as error:
        sys.exit(f"make_corpus: '{error.filename}': {error.strerror}")


if __name__ == "__main__":
    main()
