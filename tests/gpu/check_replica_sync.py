#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks replicas of `mansard train --sync` on two GPUs: what synchronization costs, and the loss.

  check_replica_sync.py MANSARD [--every 1] [--rounds 2] [--steps 30] [--loss-steps 3000] [--seeds 1]
                        [--rate-factor 1] [--algorithms easgd average bmuf] [--background-only] [--cpu]

Cost: a Llama of 1.10 billion parameters with 4 x 4096 tokens per rank, against replicas that are never
synchronized; the mean time of the steps after the first ten, because a median would not show what some steps
cost. Loss: a Llama of 10.8 million parameters on the sources of this repository; the validation loss against
that of exchanged gradients after equal numbers of tokens, with a learning rate that ends at 0. Each in the
background and in the foreground. NCCL must be in the loader's path. Exits with 77 with fewer than two GPUs.
--cpu: only the loss, of a Llama of 0.1 million parameters on the CPU."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from check_data_parallel import LARGE, RANKS, SMALL, gpus, rows_of, write_text

ALLOWED_COST = 0.02
ALLOWED_LOSS = 0.01
SKIPPED_STEPS = 10
ALGORITHMS = ("easgd", "average", "bmuf")
SETTINGS = {"easgd": ["--elasticity", 0.5], "average": ["--elasticity", 1],
            "bmuf": ["--elasticity", 1, "--block-momentum", 0.25]}
TINY = ["--hidden", 64, "--layers", 2, "--heads", 2, "--ffn", 128, "--batch", 4, "--sequence", 64,
        "--learning-rate", 2e-3, "--device", "cpu", "--validation-sequences", 100]


def variants(every, algorithms=ALGORITHMS, background_only=False):
    for algorithm in algorithms:
        for foreground in (False,) if background_only else (False, True):
            options = ["--sync", algorithm, "--sync-every", every, *SETTINGS[algorithm]]
            yield algorithm, foreground, [*options, *(["--foreground-sync"] if foreground else [])]


def check_cost(mansard, folder, data, o):
    def mean_s(options):
        rows = rows_of(mansard, data, folder / "cost.csv", [*LARGE, "--ranks", RANKS, "--steps", o.steps, *options])
        # The last one also makes the replicas equal.
        return statistics.mean(float(row["time_s"]) for row in rows[SKIPPED_STEPS:-1])

    never = ["--sync", "average", "--sync-every", 1_000_000]
    times = {}
    for _ in range(o.rounds):
        times.setdefault(("never", False), []).append(mean_s(never))
        for algorithm, foreground, options in variants(o.every, o.algorithms, o.background_only):
            times.setdefault((algorithm, foreground), []).append(mean_s(options))
            print(f"{algorithm} {foreground}: {1e3 * times[(algorithm, foreground)][-1]:.2f} ms", flush=True)
    base = statistics.median(times[("never", False)])
    print("| synchronization | where | mean step | range | cost |\n|---|---|---|---|---|")
    failed = 0
    for (algorithm, foreground), values in times.items():
        median = statistics.median(values)
        where = "" if algorithm == "never" else "foreground" if foreground else "background"
        print(f"| {algorithm} | {where} | {1e3 * median:.2f} ms | {1e3 * min(values):.2f} to "
              f"{1e3 * max(values):.2f} | {median / base - 1:+.1%} |", flush=True)
        failed += where == "background" and median / base - 1 > ALLOWED_COST
    return failed


def scaled_rate(model, factor):
    scaled = list(model)
    scaled[model.index("--learning-rate") + 1] *= factor
    return scaled


def copy_sources(folder):
    """Copies the texts of this repository, so that few of them are trained more than a few times."""
    root = pathlib.Path(__file__).resolve().parents[2]
    sources = folder / "sources"
    sources.mkdir()
    for part in ("analyzer", "cli", "collector", "docs", "empirical_roofline", "gui", "kernels", "reports", "tests"):
        for file in sorted((root / part).rglob("*")):
            if file.suffix in (".cpp", ".cu", ".cuh", ".h", ".js", ".md", ".py"):
                name = "-".join(file.relative_to(root).parts)
                (sources / name).write_bytes(file.read_bytes())
    return sources


def check_loss(mansard, folder, model, o):
    sources = copy_sources(folder)

    def result(seed, model, options):
        command = [mansard, "train", "--data", sources, *model, "--steps", o.loss_steps, "--ranks", RANKS, "--format",
                   "json", "--final-fraction", 0, "--seed", seed, *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True,
                              cwd=folder)
        return json.loads(done.stdout)["findings"][0]["tables"][0]["rows"][0]

    differences = {}
    replicas = scaled_rate(model, o.rate_factor)
    for seed in o.seeds:
        synchronous = result(seed, model, [])["validation_loss_nats"]
        print(f"exchanged gradients, seed {seed}: validation loss {synchronous:.4f} nat")
        print("| synchronization | where | validation loss | difference | synchronizations | staleness | time |\n"
              "|---|---|---|---|---|---|---|")
        for algorithm, foreground, options in variants(o.every, o.algorithms, o.background_only):
            row = result(seed, replicas, options)
            difference = row["validation_loss_nats"] / synchronous - 1
            where = "foreground" if foreground else "background"
            differences.setdefault((algorithm, where), []).append(difference)
            print(f"| {algorithm} | {where} | {row['validation_loss_nats']:.4f} | {difference:+.2%} | {row['syncs']} "
                  f"| {row['staleness_steps']} steps | {1e3 * row['sync_s']:.2f} ms |", flush=True)
    failed = 0
    for (algorithm, where), values in differences.items():
        mean = statistics.mean(values)
        if len(values) > 1:
            error = statistics.stdev(values) / len(values) ** 0.5
            print(f"{algorithm} {where}: {mean:+.2%} ± {error:.2%} (standard error of {len(values)} seeds)")
        failed += mean > ALLOWED_LOSS
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mansard", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--every", type=int, default=1, help="steps between synchronizations")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--rounds", type=int, default=2, help="of the check of the cost; 0: no check")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--loss-steps", type=int, default=3000, help="0: no check of the loss")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="of the weights and the order of data")
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS, choices=ALGORITHMS)
    parser.add_argument("--background-only", action="store_true")
    parser.add_argument("--rate-factor", type=float, default=1,
                        help="learning rate of replicas over that of exchanged gradients")
    options = parser.parse_args()
    if not options.cpu and gpus() < RANKS:
        print(f"skipped: {gpus()} GPUs; {RANKS} are needed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = folder / "text.txt"
        write_text(data, 1_000_000)
        failed = 0
        if options.loss_steps > 0:
            model = TINY if options.cpu else SMALL
            failed += check_loss(options.mansard, folder, model, options)
        if not options.cpu and options.rounds > 0:
            failed += check_cost(options.mansard, folder, data, options)
    print(f"{failed} failed" if failed else "all hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
