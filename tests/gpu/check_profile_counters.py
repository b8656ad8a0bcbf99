# SPDX-License-Identifier: Apache-2.0
"""Checks that the counters read by `mansard profile --counters roofline` equal those that Nsight Compute reads
from the same program: bytes and sectors of every tier, operations of every precision, within 1 %.

Usage: check_profile_counters.py MANSARD OUTPUT_FOLDER

Needs ncu, PyTorch and the permission to read counters. Writes counters_of_profile.md; exits with 1 if a counter is off
by more than 1 % and by more than its variation between launches, or if fewer than twelve kernels have all their
counters within 1 %."""

import collections
import csv
import io
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys

TOLERANCE = 0.01
# Smaller counts are noise of the launch itself (instruction fetches, kernel parameters).
SMALLEST = 2e5
LEAST_KERNELS = 12
# Number of launches of each kernel: under Mansard, which reads few of them; under Nsight Compute, which reads
# all; and with replay for every pass, for counters that do not vary.
Launches = collections.namedtuple("Launches", "mansard one_pass replayed")
OF_PYTORCH, OF_OWN = Launches(120, 8, 2), Launches(200, 8, 3)
# Counters of the whole device; times and clocks are measured, not counted.
NOT_COMPARED = re.compile(r"^(gpu__time|gpc__|pcie__|nvl|.*\.avg|.*\.pct)")
# Read in one pass each, as Mansard does, with the caches as the program left them: flushing caches before a
# kernel, or restoring memory between passes, would change the traffic.
ONE_PASS = [re.compile(r"^(dram|lts)__"), re.compile(r"^l1tex__m_")]
OWN_KERNELS = ["nvfp4_amax", "nvfp4_quantize_1x16", "nvfp4_quantize_both_rht", "hbm_copy"]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stdout[-2000:]}"
                 f"\n{result.stderr[-4000:]}")
    return result


def by_mansard(mansard, file, program):
    """(mangled name, grid, block) -> metric -> values."""
    result = run([mansard, "profile", "-f", "--counters", "roofline", "-o", file, "--", *program])
    print(result.stderr.strip())
    database = sqlite3.connect(file)
    readings = {}
    for name, *dims, metric, value in database.execute(
            "SELECT s.value, gridX, gridY, gridZ, blockX, blockY, blockZ, m.value, v.value "
            "FROM MANSARD_COUNTER_READING r JOIN StringIds s ON s.id = r.mangledName "
            "JOIN MANSARD_COUNTER_VALUE v ON v.readingId = r.id "
            "JOIN StringIds m ON m.id = v.metricId"):
        readings.setdefault((name, *dims), {}).setdefault(metric, []).append(value)
    return readings


def by_ncu(program, launches, metrics, log):
    """As by_mansard(), read by Nsight Compute."""
    groups = [(launches.one_pass, [m for m in metrics if one.match(m)]) for one in ONE_PASS]
    groups.append((launches.replayed, [m for m in metrics if not any(one.match(m) for one in ONE_PASS)]))
    readings = {}
    for times, group in groups:
        if not group:
            continue
        for signature, values in read_with_ncu(program(times), group, log).items():
            readings.setdefault(signature, {}).update(values)
    return readings


def read_with_ncu(program, metrics, log):
    run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file", log,
         "--metrics", ",".join(metrics), "--print-kernel-base", "mangled", "--cache-control",
         "none", "--clock-control", "none", *program])
    lines = [line for line in pathlib.Path(log).read_text().splitlines() if line.startswith('"')]
    readings = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        if not row.get("ID", "").isdigit():
            continue
        dims = [int(n) for key in ("Grid Size", "Block Size") for n in re.findall(r"\d+", row[key])]
        values = readings.setdefault((row["Kernel Name"], *dims), {})
        for metric in metrics:
            if row.get(metric):
                values.setdefault(metric, []).append(float(row[metric].replace(",", "")))
    return readings


def compare(ours, theirs, table):
    """Number of counters of each kernel by verdict; adds a line for each counter to the table."""
    kernels = []
    for signature in sorted(set(ours) & set(theirs)):
        found = collections.Counter()
        for metric in sorted(set(ours[signature]) & set(theirs[signature])):
            if NOT_COMPARED.match(metric):
                continue
            verdict, cells = compare_counter(ours[signature][metric], theirs[signature][metric])
            if verdict:
                found[verdict] += 1
                table.append(f"| {signature[0][:60]} | {signature[1]}x{signature[4]} | {metric} | {cells} |")
        if found:
            kernels.append(found)
    return kernels


def compare_counter(mine, theirs):
    """("within" 1 %, "spread" if within its own variation, "off", or None if too small; cells of the table)"""
    if None in mine:
        return "off", "**no value** | | |"
    ours, other = statistics.median(mine), statistics.median(theirs)
    if max(ours, other) < SMALLEST:
        return None, ""
    ratio = ours / other if other else float("inf")
    # Variation between launches: blocks that steal work from each other share a varying part of the L2.
    spread = max((max(values) - min(values)) / middle for values, middle in
                 ((mine, ours), (theirs, other)) if middle)
    distance = abs(ratio - 1)
    verdict = "within" if distance <= TOLERANCE else "spread" if distance <= spread else "off"
    mark = " **off**" if verdict == "off" else ""
    return verdict, f"{ours:.5e} | {other:.5e} | {ratio:.4f}{mark} | {spread:.4f}"


def summary(kernels):
    """(sentence, number of kernels with all counters within 1 %)"""
    total = sum(kernels, collections.Counter())
    whole = sum(found["within"] == found.total() for found in kernels)
    return (f"{len(kernels)} kernels, {whole} of them with all counters within 1 %; {total.total()} counters: "
            f"{total['within']} within 1 %, {total['spread']} within their spread, {total['off']} off", whole)


def own_kernel(mansard, name):
    return lambda times: [mansard, "run", name, "--steps", str(times), "--no-verify"]


def programs(mansard):
    """(name, function from a launch count to a command, launch counts)"""
    pytorch = str(pathlib.Path(__file__).with_name("counter_program.py"))
    yield "PyTorch", lambda times: ["python3", pytorch, str(times)], OF_PYTORCH
    for name in OWN_KERNELS:
        yield name, own_kernel(mansard, name), OF_OWN


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    table = ["| kernel | blocks x threads | metric | Mansard | Nsight Compute | ratio | spread |",
             "|---|---|---|---|---|---|---|"]
    kernels = []
    for name, program, launches in programs(mansard):
        ours = by_mansard(mansard, folder / f"counters_{name}.sqlite", program(launches.mansard))
        metrics = sorted({metric for values in ours.values() for metric in values})
        if not metrics:
            sys.exit("no counters were read")
        theirs = by_ncu(program, launches, metrics, folder / f"ncu_{name}.csv")
        some = compare(ours, theirs, table)
        kernels += some
        print(f"{name}: {summary(some)[0]}", flush=True)
    (folder / "counters_of_profile.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))
    words, whole = summary(kernels)
    print(words)
    sys.exit(any(found["off"] for found in kernels) or whole < LEAST_KERNELS)


if __name__ == "__main__":
    main()
