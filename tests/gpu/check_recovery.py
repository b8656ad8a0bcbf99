#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks recovery from killed ranks of `mansard train` on two GPUs.

  check_recovery.py MANSARD [--large] [--steps 10000] [--every 500] [--algorithms easgd,average,bmuf]

For each algorithm, rank 1 is killed once, and rank 0 once, with partial recovery; and once with full recovery.
Rank 0 must not stop for longer than the killed rank needs to load its checkpoint: its longest step while the
other is away is compared with the time of the load. Full recovery must repeat the lost steps. The time of each
part is printed. --large: the Llama of 1.10 billion parameters, else that of 10.8 million. NCCL must be in the
loader's path. Exits with 77 with fewer than two GPUs."""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from check_data_parallel import LARGE, RANKS, SMALL, gpus, write_text


class Checks:
    def __init__(self, options, folder):
        self.o = options
        self.folder = folder
        self.data = folder / "text.txt"
        write_text(self.data, 400000)
        self.failed = 0

    def train(self, name, *arguments):
        log = self.folder / f"{name}.csv"
        command = [self.o.mansard, "train", "--data", self.data, *(LARGE if self.o.large else SMALL),
                   "--ranks", RANKS, "--steps", self.o.steps, "--log", log, "--checkpoints", self.folder / name,
                   "--checkpoint-every", self.o.every, "--keep", 1, "--format", "json", *arguments]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        if done.returncode != 0:
            sys.exit(f"{name}: exit code {done.returncode}\n{done.stderr}")
        tables = {t["id"]: t["rows"] for t in json.loads(done.stdout)["findings"][0]["tables"]}
        with open(log, encoding="utf-8") as file:
            return tables, list(csv.DictReader(file))

    def report(self, name, tables):
        (run,) = tables["training"]
        for row in tables["recoveries"]:
            print(f"| {name} | {row['rank']} | {row['failed_after']} | {row['lost_steps']} | {row['missed_steps']} | "
                  f"{row['restart_s']:.2f} | {row['load_s']:.2f} | {row['join_s']:.3f} | {row['down_s']:.2f} | "
                  f"{100 * run['lost_samples']:.2f} % | {run['validation_loss_nats']:.4f} |", flush=True)

    def expect(self, what, holds):
        print(f"{'ok' if holds else 'FAILED'}: {what}", flush=True)
        self.failed += not holds

    def partial(self, algorithm):
        sync = ["--sync", algorithm, "--sync-every", 5]
        base, _ = self.train(f"{algorithm}-undisturbed", *sync)
        undisturbed = base["training"][0]["validation_loss_nats"]
        for rank in (1, 0):
            name = f"{algorithm} partial"
            tables, rows = self.train(f"{algorithm}-{rank}", *sync, "--recovery", "partial", "--kill",
                                      f"{rank}@{self.o.steps // 4}")
            self.report(name, tables)
            (recovery,) = tables["recoveries"]
            loss = tables["training"][0]["validation_loss_nats"]
            self.expect(f"{name}, rank {rank}: loss {loss:.4f} within 1 % of {undisturbed:.4f}",
                        abs(loss / undisturbed - 1) <= 0.01)
            if rank == 0:
                continue  # the log is that of rank 0
            away = [float(row["time_s"]) for row in rows
                    if recovery["failed_after"] - 2 <= int(row["step"]) <= recovery["failed_after"] +
                    recovery["missed_steps"] + 7]
            usual = statistics.median(float(row["time_s"]) for row in rows[10:])
            self.expect(f"{name}: longest step of rank 0 {max(away):.3f} s (usual {usual:.3f} s), load of rank 1 "
                        f"{recovery['load_s']:.3f} s", max(away) - usual <= recovery["load_s"])

    def full(self):
        undisturbed, rows = self.train("full-undisturbed", "--deterministic")
        tables, repeated = self.train("full", "--deterministic", "--recovery", "full", "--kill",
                                      f"1@{self.o.steps // 4}")
        self.report("full", tables)
        differences = [abs(float(a["loss"]) / float(b["loss"]) - 1) for a, b in zip(rows, repeated)]
        self.expect(f"full: largest difference of the loss of a step {max(differences):.1e}",
                    len(rows) == len(repeated) and max(differences) < 1e-4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mansard", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--steps", type=int, default=10000,
                        help="enough that most of them come after the killed rank is back")
    parser.add_argument("--every", type=int, default=500, help="steps between checkpoints")
    parser.add_argument("--algorithms", default="easgd,average,bmuf")
    options = parser.parse_args()
    if gpus() < RANKS:
        print(f"needs {RANKS} GPUs")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(options, pathlib.Path(folder))
        print("| recovery | killed rank | after step | lost | missed | restart, s | load, s | join, s | down, s | "
              "lost samples | validation loss |\n|---|---|---|---|---|---|---|---|---|---|---|")
        checks.full()
        for algorithm in filter(None, options.algorithms.split(",")):
            checks.partial(algorithm)
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
