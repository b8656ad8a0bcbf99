# SPDX-License-Identifier: Apache-2.0
"""A linear layer in BF16 or in FP8 with current scaling: E4M3 activations and weights, E5M2 gradients.
While a tool records, its GEMMs state their work (FLOPs and bytes) in NVTX ranges."""

import contextlib

import torch

from linear_work import annotate, linear_pass, quantize_work, transpose_work


def in_range(name, work, *arguments):
    """A range annotated with `work(*arguments)`. torch.compile cannot trace into a tool's ranges."""
    if torch.compiler.is_compiling() or not annotate.recording():
        return contextlib.nullcontext()
    return annotate.work(name, **work(*arguments))


def fp8_obstacle(device):
    """The reason why FP8 GEMMs cannot run on `device`, or an empty string."""
    if not hasattr(torch, "_scaled_mm") or not hasattr(torch, "float8_e4m3fn"):
        return f"PyTorch {torch.__version__} has no torch._scaled_mm for FP8"
    if device.type != "cuda":
        return "FP8 needs a GPU"
    capability = torch.cuda.get_device_capability(device)
    if capability < (8, 9):
        return (f"FP8 needs compute capability 8.9 or later, and {torch.cuda.get_device_name(device)} "
                f"has {capability[0]}.{capability[1]}")
    return ""


def quantize(tensor, dtype, kept=None, role=""):
    """Codes and the scale for dequantization; the largest value becomes the largest code. With a dict
    `kept`, the first codes of each role are reused for all later tensors: the results are then wrong, but
    the step shows its time without quantization."""
    if kept is not None and role in kept:
        return kept[role]
    codes = quantized(tensor, dtype)
    if kept is not None:
        kept[role] = codes
    return codes


def quantized(tensor, dtype):
    precision = {torch.float8_e4m3fn: "fp8_e4m3", torch.float8_e5m2: "fp8_e5m2"}[dtype]
    with in_range("quantize", quantize_work, tensor.numel(), precision):
        tensor = tensor.contiguous()  # a gradient may be a view, but codes must be row-major
        amax = torch.linalg.vector_norm(tensor, float("inf")).float()
        # The bound avoids a division by zero for a tensor of zeros. Nothing overflows: rounding adds
        # far less than half a step to the largest value.
        scale = amax.clamp_min(1e-12) / torch.finfo(dtype).max
        return (tensor * scale.reciprocal()).to(dtype), scale


def transposed(codes):
    """Row-major codes of the transpose; copied as bytes, which every version of PyTorch supports."""
    with in_range("transpose", transpose_work, codes.numel()):
        return codes.view(torch.uint8).t().contiguous().view(codes.dtype)


def multiply(a, a_scale, b_t, b_scale, dtype, fast_accumulate):
    """a b_t^T of row-major codes: FP8 tensor cores need a column-major second operand."""
    return torch._scaled_mm(a, b_t.t(), scale_a=a_scale, scale_b=b_scale, out_dtype=dtype,
                            use_fast_accum=fast_accumulate)


class AnnotatedLinear(torch.autograd.Function):
    """F.linear without a bias, with a range around each of its three GEMMs."""

    @staticmethod
    def forward(ctx, x, weight, name):
        ctx.save_for_backward(x, weight)
        ctx.name = name
        with in_range(f"{name} fprop", linear_pass, "fprop", *sizes(x, weight), "bf16"):
            return x @ weight.t()

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        shape = sizes(x, weight)
        with in_range(f"{ctx.name} dgrad", linear_pass, "dgrad", *shape, "bf16"):
            dx = dy @ weight
        with in_range(f"{ctx.name} wgrad", linear_pass, "wgrad", *shape, "bf16"):
            dw = dy.t() @ x
        return dx, dw, None


class Fp8Linear(torch.autograd.Function):
    """Keeps the codes of the forward pass for the backward pass, one byte per element."""

    @staticmethod
    def forward(ctx, x, weight, name, kept):
        x8, x_scale = quantize(x, torch.float8_e4m3fn, kept, "x")
        w8, w_scale = quantize(weight, torch.float8_e4m3fn, kept, "w")
        ctx.save_for_backward(x8, x_scale, w8, w_scale)
        ctx.name, ctx.kept = name, kept
        ctx.dtype = x.dtype
        with in_range(f"{name} fprop", linear_pass, "fprop", *sizes(x, weight), "fp8"):
            return multiply(x8, x_scale, w8, w_scale, x.dtype, True)

    @staticmethod
    def backward(ctx, dy):
        x8, x_scale, w8, w_scale = ctx.saved_tensors
        shape = sizes(x8, w8)
        dy8, dy_scale = quantize(dy, torch.float8_e5m2, ctx.kept, "dy")
        w8_t = transposed(w8)
        # Gradients are accumulated in full FP32, because they are small and numerous.
        with in_range(f"{ctx.name} dgrad", linear_pass, "dgrad", *shape, "fp8"):
            dx = multiply(dy8, dy_scale, w8_t, w_scale, ctx.dtype, False)
        dy8_t, x8_t = transposed(dy8), transposed(x8)
        with in_range(f"{ctx.name} wgrad", linear_pass, "wgrad", *shape, "fp8"):
            dw = multiply(dy8_t, dy_scale, x8_t, x_scale, ctx.dtype, False)
        return dx, dw, None, None


def sizes(x, weight):
    return x.shape[0], weight.shape[1], weight.shape[0]


class Linear(torch.nn.Module):
    def __init__(self, inputs, outputs, name, recipe):
        super().__init__()
        if recipe == "fp8" and (inputs % 16 or outputs % 16):
            raise ValueError(f"{name} is {outputs} x {inputs}; FP8 products need multiples of 16")
        self.weight = torch.nn.Parameter(torch.empty(outputs, inputs))
        torch.nn.init.normal_(self.weight, std=0.02)
        self.name, self.recipe = name, recipe
        self.kept = None  # a dict: quantize once, see quantize()

    def forward(self, x):
        rows = x.flatten(0, -2)
        if self.recipe == "fp8":
            y = Fp8Linear.apply(rows, self.weight, self.name, self.kept)
        elif annotate.recording() and not torch.compiler.is_compiling():
            y = AnnotatedLinear.apply(rows, self.weight, self.name)
        else:
            y = torch.nn.functional.linear(rows, self.weight)
        return y.unflatten(0, x.shape[:-1])
