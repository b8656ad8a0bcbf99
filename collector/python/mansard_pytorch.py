# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges for PyTorch programs, without a change to the program (`mansard profile --pytorch`).

nvtx     a range for each operator, forward and backward, as torch.autograd.profiler.emit_nvtx has it
shapes   likewise, with the sizes of the operator's inputs in the text
modules  a range for each call of an nn.Module, named by its path ("model.layers.3.mlp.down_proj"),
         one for its backward pass ("model.layers.3.mlp.down_proj (backward)"), and one for each
         optimizer step ("Optimizer.step#AdamW.step")

Nothing is imported or changed before the program itself imports torch. Code compiled by
torch.compile has no ranges for the modules in it, as their calls do not exist there."""

import atexit
import importlib.util
import sys
import threading
import weakref

MODES = ("nvtx", "shapes", "modules")


def install(mode):
    """Attaches the ranges as soon as the program has imported torch."""
    if not mode:
        return
    if mode not in MODES:
        raise ValueError(f"MANSARD_PYTORCH is '{mode}'; known: {', '.join(MODES)}")
    if "torch" in sys.modules:
        attach(mode)
    else:
        sys.meta_path.insert(0, _TorchFinder(mode))


class _TorchFinder:
    """Waits for the import of torch; other imports pass."""

    def __init__(self, mode):
        self.mode = mode

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        loader = getattr(spec, "loader", None)
        if loader is None:
            return spec
        execute = loader.exec_module

        # The loader keeps its type: programs read resources through it.
        def exec_module(module):
            del loader.exec_module
            execute(module)
            attach(self.mode)

        loader.exec_module = exec_module
        return spec


def attach(mode):
    """Adds the ranges to the imported torch. Prints the reason if that is not possible."""
    try:
        import torch

        if torch.version.cuda is None:
            raise RuntimeError("this PyTorch was built without CUDA, and so without NVTX")
        if mode == "modules":
            ModuleRanges(torch).attach()
        else:
            OperatorRanges(torch, shapes=mode == "shapes").attach()
    except Exception as error:
        print(f"mansard: --pytorch {mode} has no effect: {error}", file=sys.stderr)


class OperatorRanges:
    """The operator ranges of torch.autograd.profiler.emit_nvtx, from the import of torch on. Entering
    emit_nvtx itself would initialize CUDA, and a process that does so early cannot fork."""

    def __init__(self, torch, shapes):
        self.torch, self.shapes = torch, shapes
        self.active = False

    def attach(self):
        from torch.autograd import profiler

        enable = profiler._enable_profiler
        config = profiler.ProfilerConfig(
            profiler.ProfilerState.NVTX, self.shapes, False, False, False, False,
            profiler._ExperimentalConfig())
        enable(config, set())
        self.active = True
        atexit.register(self._release)  # PyTorch warns of callbacks that are left

        # A thread has one profiler: that of the program has precedence.
        for name in ("_enable_profiler", "_prepare_profiler"):
            setattr(profiler, name, self._after_release(getattr(profiler, name)))

    def _after_release(self, function):
        def release_first(*arguments, **options):
            if self.active:
                self._release()
                print("mansard: the program starts a profiler of its own, which ends the ranges of "
                      "--pytorch", file=sys.stderr)
            return function(*arguments, **options)

        return release_first

    def _release(self):
        if self.active:
            self.active = False
            self.torch.autograd._disable_profiler()


class _Call:
    """A call of a module, and its backward pass."""

    __slots__ = ("name", "parent")

    def __init__(self, name, parent):
        self.name, self.parent = name, parent

    def and_around(self):
        """The calls around this one and itself, the outermost first."""
        calls = [self]
        while calls[-1].parent is not None:
            calls.append(calls[-1].parent)
        return calls[::-1]


class _Thread(threading.local):
    def __init__(self):
        self.forward = []  # calls whose ranges are open, the innermost last
        self.backward = []  # likewise, in the backward pass


class ModuleRanges:
    """Ranges for the modules' calls and backward passes, by hooks that apply to all modules."""

    # Components of paths that wrappers add.
    _WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")

    def __init__(self, torch):
        self.torch = torch
        self.names = weakref.WeakKeyDictionary()
        self.thread = _Thread()
        self.failed = False

    def attach(self):
        torch = self.torch
        nvtx = torch.cuda.nvtx
        self.push, self.pop = nvtx.range_push, nvtx.range_pop
        self.leaves = torch.utils._pytree.tree_leaves
        self.hook_gradients = torch.autograd.graph.register_multi_grad_hook
        modules = torch.nn.modules.module
        is_compiling = torch.compiler.is_compiling
        enter, leave = self._guarded(self._enter), self._guarded(self._leave)

        # Dynamo traces these two and finds that they do nothing in compiled code.
        def before(module, arguments):
            if not is_compiling():
                enter(module, arguments)

        def after(module, arguments, result):
            if not is_compiling():
                leave(result)

        modules.register_module_forward_pre_hook(before)
        modules.register_module_forward_hook(after, always_call=True)

        from torch.optim import optimizer

        # Guarded functions return None: a result would replace the optimizer's arguments.
        optimizer.register_optimizer_step_pre_hook(self._guarded(
            lambda of, *_: self.push(f"Optimizer.step#{type(of).__name__}.step")))
        optimizer.register_optimizer_step_post_hook(self._guarded(lambda *_: self.pop()))

    def _guarded(self, function):
        """An error ends the ranges, not the program."""

        def guarded(*arguments):
            if self.failed:
                return
            try:
                function(*arguments)
            except Exception as error:
                self.failed = True
                print(f"mansard: the ranges of --pytorch modules end here: {error!r}",
                      file=sys.stderr)

        return guarded

    def _name(self, module, parent):
        name = self.names.get(module)
        if name is not None:
            return name
        if parent is not None:
            name = f"{parent.name}.{type(module).__name__}"  # in no module's attributes
            self.names[module] = name
            return name
        # The outermost module gives the paths of those in it.
        for path, inner in module.named_modules():
            parts = [part for part in path.split(".") if part not in self._WRAPPERS]
            if parts and parts[0] == "module":  # DistributedDataParallel
                del parts[0]
            self.names[inner] = ".".join(parts) or type(inner).__name__
        return self.names[module]

    def _enter(self, module, arguments):
        forward = self.thread.forward
        call = _Call(self._name(module, forward[-1] if forward else None),
                     forward[-1] if forward else None)
        forward.append(call)
        self.push(call.name)
        self._watch(arguments, self._guarded(lambda *_: self._end_backward(call)), "all")

    def _leave(self, result):
        forward = self.thread.forward
        if not forward:
            return  # called while the hooks were being attached
        call = forward.pop()
        self.pop()
        self._watch(result, self._guarded(lambda *_: self._begin_backward(call)), "any")

    def _watch(self, values, action, mode):
        """Calls action when the gradients of all, or of any, of the tensors are known."""
        if not self.torch.is_grad_enabled():
            return
        try:
            tensors = [value for value in self.leaves(values)
                       if isinstance(value, self.torch.Tensor) and value.requires_grad]
            if tensors:
                self.hook_gradients(tensors, action, mode=mode)
        except RuntimeError:
            pass  # tensors of function transforms have no hooks

    def _begin_backward(self, call):
        backward = self.thread.backward
        if call in backward:
            return  # a module inside, with the same output, has begun already
        if not backward:
            self.torch.autograd.Variable._execution_engine.queue_callback(self._backward_is_over)
        calls = call.and_around()
        # Modules whose inputs are unknown, as those passed by name, end where another one begins.
        while backward and backward[-1] not in calls:
            self._pop_backward()
        for inner in calls[calls.index(backward[-1]) + 1 if backward else 0:]:
            backward.append(inner)
            self.push(inner.name + " (backward)")

    def _end_backward(self, call):
        if call in self.thread.backward:
            while self._pop_backward() is not call:
                pass

    def _backward_is_over(self):
        while self.thread.backward:
            self._pop_backward()

    def _pop_backward(self):
        self.pop()
        return self.thread.backward.pop()
