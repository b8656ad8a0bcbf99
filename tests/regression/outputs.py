# SPDX-License-Identifier: Apache-2.0
"""Compares the outputs of two versions of the program.

  outputs.py write MANSARD FOLDER    writes every output of every profile in examples/ into FOLDER
  outputs.py compare BEFORE AFTER    prints each value that differs between two such folders; exit 1 if any does

Build the old and the new tree, write a folder with each program, and compare. A refactoring must not change any output;
any other change should list its differences, with reasons, in its description."""

import argparse
import csv
import difflib
import gzip
import hashlib
import html
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
H200 = EXAMPLES / "h200"
TRAINING = H200 / "training"
TABLES = ["launches", "kernels", "ranges", "memory_operations", "api"]
PAIRS = [(TRAINING / "llama_bf16.sqlite", TRAINING / "llama_fp8.sqlite"),
         (H200 / "h200_layer_bf16.sqlite", H200 / "h200_layer_nvfp4.sqlite"),
         *((TRAINING / "layer_bf16.sqlite", TRAINING / f"layer_{other}.sqlite")
           for other in ("fp8", "fp8_kept", "mxfp8", "nvfp4")),
         (EXAMPLES / "nsight/llama_bf16.sqlite", EXAMPLES / "nsight/llama_fp8.sqlite"),
         (TRAINING / "llama_bf16.sqlite", EXAMPLES / "nsight/llama_fp8.sqlite")]
PREDICTIONS = {"default": [], "against": ["--against", "bf16"], "published": ["--published"],
               "assumptions": ["--list-assumptions"], "data": ["--list-data"],
               "parallel": ["--model", "llama3-70b", "--gpus", "64", "--tp", "8", "--pp", "2", "--vp", "2"]}


def commands(folder):
    """Output name -> arguments. `{}` in an argument is the output file; without one, standard output is used."""
    made = {}
    profiles = sorted(itertools.chain(H200.glob("*.sqlite"), TRAINING.glob("*.sqlite"),
                                      (EXAMPLES / "nsight").glob("*.sqlite")))
    profiles += [file.relative_to(folder) for file in sorted((folder / "imported").glob("*.sqlite"))]
    for profile in profiles:
        name = f"{profile.parent.name}-{profile.stem}"
        with_machine = [profile, "-m", H200 / "machine.json"]
        for form in ("table", "json", "csv", "md"):
            made[f"analyze-{name}.{form}"] = ["analyze", *with_machine, "--format", form, "--rows", "0"]
            made[f"explain-{name}.{form}"] = ["explain", *with_machine, "--format", form, "--rows", "0"]
        made[f"analyze-published-{name}.json"] = ["analyze", profile, "--format", "json"]
        made[f"report-{name}.html"] = ["report", *with_machine, "-o", "{}"]
        made[f"report-{name}.svg"] = ["report", *with_machine, "--format", "svg", "-o", "{}"]
        for table in TABLES:
            made[f"export-{name}-{table}.csv"] = ["export", *with_machine, "--to", "csv", "--table", table]
        made[f"export-{name}.chrome"] = ["export", *with_machine, "--to", "chrome"]
        made[f"export-{name}.perfetto"] = ["export", *with_machine, "--to", "perfetto", "-o", "{}"]
    for before, after in PAIRS:
        name = f"{before.parent.name}-{before.stem}-{after.parent.name}-{after.stem}"
        pair = ["--baseline", before, "--candidate", after, "-m", H200 / "machine.json"]
        for form in ("table", "json", "csv"):
            made[f"compare-{name}.{form}"] = ["compare", before, after, "--format", form, "--rows", "0"]
            made[f"explain-{name}.{form}"] = ["explain", *pair, "--format", form, "--rows", "0"]
        made[f"report-{name}.html"] = ["report", after, "--baseline", before, "-m", H200 / "machine.json", "-o", "{}"]
    for name, arguments in PREDICTIONS.items():
        for form in ("table", "json"):
            made[f"predict-{name}.{form}"] = ["predict", *arguments, "--format", form]
    for form in ("table", "json", "csv"):
        made[f"show.{form}"] = ["show", H200 / "machine.json", "--format", form]
        made[f"list.{form}"] = ["list", "--format", form]
    made["report-machine.html"] = ["report", "-m", H200 / "machine.json", "-o", "{}"]
    return made


