# SPDX-License-Identifier: Apache-2.0
"""Mansard's linear layers for PyTorch: torch.nn.Linear whose three GEMMs run with quantized operands.

    import mansard.torch

    model = mansard.torch.convert(model, recipe="nvfp4", keep=("lm_head",))

Then train as before. docs/pytorch_layers.md describes what is supported and what it costs."""

import collections
import contextlib
import warnings

import torch

from mansard import layers

__all__ = ["Linear", "convert", "unchanged_weights"]

# Layers need multiples of 16 tokens; multiples of 32 let GPUs of compute capability 10.0 and later
# read MXFP8 and NVFP4 codes without expanding them.
_TOKENS = 32
_FEATURES = 16
# Layers kept per module, one for each number of tokens.
_MAX_LAYERS = 8
# Types whose data_ptr() is not that of their values.
_SHARDED = ()
if torch.distributed.is_available():
    try:
        from torch.distributed.tensor import DTensor
        _SHARDED = (DTensor,)
    except ImportError:  # PyTorch 2.4 and earlier
        pass

# Inside unchanged_weights(): quantized weights by layer, which also keeps the layer. None outside.
_quantized_weights = None


@contextlib.contextmanager
def unchanged_weights():
    """Declares that the weights do not change within the block, so that each is quantized once, by the
    first forward pass of its module. For all micro-batches of an optimizer step:

        with mansard.torch.unchanged_weights():
            for batch in micro_batches:
                loss(model(batch)).backward()
        optimizer.step()"""
    global _quantized_weights
    if _quantized_weights is not None:
        raise RuntimeError("unchanged_weights() blocks must not be nested")
    _quantized_weights = {}
    try:
        yield
    finally:
        _quantized_weights = None


def _usable(tensor):
    """The tensor as the library reads it: BF16, contiguous and aligned."""
    tensor = tensor.detach().to(torch.bfloat16).contiguous()
    return tensor if tensor.data_ptr() % layers.ALIGNMENT == 0 else tensor.clone()


def _matrix(tensor, tokens):
    """[..., features] as a matrix of `tokens` rows, the last of which are zero if there are not as many.
    Zeros change neither scales nor products."""
    matrix = tensor.detach().reshape(-1, tensor.shape[-1])
    if len(matrix) == tokens:
        return _usable(matrix)
    padded = torch.zeros(tokens, matrix.shape[1], dtype=torch.bfloat16, device=matrix.device)
    padded[:len(matrix)] = matrix
    return padded


def _bytes(count, device):
    return torch.empty(count, dtype=torch.uint8, device=device)


def _address(tensor):
    return None if tensor is None else tensor.data_ptr()


def _stream(device):
    return torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else None


def _output_type(x):
    """That of torch.nn.functional.linear."""
    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype


