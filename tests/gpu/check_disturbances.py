# SPDX-License-Identifier: Apache-2.0
"""Checks that `mansard characterize` reports disturbances: another program that keeps the GPU busy, and a
power limit that lowers the clock.

Usage: check_disturbances.py MANSARD

Starts a second mansard as the load. Exits with 1 if a warning or a mark is missing."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time


def characterize(mansard, file, *options):
    done = subprocess.run([mansard, "characterize", "--device", "gpu", "-o", file, "-f", *options],
                          capture_output=True, text=True, check=True)
    model = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    return done.stderr, {c["id"]: c for c in model["devices"][0]["ceilings"]}


def told(what, good, evidence):
    print(f"{'ok' if good else 'MISSING'}  {what}: {evidence}")
    return 0 if good else 1


def main():
    mansard = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "machine.json")
        quiet, alone = characterize(mansard, file, "--quick", "--only", "hbm_copy")
        warnings = [line for line in quiet.splitlines()
                    if "busy" in line or "other process" in line]
        failed += told("no warning on an idle GPU", not warnings,
                       "; ".join(warnings) or "no warning")

        load = subprocess.Popen(
            [mansard, "characterize", "--device", "gpu", "--only", "hbm_triad", "--campaigns", "500"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(4)
        busy, shared = characterize(mansard, file, "--quick", "--only", "hbm_copy")
        load.kill()
        load.wait()
        lines = [line for line in busy.splitlines() if "busy" in line or "other process" in line]
        failed += told("another program", bool(lines), "; ".join(lines))
        print(f"    hbm_copy alone {alone['hbm_copy']['value'] / 1e12:.3f} TB/s, "
              f"beside the load {shared['hbm_copy']['value'] / 1e12:.3f} TB/s, spread "
              f"{100 * alone['hbm_copy']['spread']:.2g} % and {100 * shared['hbm_copy']['spread']:.2g} %")

        time.sleep(2)
        hot, ceilings = characterize(mansard, file, "--quick", "--only", "wgmma_bf16",
                                     "--sustained", "5")
        lines = [line for line in hot.splitlines() if "wgmma_bf16@sustained" in line]
        ceiling = ceilings["wgmma_bf16@sustained"]
        marked = sum(map(bool, ceiling["samples"]["throttled"]))
        failed += told("a power limit", bool(lines) and marked > 0,
                       "; ".join(lines) + f" ({marked} samples marked, at "
                       f"{ceiling['clock_hz'] / 1e9:.3f} GHz and {ceiling['power_w']:.0f} W)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
