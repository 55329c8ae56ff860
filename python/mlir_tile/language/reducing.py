# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, scans and sorts along a dimension of a tile, reducers."""

from .atomics import _atomic
from .buffers import Buffer, region_of
from .builder import current
from .copying import copy
from .dtypes import dtype as element_type
from .errors import fail, unsupported
from .filling import fill
from .loop import grid as serial_grid
from .mathematics import infinity, max_value, min_value
from .statements import Store
from .values import Load, as_value, binary, cast, type_of, unary

KINDS = ("sum", "prod", "abssum", "max", "absmax", "min", "bitand", "bitor", "bitxor")


def _shape(value):
    return list(value.shape) if hasattr(value, "shape") else None


def reduce(
    buffer, out, reduce_type, dim, clear=True, batch=1, nan_propagate=False, annotations=None
):
    """Combines the elements of a tile along `dim`; `clear=False`: together with what `out`
    holds."""
    construct = f"T.reduce_{reduce_type}"
    builder = current(construct)
    if reduce_type not in KINDS:
        fail(f"T.reduce: expected a kind of {', '.join(KINDS)}, got {reduce_type!r}")
    source, target = region_of(buffer, construct), region_of(out, construct)
    rank = len(source.extents)
    if not -rank <= dim < rank:
        fail(f"{construct}: {source!r} has {rank} dimensions, no dimension {dim}")
    dim %= rank
    shape = list(source.extents)
    dropped, one = shape[:dim] + shape[dim + 1 :], shape[:dim] + [1] + shape[dim + 1 :]
    found = list(target.extents)
    if found != dropped and found != one and not (not dropped and found == [1]):
        fail(
            f"{construct}: expected a target of shape {dropped} or {one}, got {found}"
            f" ({target.buffer.name})"
        )
    if all(x.buffer.space in ("local", "var") for x in (source, target)):
        _reduce_alone(builder, source, target, reduce_type, dim, clear)
        return
    for x in (source, target):
        if x.buffer.space not in ("shared", "fragment"):
            fail(
                f"{construct}: expected tiles in shared memory or fragments, got {x.buffer!r};"
                " copy it to a fragment first"
            )
    builder.tile(
        "reduce",
        source=source,
        target=target,
        kind=reduce_type,
        dim=dim,
        accumulate=not clear,
        nan=bool(nan_propagate) and source.dtype.is_float,
    )


_COMBINE = {
    "sum": lambda a, b: binary("add", a, b),
    "prod": lambda a, b: binary("mul", a, b),
    "abssum": lambda a, b: binary("add", a, unary("abs", b)),
    "max": lambda a, b: binary("max", a, b),
    "absmax": lambda a, b: binary("max", a, unary("abs", b)),
    "min": lambda a, b: binary("min", a, b),
    "bitand": lambda a, b: binary("and", a, b),
    "bitor": lambda a, b: binary("or", a, b),
    "bitxor": lambda a, b: binary("xor", a, b),
}


def _reduce_alone(builder, source, target, kind, dim, clear):
    """A reduction of a thread's own memory: loops over its elements."""
    rest = [*source.extents[:dim], *source.extents[dim + 1 :]]
    kept = [i for i in range(len(source.extents)) if i != dim]

    def place(region, indices):
        wide = [o + i for o, i in zip(region.offsets, indices)]
        return Load(region.buffer, tuple(wide))

    def loops(extents):
        return serial_grid(*extents).run(builder) if extents else iter([()])

    for outer in loops(rest):
        outer = outer if isinstance(outer, tuple) else (outer,)
        ones = len(target.extents) == len(source.extents)
        at = list(outer) if outer else [0]
        if ones and outer:
            at.insert(dim, 0)
        result = place(target, at)
        if clear:
            first = 0 if kind in ("abssum", "absmax") else identity(kind, target.dtype)
            _put(builder, result, cast(first, target.dtype))
        for inner in loops([source.extents[dim]]):
            indices = [0] * len(source.extents)
            for i, x in zip(kept, outer):
                indices[i] = x
            indices[dim] = inner[0] if isinstance(inner, tuple) else inner
            value = cast(place(source, indices), target.dtype)
            _put(builder, result, cast(_COMBINE[kind](result, value), target.dtype))


def _put(builder, place, value):
    if place.buffer.is_var:
        builder.assign(place.buffer, value)
    else:
        builder.add(Store(place.buffer, place.indices, value))


