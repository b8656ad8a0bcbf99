#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mansard.torch on a GPU: the checks of tests/python/torch_module.py; quantized tensors with the bits of the CPU, and
products within the error of accumulation; other streams, CUDA graphs and torch.compile; a converted Hugging Face Llama
that learns like the original one. Prints what layers cost. Exits with 77 without a GPU, PyTorch or transformers.

usage: check_torch_module.py PYTHON_FOLDER    which contains the package mansard, such as BUILD/lib/python"""

import itertools
import pathlib
import sys
import time

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parents[1] / "python")]

try:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import mansard.torch
import torch_module
from mansard import layers

STEPS, BATCH, SEQUENCE, VOCABULARY, SUCCESSORS = 240, 8, 128, 256, 4
# Part of the fall of the loss that a recipe may lose.
LARGEST_LOSS = {"bf16": 0.01, "nvfp4": 0.06}
LARGEST_LOSS_OF_FP8 = 0.03


def check_bits_of_the_cpu(recipe):
    """Quantized x, W and dy, byte for byte, and the products of their values."""
    torch.manual_seed(3)
    x, w = torch.randn(256, 192).bfloat16(), torch.randn(320, 192).bfloat16() / 64
    dy = (torch.randn(256, 320) / 1024).bfloat16()
    blocks, results = {}, {}
    for device in ("cpu", "cuda"):
        layer = layers.Layer(recipe, 256, 192, 320, seed=9, device=0 if device == "cuda" else layers.CPU)
        memory = [torch.zeros(size, dtype=torch.uint8, device=device) for size in
                  (layer.activation_bytes, layer.weight_bytes, layer.backward_scratch_bytes)]
        tensors = [tensor.to(device) for tensor in (x, w, dy)]
        outputs = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in
                   (((256, 320), torch.bfloat16), ((256, 192), torch.bfloat16), ((320, 192), torch.float32))]
        ax, aw, ady, ay, adx, adw = (tensor.data_ptr() for tensor in tensors + outputs)
        stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else None
        passed = layers.Memory(*(tensor.data_ptr() for tensor in memory))
        forward = layer.fprop(stream, passed, ax, aw, ay)
        layer.dgrad(stream, passed, forward, ady, aw, adx)
        layer.wgrad(stream, passed, forward, ady, ax, adw)
        gradient = memory[2][:layer.backward_scratch_bytes - layer.forward_scratch_bytes]
        blocks[device] = [tensor.cpu() for tensor in (memory[0], memory[1], gradient)]
        results[device] = [tensor.cpu() for tensor in outputs]
    # Later GPUs multiply the codes, whose scales then have another layout.
    if torch.cuda.get_device_capability() < (10, 0):
        for name, ours, theirs in zip(("x", "W", "dy"), blocks["cuda"], blocks["cpu"]):
            assert torch.equal(ours, theirs), f"quantized {name}: {(ours != theirs).sum().item()} bytes differ"
    # Results in BF16 may be rounded to neighbors; FP8 tensor cores keep 13 fraction bits of sums.
    for name, ours, theirs in zip(("y", "dx", "dw"), results["cuda"], results["cpu"]):
        error = torch_module.error_of(ours, theirs)
        assert error < 2e-3, (name, error)


def check_streams(recipe):
    x, dy = (torch_module.random_input("cuda", 64, width) for width in (torch_module.IN, torch_module.OUT))
    expected = torch_module.step(torch_module.make(recipe, "cuda"), x, dy)
    module, stream = torch_module.make(recipe, "cuda"), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        found = torch_module.step(module, x, dy)
    torch.cuda.synchronize()
    assert all(map(torch_module.same_bits, found, expected))


def check_graphs(recipe):
    """Replays of a captured step give the results of further steps."""
    x, dy = (torch_module.random_input("cuda", 64, width) for width in (torch_module.IN, torch_module.OUT))
    plain, module = torch_module.make(recipe, "cuda"), torch_module.make(recipe, "cuda")
    stream, leaf = torch.cuda.Stream(), x.clone().requires_grad_()

    def step():
        leaf.grad = module.weight.grad = module.bias.grad = None
        module(leaf).backward(dy)

    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    leaf.grad = module.weight.grad = module.bias.grad = None
    with torch.cuda.graph(graph, stream=stream):
        step()
    torch_module.step(plain, x, dy)
    for replay in range(2):
        graph.replay()
        torch.cuda.synchronize()
        _, dx, dw, _ = torch_module.step(plain, x, dy)
        assert torch_module.same_bits(leaf.grad, dx), ("dx", replay)
        assert torch_module.same_bits(module.weight.grad, dw), ("dw", replay)


def check_compile(recipe):
    torch._dynamo.reset()
    eager, compiled = (torch.nn.Sequential(torch_module.make(recipe, "cuda"), torch.nn.GELU()) for _ in range(2))
    x = torch_module.random_input("cuda", 64, torch_module.IN)
    assert torch_module.same_bits(torch.compile(compiled, backend="aot_eager")(x), eager(x))


def batches(device):
    """Each token is followed by one of a few, so that the loss can fall from ln 256 to ln 4."""
    generator = torch.Generator().manual_seed(11)
    successors = torch.randint(VOCABULARY, (VOCABULARY, SUCCESSORS), generator=generator)
    while True:
        tokens = torch.randint(VOCABULARY, (BATCH, 1), generator=generator)
        choices = torch.randint(SUCCESSORS, (BATCH, SEQUENCE), generator=generator)
        for i in range(SEQUENCE - 1):
            tokens = torch.cat((tokens, successors[tokens[:, -1], choices[:, i]][:, None]), dim=1)
        yield tokens.to(device)


def train(recipe, data):
    """The mean loss of the first and of the last steps, and the time of a step in milliseconds."""
    torch.manual_seed(12)
    model = LlamaForCausalLM(LlamaConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=2, vocab_size=VOCABULARY,
                                         num_attention_heads=4, num_key_value_heads=4)).to("cuda")
    if recipe is not None:
        mansard.torch.convert(model, recipe=recipe)
        converted = sum(isinstance(module, mansard.torch.Linear) for module in model.modules())
        assert converted == 14, converted
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    losses, start = [], time.perf_counter()
    for tokens in data:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach())
    losses = torch.stack(losses).float().cpu()
    step_ms = 1e3 * (time.perf_counter() - start) / len(data)
    return losses[:5].mean().item(), losses[-20:].mean().item(), step_ms


def check_training():
    data = list(itertools.islice(batches("cuda"), STEPS))
    train(None, data[:10])  # start-up
    first, last, step_ms = train(None, data)
    print(f"Llama, torch.nn.Linear: loss {first:.3f} to {last:.3f}, {step_ms:.1f} ms per step")
    faults = [] if last < 2 else [f"the unconverted Llama did not learn: loss {last}"]
    for recipe in layers.recipes():
        mine_first, mine_last, step_ms = train(recipe, data)
        print(f"Llama, {recipe}: loss {mine_first:.3f} to {mine_last:.3f}, {step_ms:.1f} ms per step")
        lost = 1 - (mine_first - mine_last) / (first - last)
        if not lost < LARGEST_LOSS.get(recipe, LARGEST_LOSS_OF_FP8):
            faults.append(f"Llama, {recipe}: the loss falls {100 * lost:.1f} % less")
    return faults


def median_ms(function, repeats=20):
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times)[repeats // 2]


def cost(recipe, tokens, features):
    """The time of a forward and a backward pass, and the bytes that are held between them besides x and y."""
    x, dy = (torch.randn(tokens, features, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    x.requires_grad_()
    module = torch.nn.Linear(features, features, bias=False, device="cuda", dtype=torch.bfloat16)
    if recipe is not None:
        module = mansard.torch.Linear.of(module, recipe=recipe)

    def step():
        x.grad = module.weight.grad = None
        module(x).backward(dy)

    step()
    x.grad = module.weight.grad = None
    before = torch.cuda.memory_allocated()
    y = module(x)
    held = torch.cuda.memory_allocated() - before - 2 * y.numel()
    y.backward(dy)
    del y
    return median_ms(step), held


def print_costs():
    for tokens, features in ((8192, 4096), (64, 256)):
        print(f"{tokens} tokens, {features} -> {features}, BF16: forward and backward pass, memory held between them")
        for recipe in (None, *layers.recipes()):
            time_ms, held = cost(recipe, tokens, features)
            print(f"  {recipe or 'torch.nn.Linear':16} {time_ms:7.3f} ms  {held / 1e6:8.1f} MB")


def main():
    if not torch.cuda.is_available():
        print("skipped: no GPU")
        return 77
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    faults = torch_module.run("cuda")
    checks = (check_bits_of_the_cpu, check_streams, check_graphs, check_compile)
    for check, recipe in itertools.product(checks, layers.recipes()):
        try:
            check(recipe)
        except AssertionError as error:
            faults.append(f"{check.__name__}, {recipe}: {error}")
    faults += check_training()
    print_costs()
    print("\n".join(faults))
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
