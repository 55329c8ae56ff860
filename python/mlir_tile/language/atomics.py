# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates of elements and of tiles."""

import warnings

from .buffers import Buffer, Region, region_of
from .builder import current
from .copying import _differ, _pair, _same_box
from .errors import StructureError, fail, here, unsupported
from .values import Load, Op, as_value, binary, cast

_ORDERS = (None, "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")


class MemoryOrderWarning(UserWarning):
    """An atomic update orders no other access of memory, though the kernel asks for that."""


def _check_order(construct, memory_order):
    if memory_order not in _ORDERS:
        fail(
            f"{construct}: expected a memory order of {', '.join(map(str, _ORDERS[1:]))}, got"
            f" {memory_order!r}"
        )
    if memory_order not in (None, "relaxed"):
        place = here()
        text = (
            f"{place}: memory_order={memory_order!r} of {construct} is taken as 'relaxed': what a"
            " block wrote before, another one may see later; exchange values between two kernels"
        )
        warnings.warn_explicit(text, MemoryOrderWarning, place[0], place[1])


def _atomic(kind, dst, value, memory_order, return_prev):
    construct = f"T.atomic_{kind}"
    builder = current(construct)
    _check_order(construct, memory_order)
    tile = isinstance(value, (Buffer, Region)) and not getattr(value, "is_var", False)
    if isinstance(dst, (Buffer, Region)) and not tile and not getattr(dst, "is_var", False):
        region = region_of(dst, construct)
        if all(isinstance(x, int) and x == 1 for x in region.extents):
            dst = Load(region.buffer, region.offsets)
        else:
            return _every(kind, region, value, return_prev)
    if tile:
        if return_prev:
            unsupported(f"{construct}(return_prev=True) of a tile")
        source, target = _pair(value, dst, construct)
        known = all(isinstance(x, int) for x in (*source.extents, *target.extents))
        if known and not _same_box(source.extents, target.extents):
            _differ(source, target, construct)
        if kind not in ("add", "max", "min"):
            unsupported(f"{construct} of a tile")
        _check_type(construct, target.dtype)
        if kind != "add" and target.dtype not in ("int32", "uint32", "int64", "uint64", "float32"):
            unsupported(
                f"{construct} of a tile of {target.dtype}",
                "update its elements one by one, in T.Parallel",
            )
        builder.tile("atomic", source=source, target=target, kind=kind)
        return None
    if not isinstance(dst, Load):
        fail(f"{construct}: expected an element of a buffer, got {dst!r}")
    if dst.buffer.space not in ("global", "shared"):
        fail(f"{construct}: expected an element in global or shared memory, got {dst.buffer!r}")
    _check_type(construct, dst.dtype)
    operation = Op(
        "atomic",
        (kind, dst.buffer, tuple(dst.indices), cast(as_value(value), dst.dtype)),
        dst.dtype,
    )
    if return_prev:
        return builder.define("previous", operation)
    builder.tile("evaluate", value=operation)
    return None


def _check_type(construct, kind):
    if kind.is_bool or kind.bits < 8 or (kind.is_float and kind.bits < 16):
        unsupported(
            f"{construct} of {kind}",
            "update float16, bfloat16, float32, float64 or integers of 8 bits and more",
        )


def _every(kind, region, value, return_prev):
    """One value combined into each element of a region."""
    from .loop import Parallel

    if return_prev:
        unsupported(f"T.atomic_{kind}(return_prev=True) of a region")
    builder = current(f"T.atomic_{kind}")
    extents = [x for x in region.extents if not (isinstance(x, int) and x == 1)]
    for indices in Parallel(*extents).run(builder):
        left = list(indices) if isinstance(indices, tuple) else [indices]
        place = [
            o if isinstance(x, int) and x == 1 else left.pop(0) + o
            for o, x in zip(region.offsets, region.extents)
        ]
        _atomic(kind, Load(region.buffer, tuple(place)), value, None, False)
    return None


def atomic_add(dst, value, memory_order=None, return_prev=False, use_tma=False, annotations=None):
    """dst += value, atomically; of an element or of a tile."""
    return _atomic("add", dst, value, memory_order, return_prev)


def atomic_max(dst, value, memory_order=None, return_prev=False, annotations=None):
    return _atomic("max", dst, value, memory_order, return_prev)


def atomic_min(dst, value, memory_order=None, return_prev=False, annotations=None):
    return _atomic("min", dst, value, memory_order, return_prev)


def atomic_or(dst, value, memory_order=None):
    return _atomic("or", dst, value, memory_order, False)


def _vector(lanes):
    from .loop import vectorized

    def function(dst, value, return_prev=False):
        if return_prev:
            unsupported(f"T.atomic_addx{lanes}(return_prev=True)")
        target, source = (
            region_of(dst, f"T.atomic_addx{lanes}"),
            region_of(value, f"T.atomic_addx{lanes}"),
        )
        for i in vectorized(lanes).run(current(f"T.atomic_addx{lanes}")):
            place = (*target.offsets[:-1], binary("add", target.offsets[-1], i))
            at = (*source.offsets[:-1], binary("add", source.offsets[-1], i))
            _atomic("add", Load(target.buffer, place), Load(source.buffer, at), None, False)

    function.__name__ = f"atomic_addx{lanes}"
    function.__doc__ = f"Adds {lanes} neighbouring elements, each atomically."
    return function


atomic_addx2, atomic_addx4 = _vector(2), _vector(4)


# What a load, and a store, do with each order; nothing with the others. `consume` is what an acquire
# does (as in C++), and more.
_LOADS = {
    "relaxed": "relaxed",
    "consume": "acquire",
    "acquire": "acquire",
    "seq_cst": "seq_cst",
}
_STORES = {"relaxed": "relaxed", "release": "release", "seq_cst": "seq_cst"}


def _access(name, place, memory_order, orders):
    """The element, and the order as the dialect names it."""
    construct = f"T.{name}"
    if memory_order not in orders:
        fail(
            f"{name} does not support memory_order {memory_order!r}; expected"
            f" {', '.join(orders)}",
            kind=StructureError,
        )
    if not isinstance(place, Load) and isinstance(place, (Buffer, Region)):
        region = region_of(place, construct)
        if all(isinstance(x, int) and x == 1 for x in region.extents):
            place = Load(region.buffer, region.offsets)
    if not isinstance(place, Load) or place.buffer.space not in ("global", "shared"):
        fail(f"{construct}: expected an element in global or shared memory, got {place!r}")
    if place.dtype.bits not in (32, 64):
        unsupported(f"{construct} of {place.dtype}", "use elements of 32 or 64 bits")
    return place, orders[memory_order]


def atomic_load(src, memory_order="seq_cst"):
    """An element that other threads, also of other blocks, may be writing."""
    place, order = _access("atomic_load", src, memory_order, _LOADS)
    operation = Op("atomic", (f"load {order}", place.buffer, tuple(place.indices), 0), place.dtype)
    return current("T.atomic_load").define("loaded", operation)


def atomic_store(dst, src, memory_order="seq_cst"):
    """Writes an element that other threads, also of other blocks, may be reading."""
    place, order = _access("atomic_store", dst, memory_order, _STORES)
    value = cast(as_value(src), place.dtype)
    operation = Op(
        "atomic", (f"store {order}", place.buffer, tuple(place.indices), value), place.dtype
    )
    current("T.atomic_store").tile("evaluate", value=operation)
