# SPDX-License-Identifier: Apache-2.0
"""Measures the power and clock at which a GPU settles under each class of kernels by itself; analyzer/power_model.cpp
uses them for the classes of a step. Each runs for some seconds, and the means of the last two are printed.

Usage: class_power.py MANSARD [CLASS]   (needs PyTorch; prints a Markdown table and the power limit)"""

import statistics
import subprocess
import sys
import threading
import time

import torch

SECONDS = 4.0
TAIL = 2.0


class Sampler:
    """nvidia-smi's instantaneous power and SM clock every 50 ms."""

    def __enter__(self):
        self.samples = []
        self.process = subprocess.Popen(
            ["nvidia-smi", "--query-gpu=power.draw.instant,clocks.sm", "--format=csv,noheader,nounits", "-lms", "50"],
            stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        return self

    def read(self):
        for line in self.process.stdout:
            power, clock = line.split(",")
            self.samples.append((time.monotonic(), float(power), float(clock)))

    def __exit__(self, *_):
        self.process.terminate()
        self.thread.join(1)

    def tail(self):
        end = self.samples[-1][0]
        last = [s for s in self.samples if s[0] > end - TAIL]
        return statistics.mean(s[1] for s in last), statistics.mean(s[2] for s in last)


def measured(name, body, seconds=SECONDS):
    body()  # kernels are loaded and compiled at their first launch
    torch.cuda.synchronize()
    with Sampler() as sampler:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            body()
            torch.cuda.synchronize()
        power, clock = sampler.tail()
    print(f"| {name} | {power:.0f} W | {clock:.0f} MHz |", flush=True)


def torch_classes():
    def big(*shape, dtype=torch.bfloat16):
        return torch.randn(*shape, device="cuda", dtype=dtype)

    a, b = big(8192, 8192), big(8192, 8192)
    yield "gemm, BF16 8192^3", lambda: [a @ b for _ in range(20)]
    a8, b8 = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    yield "gemm, FP8 8192^3", lambda: [
        torch._scaled_mm(a8, b8.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16) for _ in range(30)]
    q, k, v = (big(1, 32, 4096, 128).requires_grad_() for _ in range(3))
    dy = big(1, 32, 4096, 128)

    def attention():
        for _ in range(10):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).backward(dy)

    yield "attention, forward and backward", attention
    weights = [torch.nn.Parameter(big(4096, 11008)) for _ in range(8)]
    for w in weights:
        w.grad = torch.randn_like(w)
    adam = torch.optim.AdamW(weights, fused=True)
    yield "optimizer, fused AdamW BF16", lambda: [adam.step() for _ in range(10)]
    x = big(4096, 11008)
    yield "elementwise, x + y", lambda: [torch.add(x, x) for _ in range(100)]
    yield "activation, silu", lambda: [torch.nn.functional.silu(x) for _ in range(100)]
    yield "cast, BF16 to FP8", lambda: [x.to(torch.float8_e4m3fn) for _ in range(100)]
    yield "reduction, largest magnitude", lambda: [torch.linalg.vector_norm(x, float("inf")) for _ in range(100)]
    yield "transpose", lambda: [x.t().contiguous() for _ in range(100)]
    norm = torch.nn.RMSNorm(11008, device="cuda", dtype=torch.bfloat16)
    yield "norm", lambda: [norm(x) for _ in range(100)]
    y = torch.empty_like(big(2**29))
    z = torch.empty_like(y)
    yield "memcpy within the device", lambda: [z.copy_(y) for _ in range(10)]
    yield "memset", lambda: [z.zero_() for _ in range(20)]


def idle():
    with Sampler() as sampler:
        time.sleep(SECONDS)
        power, clock = sampler.tail()
    print(f"| idle, context open | {power:.0f} W | {clock:.0f} MHz |", flush=True)


def own(mansard, kernel):
    """A kernel of Mansard, in its own process: about 4 s at about 0.1 ms per launch."""
    with Sampler() as sampler:
        command = [mansard, "run", kernel, "--no-verify", "--shape", "8192x14336", "--steps", "40000"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=60)
        # The end of the run is idle, so the middle is used.
        busy = [s for s in sampler.samples if s[1] > 200][10:-5]
    if done.returncode != 0 or not busy:
        print(f"| {kernel} | failed: {done.stderr.strip()[-80:]} | |", flush=True)
        return
    power, clock = (statistics.mean(s[i] for s in busy[-30:]) for i in (1, 2))
    print(f"| {kernel} | {power:.0f} W | {clock:.0f} MHz |", flush=True)


def main():
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    limit = subprocess.run(["nvidia-smi", "--query-gpu=name,power.limit,driver_version", "--format=csv,noheader"],
                           capture_output=True, text=True, check=True).stdout.strip()
    print(f"{limit}\n\n| class | power | SM clock |\n|---|---:|---:|")
    torch.randn(1, device="cuda")
    idle()
    for name, body in torch_classes():
        if only and not name.startswith(only):
            continue
        measured(name, body)
    torch.cuda.empty_cache()
    if only:
        return 0
    for kernel in ("nvfp4_amax", "nvfp4_quantize_1x16", "nvfp4_quantize_both_rht", "fp8_cast_e4m3", "mxfp8_quantize"):
        own(sys.argv[1], kernel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
