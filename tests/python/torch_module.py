# SPDX-License-Identifier: Apache-2.0
"""mansard.torch on the CPU, or on the device that is named: modules give the bits of mansard.layers, in all uses of a
module that a training program may make. Exits with 77 without PyTorch.

usage: torch_module.py [cpu|cuda]"""

import copy
import itertools
import sys
import warnings

try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)

import mansard.torch
from mansard import layers

IN, OUT, SEED = 96, 160, 5
# Errors of y, dx and dW against FP32 products, in the Euclidean norm. FP4 keeps one mantissa bit, FP8 two or three.
LARGEST_ERROR = {"bf16": 0.006, "nvfp4": 0.25}
LARGEST_ERROR_OF_FP8 = 0.07


def same_bits(a, b):
    return a.dtype == b.dtype and torch.equal(a, b)


def error_of(values, exact):
    return ((values.float() - exact.float()).norm() / exact.float().norm()).item()


def random_input(device, *shape, scale=1.0):
    return (scale * torch.randn(*shape)).to(device, torch.bfloat16)


def make(recipe, device, **options):
    torch.manual_seed(1)
    linear = mansard.torch.Linear(IN, OUT, dtype=options.pop("dtype", torch.bfloat16), recipe=recipe, seed=SEED, **options)
    return linear.to(device)


def step(module, x, dy):
    """y, dx, dW and the bias gradient of one forward and backward pass."""
    x = x.detach().clone().requires_grad_()
    module.zero_grad(set_to_none=True)
    y = module(x)
    y.backward(dy.to(y.dtype))
    return [y.detach(), x.grad, module.weight.grad] + ([] if module.bias is None else [module.bias.grad])


class Direct:
    """The same layer through mansard.layers."""

    def __init__(self, recipe, tokens, device):
        ordinal = torch.cuda.current_device() if device == "cuda" else layers.CPU
        self.layer = layers.Layer(recipe, tokens, IN, OUT, seed=SEED, device=ordinal)
        self.device, self.tokens = device, tokens
        self.blocks = [torch.empty(size, dtype=torch.uint8, device=device) for size in (
            self.layer.activation_bytes, self.layer.weight_bytes, self.layer.backward_scratch_bytes)]
        self.memory = layers.Memory(*(block.data_ptr() for block in self.blocks))

    def step(self, x, w, dy):
        stream = torch.cuda.current_stream().cuda_stream if self.device == "cuda" else None
        y = torch.empty(self.tokens, OUT, dtype=torch.bfloat16, device=self.device)
        dx, dw = torch.empty_like(x), torch.empty(OUT, IN, device=self.device)
        a = [tensor.data_ptr() for tensor in (x, w, y, dy, dx, dw)]
        forward = self.layer.fprop(stream, self.memory, a[0], a[1], a[2])
        self.layer.dgrad(stream, self.memory, forward, a[3], a[1], a[4])
        self.layer.wgrad(stream, self.memory, forward, a[3], a[0], a[5])
        return y, dx, dw


def check_bits(recipe, device):
    """Of two steps, whose random numbers differ."""
    module, direct = make(recipe, device, bias=False), Direct(recipe, 64, device)
    for _ in range(2):
        x, dy = random_input(device, 64, IN), random_input(device, 64, OUT, scale=1e-3)
        y, dx, dw = direct.step(x, module.weight.detach(), dy)
        found = step(module, x.view(2, 32, IN), dy.view(2, 32, OUT))
        assert same_bits(found[0], y.view(2, 32, OUT)), "y"
        assert same_bits(found[1], dx.view(2, 32, IN)), "dx"
        assert same_bits(found[2], dw.to(torch.bfloat16)), "dw"


def check_padding(recipe, device):
    """51 tokens are computed as 64, the last of which are zero."""
    module, direct = make(recipe, device, bias=False), Direct(recipe, 64, device)
    x, dy = random_input(device, 64, IN), random_input(device, 64, OUT)
    x[51:], dy[51:] = 0, 0
    y, dx, dw = direct.step(x, module.weight.detach(), dy)
    found = step(module, x[:51], dy[:51])
    assert all(map(same_bits, found, (y[:51], dx[:51], dw.to(torch.bfloat16))))


