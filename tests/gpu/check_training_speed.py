#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of `mansard train` with llm.c and torch.compile, alternately on one GPU.

  check_training_speed.py MANSARD [--llmc FOLDER] [--rounds 3] [--only gpt2|llama]

FOLDER holds llm.c's train_gpt2cu, built for this machine. Every program trains the same shapes on
random tokens: GPT-2 124M with 16 x 1024 tokens, and a Llama of 1.10 billion parameters with 4 x 4096.
Each figure is the median time of a step of one process; a row shows the median over the rounds and
their range. Exits with 77 without a GPU."""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

LLAMA = dict(hidden=2048, layers=16, heads=32, kv_heads=8, ffn=8192)
LLAMA_VOCABULARY = 32000


def write_tokens(path, count=4_000_000):
    """A token file in llm.c's format, of pseudo-random tokens of GPT-2."""
    import numpy
    header = numpy.zeros(256, dtype=numpy.int32)
    header[:3] = (20240520, 1, count)
    tokens = numpy.random.default_rng(1).integers(0, 50257, count, dtype=numpy.uint16)
    path.write_bytes(header.tobytes() + tokens.tobytes())


def train_with_pytorch(kind, dtype, steps):
    """The median time of a step, printed by a child process."""
    import torch
    from training_models import Gpt2, Llama, optimizer_of
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    if kind == "gpt2":
        model, shape, vocabulary = Gpt2(50304), (16, 1024), 50257
    else:
        model, shape, vocabulary = Llama(LLAMA_VOCABULARY, **LLAMA), (4, 4096), LLAMA_VOCABULARY
    model = model.cuda().to(torch.bfloat16 if dtype == "bf16" else torch.float32)
    optimizer = optimizer_of(model)
    compiled = torch.compile(model)
    tokens = torch.randint(vocabulary, (shape[0], shape[1] + 1), device="cuda")
    times = []
    for step in range(steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16, enabled=dtype != "bf16"):
            loss = compiled(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    print(statistics.median(times[steps // 3:]))


def time_pytorch(kind, dtype, steps):
    result = subprocess.run([sys.executable, __file__, "--child", kind, dtype, str(steps)],
                            check=True, capture_output=True, text=True)
    return float(result.stdout.split()[-1])


def time_mansard(mansard, folder, kind, recipe, steps):
    log = folder / "log.csv"
    if kind == "gpt2":
        options = ["--model", "gpt2-124m", "--batch", "16", "--sequence", "1024"]
    else:
        options = ["--batch", "4", "--sequence", "4096", "--hidden", "2048", "--layers", "16",
                   "--heads", "32", "--kv-heads", "8", "--ffn", "8192",
                   "--vocabulary", str(LLAMA_VOCABULARY)]
    data = folder / ("tokens.bin" if kind == "gpt2" else "bytes.txt")
    subprocess.run([mansard, "train", "--data", data, *options, "--recipe", recipe, "--steps",
                    str(steps), "--validation-sequences", "16", "--learning-rate", "3e-4", "--log",
                    log, "--force"], check=True, capture_output=True)
    with open(log, encoding="utf-8") as file:
        times = [float(row["time_s"]) for row in csv.DictReader(file)]
    return statistics.median(times[steps // 3:])


def time_llmc(llmc, folder, steps):
    tokens = folder / "tokens.bin"
    result = subprocess.run([llmc.resolve() / "train_gpt2cu", "-i", tokens, "-j", tokens, "-e", "d12",
                             "-b", "16", "-t", "1024", "-d", "16384", "-x", str(steps), "-v", "100000",
                             "-s", "100000", "-h", "0"], check=True, capture_output=True, text=True,
                            cwd=llmc)
    times = [float(ms) for ms in re.findall(r"\| ([0-9.]+) ms \|", result.stdout)]
    return statistics.median(times[steps // 3:]) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("mansard", type=pathlib.Path)
    parser.add_argument("--llmc", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["gpt2", "llama"])
    o = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed")
        return 77
    if not torch.cuda.is_available():
        print("skipped: no GPU")
        return 77
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        write_tokens(folder / "tokens.bin")
        (folder / "bytes.txt").write_bytes(bytes(1 + b % 255 for b in os.urandom(2_000_000)))
        mansard = o.mansard.resolve()
        programs = {}
        if o.only != "llama":
            programs["GPT-2, mansard bf16"] = lambda: time_mansard(mansard, folder, "gpt2", "bf16", 60)
            if o.llmc:
                programs["GPT-2, llm.c"] = lambda: time_llmc(o.llmc, folder, 60)
            programs["GPT-2, torch.compile, autocast"] = lambda: time_pytorch("gpt2", "fp32", 60)
            programs["GPT-2, torch.compile, BF16 weights"] = lambda: time_pytorch("gpt2", "bf16", 60)
        if o.only != "gpt2":
            for recipe in ("bf16", "fp8", "nvfp4"):
                programs[f"Llama, mansard {recipe}"] = (
                    lambda recipe=recipe: time_mansard(mansard, folder, "llama", recipe, 24))
            programs["Llama, torch.compile, BF16 weights"] = lambda: time_pytorch("llama", "bf16", 24)
        times = {name: [] for name in programs}
        for _ in range(o.rounds):
            for name, run in programs.items():
                times[name].append(run())
                print(f"{name}: {1e3 * times[name][-1]:.2f} ms", file=sys.stderr, flush=True)
    print(torch.cuda.get_device_name())
    for name, of_rounds in times.items():
        print(f"{name}: {1e3 * statistics.median(of_rounds):.2f} ms per step "
              f"({1e3 * min(of_rounds):.2f} to {1e3 * max(of_rounds):.2f})")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        train_with_pytorch(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(main())