def _reduction(kind):
    def function(buffer, out, dim=-1, clear=True, batch=1, nan_propagate=False, annotations=None):
        reduce(buffer, out, kind, dim, clear, batch, nan_propagate, annotations)

    function.__name__ = f"reduce_{kind}"
    function.__doc__ = (
        f"Reduces a tile along `dim` by {kind}; `clear=False`: together with what `out` holds."
    )
    return function


reduce_sum, reduce_max, reduce_min = _reduction("sum"), _reduction("max"), _reduction("min")
reduce_prod = _reduction("prod")
reduce_abssum, reduce_absmax = _reduction("abssum"), _reduction("absmax")
reduce_bitand, reduce_bitor, reduce_bitxor = (
    _reduction("bitand"),
    _reduction("bitor"),
    _reduction("bitxor"),
)


def _dimension(region, dim, construct):
    rank = len(region.extents)
    if not -rank <= dim < rank:
        fail(f"{construct}: {region!r} has {rank} dimensions, no dimension {dim}")
    return dim % rank


def _scan(kind, src, dst, dim, reverse, exclusive, carry):
    construct = f"T.cum{kind}"
    builder = current(construct)
    source = region_of(src, construct)
    target = source if dst is None else region_of(dst, construct)
    dim = _dimension(source, dim, construct)
    extents = list(source.extents)
    if extents != list(target.extents):
        fail(f"{construct}: expected a target of shape {extents}, got {list(target.extents)}")
    if carry is not None:
        carry = region_of(carry, construct)
        rows, found = extents[:dim] + extents[dim + 1 :], list(carry.extents)
        one = extents[:dim] + [1] + extents[dim + 1 :]
        if found not in (rows, one) or carry.dtype is not target.dtype:
            fail(
                f"{construct}: expected a carry of shape {rows} or {one} and type"
                f" {target.dtype}, got {found} of {carry.dtype} ({carry.buffer.name})"
            )
    builder.tile(
        "scan",
        source=source,
        target=target,
        kind=kind,
        dim=dim,
        reverse=bool(reverse),
        exclusive=bool(exclusive),
        carry=carry,
    )


def cumsum(src, dst=None, dim=0, reverse=False, annotations=None, exclusive=False, carry=None):
    """Running sums along `dim`; `reverse`: from the last element; `exclusive`: without the element
    itself. `carry`, a tile of `src`'s shape without `dim`, holds the sums of all pieces before, which
    take part, and those with this piece afterwards."""
    _scan("sum", src, dst, dim, reverse, exclusive, carry)


def cumprod(src, dst=None, dim=0, reverse=False, annotations=None, exclusive=False, carry=None):
    """Running products along `dim`; the rest as T.cumsum."""
    _scan("prod", src, dst, dim, reverse, exclusive, carry)


def cummax(src, dst=None, dim=0, reverse=False, annotations=None, exclusive=False, carry=None):
    """Running maxima along `dim`; the rest as T.cumsum."""
    _scan("max", src, dst, dim, reverse, exclusive, carry)


def sort(keys, *payloads, dim=-1, descending=False):
    """Sorts the rows of a tile along `dim`, in place; payloads, tiles of its shape, move with their
    keys. The sort is stable. -0 comes before +0, NaN is greater than any number."""
    builder = current("T.sort")
    regions = [region_of(x, "T.sort") for x in (keys, *payloads)]
    dim = _dimension(regions[0], dim, "T.sort")
    for region in regions[1:]:
        if list(region.extents) != list(regions[0].extents):
            fail(
                f"T.sort: expected payloads of shape {list(regions[0].extents)}, got"
                f" {list(region.extents)} ({region.buffer.name})"
            )
    moved = {f"payload{i}": region for i, region in enumerate(regions[1:])}
    builder.tile("sort", keys=regions[0], dim=dim, descending=bool(descending), **moved)


