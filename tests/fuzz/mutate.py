#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutates inputs of every reader, and checks the commands that read them: no signal, no escape character on a terminal,
at most 10 s and 1 GB, and no change to any file except the output. Seeded, so that a run can be repeated.

usage: mutate.py MANSARD [--seconds N | --inputs N] [--seed N] [--kinds KIND,...] [--user NAME] [--keep FOLDER]

Prints the number of tested inputs of each kind; exit code 1 if one failed, with its seed and, with --keep, its
files."""

import argparse
import collections
import gzip
import hashlib
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from sanitizer import sanitizer_of  # noqa: E402

EXAMPLES = ROOT / "examples"
LONGEST_S = 10
# Limit of the address space; the program's own mappings are below a quarter of it.
MOST_BYTES = 1 << 30
SANITIZED = False  # a sanitizer needs additional memory
NUMBERS = [0, 1, -1, 2**31 - 1, 2**31, 2**63 - 1, -2**63, 1 << 62, 10**18]
TEXTS = ["", "\x1b[2J\x07", "=1+1", "\u202e", "a" * 100_000, "\x00", "<script>alert(1)</script>", "%s%n", "../../x",
         "NaN", "1e999", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]


def flip_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 2, 8, 64, 1000))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def cut(data, rng):
    return data[:rng.randrange(len(data) + 1)]


def splice(data, rng):
    if not data:
        return data
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    at = rng.randrange(len(data) + 1)
    piece = data[start:min(end, start + 100_000)]
    return data[:at] + piece * rng.choice((1, 1, 3)) + data[at:]


def replace_word(data, rng):
    """Replaces a number or text of JSON or CSV."""
    text = data.decode("utf-8", "replace")
    start = rng.randrange(max(1, len(text)))
    digits = next((i for i in range(start, len(text)) if text[i].isdigit()), None)
    if digits is None:
        return data
    end = next((i for i in range(digits, len(text)) if not (text[i].isdigit() or text[i] in ".eE+-")), len(text))
    new = rng.choice([str(rng.choice(NUMBERS)), '"' + rng.choice(TEXTS) + '"', "[" * 2000, "{}", "null", "1e999"])
    return (text[:digits] + new + text[end:]).encode("utf-8", "replace")


def mutate_bytes(data, rng, text=False):
    for _ in range(rng.choice((1, 1, 2, 5))):
        data = rng.choice((flip_bytes, cut, splice, replace_word) if text else (flip_bytes, cut, splice))(data, rng)
    return data


def mutate_rows(file, rng):
    """Creates valid SQLite with values, schemas and adjacent files that no profiler writes."""
    database = sqlite3.connect(file, isolation_level=None)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for _ in range(rng.choice((1, 3, 10))):
        table = rng.choice(tables)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        column = rng.choice(columns)
        value = rng.choice([*NUMBERS, *TEXTS, None, 1e308, b"\xff\xfe"])
        try:
            kind = rng.randrange(8)
            if kind < 4:
                database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid % ? = 0',
                                 (value, rng.choice((1, 7, 100))))
            elif kind == 4:
                database.execute(f'DELETE FROM "{table}"')
            elif kind == 5:
                database.execute(f'DROP TABLE "{table}"')
                tables.remove(table)
            elif kind == 6:
                database.execute(f'ALTER TABLE "{table}" RENAME TO moved_{rng.randrange(10**9)}')
                tables.remove(table)
                database.execute(f'CREATE VIEW "{table}" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL '
                                 f'SELECT i + 1 FROM n) SELECT i AS "{column}" FROM n')
            else:
                database.execute(f'CREATE TRIGGER t{rng.randrange(10**9)} AFTER UPDATE ON "{table}" BEGIN '
                                 f'DELETE FROM "{rng.choice(tables)}"; END')
        except sqlite3.Error:
            pass
        if not tables:
            break
    if rng.random() < 0.3:
        try:
            database.execute("UPDATE MANSARD_STATE SET state = 'recording', pid = ?", (rng.choice((1, 10**9)),))
        except sqlite3.Error:
            pass
    database.close()
    for suffix in ("-wal", "-journal", "-shm"):
        if rng.random() < 0.1:
            pathlib.Path(str(file) + suffix).write_bytes(rng.randbytes(rng.choice((0, 32, 5000))))


def write_input(kind, seeds, folder, rng):
    """Returns the arguments of a command that reads the mutated file."""
    machine = EXAMPLES / "h200" / "machine.json"
    if kind == "sqlite":
        file = folder / "input.sqlite"
        shutil.copy(rng.choice(seeds[kind]), file)
        if rng.random() < 0.6:
            mutate_rows(file, rng)
        else:
            file.write_bytes(mutate_bytes(file.read_bytes(), rng))
        return rng.choice((["analyze", file], ["analyze", file, "--machine", machine, "--format", "csv"],
                           ["explain", file], ["compare", file, file], ["export", file, "--to", "csv"],
                           ["export", file, "--to", "chrome"], ["report", file, "-o", folder / "out" / "page.html"],
                           ["merge", file, file, "-o", folder / "out" / "merged.sqlite"]))
    if kind in ("kineto", "chrome"):
        data = mutate_bytes(gzip.decompress(rng.choice(seeds[kind]).read_bytes()), rng, text=True)
        packed = rng.random() < 0.3
        file = folder / ("input.json.gz" if packed else "input.json")
        data = gzip.compress(data, 1) if packed else data
        file.write_bytes(mutate_bytes(data, rng) if packed and rng.random() < 0.5 else data)
        return ["import", file, "-o", folder / "out" / "imported.sqlite"]
    if kind == "machine":
        file = folder / "machine.json"
        file.write_bytes(mutate_bytes(rng.choice(seeds[kind]).read_bytes(), rng, text=True))
        return rng.choice((["show", file], ["report", "--machine", file, "-o", folder / "out" / "page.html"]))
    if kind == "rules":
        file = folder / "kernels.rules"
        file.write_bytes(mutate_bytes(rng.choice(seeds[kind]).read_bytes(), rng, text=True))
        return ["analyze", EXAMPLES / "h200" / "h200_layer_bf16.sqlite", "--rules", file, "--analysis", "classes"]
    file = folder / "input.csv"
    file.write_bytes(mutate_bytes(rng.choice(seeds[kind]).read_bytes(), rng, text=True))
    return ["import", file, "-o", folder / "out" / "imported.sqlite"]


def exported(mansard, folder):
    """A trace exported by Mansard."""
    file = folder / "chrome.json.gz"
    subprocess.run([mansard, "export", EXAMPLES / "h200/h200_layer_bf16.sqlite", "--to", "chrome", "-o", file], check=True,
                   capture_output=True)
    return file


def digest(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file() and "out" not in path.relative_to(folder).parts}


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES + (MOST_BYTES >> 2),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def give(folder, user):
    """Allows `user` to change everything in `folder`."""
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, user)


def try_input(mansard, kind, seeds, seed, keep, codes, user):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        arguments = [str(a) for a in write_input(kind, seeds, folder, rng)]
        if user:
            give(folder, user)
        before = digest(folder)
        start = time.monotonic()
        faults = []
        try:
            result = subprocess.run([mansard, *arguments], capture_output=True, timeout=3 * LONGEST_S,
                                    preexec_fn=limit_memory, check=False, user=user, cwd=folder)
            codes[kind, result.returncode] += 1
            if result.returncode < 0 or result.returncode > 3:
                faults.append(f"exit code {result.returncode}: {result.stderr[-300:]!r}")
            if b"ERROR: AddressSanitizer" in result.stderr or b"runtime error: " in result.stderr:
                faults.append(result.stderr[:2000].decode("utf-8", "replace"))
            if b"\x1b" in result.stdout + result.stderr:
                faults.append("an escape character on the terminal")
            if result.returncode == 1 and b"needs more than" in result.stderr:
                faults.append("more than 1 GB")
        except subprocess.TimeoutExpired:
            faults.append("did not finish")
        if time.monotonic() - start > LONGEST_S:
            faults.append(f"took {time.monotonic() - start:.1f} s")
        if digest(folder) != before:
            faults.append(f"changed {sorted(set(digest(folder).items()) ^ set(before.items()))}")
        if faults and keep:
            shutil.copytree(folder, pathlib.Path(keep) / f"{kind}-{seed}", dirs_exist_ok=True)
        return [f"{kind} seed {seed}: {' '.join(arguments)}: {fault}" for fault in faults]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mansard")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--inputs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help="sqlite, kineto, chrome, machine, rules, ncu; default: all")
    parser.add_argument("--user", help="run the commands as this user (needs root)")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    global SANITIZED
    SANITIZED = sanitizer_of(options.mansard) != ""
    seeds = {"sqlite": [EXAMPLES / "h200/h200_layer_bf16.sqlite", EXAMPLES / "h200/ranks.sqlite",
                        EXAMPLES / "nsight/llama_bf16.sqlite", EXAMPLES / "h200/h200_offload.sqlite"],
             "kineto": [EXAMPLES / "kineto/llama_bf16.json.gz"],
             "machine": sorted((ROOT / "empirical_roofline/machines/datasheets").glob("*.json")),
             "rules": [ROOT / "analyzer/classify/kernels.rules"],
             "ncu": sorted((ROOT / "tests/fuzz/seeds").glob("*.csv"))}
    made = tempfile.TemporaryDirectory()
    seeds["chrome"] = [exported(os.path.abspath(options.mansard), pathlib.Path(made.name))]
    kinds = options.kinds.split(",") if options.kinds else seeds
    seeds = {kind: seeds[kind] for kind in kinds}
    tried = collections.Counter()
    codes = collections.Counter()
    failed = []
    end = time.monotonic() + options.seconds
    seed = options.seed
    while tried.total() < options.inputs if options.inputs else time.monotonic() < end:
        kind = sorted(seeds)[seed % len(seeds)]
        failed += try_input(os.path.abspath(options.mansard), kind, seeds, seed, options.keep, codes,
                            options.user)
        tried[kind] += 1
        seed += 1
    for fault in failed:
        print(fault)
    for kind, count in sorted(tried.items()):
        print(f"{kind}: {count} inputs, {codes[kind, 0]} read, {count - codes[kind, 0]} refused")
    print(f"{tried.total()} inputs, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