def check_types(recipe, device):
    """FP32 master weights and inputs, and autocast. Inputs of BF16 values give the same results in all of them."""
    x, dy = random_input(device, 64, IN), random_input(device, 64, OUT)
    bf16 = make(recipe, device)
    fp32 = copy.deepcopy(bf16).float()
    expected, found = step(bf16, x, dy), step(fp32, x.float(), dy.float())
    assert all(tensor.dtype == torch.float32 for tensor in found)
    assert same_bits(found[1].to(torch.bfloat16), expected[1]), "dx"
    assert same_bits(found[2].to(torch.bfloat16), expected[2]), "dw"
    exact = torch.nn.Linear(IN, OUT).to(device)
    exact.load_state_dict(fp32.state_dict())
    for name, value, reference in zip(("y", "dx", "dw", "db"), found, step(exact, x.float(), dy.float())):
        error = error_of(value, reference)
        assert error < LARGEST_ERROR.get(recipe, LARGEST_ERROR_OF_FP8), (name, error)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert fp32(x.float()).dtype == torch.bfloat16
    assert fp32(x.float()).dtype == torch.float32


def check_reuse(recipe, device):
    """A module that is used several times before the backward passes."""
    x = [random_input(device, 64, IN) for _ in range(2)]
    dy = [random_input(device, 64, OUT) for _ in range(2)]
    alone = []
    for index in (1, 0):  # the order of the backward passes below, which fixes the random numbers
        if not alone:
            module = make(recipe, device)
        alone.append(step(module, x[index], dy[index])[1])
    module = make(recipe, device)
    inputs = [value.clone().requires_grad_() for value in x]
    if recipe == "fp8_delayed":
        loss = sum((module(value) * gradient).sum() for value, gradient in zip(inputs, dy))
        try:
            loss.backward()
        except layers.OutOfOrder:
            return
        raise AssertionError("no OutOfOrder")
    outputs = [module(value) for value in inputs]
    outputs[1].backward(dy[1])
    outputs[0].backward(dy[0])
    assert same_bits(inputs[1].grad, alone[0]) and same_bits(inputs[0].grad, alone[1])


def check_unchanged_weights(recipe, device):
    """Gradients of two micro-batches accumulate, and a changed weight is not seen within the block."""
    module, plain = make(recipe, device, dtype=torch.float32), make(recipe, device, dtype=torch.float32)
    batches = [(random_input(device, 64, IN), random_input(device, 64, OUT)) for _ in range(2)]
    module(batches[0][0])  # outside of the block
    plain(batches[0][0])
    with mansard.torch.unchanged_weights():
        outputs = [module(x) for x, _ in batches]
        for y, (_, dy) in zip(outputs, batches):
            y.backward(dy)
        with torch.no_grad():
            module.weight.mul_(2)
            assert recipe == "bf16" or same_bits(module(batches[0][0]), outputs[0].detach())
            module.weight.div_(2)
    if recipe != "fp8_delayed":  # whose scales change outside of such a block
        for x, dy in batches:
            plain(x).backward(dy)
        assert same_bits(module.weight.grad, plain.weight.grad)
    with torch.no_grad():
        module.weight.mul_(2)
        assert not torch.equal(module(batches[0][0]), outputs[0].detach())


def check_partial_gradients(recipe, device):
    x, dy = random_input(device, 64, IN), random_input(device, 64, OUT)
    _, dx, dw, db = step(make(recipe, device), x, dy)
    module = make(recipe, device)
    module(x).backward(dy)  # x needs no gradient
    assert same_bits(module.weight.grad, dw) and same_bits(module.bias.grad, db)
    module = make(recipe, device).requires_grad_(False)
    leaf = x.clone().requires_grad_()
    module(leaf).backward(dy)
    assert same_bits(leaf.grad, dx) and module.weight.grad is None
    with torch.no_grad():
        assert not module(x).requires_grad