def topk(src, values, indices, dim=-1, largest=True):
    """The k largest elements of each row along `dim`, the greatest first, and where they stand; k is
    the extent of `values` and `indices` (int32 or int64) there. `largest=False`: the k smallest. Of
    equal elements the first come first; NaN is greater than any number."""
    builder = current("T.topk")
    source, kept, places = (region_of(x, "T.topk") for x in (src, values, indices))
    dim = _dimension(source, dim, "T.topk")
    expected, found = list(source.extents), list(kept.extents)
    if len(found) == len(expected):
        expected[dim] = found[dim]
    if found != expected or list(places.extents) != found:
        fail(
            f"T.topk: expected values and indices of one shape, {list(source.extents)} but for"
            f" dimension {dim}, got {found} and {list(places.extents)}"
        )
    if kept.dtype is not source.dtype or places.dtype not in ("int32", "int64"):
        fail(
            f"T.topk: expected values of {source.dtype} and indices of int32 or int64, got"
            f" {kept.dtype} and {places.dtype}"
        )
    builder.tile(
        "topk", source=source, values=kept, places=places, dim=dim, smallest=not largest
    )


# Reducers: sums (and the like) that iterations of T.Parallel contribute to.
_START = {"sum": 0, "prod": 1, "bitor": 0, "bitxor": 0, "bitand": -1}


def alloc_reducer(shape, dtype, op="sum", replication=None):
    """A reducer: T.reducer_update contributes, T.finalize_reducer gives the result."""
    builder = current("T.alloc_reducer")
    if op not in ("sum", "max", "min", "bitand", "bitor", "bitxor"):
        fail(f"T.alloc_reducer: expected sum, max, min, bitand, bitor or bitxor, got {op!r}")
    # Contributions meet in shared memory, each by an atomic; narrow floats are summed in float32.
    kind = element_type(dtype)
    if op.startswith("bit") and not kind.is_integer:
        raise AssertionError(f"T.alloc_reducer: {op} needs an integer dtype, got {kind}")
    buffer = Buffer(shape, "float32" if kind.is_float and kind.bits < 32 else kind, "shared")
    buffer.reducer = op
    return builder.allocate(buffer)


def _reducer(value, construct):
    buffer = value.buffer if isinstance(value, Load) else value
    if getattr(buffer, "reducer", None) is None:
        fail(f"{construct}: expected what T.alloc_reducer returned, got {value!r}")
    return buffer


def identity(kind, dtype):
    """What changes nothing when it is combined."""
    if kind == "max":
        return unary("neg", infinity(dtype)) if dtype.is_float else min_value(dtype)
    if kind == "min":
        return infinity(dtype) if dtype.is_float else max_value(dtype)
    return _START[kind]


def reducer_init(reducer, init=None):
    """Starts a reduction, from `init` (which counts once) or from nothing."""
    buffer = _reducer(reducer, "T.reducer_init")
    fill(buffer, identity(buffer.reducer, buffer.dtype) if init is None else init)


def reducer_update(target, value):
    """A contribution of an iteration: T.reducer_update(acc[i], x)."""
    buffer = _reducer(target, "T.reducer_update")
    if not isinstance(target, Load):
        fail("T.reducer_update: expected an element, as in acc[i]")
    contribute(buffer, target.indices, value)


def contribute(buffer, indices, value):
    kind = {"sum": "add", "bitand": "and", "bitor": "or", "bitxor": "xor"}.get(
        buffer.reducer, buffer.reducer
    )
    _atomic(kind, Load(buffer, tuple(indices)), value, None, False)


def finalize_reducer(reducer, dst=None, batch=1, annotations=None):
    """Ends a reduction; the result goes to `dst` (without one it is read from the reducer
    itself)."""
    buffer = _reducer(reducer, "T.finalize_reducer")
    if dst is not None:
        copy(buffer, dst)


def any_of(buffer):
    """Whether an element of the buffer or region is not zero (small ones: written out)."""
    return _fold(buffer, "or", "T.any_of")


def all_of(buffer):
    """Whether every element of the buffer or region is not zero (small ones: written out)."""
    return _fold(buffer, "and", "T.all_of")


def _fold(value, name, construct):
    region = region_of(value, construct)
    count = 1
    for x in region.extents:
        if not isinstance(x, int):
            fail(f"{construct}: extents must be known when the kernel is built, got {region!r}")
        count *= x
    if count > 64:
        unsupported(f"{construct} of {count} elements", "use T.reduce_max")
    result = None
    for number in range(count):
        indices = []
        for offset, size in zip(reversed(region.offsets), reversed(region.extents)):
            indices.insert(0, binary("add", offset, number % size))
            number //= size
        element = Load(region.buffer, tuple(indices))
        part = element if type_of(element).is_bool else as_value(element) != 0
        result = part if result is None else binary(name, result, part)
    return cast(result, "bool")
