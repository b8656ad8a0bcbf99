# SPDX-License-Identifier: Apache-2.0
"""The advice on attention with a mask tensor: does its saving hold when the program is changed?

usage: check_masked_attention.py MANSARD [rates]; exit status 1 if the saving is off by more than 15 %.

Profiles huggingface_llama.py under torch.compile, whose attention gets a mask tensor, reads the saving of the advice
`masked_attention`, and compares it with the time that the program gains with causal attention. "rates": prints the
times of attention with a causal mask, no mask and a mask tensor instead."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).with_name("huggingface_llama.py")
TOLERANCE = 0.15
STEPS = "150"
SHAPES = [(8, 16, 1024, 64), (4, 32, 1024, 128), (2, 32, 2048, 64), (2, 16, 2048, 128), (2, 32, 4096, 64),
          (1, 32, 4096, 128), (1, 16, 8192, 64), (1, 16, 8192, 128)]


def advised_saving_ms(mansard, folder):
    profile = folder / "masked.sqlite"
    subprocess.run([mansard, "profile", "-o", profile, "--", sys.executable, PROGRAM, "compile", STEPS], check=True,
                   stdout=subprocess.DEVNULL)
    out = subprocess.run([mansard, "analyze", profile, "--analysis", "advice", "--format", "json"], check=True,
                         capture_output=True, text=True).stdout
    for table in json.loads(out)["findings"][0]["tables"]:
        for row in table["rows"]:
            if row.get("id") == "masked_attention":
                return 1e3 * row["saving_s"]
    sys.exit("no advice on masked attention")


def step_ms(*arguments):
    out = subprocess.run([sys.executable, PROGRAM, "compile", STEPS, *arguments], check=True, capture_output=True,
                         text=True).stdout
    return float(out.split("median step ")[1].split()[0])


def print_rates():
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def median_ms(call):
        times = []
        for i in range(15):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end))
        return statistics.median(times[3:])

    attention = torch.nn.functional.scaled_dot_product_attention
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "cuDNN", torch.backends.cudnn.version())
    print("batch x heads x tokens x size, kernels, forward and backward ms: causal; no mask; mask tensor; "
          "mask / causal per pair")
    for batch, heads, tokens, size in SHAPES:
        q, k, v = (torch.randn(batch, heads, tokens, size, device="cuda", dtype=torch.bfloat16, requires_grad=True)
                   for _ in range(3))
        lower = torch.ones(tokens, tokens, dtype=torch.bool, device="cuda").tril()
        mask = torch.zeros(1, 1, tokens, tokens, device="cuda", dtype=torch.bfloat16)
        mask = mask.masked_fill(~lower, float("-inf")).expand(batch, 1, tokens, tokens)
        gradient = torch.randn_like(q)
        pairs = (tokens + 1) / (2 * tokens)
        for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("efficient", SDPBackend.EFFICIENT_ATTENTION)):
            times = []
            for options in ({"is_causal": True}, {}, {"attn_mask": mask}):
                with sdpa_kernel(backend):
                    forward = median_ms(lambda: attention(q, k, v, **options))
                    out = attention(q, k, v, **options)
                    backward = median_ms(lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))
                times.append((forward, backward))
            ratios = (times[2][i] * pairs / times[0][i] for i in range(2))
            print(f"{batch}x{heads}x{tokens}x{size} {name}", *(f"{f:.3f} {b:.3f};" for f, b in times),
                  *(f"{ratio:.2f}" for ratio in ratios), flush=True)


def main():
    if "rates" in sys.argv[2:]:
        return print_rates()
    with tempfile.TemporaryDirectory() as folder:
        advised = advised_saving_ms(sys.argv[1], Path(folder))
    times = [(step_ms(), step_ms("causal")) for _ in range(2)]
    masked, causal = (statistics.median(column) for column in zip(*times))
    gained = masked - causal
    print(f"advised saving {advised:.3f} ms per step; with causal attention {causal:.3f} ms after {masked:.3f} ms: "
          f"{gained:.3f} ms gained, {advised / gained - 1:+.1%}")
    if abs(advised / gained - 1) > TOLERANCE:
        sys.exit(1)


if __name__ == "__main__":
    main()
