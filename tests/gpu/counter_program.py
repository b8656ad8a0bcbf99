# SPDX-License-Identifier: Apache-2.0
"""Kernels of many kinds, each launched often: what check_profile_counters.py reads counters of."""

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
query = torch.randn(4, 16, 2048, 128, device="cuda", dtype=torch.bfloat16)
norm = torch.nn.LayerNorm(N, device="cuda", dtype=torch.bfloat16)
indices = torch.randint(0, N, (16384,), device="cuda")

with torch.no_grad():
    for _ in range(REPEATS):
        torch.mm(a, b)
        torch._scaled_mm(a8, b8, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        torch.add(x, y, alpha=3.0, out=z)  # triad
        torch.softmax(a, dim=-1)
        torch.sum(x)
        norm(a)
        torch.nn.functional.scaled_dot_product_attention(query, query, query, is_causal=True)
        torch.nn.functional.gelu(a)
        a.t().contiguous()
        torch.nn.functional.embedding(indices, a)
        torch.mm(x.view(8192, 8192)[:2048, :2048], y.view(8192, 8192)[:2048, :2048])  # FP32
        torch.amax(torch.abs(b))
torch.cuda.synchronize()
