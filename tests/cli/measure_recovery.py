#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of failures of `mansard train` with the formulas of `mansard predict --goodput`.

  python3 tests/cli/measure_recovery.py MANSARD --data TEXT [--device cpu] [--steps 4000] ...

Kills random ranks at exponential intervals, with full and with partial recovery, and compares
- full recovery: the wall time beyond that of the steps with the expected one: saves, lost work and recoveries,
- partial recovery: the share of the time in which replicas are absent, and the portion of lost samples,
- the validation loss with that of an undisturbed run.
The inputs of the formulas are those of the same run, so that other load of the machine does not count: the
mean time of a step, a save, a restart and a load, and the mean time between failures. Needs at least 100
failures for the bound of 10 %. Exits with 1 if a comparison differs by more than its bound."""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Runs:
    def __init__(self, options, folder):
        self.o = options
        self.folder = pathlib.Path(folder)

    def train(self, name, *arguments):
        log = self.folder / f"{name}.csv"
        command = [self.o.mansard, "train", "--data", self.o.data, "--device", self.o.device, "--log", log,
                   "--ranks", self.o.ranks, "--steps", self.o.steps, *self.o.sizes.split(),
                   "--checkpoints", self.folder / name, "--checkpoint-every", self.o.every,
                   "--validation-sequences", 64, "--format", "json", *arguments]
        started = time.monotonic()
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        wall_s = time.monotonic() - started
        if run.returncode != 0:
            sys.exit(f"{name}: exit code {run.returncode}\n{run.stderr}")
        tables = {t["id"]: t["rows"] for t in json.loads(run.stdout)["findings"][0]["tables"]}
        with open(log, encoding="utf-8") as file:
            steps = [float(row["time_s"]) for row in csv.DictReader(file)]
        recoveries = [r for r in tables.get("recoveries", []) if r.get("down_s")]
        # The row's step is the median of the last process of rank 0.
        return {**tables["training"][0], "wall_s": wall_s, "step_s": mean(steps), "recoveries": recoveries,
                "failed": len(tables.get("recoveries", []))}

    def expected(self, run, other_s, recovery):
        """The formulas for a run: seconds by cause, and the portion of lost samples. `other_s`: wall time that the
        formulas do not count, for the start, validation and the result."""
        done = [r for r in run["recoveries"] if r["recovery"] == recovery]
        mtbf_s = (run["wall_s"] - other_s) / run["failed"]
        command = [self.o.mansard, "predict", "--goodput", "--format", "json", "--step-s", run["step_s"],
                   "--steps", run["steps"], "--gpus", self.o.ranks, "--gpus-per-node", 1,
                   "--node-mtbf-hours", mtbf_s * self.o.ranks / 3600, "--checkpoint-save-s", run["save_s"],
                   "--checkpoint-load-s", mean(r["load_s"] for r in done),
                   "--restart-s", mean(r["restart_s"] + r["join_s"] for r in done), "--detect-s", 0,
                   "--checkpoint-every-s", self.o.every * run["step_s"], "--recovery", recovery,
                   *(["--replicated"] if recovery == "partial" else [])]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
        tables = {t["id"]: t["rows"] for t in json.loads(result.stdout)["findings"][0]["tables"]}
        seconds = {row["cause"]: 3600 * row["time_h"] for row in tables["overhead"]}
        return seconds, tables["goodput"][0].get("lost_samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mansard")
    parser.add_argument("--data", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    parser.add_argument("--kill-every", type=float, default=1.0)
    parser.add_argument("--sync", default="average,easgd,bmuf")
    parser.add_argument("--sizes", default="--hidden 32 --layers 2 --heads 2 --ffn 64 --batch 4 --sequence 32 "
                                           "--learning-rate 3e-3 --sync-every 5")
    options = parser.parse_args()
    failed = False

    def compare(what, measured, expected, bound):
        nonlocal failed
        difference = measured / expected - 1
        failed |= abs(difference) > bound
        print(f"  {what:58} {measured:10.4g} {expected:10.4g} {100 * difference:+7.1f} %"
              f"{'  OUTSIDE ' + format(100 * bound, '.0f') + ' %' if abs(difference) > bound else ''}")

    kills = ["--kill-every", options.kill_every, "--max-restarts", 100000]
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, folder)
        print(f"  {'':58} {'measured':>10} {'formula':>10} {'difference':>9}")

        gradients = ["--sync", "gradients"]
        base = runs.train("undisturbed", *gradients)
        training_s = base["steps"] * (base["step_s"] + base["save_s"] / options.every)
        other_s = base["wall_s"] - training_s
        full = runs.train("full", *gradients, "--recovery", "full", *kills)
        expected, _ = runs.expected(full, other_s, "full")
        training_s = full["steps"] * full["step_s"]
        print(f"full recovery: {full['failed']} failures in {full['wall_s']:.0f} s")
        compare("wall time beyond the steps, s", full["wall_s"] - other_s - training_s,
                expected["wall time"] - training_s, 0.1)
        compare("lost work, s", sum(r["lost_steps"] for r in full["recoveries"]) * full["step_s"],
                expected["lost work"], 0.15)
        compare("recoveries, s", sum(r["down_s"] for r in full["recoveries"]),
                expected["rescheduling and restart"] + expected["loading checkpoints"], 0.1)
        compare("validation loss", full["validation_loss_nats"], base["validation_loss_nats"], 0.01)

        for algorithm in options.sync.split(","):
            sync = ["--sync", algorithm]
            base = runs.train(algorithm, *sync)
            for source in ("checkpoint", "mean"):
                partial = runs.train(f"{algorithm}-{source}", *sync, "--recovery", "partial", "--recover-from", source,
                                     *kills)
                expected, lost = runs.expected(partial, other_s, "partial")
                print(f"partial recovery from the {source}, {algorithm}: {partial['failed']} failures in "
                      f"{partial['wall_s']:.0f} s, {100 * partial['lost_samples']:.2f} % of the samples lost")
                absent_s = sum(r["down_s"] for r in partial["recoveries"]) / options.ranks
                recovery_s = expected["rescheduling and restart"] + expected["loading checkpoints"]
                compare("absence of replicas, %", 100 * absent_s / (partial["wall_s"] - other_s),
                        100 * recovery_s / expected["wall time"], 0.1)
                if source == "checkpoint":
                    # The formula's share is of the samples that are trained.
                    all_steps = partial["steps"] * options.ranks
                    trained = all_steps - sum(r["missed_steps"] for r in partial["recoveries"])
                    compare("portion of lost samples, %", 100 * partial["lost_samples"] * all_steps / trained,
                            100 * lost, 0.1)
                compare("validation loss", partial["validation_loss_nats"], base["validation_loss_nats"], 0.01)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
