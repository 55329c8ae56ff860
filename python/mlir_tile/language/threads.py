# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchange between threads: shuffles, reductions over a warp or over groups of threads."""

from .buffers import Buffer
from .builder import current
from .dtypes import dtype
from .errors import fail
from .kernel import _scope, get_thread_binding, thread_index
from .statements import Alloc, Store
from .values import Const, Load, Op, Variable, as_value, binary, cast, same, type_of


def _through(construct, value, **operation):
    """A value of each thread, after an operation on all of them."""
    builder = current(construct)
    _scope(construct)
    value = as_value(value)
    kind = type_of(value)
    source, target = (Buffer((1,), kind, "local", name=construct) for _ in range(2))
    for x in (source, target):
        builder.add(Alloc(x))
    builder.add(Store(source, (0,), cast(value, kind)))
    name = operation.pop("name")
    builder.tile(name, source=source, target=target, **operation)
    return builder.define("exchanged", Load(target, (0,)))


def _warp(kind):
    def function(value):
        scope = _scope(f"T.warp_reduce_{kind}")
        if scope.threads % 32:
            fail(f"T.warp_reduce_{kind}: the block has {scope.threads} threads, no whole warps")
        return _through(f"T.warp_reduce_{kind}", value, name="thread_reduce", kind=kind, group=32)

    function.__name__ = f"warp_reduce_{kind}"
    function.__doc__ = f"The {kind} of a value over the threads of a warp."
    return function


warp_reduce_sum, warp_reduce_max, warp_reduce_min = _warp("sum"), _warp("max"), _warp("min")
warp_reduce_bitand, warp_reduce_bitor = _warp("bitand"), _warp("bitor")


def _lane(construct, width):
    index = thread_index(_scope(construct))
    return index, index % width, binary("mul", index // width, width)


def _shuffle(construct, value, width, choose):
    index, lane, first = _lane(construct, width)
    place = choose(lane)
    inside = binary("and", place >= 0, place < width) if construct != "T.shfl_xor" else True
    source = (
        first + place
        if inside is True
        else Op("select", (inside, binary("add", first, place), index), index.dtype)
    )
    return _through(construct, value, name="exchange", place=source)


def shfl_xor(value, delta, width=32, mask=None):
    """The value of the thread whose lane differs in the bits of `delta`."""
    return _shuffle("T.shfl_xor", value, width, lambda lane: lane ^ delta)


def shfl_down(value, delta, width=32, mask=None):
    """The value of the thread `delta` lanes above; its own where there is none."""
    return _shuffle("T.shfl_down", value, width, lambda lane: lane + delta)


def shfl_up(value, delta, width=32, mask=None):
    """The value of the thread `delta` lanes below; its own where there is none."""
    return _shuffle("T.shfl_up", value, width, lambda lane: lane - delta)


def shfl_sync(value, source, width=32, mask=None):
    """The value of the thread with this lane."""
    return _shuffle("T.shfl_sync", value, width, lambda lane: as_value(source) % width)


shfl = shfl_sync


def tvm_warp_shuffle(mask, value, source, width, warp_size):
    return shfl_sync(value, source, width)


def tvm_warp_shuffle_down(mask, value, delta, width, warp_size):
    return shfl_down(value, delta, width)


def tvm_warp_shuffle_up(mask, value, delta, width, warp_size):
    return shfl_up(value, delta, width)


def tvm_warp_activemask():
    return Const(0xFFFFFFFF, dtype("uint32"))


class Reducer:
    """What T.comm_reducer makes: how two values are combined; `kind` is a reduction's name or
    None."""

    def __init__(self, kind, combine):
        self.kind, self.combine = kind, combine


def comm_reducer(combine, identity):
    """A way to combine values, for T.tvm_thread_allreduce."""
    a, b = (Variable(x, "dynamic") for x in "xy")
    made = combine(a, b)
    kind = {"add": "sum", "max": "max", "min": "min"}.get(getattr(made, "name", None))
    return Reducer(kind, combine)


class ReduceScope:
    """`with T.attr(T.comm_reducer(...), "reduce_scope", ...)`"""

    def __init__(self, reducer):
        self.reducer = reducer

    def __enter__(self):
        builder = current("T.attr")
        self.outer = getattr(builder, "reduce_kind", None)
        builder.reduce_kind = self.reducer

    def __exit__(self, *_):
        current("T.attr").reduce_kind = self.outer


def tvm_thread_allreduce(count, value, condition, result, *threads, **_):
    """result = value combined over the threads of an axis of the block, in every one of them."""
    construct = "T.tvm_thread_allreduce"
    builder, scope = current(construct), _scope(construct)
    reducer = getattr(builder, "reduce_kind", None)
    if reducer is None:
        fail(f'{construct} needs `with T.attr(T.comm_reducer(...), "reduce_scope", ...)` around it')
    group, inner = scope.threads, 1
    if len(threads) == 1:
        dims = [i for i in range(3) if same(as_value(threads[0]), as_value(get_thread_binding(i)))]
        if not dims:
            fail(f"{construct}: expected an index of T.get_thread_binding as the axis")
        shape = (*scope.thread_shape, 1, 1)
        group = int(shape[dims[0]])
        for x in shape[: dims[0]]:
            inner *= int(x)
    if reducer.kind is not None:
        value = _through(
            construct, value, name="thread_reduce", kind=reducer.kind, group=group, inner=inner
        )
    else:
        value = _exchanged_reduction(construct, value, reducer.combine, group, inner)
    builder.add(Store(result.buffer, tuple(result.indices), cast(value, result.dtype)))


def _exchanged_reduction(construct, value, combine, group, inner):
    """Any combination: each thread with the one that differs in a bit of its place, bit by bit."""
    if group & (group - 1):
        fail(
            f"{construct}: expected a power of two as the number of threads that are combined, got"
            f" {group}"
        )
    index = thread_index(_scope(construct))
    step, value = 1, as_value(value)
    kind = type_of(value)
    while step < group:
        place = index // inner % group
        other = binary("add", index, binary("mul", binary("sub", place ^ step, place), inner))
        theirs = _through(construct, value, name="exchange", place=other)
        value = current(construct).define("combined", cast(combine(value, theirs), kind))
        step *= 2
    return value
