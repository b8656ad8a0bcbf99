# SPDX-License-Identifier: Apache-2.0
"""FLOPs and bytes of the three passes of a linear layer, for its annotations. Does not need PyTorch."""

import sys
import pathlib

_ROOT = pathlib.Path(__file__).resolve().parents[2]
for _folder in ("kernels/annotation", "../share/mansard/python"):  # in the source tree, or installed
    sys.path.append(str(_ROOT / _folder))

import mansard_annotate as annotate  # noqa: E402

# Operands of the two GEMMs of the backward pass in FP8 training: gradients are E5M2.
_PRECISION = {"bf16": ("bf16", "bf16"), "fp8": ("fp8_e4m3", "fp8_e5m2")}


def linear_pass(name, tokens, inputs, outputs, recipe):
    """Keyword arguments of annotate.work() for `name` fprop, dgrad or wgrad of y = x W^T, where x is
    tokens x inputs and W is outputs x inputs. Results are BF16; operands are those of the recipe, bf16
    or fp8."""
    m, n, k = {"fprop": (tokens, outputs, inputs),   # y = x W^T
               "dgrad": (tokens, inputs, outputs),   # dx = dy W
               "wgrad": (outputs, inputs, tokens)}[name]  # dW = dy^T x
    forward, backward = _PRECISION[recipe]
    return annotate.gemm_work(m, n, k, precision=forward if name == "fprop" else backward,
                              in_bytes=1 if recipe == "fp8" else 2, out_bytes=2)


def quantize_work(elements, precision):
    """BF16 to FP8 with one scale for the tensor: the largest value must be known before the first
    element is scaled, so BF16 is read at least twice, and one byte is written."""
    return {"hbm": 5 * elements, "precision": precision, "operation_class": "quantize"}


def transpose_work(elements):
    """One-byte codes, read and written."""
    return {"hbm": 2 * elements, "operation_class": "transpose"}
