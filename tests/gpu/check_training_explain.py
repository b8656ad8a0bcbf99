# SPDX-License-Identifier: Apache-2.0
"""Checks that removing a cause moves a training step by what the ledger said. A Llama of 1.10 billion parameters is
trained in BF16 and in FP8, and `mansard explain` says what a step would save without its amax kernels. FP8 then runs
with and without --separate-amax, alternately and without a profiler: the step must get shorter by that saving, times
the part of these kernels that is removed (those of the weights remain).

Usage: check_training_explain.py MANSARD OUTPUT_FOLDER [ROUNDS]   (default 3)

Prints both differences, the ledger lines that change, and exits with 1 if they differ by more than 10 %. Exits with 77
without a GPU."""

import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

TOLERANCE = 0.10
LINE = "amax"
STEPS = 24
LLAMA = ["--batch", 4, "--sequence", 4096, "--hidden", 2048, "--layers", 16, "--heads", 32, "--kv-heads", 8, "--ffn",
         8192, "--vocabulary", 32000, "--validation-sequences", 16, "--learning-rate", 3e-4]
PROGRAMS = {"bf16": ["--recipe", "bf16"], "separate": ["--recipe", "fp8", "--separate-amax"],
            "fused": ["--recipe", "fp8"]}


def run(command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    return json.loads(result.stdout) if "json" in command else None


def train(mansard, data, name, steps, *options):
    return [mansard, "train", "--data", data, *LLAMA, *PROGRAMS[name], "--steps", steps, *options]


def step_s(mansard, data, name, log):
    run(train(mansard, data, name, STEPS, "--log", log, "--force"))
    with open(log, encoding="utf-8") as file:
        times = [float(row["time_s"]) for row in csv.DictReader(file)]
    return statistics.median(times[STEPS // 3:])


def ledger(mansard, files, candidate, baseline="bf16"):
    report = run([mansard, "explain", "--baseline", files[baseline], "--candidate", files[candidate], "--format",
                  "json"])
    return {row["id"]: row for row in report["findings"][0]["tables"][0]["rows"]}


def print_lines(title, lines):
    times = {name: row["time_s"] or 0 for name, row in lines.items()}
    print(title + ": " + ", ".join(f"{name} {1e3 * time_s:+.2f}" for name, time_s in times.items()
                                   if abs(time_s) >= 1e-4) + " ms")


def main():
    mansard, out = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    if shutil.which("nvidia-smi") is None:
        print("skipped: no GPU")
        return 77
    out.mkdir(parents=True, exist_ok=True)
    data = out / "bytes.txt"
    data.write_bytes(bytes(1 + b % 255 for b in os.urandom(2_000_000)))
    times = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, of_name in times.items():
            of_name.append(step_s(mansard, data, name, out / "log.csv"))
    for name, of_name in times.items():
        print(f"{name}: {1e3 * statistics.median(of_name):.2f} ms per step "
              f"({1e3 * min(of_name):.2f} to {1e3 * max(of_name):.2f})", flush=True)
    files = {name: out / f"train_{name}.sqlite" for name in PROGRAMS}
    for name, file in files.items():
        run([mansard, "profile", "-f", "-o", file, "--", *train(mansard, data, name, STEPS)])
    lines = {name: ledger(mansard, files, name) for name in ("separate", "fused")}
    for name, of_name in lines.items():
        print_lines(f"ledger of {name} against bf16", of_name)
    print_lines("ledger of fused against separate", ledger(mansard, files, "fused", "separate"))
    line = lines["separate"][LINE]
    left_s = lines["fused"][LINE]["time_s"] if LINE in lines["fused"] else 0
    removed = 1 - left_s / line["time_s"]
    said_s = line["saving_s"] * removed
    print(f"amax kernels add {1e3 * line['time_s']:.2f} ms; without them the step would save {1e3 * line['saving_s']:.2f} "
          f"ms; {100 * removed:.0f} % of them are removed")
    moved_s = statistics.median(times["separate"]) - statistics.median(times["fused"])
    ratio = moved_s / said_s if said_s > 0 else 0
    holds = abs(ratio - 1) <= TOLERANCE
    print(f"the ledger says {1e3 * said_s:.2f} ms, the step gets {1e3 * moved_s:.2f} ms shorter: {ratio:.2f} of it"
          f"{'' if holds else ': FAILED'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
