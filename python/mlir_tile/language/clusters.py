# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a cluster (T.ClusterKernel): their numbers, and where they wait for each other.

What blocks of a cluster share, the compiler moves and waits for by itself, and no block can name
another one's memory. So a barrier of the cluster is one of the block, unless blocks exchange values
through global memory, which is refused.
"""

from .builder import current
from .errors import here, unsupported
from .initialization import accesses, base_of
from .kernel import _scope
from .sync import sync_threads


def block_rank_in_cluster():
    """The number of the block in its cluster (T.ClusterKernel), x first; zero without clusters."""
    scope = _scope("T.block_rank_in_cluster")
    rank, below = 0, 1
    for block, size in zip(scope.blocks, scope.cluster or (), strict=False):
        rank += block % int(size) * below
        below *= int(size)
    return rank


def cluster_sync():
    """The blocks of a cluster wait for each other."""
    _meet("T.cluster_sync")


def cluster_arrive():
    """The block does not wait here; the others need not wait for it at T.cluster_wait."""
    _meet("T.cluster_arrive", waits=False)


def cluster_arrive_relaxed():
    """T.cluster_arrive that orders no memory."""
    _meet("T.cluster_arrive_relaxed", waits=False)


def cluster_wait():
    """The block waits for T.cluster_arrive of the others."""
    _meet("T.cluster_wait")


def _meet(construct, waits=True):
    scope = _scope(construct)
    place = here()
    if current(construct).block is None:
        return
    scope.at_end.append(lambda: _check_exchange(scope, construct, place))
    if waits:
        sync_threads()


def _check_exchange(scope, construct, place):
    """Refuses a barrier where another block may see what one has written."""
    read, written = set(), set()
    pending = [scope.body]
    while pending:
        for statement in pending.pop():
            for kind, found in zip((read, written), accesses(statement)):
                kind.update(x for x in map(base_of, found) if x.space == "global")
            pending.extend(statement.blocks)
    both = sorted(x.name for x in read & written)
    if both and scope.cluster:
        unsupported(
            f"{construct} of blocks that exchange values through {both[0]}, which the kernel reads"
            " and writes,",
            "exchange them between two kernels",
            place,
        )
