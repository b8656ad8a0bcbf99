# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `mansard analyze` for many ranks, as a table in Markdown.

Usage: measure_scale.py BIN_FOLDER FOLDER [RANKS...] (default: 100 300 1000). Writes the profiles of the
largest job, of 100 steps with 10 collectives and 990 other kernels each, to FOLDER (about 15 MB a rank)
unless they exist. All of them are written in full: every rank has its own times. Not a test, because a busy
machine would fail it; tests/cli/ranks_test.py checks memory and linear time with a smaller job."""

import os
import pathlib
import subprocess
import sys
import time

STEPS, COLLECTIVES, KERNELS = 100, 10, 99


def write(writer, folder, ranks):
    missing = [rank for rank in range(ranks) if not (folder / f"run-{rank}.sqlite").exists()]
    if not missing:
        return
    subprocess.run([writer, folder, f"ranks={ranks}", f"steps={STEPS}", f"collectives={COLLECTIVES}",
                    f"kernels={KERNELS}", "calls=0", f"world={ranks}", "slow=417:0.1", "slow=23:0.05",
                    f"first={missing[0]}", f"last={missing[-1]}"], check=True)


def measure(*command):
    """Wall time and CPU time in seconds, peak memory in MB, standard output."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[:3]} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024e-6, out


def main():
    binaries, folder = map(pathlib.Path, sys.argv[1:3])
    sizes = [int(size) for size in sys.argv[3:]] or [100, 300, 1000]
    folder.mkdir(parents=True, exist_ok=True)
    write(binaries / "write_rank_profiles", folder, max(sizes))
    mansard = str(binaries / "mansard")
    print("| profiles | workers | wall, s | CPU, s | CPU per profile, s | peak memory, MB |")
    print("|---|---|---|---|---|---|", flush=True)
    for size in sizes:
        files = [str(folder / f"run-{rank}.sqlite") for rank in range(size)]
        for jobs in (1, 2):
            summaries = folder / f"summaries-{size}-{jobs}"
            wall, cpu, memory, out = measure(mansard, "analyze", *files, "--jobs", str(jobs),
                                             "--summaries", str(summaries))
            print(f"| {size} | {jobs} | {wall:.1f} | {cpu:.1f} | {cpu / size:.3f} | {memory:.0f} |", flush=True)
        wall, cpu, memory, _ = measure(mansard, "analyze", f"{summaries}/*.summary.sqlite", "--jobs", "1")
        print(f"| {size} summaries | 1 | {wall:.1f} | {cpu:.1f} | {cpu / size:.3f} | {memory:.0f} |", flush=True)
    print("\n```\n" + out + "```")


if __name__ == "__main__":
    main()
