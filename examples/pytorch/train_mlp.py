# SPDX-License-Identifier: Apache-2.0
"""A small PyTorch training loop, as an example for `mansard profile`:

    mansard profile -o mlp.sqlite -- python3 examples/pytorch/train_mlp.py

With --count it also counts its kernels with torch.profiler and prints the number. Do not combine this
with Mansard, because CUPTI supports only one tool per process."""

import argparse

import torch


def train(steps, width, batch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)
    ).to("cuda", torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(batch, width, device="cuda", dtype=torch.bfloat16)
    for step in range(steps):
        torch.cuda.nvtx.range_push(f"step {step}")
        loss = torch.nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--count", action="store_true", help="count kernels with torch.profiler")
    args = parser.parse_args()
    if not args.count:
        print(f"loss {train(args.steps, args.width, args.batch):.6f}")
        return
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        train(args.steps, args.width, args.batch)
    names = [e.name for e in recorded.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    copies = sum(n.startswith("Memcpy") for n in names)
    sets = sum(n.startswith("Memset") for n in names)
    # Ignore NVTX ranges projected onto the GPU, which are not GPU activities.
    ranges = sum(n.startswith("step ") for n in names)
    print(f"kernels {len(names) - copies - sets - ranges} memcpy {copies} memset {sets}")


if __name__ == "__main__":
    main()
