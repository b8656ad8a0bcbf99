# SPDX-License-Identifier: Apache-2.0
"""NCCL collectives over message sizes, timed by the program itself; profiled by check_collectives.py.

Usage: torchrun --nproc-per-node GPUS collectives_program.py

Prints a line of JSON for each operation and size (rank 0): the size S of nccl-tests in bytes, and the median time of a
collective in seconds. No rank starts a collective before all others are ready."""

import json
import os

import torch
import torch.distributed as dist

SIZES = [1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30]
REPEATS = 20
WARMUP = 5


def operations(size, ranks):
    """Functions by name; S is `size` in each."""
    whole = torch.ones(size // 2, dtype=torch.bfloat16, device="cuda")
    other = torch.empty_like(whole)
    part = torch.ones(size // 2 // ranks, dtype=torch.bfloat16, device="cuda")
    return {
        "all-reduce": lambda: dist.all_reduce(whole),
        "all-gather": lambda: dist.all_gather_into_tensor(whole, part),
        "reduce-scatter": lambda: dist.reduce_scatter_tensor(part, whole),
        "all-to-all": lambda: dist.all_to_all_single(other, whole),
        "broadcast": lambda: dist.broadcast(whole, 0),
    }


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    ready = torch.ones(1, device="cuda")
    for size in SIZES:
        for name, call in operations(size, dist.get_world_size()).items():
            times = []
            for repeat in range(WARMUP + REPEATS):
                dist.all_reduce(ready)  # the ranks leave it together
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                call()
                end.record()
                torch.cuda.synchronize()
                if repeat >= WARMUP:
                    times.append(begin.elapsed_time(end) * 1e-3)
            if rank == 0:
                print(json.dumps({"operation": name, "bytes": size,
                                  "median_s": sorted(times)[len(times) // 2]}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
