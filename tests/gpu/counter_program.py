# SPDX-License-Identifier: Apache-2.0
"""Kernels of many kinds, each launched several times; check_profile_counters.py reads their counters. Before each
launch, the L2 cache is filled with unrelated data, because memory traffic depends on its content.

Usage: counter_program.py REPEATS"""

import sys

import torch

N = 4096
REPEATS = int(sys.argv[1])

torch.manual_seed(1)
a = torch.randn(N, N, device="cuda", dtype=torch.bfloat16)
b = torch.randn(N, N, device="cuda", dtype=torch.bfloat16)
a8 = a.to(torch.float8_e4m3fn)
b8 = b.to(torch.float8_e4m3fn).t()
one = torch.ones((), device="cuda")
x = torch.randn(1 << 26, device="cuda")  # 256 MiB: far beyond the L2 cache
y = torch.randn(1 << 26, device="cuda")
z = torch.empty_like(x)
other = torch.randn(1 << 26, device="cuda")
query = torch.randn(4, 16, 2048, 128, device="cuda", dtype=torch.bfloat16)
norm = torch.nn.LayerNorm(N, device="cuda", dtype=torch.bfloat16)
indices = torch.randint(0, N, (16384,), device="cuda")

KERNELS = [
    lambda: torch.mm(a, b),
    lambda: torch._scaled_mm(a8, b8, scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
    lambda: torch.add(x, y, alpha=3.0, out=z),  # triad
    lambda: torch.softmax(a, dim=-1),
    lambda: torch.sum(y),
    lambda: norm(a),
    lambda: torch.nn.functional.scaled_dot_product_attention(query, query, query, is_causal=True),
    lambda: torch.nn.functional.gelu(a),
    lambda: a.t().contiguous(),
    lambda: torch.nn.functional.embedding(indices, a),
    lambda: torch.mm(x.view(8192, 8192)[:2048, :2048], y.view(8192, 8192)[:2048, :2048]),  # FP32
    lambda: torch.abs(b),
    lambda: torch.amax(b),
]

with torch.no_grad():
    for _ in range(REPEATS):
        for kernel in KERNELS:
            torch.amin(other)
            kernel()
torch.cuda.synchronize()
