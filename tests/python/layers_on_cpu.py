# SPDX-License-Identifier: Apache-2.0
"""mansard.layers on the CPU, without PyTorch: exact results, and errors as exceptions."""

import array
import ctypes
import struct
import sys

from mansard import layers

TOKENS, IN, OUT = 32, 48, 16


def bf16(values):
    return array.array("H", (struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values))


def from_bf16(codes):
    return [struct.unpack("<f", struct.pack("<I", code << 16))[0] for code in codes]


class Call:
    """A layer and its tensors. x has one nonzero element per row, so that y holds elements of W."""

    def __init__(self, recipe):
        self.layer = layers.Layer(recipe, TOKENS, IN, OUT)
        layer = self.layer
        self.blocks = [ctypes.create_string_buffer(size + 256) for size in
                       (layer.activation_bytes, layer.weight_bytes, layer.backward_scratch_bytes)]
        self.memory = layers.Memory(*(-(-ctypes.addressof(block) // 256) * 256 for block in self.blocks))
        self.x = bf16(2.0 if i % IN == i // IN else 0.0 for i in range(TOKENS * IN))
        self.w = bf16((-1.0) ** i * 2.0 ** (i % 3) for i in range(OUT * IN))
        self.dy = bf16(1.0 if i % OUT == i // OUT else 0.0 for i in range(TOKENS * OUT))
        self.y, self.dx = bf16([0.0] * (TOKENS * OUT)), bf16([0.0] * (TOKENS * IN))
        self.dw = array.array("f", [0.0] * (OUT * IN))

    def fprop(self, **options):
        return self.layer.fprop(None, self.memory, *map(address, (self.x, self.w, self.y)), **options)

    def dgrad(self, forward):
        self.layer.dgrad(None, self.memory, forward, *map(address, (self.dy, self.w, self.dx)))

    def wgrad(self, forward, **options):
        self.layer.wgrad(None, self.memory, forward, *map(address, (self.dy, self.x, self.dw)), **options)


def address(values):
    return values.buffer_info()[0]


def expect_error(kind, text, function, *args, **options):
    try:
        function(*args, **options)
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no {kind.__name__} with '{text}'")


def check_results(recipe):
    call = Call(recipe)
    w = from_bf16(call.w)
    forward = call.fprop()
    call.dgrad(forward)
    call.wgrad(forward)
    call.wgrad(forward, accumulate=True)
    # All recipes represent these values exactly; NVFP4 transforms the operands of dW.
    for token in range(TOKENS):
        for out in range(OUT):
            expected = 2 * w[out * IN + token]
            assert from_bf16(call.y)[token * OUT + out] == expected, (recipe, "y", token, out)
    assert from_bf16(call.dx)[:OUT * IN] == w, (recipe, "dx")
    error = max(abs(call.dw[i] - (4.0 if i // IN == i % IN else 0.0)) for i in range(OUT * IN))
    assert error < (1.5 if recipe == "nvfp4" else 1e-6), (recipe, "dw", error)


def check_errors():
    call = Call("nvfp4")
    expect_error(layers.OutOfOrder, "has quantized W", call.fprop, same_weight=True)
    forward = call.fprop()
    expect_error(layers.OutOfOrder, "call dgrad", call.wgrad, forward)
    expect_error(ValueError, "number 12", call.dgrad, 12)
    expect_error(ValueError, "no recipe 'fp3'", layers.Layer, "fp3", 16, 16, 16)
    expect_error(ValueError, "multiple of 16", layers.Layer, "fp8", 16, 16, 8)
    expect_error(ValueError, "x is null", call.layer.fprop, None, call.memory, None, None, None)


def main():
    for recipe in layers.recipes():
        check_results(recipe)
    check_errors()
    print(f"{len(layers.recipes())} recipes")


if __name__ == "__main__":
    sys.exit(main())
