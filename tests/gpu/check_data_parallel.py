#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks `mansard train` on several GPUs of this host, and measures what the exchange of gradients costs.

  check_data_parallel.py MANSARD [--rounds 2] [--steps 24] [--variants] [--skip-losses]

Losses: two ranks, over copy engines and NCCL, with and without a sharded optimizer, and started by torchrun,
train as one rank does with twice the micro-batches. A rank that is killed ends the other. Speed: a Llama of
1.10 billion parameters with 4 x 4096 tokens per rank, on each GPU as a job of its own, both at once, and on both
GPUs, alternately; the median time of a step. With T1, the harmonic mean of the two jobs, T of the slower one, for
which the other waits in every step, T2 of two ranks, and T2' of two ranks that exchange gradients after backward
(--no-overlap):

  scaling efficiency = T1 / T2        hidden share of the exchange = 1 - (T2 - T) / (T2' - T)

--variants adds bucket sizes and limits of NCCL's blocks. NCCL must be in the loader's path. Exits with 77
with fewer than two GPUs."""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

RANKS = 2
NEEDED_EFFICIENCY = 0.94
NEEDED_HIDDEN = 0.80
# Relative; the ranks' sums are in another order than those of micro-batches.
ALLOWED_LOSS_DIFFERENCE = 2e-3
ALLOWED_END_S = 10

SMALL = ["--hidden", 512, "--layers", 4, "--heads", 8, "--ffn", 1024, "--batch", 8, "--sequence", 256,
         "--learning-rate", 1e-3]
LARGE = ["--hidden", 2048, "--layers", 16, "--heads", 32, "--kv-heads", 8, "--ffn", 8192, "--vocabulary",
         32000, "--batch", 4, "--sequence", 4096, "--learning-rate", 3e-4, "--validation-sequences", 8]


def gpus():
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


def write_text(path, count):
    words = random.Random(1)
    vocabulary = ["".join(words.choices("abcdefghijklmnopqrstuvwxyz", k=words.randint(2, 9))) for _ in range(3000)]
    with open(path, "w", encoding="ascii") as out:
        for _ in range(count):
            out.write(words.choice(vocabulary) + " ")


def rows_of(mansard, data, log, options, variables=None, launcher=()):
    environment = dict(os.environ, **(variables or {}))
    command = [*launcher, mansard, "train", "--data", data, "--log", log, "-f", *options]
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        print(done.stderr[-3000:])
        raise SystemExit(f"failed: {' '.join(str(word) for word in command)}")
    with open(log, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_losses(mansard, folder, data):
    """Returns the number of runs whose losses differ from those of one rank."""
    def losses(name, options, **more):
        rows = rows_of(mansard, data, folder / f"{name}.csv", [*SMALL, "--steps", 40, *options], **more)
        return [float(row["loss"]) for row in rows]

    one = losses("one", ["--micro-batches", RANKS], variables={"CUDA_VISIBLE_DEVICES": "0"})
    runs = {"ranks": (["--ranks", RANKS], {}),
            "NCCL": (["--ranks", RANKS, "--transport", "nccl"], {}),
            "NCCL, sharded": (["--ranks", RANKS, "--transport", "nccl", "--shard-optimizer"], {}),
            "small buckets": (["--ranks", RANKS, "--bucket-mib", 1], {}),
            "after backward": (["--ranks", RANKS, "--no-overlap"], {}),
            "sharded": (["--ranks", RANKS, "--shard-optimizer", "--bucket-mib", 1], {}),
            "without graph": (["--ranks", RANKS, "--eager"], {})}
    if shutil.which("torchrun"):
        runs["torchrun"] = ([], {"launcher": ["torchrun", "--no-python", "--nproc-per-node", RANKS, "--"]})
    failed = 0
    print("| ranks | loss of the first step | of the last | largest relative difference |\n|---|---|---|---|")
    print(f"| one, with {RANKS} micro-batches | {one[0]:.5f} | {one[-1]:.5f} | |")
    for name, (options, more) in runs.items():
        many = losses(name.replace(" ", "_"), options, **more)
        difference = max(abs(a - b) / a for a, b in zip(one, many, strict=True))
        print(f"| {name} | {many[0]:.5f} | {many[-1]:.5f} | {difference:.1e} |", flush=True)
        failed += difference > ALLOWED_LOSS_DIFFERENCE
    return failed


def check_lost_rank(mansard, data, transport):
    """Kills a rank while the GPUs exchange gradients. Returns 1 if the other one does not end soon."""
    command = [mansard, "train", "--data", data, *SMALL, "--steps", 1_000_000, "--ranks", RANKS, "--transport",
               transport]
    with subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True,
                          stdout=subprocess.DEVNULL) as process:
        for line in process.stderr:
            if "step 1/" in line:
                break
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True,
                                check=True)
        os.kill(int(listed.stdout.split()[1]), signal.SIGKILL)
        started = time.monotonic()
        try:
            _, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            print("a rank waits forever for one that was killed")
            return 1
        ended_s = time.monotonic() - started
    named = "rank 0 stops: rank 1 has ended" in errors
    print(f"killed rank 1 ({transport}): the job ended after {ended_s:.2f} s with {process.returncode}; "
          f"{'' if named else 'not '}named by rank 0")
    if not named:
        print(errors[-2000:])
    return int(ended_s > ALLOWED_END_S or not named)


def check_speed(mansard, folder, data, rounds, steps, variants):
    two = ["--ranks", RANKS]
    after = "after backward"
    runs = {}
    for transport in ("copy-engines", "nccl"):
        both = [*two, "--transport", transport]
        runs[transport] = (both, {})
        runs[f"{transport}, {after}"] = ([*both, "--no-overlap"], {})
        runs[f"{transport}, sharded"] = ([*both, "--shard-optimizer"], {})
    if variants:
        for size in (16, 256, 1024):
            runs[f"copy-engines, buckets of {size} MiB"] = ([*two, "--bucket-mib", size], {})
        for blocks in (4, 8, 16):
            runs[f"nccl, {blocks} blocks"] = ([*two, "--transport", "nccl"], {"NCCL_MAX_CTAS": str(blocks)})
    def median_s(name, options, variables):
        rows = rows_of(mansard, data, folder / f"{name}.csv", [*LARGE, "--steps", steps, *options], variables)
        return statistics.median(float(row["time_s"]) for row in rows[steps // 3:])

    alone = [f"GPU {gpu} alone" for gpu in range(RANKS)]
    times = {name: [] for name in [*alone, *runs]}

    def add(name, median):
        times[name].append(median)
        print(f"{name}: {1e3 * median:.2f} ms", flush=True)

    for _ in range(rounds):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            jobs = [pool.submit(median_s, name, [], {"CUDA_VISIBLE_DEVICES": str(gpu)})
                    for gpu, name in enumerate(alone)]
            for name, job in zip(alone, jobs):
                add(name, job.result())
        for name, (options, variables) in runs.items():
            add(name, median_s("ranks", options, variables))
    medians = {name: statistics.median(values) for name, values in times.items()}
    of_gpus = [medians.pop(name) for name in alone]
    one = statistics.harmonic_mean(of_gpus)

    def exposed(name):
        return medians[name] - max(of_gpus)

    def hidden(name):
        return 1 - exposed(name) / exposed(f"{name.split(',')[0]}, {after}")

    print("\n| run | step | range | efficiency | hidden |\n|---|---|---|---|---|")
    for name in alone:
        print(f"| {name} | {1e3 * statistics.median(times[name]):.2f} ms | {1e3 * min(times[name]):.2f} to "
              f"{1e3 * max(times[name]):.2f} | | |")
    for name, median in medians.items():
        share = "" if after in name else f"{hidden(name):.1%}"
        print(f"| {name} | {1e3 * median:.2f} ms | {1e3 * min(times[name]):.2f} to {1e3 * max(times[name]):.2f} | "
              f"{one / median:.1%} | {share} |")
    name = "copy-engines"
    efficiency, share = one / medians[name], hidden(name)
    print(f"\n{name}: scaling efficiency {efficiency:.1%} (at least {NEEDED_EFFICIENCY:.0%}), hidden {share:.1%} of "
          f"{1e3 * exposed(f'{name}, {after}'):.2f} ms (at least {NEEDED_HIDDEN:.0%})")
    return int(efficiency < NEEDED_EFFICIENCY) + int(share < NEEDED_HIDDEN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mansard")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--skip-losses", action="store_true")
    options = parser.parse_args()
    if gpus() < RANKS:
        print(f"skipped: {gpus()} GPUs; {RANKS} are needed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = folder / "text.txt"
        write_text(data, 1_000_000)
        failed = 0 if options.skip_losses else check_losses(options.mansard, folder, data)
        failed += 0 if options.skip_losses else sum(check_lost_rank(options.mansard, data, transport)
                                                      for transport in ("copy-engines", "nccl"))
        failed += check_speed(options.mansard, folder, data, options.rounds, options.steps, options.variants)
    print(f"{failed} failed" if failed else "all hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
