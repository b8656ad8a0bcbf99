# SPDX-License-Identifier: Apache-2.0
"""Checks that a recording window contains exactly the GPU work launched in it: in a GPU run of equal steps,
--steps 3:6 must record as many kernels as three steps of the whole profile have, each by name; and
outside the window the steps must be as fast as without Mansard.

Usage: check_windows.py MANSARD OUTPUT_FOLDER"""

import collections
import csv
import pathlib
import sqlite3
import statistics
import subprocess
import sys

ALLOWED_OVERHEAD = 0.01  # relative, for steps outside the window; the clock by itself changes by 0.5 % between runs
STEPS = 40


def profile(mansard, file, *options):
    command = [mansard, "profile", "-f", "-o", str(file), *options, "--", mansard, "run", "layer",
               "--recipe", "bf16", "--device", "gpu", "--steps", str(STEPS)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stderr}")
    print(result.stderr.strip())
    return sqlite3.connect(file)


def kernels_launched(database, begin_ns, end_ns):
    """Number of kernels launched within the span, by name."""
    return collections.Counter(dict(database.execute(
        "SELECT s.value, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN StringIds s ON s.id = k.demangledName WHERE k.correlationId IN "
        "(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start >= ? AND start < ?) "
        "GROUP BY 1", (begin_ns, end_ns))))


def all_kernels(database):
    return collections.Counter(dict(database.execute(
        "SELECT s.value, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN StringIds s ON s.id = k.demangledName GROUP BY 1")))


def step_begins(database):
    return [row[0] for row in database.execute(
        "SELECT start FROM NVTX_EVENTS WHERE text LIKE 'step %' ORDER BY start")]


def median_step_s(mansard, *prefix):
    """The row of the whole step in the program's own table."""
    command = [*prefix, mansard, "run", "layer", "--recipe", "bf16", "--device", "gpu", "--steps",
               str(STEPS), "--format", "csv"]
    times = []
    for _ in range(5):
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        lines = [line for line in result.stdout.splitlines() if not line.startswith("#")]
        row = next(row for row in csv.DictReader(lines) if row["layer"] == "all")
        times.append(float(row["time_s"]))
    return statistics.median(times)


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    whole = profile(mansard, folder / "whole.sqlite")
    begins = step_begins(whole)
    expected = kernels_launched(whole, begins[2], begins[5])
    window = profile(mansard, folder / "window.sqlite", "--steps", "3:6")
    found = all_kernels(window)
    print(f"{sum(expected.values())} kernels expected, {sum(found.values())} found")
    failed = False
    if not expected or found != expected:
        print(f"missing: {dict(expected - found)}\nunexpected: {dict(found - expected)}")
        failed = True
    if len(step_begins(window)) != 3:
        print(f"{len(step_begins(window))} steps in the window, not 3")
        failed = True
    plain = median_step_s(mansard)
    after = median_step_s(mansard, mansard, "profile", "-f", "-o", str(folder / "after.sqlite"),
                           "--steps", "1:2", "--")
    print(f"median step: {plain:.6g} s plain, {after:.6g} s with a window of one step before")
    if after > plain * (1 + ALLOWED_OVERHEAD):
        print(f"outside the window a step takes {100 * (after / plain - 1):.2f} % longer")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
