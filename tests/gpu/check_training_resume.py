#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `mansard train --deterministic` with SIGKILL at random times, resumes it, and compares every
loss with those of a run that nothing interrupts, bit for bit.

  check_training_resume.py MANSARD [--device gpu] [--kills 10] [--recipe nvfp4]"""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

STEPS = 120


def command(o, folder, name):
    return [o.mansard, "train", "--data", folder / "data.txt", "--hidden", "128", "--layers", "2",
            "--heads", "2", "--batch", "4", "--sequence", "128", "--steps", str(STEPS), "--recipe",
            o.recipe, "--deterministic", "--device", o.device, "--validate-every", "20",
            "--checkpoints", folder / name, "--checkpoint-every", "5", "--log",
            folder / f"{name}.csv"]


def losses(file):
    with open(file, encoding="utf-8") as lines:
        return [(row["step"], row["loss"], row["validation_loss"], row["gradient_norm"])
                for row in csv.DictReader(lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("mansard")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--recipe", default="nvfp4")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        source = random.Random(3)
        (folder / "data.txt").write_bytes(
            bytes(source.choice(b"etaoin shrdlu.\n") for _ in range(200_000)))
        start = time.monotonic()
        first = subprocess.run(command(o, folder, "whole"), capture_output=True, text=True)
        if first.returncode != 0:
            sys.exit(first.stderr)
        whole_s = time.monotonic() - start
        kills = 0
        run = 0
        while kills < o.kills:
            run += 1
            name = f"run{run}"
            while True:
                process = subprocess.Popen(command(o, folder, name) + ["--resume"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                try:
                    error = process.communicate(timeout=source.uniform(0.4, 0.9) * whole_s)[1]
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills += 1
                    continue
                if process.returncode != 0:
                    sys.exit(error.decode())
                break
            if losses(folder / f"{name}.csv") != losses(folder / "whole.csv"):
                print(f"failed: run {run}, killed and resumed, has other losses")
                return 1
            left = [f.name for f in (folder / name).iterdir() if "unfinished" in f.name]
            if left:
                print(f"failed: partial files are left: {left}")
                return 1
    print(f"passed: {kills} kills in {run} runs of {STEPS} steps, all losses and norms equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
