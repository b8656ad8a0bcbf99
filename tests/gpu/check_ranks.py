# SPDX-License-Identifier: Apache-2.0
"""Checks that each rank of a torchrun job leaves a profile, and the launcher none, and that after merging onto one
clock collectives end together, with a stated residual.

Usage: check_ranks.py MANSARD OUTPUT_FOLDER

Needs two GPUs and PyTorch; exits with 77 without them."""

import pathlib
import sqlite3
import statistics
import subprocess
import sys

STEPS = 60
RANKS = 2
# Maximum spread of the ends of a collective's kernels after merging: all leave the last exchange within some µs.
ALLOWED_SPREAD_NS = 50_000


def collective_ends(file):
    """End times of the collective kernels, in order, by GPU."""
    database = sqlite3.connect(file)
    ends = {}
    for device, end in database.execute(
            "SELECT k.deviceId, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k "
            "JOIN StringIds s ON s.id = k.shortName "
            "WHERE s.value LIKE 'ncclDevKernel_AllReduce%' ORDER BY k.end"):
        ends.setdefault(device, []).append(end)
    return ends


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    import torch
    if torch.cuda.device_count() < RANKS:
        print(f"skipped: {torch.cuda.device_count()} GPUs; {RANKS} are needed")
        return 77
    program = pathlib.Path(__file__).with_name("ranks_program.py")
    profiled = subprocess.run([mansard, "profile", "-f", "-o", str(folder / "rank-%r.sqlite"), "--", "torchrun",
                               "--nproc-per-node", str(RANKS), str(program), str(STEPS)], check=True, timeout=150,
                              stderr=subprocess.PIPE, text=True)
    print(profiled.stderr, file=sys.stderr)
    files = sorted(folder.glob("rank-*.sqlite"))
    print("profiles:", ", ".join(file.name for file in files))
    failed = [file.name for file in files] != [f"rank-{rank}.sqlite" for rank in range(RANKS)]
    failed |= f"next: mansard analyze '{folder}/rank-*.sqlite'" not in profiled.stderr
    merged = folder / "ranks.sqlite"
    subprocess.run([mansard, "merge", "-f", "-o", merged, *files], check=True, timeout=100)
    ends = collective_ends(merged)
    counts = {device: len(times) for device, times in ends.items()}
    print("collectives of each GPU:", counts)
    if len(ends) != RANKS or len(set(counts.values())) != 1:
        return 1
    spreads = [max(times) - min(times) for times in zip(*ends.values())]
    print(f"they end within {statistics.median(spreads) / 1e3:.2f} µs of each other (median of "
          f"{len(spreads)}; 95 % within {sorted(spreads)[len(spreads) * 95 // 100] / 1e3:.2f} µs)")
    return 1 if failed or statistics.median(spreads) > ALLOWED_SPREAD_NS else 0


if __name__ == "__main__":
    sys.exit(main())
