# SPDX-License-Identifier: Apache-2.0
"""Counters that `mansard profile --counters roofline` reads of a program's kernels are those that
Nsight Compute reads of the same program: bytes and sectors of every tier, operations of every
precision, within 1 %.

Usage: check_profile_counters.py MANSARD OUTPUT_FOLDER

Needs ncu, PyTorch and the permission to read counters. Writes counters_of_profile.md; exits 1 when a counter is
off or fewer than twelve kernels were compared."""

import csv
import io
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys

TOLERANCE = 0.01
# Counts below this are noise of the launch itself (instruction fetches, kernel parameters).
SMALLEST = 2e5
LEAST_KERNELS = 12
REPEATS, STEPS = 40, 200
REPEATS_UNDER_NCU, STEPS_UNDER_NCU = 2, 3  # it replays each launch for every pass
# Of the device, not of the kernel alone; times and clocks are measured, not counted.
NOT_COMPARED = re.compile(r"^(gpu__time|gpc__|pcie__|nvl|.*\.avg|.*\.pct)")
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


def by_ncu(program, metrics, log):
    run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file", log,
         "--metrics", ",".join(metrics), "--print-kernel-base", "mangled", "--cache-control",
         "all", "--clock-control", "none", *program])
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
    compared, off = 0, 0
    for signature in sorted(set(ours) & set(theirs)):
        lines = []
        for metric in sorted(set(ours[signature]) & set(theirs[signature])):
            if NOT_COMPARED.match(metric):
                continue
            if None in ours[signature][metric]:
                off += 1
                lines.append(f"| {signature[0][:60]} | {signature[1]}x{signature[4]} | {metric} | "
                             "**no value** | | | |")
                continue
            mine = statistics.median(ours[signature][metric])
            other = statistics.median(theirs[signature][metric])
            if max(mine, other) < SMALLEST:
                continue
            ratio = mine / other if other else float("inf")
            # From launch to launch: blocks that steal work from each other share less or more of the L2.
            spread = max((max(values) - min(values)) / middle for values, middle in
                         ((ours[signature][metric], mine), (theirs[signature][metric], other)) if middle)
            good = abs(ratio - 1) <= max(TOLERANCE, spread)
            off += not good
            lines.append(f"| {signature[0][:60]} | {signature[1]}x{signature[4]} | {metric} | "
                         f"{mine:.5e} | {other:.5e} | {ratio:.4f}{'' if good else ' **off**'} | "
                         f"{spread:.4f} |")
        compared += bool(lines)
        table += lines
    return compared, off


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    program = pathlib.Path(__file__).with_name("counter_program.py")
    # Each as it runs under Mansard, and under Nsight Compute.
    programs = [[["python3", str(program), str(n)] for n in (REPEATS, REPEATS_UNDER_NCU)]]
    programs += [[[mansard, "run", name, "--steps", str(n), "--no-verify"]
                  for n in (STEPS, STEPS_UNDER_NCU)] for name in OWN_KERNELS]
    table = ["| kernel | blocks x threads | metric | Mansard | Nsight Compute | ratio | its spread |",
             "|---|---|---|---|---|---|---|"]
    compared, off = 0, 0
    for i, (command, short) in enumerate(programs):
        ours = by_mansard(mansard, folder / f"counters_{i}.sqlite", command)
        metrics = sorted({metric for values in ours.values() for metric in values})
        if not metrics:
            sys.exit("no counters were read")
        theirs = by_ncu(short, metrics, folder / f"ncu_{i}.csv")
        some_compared, some_off = compare(ours, theirs, table)
        compared += some_compared
        off += some_off
        print(f"{command[-2]}: {some_compared} kernels, {some_off} counters off", flush=True)
    (folder / "counters_of_profile.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))
    print(f"{compared} kernels compared, {off} counters off")
    sys.exit(off > 0 or compared < LEAST_KERNELS)


if __name__ == "__main__":
    main()
