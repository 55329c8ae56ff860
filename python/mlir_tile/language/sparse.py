# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a left side of which half of each group is zero (2:4 sparse; 1:2 of 32 bits)."""

from .buffers import region_of
from .errors import fail
from .gemming import GemmWarpPolicy, _gemm, _matrix
from .tensor_memory import commit

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

    Tensor cores multiply it as it is where the target has an instruction for it that can read the
    tiles; elsewhere threads put the zeros back first.
    """
    a, e = (region_of(x, _CONSTRUCT) for x in (A_sparse, E))
    _check_places(a, e, bool(transpose_A), bool(transpose_E))
    sparsity = {"metadata": e, "transpose_metadata": bool(transpose_E)}
    _gemm(
        _CONSTRUCT, a, B, C, transpose_A, transpose_B, policy, clear_accum, sparsity, part_of_k=2
    )
    if mbar is not None:
        commit(_CONSTRUCT, mbar)


def _check_places(a, e, transpose_A, transpose_E):
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


def _turned(pair, transposed):
    return list(reversed(pair)) if transposed else list(pair)
