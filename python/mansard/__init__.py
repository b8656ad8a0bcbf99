# SPDX-License-Identifier: Apache-2.0
"""Mansard's linear layers in FP8, MXFP8 and NVFP4 for other training programs.

    mansard.torch   for PyTorch
    mansard.layers  the same layers on plain addresses, without PyTorch"""
