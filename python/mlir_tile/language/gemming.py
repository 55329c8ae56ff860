# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of tiles."""

import enum

from .buffers import region_of
from .builder import current
from .errors import fail
from .values import Expr, truth


class GemmWarpPolicy(enum.IntEnum):
    """How warps share the result of a gemm."""

    Square = 0
    FullRow = 1
    FullCol = 2

    def is_square(self):
        return self is GemmWarpPolicy.Square

    def is_full_row(self):
        return self is GemmWarpPolicy.FullRow

    def is_full_col(self):
        return self is GemmWarpPolicy.FullCol

    @classmethod
    def from_warp_partition(cls, m_warp, n_warp):
        if n_warp == 1 and m_warp > 1:
            return cls.FullRow
        if m_warp == 1 and n_warp > 1:
            return cls.FullCol
        return cls.Square


_POLICIES = {0: "square", 1: "full_row", 2: "full_col"}


def _matrix(region, construct, name):
    extents = list(region.extents)
    for x in extents:
        if not isinstance(x, int):
            fail(
                f"{construct}: {name} must have extents known when the kernel is built, got"
                f" {region!r}"
            )
    while len(extents) > 2 and extents[0] == 1:
        extents = extents[1:]
    if len(extents) != 2:
        fail(f"{construct}: expected a matrix as {name}, got {region!r}")
    return extents


def gemm(
    A,
    B,
    C,
    transpose_A=False,
    transpose_B=False,
    policy=GemmWarpPolicy.Square,
    clear_accum=False,
    k_pack=1,
    mbar=None,
    annotations=None,
    wg_wait=0,
):
    """C += A B on tiles; `clear_accum`: C starts from zero (true, false, or a condition of the
    kernel)."""
    _gemm("T.gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum)
    if mbar is not None:
        from .tensor_memory import commit

        commit("T.gemm", mbar)


gemm_v1 = gemm_v2 = gemm
"""T.gemm, by the names that older versions of TileLang had for two implementations of it."""


def _gemm(
    construct, A, B, C, transpose_A, transpose_B, policy, clear_accum, sparsity=None, part_of_k=1
):
    """`sparsity`: the operands of a sparse A, which has one of `part_of_k` columns."""
    builder = current(construct)
    a, b, c = (region_of(x, construct) for x in (A, B, C))
    (am, ak), (bk, bn), (m, n) = (
        _matrix(x, construct, y) for x, y in ((a, "A"), (b, "B"), (c, "C"))
    )
    if transpose_A:
        am, ak = ak, am
    if transpose_B:
        bk, bn = bn, bk
    ak *= part_of_k
    if ak != bk:
        fail(f"{construct}: K of A is {ak}, K of B is {bk}{_stored(transpose_A, transpose_B)}")
    if (am, bn) != (m, n):
        fail(
            f"{construct}: C is {m} x {n}, but the product is {am} x"
            f" {bn}{_stored(transpose_A, transpose_B)}"
        )
    clear = truth(clear_accum)
    if isinstance(clear, Expr):
        from .filling import fill

        branch = builder.branch(clear)
        if builder.then(branch):
            fill(C, 0)
        builder.end(branch)
        clear = False
    builder.tile(
        "gemm",
        a=a,
        b=b,
        c=c,
        transpose_a=bool(transpose_A),
        transpose_b=bool(transpose_B),
        policy=_POLICIES[int(getattr(policy, "value", policy))],
        clear=clear,
        **(sparsity or {}),
    )


def _stored(a, b):
    return f" (transpose_A={bool(a)}, transpose_B={bool(b)})"


def wgmma_gemm(
    A,
    B,
    C,
    transpose_A=False,
    transpose_B=False,
    policy=GemmWarpPolicy.Square,
    clear_accum=False,
    annotations=None,
):
    """T.gemm: the compiler chooses the instruction, and waits where the result is read."""
    _gemm("T.wgmma_gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum)
