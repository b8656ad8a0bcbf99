# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges that say what they compute and move, from Python, so that Mansard can hold them against
the machine. One file without dependencies: copy it, or put its folder on PYTHONPATH.

    import mansard_annotate as annotate

    with annotate.gemm("fprop", m, n, k, precision="bf16"):
        y = x @ w.t()

    with annotate.work("amax", hbm=x.nbytes, operation_class="amax"):
        ...

    @annotate.work("optimizer")
    def update(): ...

A range's text is "fprop | flop=1.1e12 hbm=4.03e8 precision=bf16 class=gemm shape=8192x4096x4096", and
any NVTX tool shows it; `mansard list` has the keys of tiers, precisions and classes. Bytes are read
plus written. The work belongs to what is launched by the calling thread within the range.

Nothing is recorded unless a tool is attached (NVTX_INJECTION64_PATH, which `mansard profile` and others
set); then work() returns one object that does nothing, and a decorated function stays as it was.
MANSARD_ANNOTATE=0 turns the ranges of this module off under a tool, too."""

import ctypes
import functools
import inspect
import os

__all__ = ["gemm", "gemm_work", "pop", "push", "recording", "text", "work"]

# NVTX's binary interface to tools, which is frozen since programs carry it compiled in: a tool's
# InitializeInjectionNvtx2 asks for the table of callbacks, and this for the functions of a module,
# which it then sets. https://github.com/NVIDIA/NVTX, nvtxDetail/nvtxTypes.h
_CALLBACKS_TABLE = 1
_MODULE_CORE, _MODULE_CORE2 = 1, 5
_FUNCTIONS = 16  # of either module
_RANGE_PUSH_A, _RANGE_POP = 9, 11

_GetModuleFunctionTable = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
_GetExportTable = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("get_module_function_table", _GetModuleFunctionTable)]


class _Module:
    """The functions of one module, as the slots that a tool fills."""

    def __init__(self):
        self.slots = (ctypes.c_void_p * _FUNCTIONS)()
        start, size = ctypes.addressof(self.slots), ctypes.sizeof(ctypes.c_void_p)
        # Slot 0 is no function.
        self.table = (ctypes.c_void_p * (_FUNCTIONS + 1))(
            None, *(start + i * size for i in range(1, _FUNCTIONS)), None)


def _attach(path):
    """The tool's (push, pop), or None when it declines."""
    modules = {_MODULE_CORE: _Module(), _MODULE_CORE2: _Module()}

    @_GetModuleFunctionTable
    def get_module_function_table(module, table, size):
        if module not in modules:
            return 0
        if table:
            table[0] = ctypes.addressof(modules[module].table)
        if size:
            size[0] = _FUNCTIONS
        return 1

    callbacks = _Callbacks(ctypes.sizeof(_Callbacks), get_module_function_table)

    @_GetExportTable
    def get_export_table(table):
        return ctypes.addressof(callbacks) if table == _CALLBACKS_TABLE else None

    # The tool may write into the slots until the process ends, when Python has freed its memory.
    for kept in (modules, callbacks, get_module_function_table, get_export_table):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    initialize = ctypes.CDLL(path).InitializeInjectionNvtx2
    initialize.argtypes, initialize.restype = [_GetExportTable], ctypes.c_int
    if initialize(get_export_table) != 1:
        return None
    slots = modules[_MODULE_CORE].slots
    if not slots[_RANGE_PUSH_A] or not slots[_RANGE_POP]:
        return None
    # With the interpreter's lock kept: letting it go costs more than the call, which never waits.
    push_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)
    return push_type(slots[_RANGE_PUSH_A]), ctypes.PYFUNCTYPE(ctypes.c_int)(slots[_RANGE_POP])


def _attached_tool():
    path = os.environ.get("NVTX_INJECTION64_PATH")
    if not path or os.environ.get("MANSARD_ANNOTATE") == "0":
        return None
    try:
        return _attach(path)
    except (OSError, AttributeError, ctypes.ArgumentError):
        return None  # no such library, or no tool for NVTX: as NVTX itself, go on without


_tool = _attached_tool()


def recording():
    """Whether ranges go anywhere."""
    return _tool is not None


def _number(value):
    """As the grammar wants it, and None for what is no amount of work."""
    try:
        number = float(value)
        if not 0 < number < 1e30:
            return None
        return str(value) if type(value) is int else "%.17g" % number
    except (TypeError, ValueError, OverflowError):
        return None


def _word(value):
    """The grammar ends a value at a space."""
    return "".join("_" if c <= " " else c for c in str(value))


def text(name, *, flop=0, precision=None, operation_class=None, shape=None, **bytes_by_tier):
    """The text of a range. Never raises for odd values, for what is profiled must not break: they are
    left out."""
    pairs = []
    for key, value in (("flop", flop), *bytes_by_tier.items()):
        number = _number(value)
        if number is not None:
            pairs.append(f"{key}={number}")
    if isinstance(shape, (tuple, list)):
        shape = "x".join(map(str, shape))
    for key, value in (("precision", precision), ("class", operation_class), ("shape", shape)):
        if value:
            pairs.append(f"{key}={_word(value)}")
    return f"{name} | {' '.join(pairs)}" if pairs else str(name)


def gemm_work(m, n, k, *, precision=None, in_bytes=2, out_bytes=2):
    """The work of an M x K times a K x N matrix: 2 M N K FLOP, and the least traffic of the memory: each
    operand is read once (`in_bytes` an element) and the result written once."""
    return {"flop": 2 * m * n * k, "hbm": in_bytes * (m * k + k * n) + out_bytes * m * n,
            "precision": precision, "operation_class": "gemm", "shape": (m, n, k)}


def _encoded(name, amounts):
    # NVTX's texts end at a zero byte; a lone surrogate has no UTF-8.
    return text(name, **amounts).encode("utf-8", "replace").replace(b"\0", b" ")


def _require_plain(function):
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or \
            inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__qualname__} is suspended in between, and ranges of one thread "
                        "must nest: annotate a part of it by `with`")
    return function


class _Range:
    __slots__ = ("_text",)

    def __init__(self, encoded):
        self._text = encoded

    def __enter__(self):
        _tool[0](self._text)
        return self

    def __exit__(self, *_):
        _tool[1]()
        return False

    def __call__(self, function):
        @functools.wraps(_require_plain(function))
        def annotated(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return annotated


class _Nothing:
    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, function):
        return _require_plain(function)


_NOTHING = _Nothing()


def _remembering(make):
    """A training loop enters the same ranges in every step: making their texts once is enough."""
    remembered = functools.lru_cache(maxsize=4096)(make)

    def lookup(*args, **kwargs):
        try:
            return remembered(*args, **kwargs)
        except TypeError:  # something that has no hash, as a list
            return make(*args, **kwargs)
    return lookup


@_remembering
def _work_range(name, **amounts):
    return _Range(_encoded(name, amounts))


@_remembering
def _gemm_range(name, m, n, k, **options):
    return _Range(_encoded(name, gemm_work(m, n, k, **options)))


def work(name, **amounts):
    """A range for `with`, any number of times, or as a decorator. Amounts are those of text()."""
    return _NOTHING if _tool is None else _work_range(name, **amounts)


def gemm(name, m, n, k, **options):
    """work() of gemm_work()."""
    return _NOTHING if _tool is None else _gemm_range(name, m, n, k, **options)


def push(name, **amounts):
    """Opens a range, for where a `with` does not fit; pop() closes it, on the same thread."""
    if _tool is not None:
        _work_range(name, **amounts).__enter__()


def pop():
    if _tool is not None:
        _tool[1]()