class _LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, module, dtype):
        device, rows = x.device, x.numel() // x.shape[-1]
        tokens = -(-rows // _TOKENS) * _TOKENS
        layer = module._layer(tokens, device)
        x_matrix, w = _matrix(x, tokens), _usable(weight)
        y = torch.empty(tokens, module.out_features, dtype=torch.bfloat16, device=device)
        activation = _bytes(layer.activation_bytes, device)
        known = None if _quantized_weights is None else _quantized_weights.get(layer)
        quantized = _bytes(layer.weight_bytes, device) if known is None else known
        scratch = _bytes(layer.forward_scratch_bytes, device)
        memory = layers.Memory(_address(activation), _address(quantized), _address(scratch))
        ctx.forward_pass = layer.fprop(_stream(device), memory, _address(x_matrix), _address(w), _address(y),
                                       same_weight=known is not None)
        if _quantized_weights is not None:
            _quantized_weights[layer] = quantized
        tensors = (x_matrix, w) if layer.backward_reads_x_and_w else (None, None)
        ctx.save_for_backward(activation, quantized, *tensors)
        ctx.layer, ctx.tokens = layer, tokens
        ctx.x_shape, ctx.x_dtype, ctx.w_shape, ctx.w_dtype = x.shape, x.dtype, weight.shape, weight.dtype
        return y[:rows].view(*x.shape[:-1], module.out_features).to(dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dy):
        activation, quantized, x_matrix, w = ctx.saved_tensors
        layer, device = ctx.layer, dy.device
        dy_matrix = _matrix(dy, ctx.tokens)
        scratch = _bytes(layer.backward_scratch_bytes, device)
        memory = layers.Memory(_address(activation), _address(quantized), _address(scratch))
        stream = _stream(device)
        dx = dw = None
        if ctx.needs_input_grad[0]:
            dx = torch.empty(ctx.tokens, ctx.x_shape[-1], dtype=torch.bfloat16, device=device)
        layer.dgrad(stream, memory, ctx.forward_pass, _address(dy_matrix), _address(w), _address(dx))
        if ctx.needs_input_grad[1]:
            dw = torch.empty(ctx.w_shape, dtype=torch.float32, device=device)
            layer.wgrad(stream, memory, ctx.forward_pass, _address(dy_matrix), _address(x_matrix), _address(dw))
            dw = dw.to(ctx.w_dtype)
        if dx is not None:
            dx = dx[:ctx.x_shape.numel() // ctx.x_shape[-1]].view(ctx.x_shape).to(ctx.x_dtype)
        return dx, dw, None, None


class Linear(torch.nn.Linear):
    """torch.nn.Linear with a recipe of Mansard. `seed`: of the stochastic rounding of gradients; give
    each layer its own."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, *, recipe="nvfp4", seed=0):
        super().__init__(in_features, out_features, bias, device, dtype)
        _require(recipe, in_features, out_features)
        self.recipe, self.seed = recipe, seed
        self._layers = collections.OrderedDict()

    @classmethod
    def of(cls, linear, *, recipe="nvfp4", seed=0):
        """A layer that replaces a torch.nn.Linear: with its parameters, hooks and other attributes."""
        _require(recipe, linear.in_features, linear.out_features)
        layer = cls.__new__(cls)
        layer.__dict__.update(linear.__dict__)
        layer.recipe, layer.seed = recipe, seed
        layer._layers = collections.OrderedDict()
        return layer

    def __getstate__(self):
        # Copies and pickled modules start with new layers.
        return {**self.__dict__, "_layers": collections.OrderedDict()}

    def extra_repr(self):
        return f"{super().extra_repr()}, recipe={self.recipe}"

    def _layer(self, tokens, device):
        key = (tokens, device.type, device.index)
        layer = self._layers.get(key)
        if layer is None:
            layer = layers.Layer(self.recipe, tokens, self.in_features, self.out_features, seed=self.seed,
                                 device=device.index if device.type == "cuda" else layers.CPU)
            self._layers[key] = layer
            if len(self._layers) > _MAX_LAYERS:
                self._layers.popitem(last=False)
        self._layers.move_to_end(key)
        return layer

    @torch.compiler.disable
    def forward(self, x):
        if x.device != self.weight.device or x.device.type not in ("cpu", "cuda"):
            raise ValueError(f"the input is on '{x.device}' and the weight on '{self.weight.device}'; both must be on "
                             "the same GPU or on the CPU")
        if isinstance(self.weight, _SHARDED) or isinstance(x, _SHARDED):
            raise TypeError("the weight or the input is a DTensor: tensor parallelism is not supported. "
                            "DistributedDataParallel and fully_shard pass ordinary tensors to the layer")
        if not x.is_floating_point() or x.shape[-1] != self.in_features:
            raise ValueError(f"the input is {x.dtype} of shape {tuple(x.shape)}, but the layer takes floating-point "
                             f"numbers of shape [..., {self.in_features}]")
        if x.numel() == 0:
            return torch.nn.functional.linear(x, self.weight, self.bias)
        dtype = _output_type(x)
        y = _LinearFunction.apply(x, self.weight, self, dtype)
        return y if self.bias is None else y + self.bias.to(dtype)


def _require(recipe, in_features, out_features):
    if recipe not in layers.recipes():
        raise ValueError(f"there is no recipe '{recipe}'; recipes are {', '.join(layers.recipes())}")
    if in_features % _FEATURES or out_features % _FEATURES:
        raise ValueError(f"{in_features} -> {out_features} features: both must be multiples of {_FEATURES}")


def _keeper(keep):
    if callable(keep):
        return keep
    names = (keep,) if isinstance(keep, str) else tuple(keep)
    return lambda path, module: any(path == name or path.endswith("." + name) for name in names)


def convert(model, recipe="nvfp4", keep=("lm_head",), *, seed=0):
    """Replaces the torch.nn.Linear modules of `model` by Linear, in place, and returns the model.
    Parameters are shared, so that optimizers and state dicts stay valid.

    `keep`: modules that stay as they are, by the end of their paths, or a function of path and module
    that returns whether to keep it. Modules whose features are not multiples of 16 also stay, with a
    warning. The i-th module gets the seed `seed` + i."""
    keeps = _keeper(keep)
    replaced, unsuitable = {}, []
    for path, module in list(model.named_modules(remove_duplicate=False)):
        if type(module) is not torch.nn.Linear or keeps(path, module):
            continue
        if module.in_features % _FEATURES or module.out_features % _FEATURES:
            unsuitable.append(f"{path or 'model'} ({module.in_features} -> {module.out_features})")
            continue
        if module not in replaced:
            replaced[module] = Linear.of(module, recipe=recipe, seed=seed + len(replaced))
        if not path:
            model = replaced[module]
            continue
        parent, _, name = path.rpartition(".")
        setattr(model.get_submodule(parent), name, replaced[module])
    if unsuitable:
        warnings.warn(f"left in their precision, because features must be multiples of {_FEATURES}: "
                      + ", ".join(unsuitable), stacklevel=2)
    return model
