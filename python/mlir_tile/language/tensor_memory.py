# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory and products of Blackwell's tensor cores, as TileLang's programs name them.

Where an accumulator lies, the compiler decides: in tensor memory where the target has it, else in
registers. A product is there for whoever comes behind it, so a barrier at which only products
arrive orders nothing more in a kernel whose threads all do the same; where warps have parts of
their own, the threads that multiply arrive at it.
"""

from .barriers import one_barrier
from .builder import current
from .errors import fail, unsupported
from .gemming import GemmWarpPolicy, _gemm
from .memory import alloc_fragment
from .statements import Tile, Warps


def alloc_tmem(shape, dtype):
    """A tile for the results, or the left operand, of products."""
    current("T.alloc_tmem")
    return alloc_fragment(shape, dtype)


def deallocate_tmem(tmem):
    """Says nothing here: the compiler gives tensor memory back."""
    current("T.deallocate_tmem")


def tcgen05_gemm(
    A,
    B,
    C,
    transpose_A=False,
    transpose_B=False,
    policy=GemmWarpPolicy.Square,
    clear_accum=False,
    *,
    mbar=None,
    use_2cta=False,
    annotations=None,
):
    """T.gemm; one arrival at `mbar` says that it has ended."""
    construct = "T.tcgen05_gemm"
    if use_2cta:
        unsupported(
            f"{construct}(use_2cta=True)",
            "leave it out: the compiler lets two blocks multiply as one where that pays",
        )
    _gemm(construct, A, B, C, transpose_A, transpose_B, policy, clear_accum)
    if mbar is not None:
        commit(construct, mbar)


def tcgen05_mma_arrive(mbar, arrive_2cta=False):
    """One arrival when the products so far have ended."""
    if arrive_2cta:
        unsupported("T.tcgen05_mma_arrive(arrive_2cta=True)")
    commit("T.tcgen05_mma_arrive", mbar)


def tcgen05_before_thread_sync():
    """Says nothing here: the compiler orders accesses of tensor memory."""
    current("T.tcgen05_before_thread_sync")


def tcgen05_after_thread_sync():
    """Says nothing here: the compiler orders accesses of tensor memory."""
    current("T.tcgen05_after_thread_sync")


def commit(construct, mbar):
    """Records the arrival of a product at a barrier."""
    one = one_barrier(f"{construct}(mbar=...)", mbar)
    builder, barriers = current(construct), one.barriers
    scope = builder.kernel
    arrival = builder.tile(
        "mbarrier_arrive", barriers=barriers, index=one.index, block=None, after_copies=False
    )
    first = not barriers.commits
    barriers.commits.append((arrival, builder.warps))
    if first:
        scope.at_end.append(lambda: _settle(scope, construct, barriers))


def _users(block, barriers):
    for statement in block:
        if type(statement) is Tile and statement.operands.get("barriers") is barriers:
            yield statement
        for inner in statement.blocks:
            yield from _users(inner, barriers)


def _has_parts(block):
    return any(type(x) is Warps or any(map(_has_parts, x.blocks)) for x in block)


def _settle(scope, construct, barriers):
    """What a barrier of products is in the kernel that is known now."""
    users = list(_users(scope.body, barriers))
    commits = [arrival for arrival, _ in barriers.commits]
    others = [x for x in users if x.name == "mbarrier_arrive" and x not in commits]
    if others or set(barriers.counts) != {1}:
        place = commits[0].location
        if others:
            unsupported(
                f"{construct} at a barrier at which threads arrive, too,",
                "give the product a barrier of its own",
                place,
            )
        fail(
            f"{construct}: expected a barrier of one arrival, which a product is, got"
            f" {barriers.counts}",
            place,
        )
    if scope.thread_index is None and not _has_parts(scope.body):
        for statement in users:
            statement.name, statement.operands = "sync", {}
        return
    threads = {32 * warps.count if warps else scope.threads for _, warps in barriers.commits}
    if len(threads) > 1:
        unsupported(f"{construct} of several parts at one barrier", location=commits[0].location)
    barriers.counts = [threads.pop()] * len(barriers.counts)
