# SPDX-License-Identifier: Apache-2.0
"""Annotated NVTX ranges for Python: each range states the FLOPs and bytes of its kernels, so that
Mansard can compare them with the machine's ceilings. A single file without dependencies: copy it, or
add its folder to PYTHONPATH.

    import mansard_annotate as annotate

    with annotate.gemm("fprop", m, n, k, precision="bf16"):
        y = x @ w.t()

    with annotate.work("amax", hbm=x.nbytes, operation_class="amax"):
        ...

    @annotate.work("optimizer")
    def update(): ...

A range's text is "fprop | flop=1.1e12 hbm=4.03e8 precision=bf16 class=gemm shape=8192x4096x4096",
which any NVTX tool shows; `mansard list` prints the keys of tiers, precisions and classes. Bytes are
read plus written. The work applies to the kernels that the calling thread launches within the range.

Ranges are recorded only while a tool is attached (NVTX_INJECTION64_PATH, set by `mansard profile` and
other profilers). Without one, work() returns a shared no-op object and a decorated function is
unchanged. MANSARD_ANNOTATE=0 disables the ranges of this module even under a tool."""

import ctypes
import functools
import inspect
import os

__all__ = ["gemm", "gemm_work", "pop", "push", "recording", "text", "work"]

# NVTX's binary interface to tools. It is stable, because programs carry it compiled in: a tool's
# InitializeInjectionNvtx2 requests the callback table and, with it, the function table of a module,
# whose entries it then sets. https://github.com/NVIDIA/NVTX, nvtxDetail/nvtxTypes.h
_CALLBACKS_TABLE = 1
_MODULE_CORE, _MODULE_CORE2 = 1, 5
_FUNCTIONS = 16  # per module
_RANGE_PUSH_A, _RANGE_POP = 9, 11

_GetModuleFunctionTable = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
_GetExportTable = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("get_module_function_table", _GetModuleFunctionTable)]


class _Module:
    """Function table of one module, whose slots a tool fills."""

    def __init__(self):
        self.slots = (ctypes.c_void_p * _FUNCTIONS)()
        start, size = ctypes.addressof(self.slots), ctypes.sizeof(ctypes.c_void_p)
        # Slot 0 is unused.
        self.table = (ctypes.c_void_p * (_FUNCTIONS + 1))(
            None, *(start + i * size for i in range(1, _FUNCTIONS)), None)


def _attach(path):
    """The tool's (push, pop), or None if the tool declines."""
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
    # Keep the GIL: releasing it costs more than the call, which never blocks.
    push_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)
    return push_type(slots[_RANGE_PUSH_A]), ctypes.PYFUNCTYPE(ctypes.c_int)(slots[_RANGE_POP])


def _attached_tool():
    path = os.environ.get("NVTX_INJECTION64_PATH")
    if not path or os.environ.get("MANSARD_ANNOTATE") == "0":
        return None
    try:
        return _attach(path)
    except (OSError, AttributeError, ctypes.ArgumentError):
        return None  # no library or no NVTX tool: continue without, as NVTX does


_tool = _attached_tool()


def recording():
    """Whether a tool receives the ranges."""
    return _tool is not None


def _number(value):
    """The number in the grammar's format, or None if it is not a valid amount of work."""
    try:
        number = float(value)
        if not 0 < number < 1e30:
            return None
        return str(value) if type(value) is int else "%.17g" % number
    except (TypeError, ValueError, OverflowError):
        return None


def _word(value):
    """Replaces white space, which would end a value."""
    return "".join("_" if c <= " " else c for c in str(value))


def text(name, *, flop=0, precision=None, operation_class=None, shape=None, **bytes_by_tier):
    """The text of a range. Invalid values are omitted instead of raising an exception, so that
    annotations cannot break the profiled program."""
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
    """The work of a GEMM of an M x K and a K x N matrix: 2 M N K FLOP and the minimum memory traffic,
    which reads each operand once (`in_bytes` per element) and writes the result once."""
    return {"flop": 2 * m * n * k, "hbm": in_bytes * (m * k + k * n) + out_bytes * m * n,
            "precision": precision, "operation_class": "gemm", "shape": (m, n, k)}


def _encoded(name, amounts):
    # An NVTX string ends at a zero byte, and UTF-8 cannot encode a lone surrogate.
    return text(name, **amounts).encode("utf-8", "replace").replace(b"\0", b" ")


def _require_plain(function):
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or \
            inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__qualname__} is a generator or coroutine, which may be suspended "
                        "while other ranges open; annotate a block inside it using `with`")
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
    """Caches the texts, because a training loop enters the same ranges in every step."""
    remembered = functools.lru_cache(maxsize=4096)(make)

    def lookup(*args, **kwargs):
        try:
            return remembered(*args, **kwargs)
        except TypeError:  # not hashable, such as a list
            return make(*args, **kwargs)
    return lookup


@_remembering
def _work_range(name, **amounts):
    return _Range(_encoded(name, amounts))


@_remembering
def _gemm_range(name, m, n, k, **options):
    return _Range(_encoded(name, gemm_work(m, n, k, **options)))


def work(name, **amounts):
    """A range for repeated use in `with`, or as a decorator. Takes the amounts of text()."""
    return _NOTHING if _tool is None else _work_range(name, **amounts)


def gemm(name, m, n, k, **options):
    """A range like work(), with the amounts of gemm_work()."""
    return _NOTHING if _tool is None else _gemm_range(name, m, n, k, **options)


def push(name, **amounts):
    """Opens a range where `with` cannot be used; close it with pop() on the same thread."""
    if _tool is not None:
        _work_range(name, **amounts).__enter__()


def pop():
    if _tool is not None:
        _tool[1]()