def check_checkpointing(recipe, device):
    from torch.utils.checkpoint import checkpoint
    x, dy = random_input(device, 64, IN), random_input(device, 64, OUT)
    expected = step(make(recipe, device), x, dy)
    for reentrant in (False, True):
        if recipe == "fp8_delayed" and not reentrant:
            continue  # the second forward pass replaces the scales
        module, leaf = make(recipe, device), x.clone().requires_grad_()
        checkpoint(module, leaf, use_reentrant=reentrant).backward(dy)
        if recipe != "fp8_delayed":
            assert same_bits(leaf.grad, expected[1]) and same_bits(module.weight.grad, expected[2])


def check_unusual_inputs(recipe, device):
    module = make(recipe, device)
    x = random_input(device, 64, IN)
    y = make(recipe, device)(x)
    shifted = torch.empty(64 * IN + 8, dtype=x.dtype, device=device)[8:].view(64, IN)
    shifted.copy_(x)
    assert same_bits(make(recipe, device)(shifted), y), "unaligned"
    assert same_bits(make(recipe, device)(x.t().contiguous().t()), y), "not contiguous"
    assert module(x[:0]).shape == (0, OUT) and module(x[0]).shape == (OUT,)
    for bad in (x[:, :-16], x.to(torch.int32), x.to("meta")):
        try:
            module(bad)
        except ValueError:
            continue
        raise AssertionError("no ValueError")
    for tokens in range(32, 32 * 20, 32):  # more token counts than a module keeps layers
        module(random_input(device, tokens, IN)).sum().backward()
    clone = copy.deepcopy(module)
    assert clone.recipe == recipe and same_bits(clone.weight, module.weight) and clone(x).shape == y.shape


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(64, 128), torch.nn.Linear(128, 64, bias=False)
        self.odd, self.lm_head = torch.nn.Linear(64, 20), torch.nn.Linear(64, 32)
        self.again = self.up

    def forward(self, x):
        return self.lm_head(self.down(torch.relu(self.again(x)))), self.odd(x)


def check_convert(device):
    model = torch.nn.Sequential(Block(), torch.nn.ModuleDict({"x": Block()})["x"]).to(device)
    state, calls = model.state_dict(), []
    model[0].up.register_forward_hook(lambda *_: calls.append(1))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert mansard.torch.convert(model, recipe="fp8", seed=3) is model
    assert len(seen) == 1 and "0.odd (64 -> 20), 1.odd (64 -> 20)" in str(seen[0].message), seen
    block = model[0]
    converted = [name for name, module in model.named_modules() if isinstance(module, mansard.torch.Linear)]
    assert converted == ["0.up", "0.down", "1.up", "1.down"], converted
    assert block.again is block.up and not isinstance(block.lm_head, mansard.torch.Linear)
    assert [model[i].up.seed for i in (0, 1)] == [3, 5] and "recipe=fp8" in repr(block)
    assert list(model.state_dict()) == list(state)
    assert all(model.state_dict()[name].data_ptr() == state[name].data_ptr() for name in state)
    block(torch.randn(32, 64, device=device))
    assert calls == [1]
    only_up = mansard.torch.convert(Block(), keep=lambda path, module: path != "up")
    assert isinstance(only_up.up, mansard.torch.Linear) and type(only_up.down) is torch.nn.Linear
    assert isinstance(mansard.torch.convert(torch.nn.Linear(16, 16)), mansard.torch.Linear)
    for arguments in ({"in_features": 24}, {"recipe": "fp3"}):
        try:
            mansard.torch.Linear(**{"in_features": 32, "out_features": 32, **arguments})
        except ValueError:
            continue
        raise AssertionError("no ValueError")


CHECKS = (check_bits, check_padding, check_types, check_reuse, check_unchanged_weights, check_partial_gradients,
          check_checkpointing, check_unusual_inputs)


def run(device):
    """Returns the faults."""
    faults = []
    for check, recipe in itertools.product(CHECKS, layers.recipes()):
        torch.manual_seed(2)
        try:
            check(recipe, device)
        except AssertionError as error:
            faults.append(f"{check.__name__}, {recipe}: {error}")
    check_convert(device)
    print(f"{len(CHECKS) * len(layers.recipes())} checks on '{device}', {len(faults)} faults")
    return faults


def main():
    faults = run(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
