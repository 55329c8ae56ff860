# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps and barriers by hand: T.ws, T.alloc_barrier, waits and arrivals."""

from .builder import current
from .errors import fail
from .statements import Warps
from .values import as_value


class Barriers:
    """What T.alloc_barrier makes: barriers that count arrivals; `b[i]` is one of them."""

    def __init__(self, counts, cluster=False):
        self.counts, self.name = counts, "barriers"
        self.cluster = cluster  # blocks of the cluster arrive at each other's
        self.commits = []  # arrivals of products (T.tcgen05_gemm), and the warps that make them

    def __getitem__(self, index):
        index = as_value(index)
        if isinstance(index, int) and not 0 <= index < len(self.counts):
            fail(f"there are {len(self.counts)} barriers, no barrier {index}")
        return Barrier(self, index)

    def __len__(self):
        return len(self.counts)


class Barrier:
    """One of several barriers."""

    def __init__(self, barriers, index):
        self.barriers, self.index = barriers, index


def alloc_barrier(arrive_count):
    """Barriers: a phase of one is complete after so many arrivals of threads (a list: one each)."""
    return _alloc("T.alloc_barrier", arrive_count, cluster=False)


def alloc_cluster_barrier(arrive_count):
    """Barriers of T.alloc_barrier at which threads of other blocks of the cluster may arrive
    (T.ClusterKernel): by T.mbarrier_arrive(..., cta_id), or by T.copy_cluster."""
    return _alloc("T.alloc_cluster_barrier", arrive_count, cluster=True)


def _alloc(construct, arrive_count, cluster):
    builder = current(construct)
    counts = list(arrive_count) if isinstance(arrive_count, (list, tuple)) else [arrive_count]
    for x in counts:
        if not isinstance(x, int) or not 1 <= x < 1 << 20:
            fail(f"{construct}: expected counts of arrivals from 1 to 1048575, got {x!r}")
    # Without clusters a block has nobody beside it.
    made = Barriers(counts, cluster and builder.kernel is not None and bool(builder.kernel.cluster))
    builder.tile("mbarrier_create", barriers=made)
    return made


def one_barrier(construct, value):
    """The barrier that a program names."""
    if isinstance(value, Barriers):
        return value[0]
    if not isinstance(value, Barrier):
        fail(f"{construct}: expected a barrier of T.alloc_barrier, got {value!r}")
    return value


def mbarrier_wait_parity(mbarrier, parity):
    """Waits while the barrier is in a phase of this parity (the first phase is even)."""
    one = one_barrier("T.mbarrier_wait_parity", mbarrier)
    current("T.mbarrier_wait_parity").tile(
        "mbarrier_wait", barriers=one.barriers, index=one.index, parity=as_value(parity)
    )


def mbarrier_arrive(mbarrier, cta_id=None, after_copies=False):
    """Each thread that comes here arrives once; what it did before has ended for who waits.

    `after_copies`: a thread goes on at once, and its arrival counts when its copies by
    T.ptx_cp_async have landed.
    `cta_id`: at the barrier of the block with this rank in the cluster (T.alloc_cluster_barrier).
    """
    one = one_barrier("T.mbarrier_arrive", mbarrier)
    builder = current("T.mbarrier_arrive")
    block = None if cta_id is None else as_value(cta_id)
    if block is not None and not one.barriers.cluster:
        if builder.kernel is not None and builder.kernel.cluster:
            fail(
                "T.mbarrier_arrive(cta_id=...): other blocks arrive at barriers of"
                " T.alloc_cluster_barrier only"
            )
        block = None  # of a cluster of one
    builder.tile(
        "mbarrier_arrive",
        barriers=one.barriers,
        index=one.index,
        block=block,
        after_copies=after_copies and block is None,
    )


def ptx_arrive_cluster_barrier(mbarrier, cta_id):
    """T.mbarrier_arrive at the barrier of another block of the cluster."""
    mbarrier_arrive(mbarrier, cta_id)


barrier_wait, barrier_arrive = mbarrier_wait_parity, mbarrier_arrive


class _OnWarps:
    def __init__(self, first, count):
        self.first, self.count = first, count

    def __enter__(self):
        builder = current("T.ws")
        if builder.warps is not None:
            fail("T.ws inside of T.ws")
        statement = Warps(self.first, self.count, len(builder.open_loops()))
        builder.add(statement)
        self.builder, self.outer = builder, builder.block
        builder.block, builder.warps = statement.body, statement

    def __exit__(self, *error):
        self.builder.block, self.builder.warps = self.outer, None


def ws(*warp_groups):
    """`with T.ws(0):` what only the warps of these warp groups (of four warps each) do."""
    builder = current("T.ws")
    groups = sorted(int(x) for x in warp_groups)
    if not groups or groups != list(range(groups[0], groups[-1] + 1)):
        fail(f"T.ws: expected the numbers of neighbouring warp groups, got {list(warp_groups)}")
    if builder.kernel is None or 128 * (groups[-1] + 1) > builder.kernel.threads:
        threads = builder.kernel.threads if builder.kernel is not None else 0
        fail(f"T.ws: warp group {groups[-1]} is none of a block of {threads} threads")
    return _OnWarps(4 * groups[0], 4 * len(groups))