def write(mansard, folder):
    mansard = mansard.resolve()
    folder.mkdir(parents=True)
    (folder / "imported").mkdir()
    environment = {**os.environ, "NO_COLOR": "1", "TZ": "UTC"}

    def execute(name, arguments):
        file = folder / name
        arguments = [name if a == "{}" else str(a) for a in arguments]  # the report shows the command
        result = subprocess.run([mansard, *arguments], cwd=folder, env=environment, capture_output=True, check=False)
        with (folder / f"{name}.messages").open("wb") as messages:
            messages.write(result.stderr)
            messages.write(f"exit code {result.returncode}\n".encode())
        if "-o" not in arguments:
            file.write_bytes(result.stdout)

    for trace in sorted((EXAMPLES / "kineto").glob("*.json.gz")):
        execute(f"import-{trace.stem}", ["import", trace, "-o", f"imported/{trace.name.split('.')[0]}.sqlite"])
    made = commands(folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda item: execute(*item), made.items()))
    print(f"{len(made)} outputs in {folder}")


def flat(value, path=""):
    """JSON as (path, value) pairs. List items with an id are named by it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flat(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            name = item["id"] if isinstance(item, dict) and isinstance(item.get("id"), str) else index
            yield from flat(item, f"{path}[{name}]")
    else:
        yield path, json.dumps(value)


def csv_values(text):
    """CSV as (row: column, value) pairs; a line with fewer cells starts another table."""
    header = []
    for number, row in enumerate(csv.reader(text.splitlines()), 1):
        if len(row) != len(header):
            header = row
        for column, cell in zip(header, row):
            yield f"{number}: {column}", cell


def page_lines(text):
    """The text of a page and the data of its scripts, without style, scripts, markup and the time of writing."""
    text = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    data = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, flags=re.S)
    text = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", line)]
    return lines + [f"{path} {value}" for block in data for path, value in flat(json.loads(block))]


def content(file):
    """(kind, comparable content) of an output."""
    data = file.read_bytes()
    if file.suffix == ".json" and data:
        return "values", dict(flat(json.loads(data)))
    if file.suffix == ".csv":
        return "values", dict(csv_values(data.decode()))
    if file.suffix == ".html":
        return "lines", page_lines(data.decode())
    if file.suffix == ".perfetto":
        return "lines", [hashlib.sha256(data).hexdigest()]
    if file.suffix == ".gz":
        data = gzip.decompress(data)
    return "lines", data.decode().splitlines()


def differences(before, after):
    kind, old = content(before)
    _, new = content(after)
    if kind == "lines":
        changed = difflib.unified_diff(old, new, lineterm="", n=0)
        return [line[:300] for line in itertools.islice(changed, 2, None) if not line.startswith("@@")]
    return [f"{key}: {old.get(key, 'missing')} -> {new.get(key, 'missing')}"
            for key in {**old, **new} if old.get(key) != new.get(key)]


def compare(before, after, most):
    names = sorted({file.name for folder in (before, after) for file in folder.iterdir() if file.is_file()})
    changed = 0
    for name in names:
        if not (before / name).exists() or not (after / name).exists():
            print(f"{name}: only in {before if (before / name).exists() else after}")
            changed += 1
            continue
        if (before / name).read_bytes() == (after / name).read_bytes():
            continue
        found = differences(before / name, after / name)
        if not found:
            continue
        changed += 1
        print(f"{name}: {len(found)} differences")
        for line in found[:most]:
            print(f"  {line}")
    print(f"{len(names)} outputs, {changed} differ")
    return 1 if changed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    writer = modes.add_parser("write")
    writer.add_argument("mansard", type=pathlib.Path)
    writer.add_argument("folder", type=pathlib.Path)
    comparer = modes.add_parser("compare")
    comparer.add_argument("before", type=pathlib.Path)
    comparer.add_argument("after", type=pathlib.Path)
    comparer.add_argument("--most", type=int, default=20, help="maximum number of differences to print per output")
    options = parser.parse_args()
    if options.mode == "write":
        return write(options.mansard, options.folder.resolve())
    return compare(options.before, options.after, options.most)


if __name__ == "__main__":
    sys.exit(main())
