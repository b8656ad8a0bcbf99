# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training of a small network, one rank per GPU; profiled by check_ranks.py.

Usage: torchrun --nproc-per-node GPUS ranks_program.py STEPS"""

import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(1)
    layers = [layer for _ in range(6) for layer in (torch.nn.Linear(4096, 4096), torch.nn.ReLU())]
    model = DistributedDataParallel(torch.nn.Sequential(*layers).cuda().bfloat16(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    for step in range(int(sys.argv[1])):
        torch.cuda.nvtx.range_push(f"step {step}")
        model(data).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
