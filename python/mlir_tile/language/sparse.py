# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a left side of which half of each group is zero (2:4 sparse; 1:2 of 32 bits)."""

from .buffers import region_of
from .builder import current
from .copying import copy
from .errors import fail
from .gemming import GemmWarpPolicy, _gemm, _matrix
from .loop import Parallel
from .memory import alloc_shared
from .statements import Store
from .tensor_memory import commit
from .values import Const, Load, binary, cast, select

__all__ = ["gemm_sp", "group_of"]

_CONSTRUCT = "T.gemm_sp"


def group_of(kind):
    """(values that are kept, elements) of a group of an element type."""
    if kind.bits not in (8, 16, 32):
        fail(f"{_CONSTRUCT}: expected elements of 8, 16 or 32 bits as A, got {kind}")
    return (1, 2) if kind.bits == 32 else (2, 4)


def gemm_sp(
    A_sparse,
    E,
    B,
    C,
    transpose_A=False,
    transpose_E=False,
    transpose_B=False,
    policy=GemmWarpPolicy.Square,
    clear_accum=False,
    k_pack=1,
    wg_wait=0,
    mbar=None,
    **_,
):
    """C += A B, where A is given by the values that are kept (half of its columns) and E, four bits
    for each group: the places of its two values, the first in the lower two bits.

    The product is that of the whole A, which a tile in shared memory holds for it.
    """
    dense = _expanded(A_sparse, E, bool(transpose_A), bool(transpose_E))
    _gemm(_CONSTRUCT, dense, B, C, transpose_A, transpose_B, policy, clear_accum)
    if mbar is not None:
        commit(_CONSTRUCT, mbar)


def _expanded(A_sparse, E, transpose_A, transpose_E):
    """A tile with the zeros put in."""
    builder = current(_CONSTRUCT)
    a, e = (_in_shared(region_of(x, _CONSTRUCT)) for x in (A_sparse, E))
    if not e.dtype.is_integer:
        fail(f"{_CONSTRUCT}: expected integers as E, got {e.dtype}")
    kept, group = group_of(a.dtype)
    rows, halves = _turned(_matrix(a, _CONSTRUCT, "A"), transpose_A)
    per_word = e.dtype.bits // 4
    columns = halves // kept * group
    expected = [rows, columns // group // per_word]
    if _turned(_matrix(e, _CONSTRUCT, "E"), transpose_E) != expected:
        fail(
            f"{_CONSTRUCT}: E has four bits for each {group} of A's {columns} columns: expected"
            f" {_turned(expected, transpose_E)} of {e.dtype}, got {list(e.extents)}"
        )
    dense = alloc_shared(_turned([rows, columns], transpose_A), a.dtype)
    dense.name = f"{a.buffer.name}_dense"
    for i, k in Parallel(rows, columns).run(builder):
        number = k // group
        word = _element(e, i, number // per_word, transpose_E)
        shift = cast((number % per_word) * 4, e.dtype)
        places = builder.define("places", binary("and", binary("shr", word, shift), 15))
        place = cast(k % group, e.dtype)
        value = Const(0, a.dtype)
        for n in reversed(range(kept)):
            there = binary("and", binary("shr", places, 2 * n), 3)
            if group == 2:  # of two elements, whose places are counted in halves
                there = binary("shr", there, 1)
            element = _element(a, i, number * kept + n, transpose_A)
            value = select(there == place, element, value)
        builder.add(Store(dense, tuple(_turned([i, k], transpose_A)), value))
    return dense


def _turned(pair, transposed):
    return list(reversed(pair)) if transposed else list(pair)


def _element(region, row, column, transposed):
    wide = iter(_turned([row, column], transposed))
    inner = len(region.extents) - 2
    places = [
        offset if at < inner else binary("add", offset, next(wide))
        for at, offset in enumerate(region.offsets)
    ]
    return Load(region.buffer, tuple(places))


def _in_shared(region):
    """A fragment's elements are read by other threads than its own: through shared memory."""
    if region.buffer.space != "fragment":
        return region
    tile = alloc_shared(_matrix(region, _CONSTRUCT, "A"), region.dtype)
    tile.name = f"{region.buffer.name}_shared"
    copy(region, tile)
    return region_of(tile, _CONSTRUCT)
