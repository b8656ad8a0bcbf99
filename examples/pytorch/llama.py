# SPDX-License-Identifier: Apache-2.0
"""A Llama-like language model: RMSNorm, rotary positions, causal attention, SwiGLU. Each layer has
its own NVTX range, in the forward and in the backward pass."""

import torch
from torch.nn import functional as F

from linear_layers import Linear
from linear_work import annotate


class RMSNorm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


def rotations(positions, head_width, device, dtype):
    """Cosines and sines of all angles, positions x head_width, for rotate()."""
    frequencies = 500000.0 ** (-torch.arange(0, head_width, 2, device=device).float() / head_width)
    angles = torch.outer(torch.arange(positions, device=device).float(), frequencies).repeat(1, 2)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(x, cosines, sines):
    low, high = x.chunk(2, dim=-1)
    return torch.addcmul(x * cosines, torch.cat((-high, low), dim=-1), sines)


class PassValues(torch.autograd.Function):
    """Replaces attention to measure a step without it: launches nothing in either pass. The gradients of
    queries and keys are random numbers, generated once, so that earlier layers get ordinary data."""

    made = {}

    @staticmethod
    def forward(ctx, q, k, v):
        return v.view_as(v)

    @staticmethod
    def backward(ctx, dv):
        key = (dv.shape, dv.dtype, dv.device)
        if key not in PassValues.made:
            PassValues.made[key] = 1e-4 * torch.randn(dv.shape, dtype=dv.dtype, device=dv.device)
        random = PassValues.made[key]
        return random, random, dv


class Attention(torch.nn.Module):
    def __init__(self, hidden, heads, recipe):
        super().__init__()
        self.heads = heads
        self.mixes = True  # False: see PassValues
        self.qkv = Linear(hidden, 3 * hidden, "qkv", recipe)
        self.out = Linear(hidden, hidden, "attention out", recipe)

    def forward(self, x, cosines, sines):
        batch, sequence, hidden = x.shape
        heads = self.qkv(x).view(batch, sequence, 3 * self.heads, -1).transpose(1, 2)
        # Queries and keys are rotated by the same angles, so one rotation serves both.
        turned, v = heads.split((2 * self.heads, self.heads), dim=1)
        q, k = rotate(turned, cosines, sines).chunk(2, dim=1)
        if self.mixes:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            mixed = PassValues.apply(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(batch, sequence, hidden))


class FeedForward(torch.nn.Module):
    def __init__(self, hidden, width, recipe):
        super().__init__()
        self.gate_up = Linear(hidden, 2 * width, "gate and up", recipe)
        self.down = Linear(width, hidden, "down", recipe)

    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class Layer(torch.nn.Module):
    def __init__(self, hidden, heads, recipe):
        super().__init__()
        # As in Llama: about 8/3 of the model's width, a multiple of 256 for the tensor cores.
        width = 256 * -(-8 * hidden // (3 * 256))
        self.attention_norm, self.attention = RMSNorm(hidden), Attention(hidden, heads, recipe)
        self.feed_forward_norm = RMSNorm(hidden)
        self.feed_forward = FeedForward(hidden, width, recipe)

    def forward(self, x, cosines, sines):
        x = x + self.attention(self.attention_norm(x), cosines, sines)
        return x + self.feed_forward(self.feed_forward_norm(x))


class OpenInBackward(torch.autograd.Function):
    """Identity; the backward pass, which arrives from the other side, opens a range here."""

    @staticmethod
    def forward(ctx, x, name):
        ctx.name = name
        return x.view_as(x)

    @staticmethod
    def backward(ctx, dx):
        annotate.push(ctx.name)
        return dx, None


class CloseInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, dx):
        annotate.pop()
        return dx


class Llama(torch.nn.Module):
    def __init__(self, vocabulary, layers, hidden, heads, recipe, tied):
        super().__init__()
        self.head_width = hidden // heads
        self.embedding = torch.nn.Embedding(vocabulary, hidden)
        torch.nn.init.normal_(self.embedding.weight, std=0.02)
        self.layers = torch.nn.ModuleList(Layer(hidden, heads, recipe) for _ in range(layers))
        self.norm = RMSNorm(hidden)
        # The last layer stays in BF16, as in all published FP8 recipes.
        self.head = Linear(hidden, vocabulary, "head", "bf16")
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        turns = rotations(tokens.shape[1], self.head_width, x.device, x.dtype)
        ranges = annotate.recording()
        for index, layer in enumerate(self.layers):
            with annotate.work(f"layer {index}"):
                if ranges:
                    x = CloseInBackward.apply(x)
                x = layer(x, *turns)
                if ranges:
                    x = OpenInBackward.apply(x, f"layer {index} backward")
        return self.head(self.norm(x))
