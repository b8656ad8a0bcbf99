# SPDX-License-Identifier: Apache-2.0
"""What recording costs a training step, beside torch.profiler (CUDA only) and Triton's Proton: medians of
alternating runs on one machine, each step timed inside the program after its warm-up.

Usage: check_overhead.py MANSARD OUTPUT_FOLDER [ROUNDS]   (at least 5 rounds, the default)

Prints a table in Markdown, and exits 1 if recording costs more than it may. Annotating every product of
every layer from Python costs the program itself some time: that row is for information."""

import importlib.util
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("overhead_program.py")
# name, options, the most that recording may add to a step, must it beat the others?
CASES = [
    ("large kernels: 4 layers of 4096, 4096 tokens",
     "--layers 4 --hidden 4096 --sequence 4096 --warmup 5 --steps 30", 0.005, False),
    ("launch-bound: 24 layers of 512, 512 tokens",
     "--layers 24 --hidden 512 --sequence 512 --warmup 10 --steps 100", 0.03, True),
]
PLAIN, MANSARD, ANNOTATED = "plain", "mansard", "mansard, annotated"
TORCH, PROTON = "torch.profiler", "Proton"
# Each by its tool in the process, whether Mansard records it, and whether its layers are annotated.
WAYS = {PLAIN: ("none", False, False), MANSARD: ("none", True, False),
        ANNOTATED: ("none", True, True), TORCH: ("torch", False, False),
        PROTON: ("proton", False, False)}


def run(mansard, file, way, options):
    """(median step in ms, the losses)"""
    tool, recorded, annotated = WAYS[way]
    command = [mansard, "profile", "-f", "-o", file, "--"] if recorded else []
    command += [sys.executable, PROGRAM, tool, *options.split()]
    env = dict(os.environ, MANSARD_ANNOTATE=str(int(annotated)))
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if result.returncode != 0:
        sys.exit(f"{way}: {' '.join(map(str, command))} exited {result.returncode}:\n{result.stderr}")
    printed = json.loads(result.stdout.splitlines()[-1])
    return statistics.median(printed["step_ms"]), printed["loss"]


def recorded_kernels(file):
    """(kernels, events that were dropped)"""
    database = sqlite3.connect(file)
    kernels = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
    dropped = database.execute("SELECT sum(value) FROM MANSARD_SESSION "
                               "WHERE name LIKE 'dropped%'").fetchone()[0] or 0
    database.close()
    return kernels, int(dropped)


def overheads(times):
    """Of each way over plain: the median of the rounds' own ratios less 1, since clocks drift slowly."""
    return {way: statistics.median(t / p for t, p in zip(all_ms, times[PLAIN])) - 1
            for way, all_ms in times.items()}


def judge(times, limit, must_beat):
    """What is wrong, in words."""
    cost = overheads(times)
    wrong = []
    if cost[MANSARD] > limit:
        wrong.append(f"recording costs {100 * cost[MANSARD]:.2f} %, more than {100 * limit:g} %")
    for other in (TORCH, PROTON):
        if must_beat and other in cost and cost[MANSARD] >= cost[other]:
            wrong.append(f"recording costs {100 * cost[MANSARD]:.2f} %, no less than {other}'s "
                         f"{100 * cost[other]:.2f} %")
    return wrong


def table(times):
    cost = overheads(times)
    lines = ["| way | median step, ms | spread of the runs | overhead |", "|---|---|---|---|"]
    for way, all_ms in times.items():
        median = statistics.median(all_ms)
        spread = (max(all_ms) - min(all_ms)) / median
        overhead = "" if way == PLAIN else f"{100 * cost[way]:+.2f} %"
        lines.append(f"| {way} | {median:.3f} | {100 * spread:.2f} % | {overhead} |")
    return "\n".join(lines)


def measure(mansard, file, ways, options, rounds):
    """(times of each way, what is wrong)"""
    times = {way: [] for way in ways}
    losses = {}
    wrong = []
    for number in range(rounds):
        # Each way follows each other one about as often, so that none always has the hotter GPU.
        order = ways[number % len(ways):] + ways[:number % len(ways)]
        for way in order if number % 2 == 0 else order[::-1]:
            median_ms, losses[way] = run(mansard, file, way, options)
            times[way].append(median_ms)
            if way == MANSARD:
                kernels, dropped = recorded_kernels(file)
                if dropped:
                    wrong.append(f"{dropped} events were dropped")
    words = options.split()
    steps = 1 + sum(int(words[words.index(name) + 1]) for name in ("--warmup", "--steps"))
    print(f"{kernels / steps:.0f} kernels a step recorded")
    if losses[PLAIN] != losses[MANSARD]:
        print("note: losses differ between runs; PyTorch's kernels are not all deterministic")
    return times, wrong


def main():
    mansard, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    if rounds < 5:
        sys.exit("medians need at least 5 rounds")
    ways = [PLAIN, MANSARD, ANNOTATED, TORCH]
    if importlib.util.find_spec("triton") and importlib.util.find_spec("triton.profiler"):
        ways.append(PROTON)
    else:
        print("Proton is not installed: compared with torch.profiler alone\n")
    failed = False
    for name, options, limit, must_beat in CASES:
        print(f"### {name}\n")
        times, wrong = measure(mansard, out / "overhead.sqlite", ways, options, rounds)
        wrong += judge(times, limit, must_beat)
        print(f"\n{table(times)}\n")
        print("\n".join(f"FAILED: {w}" for w in wrong) or f"within {100 * limit:g} %", "\n", flush=True)
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
