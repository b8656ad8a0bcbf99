# SPDX-License-Identifier: Apache-2.0
"""Checks that 200,000 ranges/s for 30 s, and a million at once from 8 threads, are all recorded. Needs an
idle machine, but no GPU; ctest has a shorter version.

Usage: check_event_rate.py BUILD_FOLDER OUTPUT_FOLDER [SECONDS]"""

import pathlib
import sqlite3
import subprocess
import sys

RATE = 200000


def record(build, out, name, program, *arguments):
    """The program's output, the ranges in the profile and the number of dropped ones."""
    file = out / f"{name}.sqlite"
    command = [build / "bin/mansard", "profile", "-f", "-o", file, "--",
               build / f"bin/collector_program_{program}", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited {result.returncode}:\n{result.stderr}")
    database = sqlite3.connect(file)
    ranges = database.execute("SELECT count(*) FROM NVTX_EVENTS").fetchone()[0]
    dropped = database.execute("SELECT sum(value) FROM MANSARD_SESSION "
                               "WHERE name LIKE 'dropped%'").fetchone()[0] or 0
    database.close()
    bytes_per_range = file.stat().st_size / ranges
    file.unlink()  # hundreds of megabytes
    return result.stdout.split(), ranges, int(dropped), bytes_per_range


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    failed = False
    _, ranges, dropped, _ = record(build, out, "burst", "ranges", 8, 125000)
    print(f"a million ranges from 8 threads at once: {ranges} recorded, {dropped} dropped")
    failed |= ranges != 1000000 or dropped != 0

    (made, took_s), ranges, dropped, size = record(build, out, "rate", "event_rate", 8, RATE, seconds)
    rate = int(made) / float(took_s)
    print(f"{rate:.0f} ranges/s for {float(took_s):.1f} s: {made} made, {ranges} recorded, "
          f"{dropped} dropped, {size:.0f} bytes each on disk")
    failed |= ranges != int(made) or dropped != 0
    if rate < 0.95 * RATE:
        print(f"the program reached only {rate:.0f} of {RATE} ranges/s: the machine is too busy")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
