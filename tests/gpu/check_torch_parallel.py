#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a converted Hugging Face Llama on two GPUs with DistributedDataParallel and with fully_shard (FSDP2). In the
same process, rank 0 trains one copy of the model per rank and averages their gradients; losses and parameters of the
parallel training must have the same bits. Tensor parallelism must be refused with an error that says so. Exits with 77
without two GPUs, PyTorch or transformers.

usage: check_torch_parallel.py PYTHON_FOLDER    which contains the package mansard, such as BUILD/lib/python"""

import copy
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
RANKS, STEPS, BATCH, SEQUENCE, VOCABULARY = 2, 8, 4, 128, 256

try:
    import torch
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
    from torch.nn.parallel import DistributedDataParallel
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import mansard.torch
from mansard import layers


def make(recipe, dtype):
    torch.manual_seed(3)
    model = LlamaForCausalLM(LlamaConfig(
        hidden_size=256, intermediate_size=512, num_hidden_layers=2, vocab_size=VOCABULARY, num_attention_heads=4,
        num_key_value_heads=4, tie_word_embeddings=False, attn_implementation="eager")).to("cuda", dtype)
    return mansard.torch.convert(model, recipe=recipe, seed=7)


def batch(step, rank):
    generator = torch.Generator().manual_seed(100 * step + rank)
    return torch.randint(VOCABULARY, (BATCH, SEQUENCE), generator=generator).to("cuda")


def loss_of(model, tokens):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return model(input_ids=tokens, labels=tokens).loss


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def train_copies(recipe, dtype):
    """Losses of rank 0 and the last parameters, of one copy per rank whose gradients are averaged."""
    copies = [make(recipe, dtype) for _ in range(RANKS)]
    optimizers, losses = [optimizer_of(model) for model in copies], []
    for step in range(STEPS):
        for rank, model in enumerate(copies):
            model.zero_grad(set_to_none=True)
            loss = loss_of(model, batch(step, rank))
            loss.backward()
            if rank == 0:
                losses.append(loss.item())
        for parameters in zip(*(model.parameters() for model in copies)):
            mean = sum(p.grad / RANKS for p in parameters)
            for p in parameters:
                p.grad = mean.clone()
        for optimizer in optimizers:
            optimizer.step()
    return losses, dict(copies[0].named_parameters())


def train_parallel(recipe, dtype, way, rank):
    model = make(recipe, dtype)
    if way == "DistributedDataParallel":
        runner = DistributedDataParallel(model, device_ids=[rank])
    else:
        for block in model.model.layers:
            fully_shard(block)
        runner = fully_shard(model)
    optimizer, losses = optimizer_of(runner), []
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(runner, batch(step, rank))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    parameters = {name: p.full_tensor() if isinstance(p, DTensor) else p for name, p in model.named_parameters()}
    return losses, parameters


def check_training(recipe, dtype, rank):
    expected_losses, expected = train_copies(recipe, dtype)
    if dtype == torch.float32:  # gains of 1 in BF16 may keep their values
        initial = dict(make(recipe, dtype).named_parameters())
        assert not any(torch.equal(expected[name], p) for name, p in initial.items()), "a parameter was not trained"
    for way in ("DistributedDataParallel", "fully_shard"):
        losses, parameters = train_parallel(recipe, dtype, way, rank)
        if rank > 0:
            continue
        different = [name for name, p in expected.items() if not torch.equal(p, parameters[name])]
        title = f"{way}, {recipe}, {str(dtype).removeprefix('torch.')} weights"
        if losses == expected_losses and not different:
            print(f"{title}: losses of {STEPS} steps and {len(parameters)} parameters have the same bits", flush=True)
        else:
            error = max(((parameters[n] - expected[n]).norm() / expected[n].norm()).item() for n in expected)
            yield (f"{title}: {len(different)} of {len(parameters)} parameters differ, by at most {error:.2e}; losses "
                   f"{losses} and {expected_losses}")


def check_tensor_parallel(rank):
    mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (RANKS,))
    model = torch.nn.Sequential(mansard.torch.Linear(64, 64, recipe="fp8", device="cuda"))
    parallelize_module(model, mesh, {"0": ColwiseParallel()})
    try:
        model(torch.zeros(32, 64, device="cuda"))
    except TypeError as error:
        if rank == 0:
            print(f"tensor parallelism is refused: {error}", flush=True)
        return
    yield "tensor parallelism: no error"


def run_rank():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    torch.use_deterministic_algorithms(True, warn_only=True)
    faults = []
    for recipe in layers.recipes():
        for dtype in (torch.float32, torch.bfloat16):
            faults += check_training(recipe, dtype, rank)
    faults += check_tensor_parallel(rank)
    dist.destroy_process_group()
    print("\n".join(faults + ([f"{len(faults)} faults"] if rank == 0 else [])), flush=True)
    return 1 if faults else 0


def main():
    if "LOCAL_RANK" in os.environ:
        return run_rank()
    if torch.cuda.device_count() < RANKS:
        print(f"skipped: {torch.cuda.device_count()} GPUs; {RANKS} are needed")
        return 77
    environment = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={RANKS}",
               pathlib.Path(__file__).resolve(), pathlib.Path(sys.argv[1]).resolve()]
    return subprocess.run(list(map(str, command)), env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
