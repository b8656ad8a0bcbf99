# SPDX-License-Identifier: Apache-2.0
"""Mansard's linear layers on plain addresses: the C interface of libmansard_layers.so, which
mansard_layers.h documents. Needs only the library: the one that MANSARD_LAYERS_LIBRARY names, or the
one two folders above this package.

    layer = Layer("nvfp4", tokens=4096, in_features=4096, out_features=14336, device=0)
    forward = layer.fprop(stream, memory, x, w, y)
    layer.dgrad(stream, memory, forward, dy, w, dx)
    layer.wgrad(stream, memory, forward, dy, x, dw)

Tensors and memory are addresses (int), or None where the interface permits null."""

import ctypes
import functools
import os
import pathlib

__all__ = ["ALIGNMENT", "CPU", "Error", "Layer", "Memory", "OutOfOrder", "recipes"]

CPU = -1
ALIGNMENT = 256  # of addresses, in bytes
_VERSION = 1
_INVALID_ARGUMENT, _OUT_OF_ORDER = 1, 2


class Error(RuntimeError):
    """The device, its memory, CUDA or cuBLASLt."""


class OutOfOrder(Error):
    """A pass does not match the passes before it."""


class Memory(ctypes.Structure):
    """The caller's memory of one forward pass and of its backward passes."""
    _fields_ = [(name, ctypes.c_void_p) for name in ("activation", "weight", "scratch")]


class _Config(ctypes.Structure):
    _fields_ = [("recipe", ctypes.c_char_p), ("tokens", ctypes.c_int64), ("in_features", ctypes.c_int64),
                ("out_features", ctypes.c_int64), ("seed", ctypes.c_uint64), ("device", ctypes.c_int)]


class _Sizes(ctypes.Structure):
    _fields_ = [("activation", ctypes.c_int64), ("weight", ctypes.c_int64), ("forward_scratch", ctypes.c_int64),
                ("backward_scratch", ctypes.c_int64), ("backward_reads_x_and_w", ctypes.c_int)]


@functools.lru_cache(maxsize=1)
def _library():
    path = os.environ.get("MANSARD_LAYERS_LIBRARY")
    if not path:
        path = pathlib.Path(__file__).resolve().parents[2] / "libmansard_layers.so"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"cannot load Mansard's layers: {error}. Set MANSARD_LAYERS_LIBRARY to the path of "
                          "libmansard_layers.so") from error
    version = library.mansard_layers_version()
    if version != _VERSION:
        raise ImportError(f"'{path}' has version {version} of Mansard's layers, but this package needs {_VERSION}; "
                          "install both from the same release")
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    memory = ctypes.POINTER(Memory)
    library.mansard_layers_error.restype = library.mansard_layers_recipes.restype = ctypes.c_char_p
    library.mansard_layer_create.argtypes = [ctypes.POINTER(_Config), ctypes.POINTER(pointer)]
    library.mansard_layer_destroy.argtypes = [pointer]
    library.mansard_layer_destroy.restype = None
    library.mansard_layer_get_sizes.argtypes = [pointer, ctypes.POINTER(_Sizes)]
    library.mansard_layer_fprop.argtypes = [pointer, pointer, memory, pointer, pointer, pointer, ctypes.c_int,
                                            ctypes.POINTER(number)]
    library.mansard_layer_dgrad.argtypes = [pointer, pointer, memory, number, pointer, pointer, pointer]
    library.mansard_layer_wgrad.argtypes = [pointer, pointer, memory, number, pointer, pointer, pointer, ctypes.c_int]
    return library


def _check(status):
    if status == 0:
        return
    text = _library().mansard_layers_error().decode("utf-8", "replace")
    if status == _INVALID_ARGUMENT:
        raise ValueError(text)
    raise OutOfOrder(text) if status == _OUT_OF_ORDER else Error(text)


def recipes():
    """Names of the recipes."""
    return tuple(_library().mansard_layers_recipes().decode().split())


class Layer:
    """A layer y = x W^T. `device`: CUDA device, or CPU. `stream`: address of a cudaStream_t, None on the CPU."""

    def __init__(self, recipe, tokens, in_features, out_features, *, seed=1, device=CPU):
        library = _library()
        self._destroy = library.mansard_layer_destroy  # the module's names are gone when Python exits
        self._handle = ctypes.c_void_p()
        config = _Config(recipe.encode(), tokens, in_features, out_features, seed, device)
        _check(library.mansard_layer_create(config, self._handle))
        sizes = _Sizes()
        _check(library.mansard_layer_get_sizes(self._handle, sizes))
        self.activation_bytes = sizes.activation
        self.weight_bytes = sizes.weight
        self.forward_scratch_bytes = sizes.forward_scratch
        self.backward_scratch_bytes = sizes.backward_scratch
        self.backward_reads_x_and_w = bool(sizes.backward_reads_x_and_w)

    def __del__(self):
        if getattr(self, "_handle", None):
            self._destroy(self._handle)

    def fprop(self, stream, memory, x, w, y, *, same_weight=False):
        """y = x W^T. Returns the number of the pass, for dgrad() and wgrad()."""
        forward = ctypes.c_uint64()
        _check(_library().mansard_layer_fprop(self._handle, stream, memory, x, w, y, same_weight, forward))
        return forward.value

    def dgrad(self, stream, memory, forward, dy, w, dx):
        """dx = dy W, or only quantizes dy if dx is None."""
        _check(_library().mansard_layer_dgrad(self._handle, stream, memory, forward, dy, w, dx))

    def wgrad(self, stream, memory, forward, dy, x, dw, *, accumulate=False):
        """dW = dy^T x, or added to dW. Directly after dgrad()."""
        _check(_library().mansard_layer_wgrad(self._handle, stream, memory, forward, dy, x, dw, accumulate))
