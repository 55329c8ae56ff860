# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a cluster (T.ClusterKernel): their numbers, where they meet, and what they exchange.

What blocks read alike, the compiler may load once for all of them, and waits for it by itself. A
barrier of the cluster is one of the block where no block sees what another one does.
"""

import math

from .barriers import one_barrier
from .buffers import Buffer, Region, region_of
from .builder import current
from .copying import copy, emit_copy
from .errors import fail
from .initialization import accesses, base_of
from .kernel import _scope
from .layouts import fragment_text
from .mathematics import Or
from .statements import Tile
from .sync import sync_threads
from .values import Const, Expr, Let, Load, Op, Variable, as_value, reads_memory, select, walk


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
    builder = current(construct)
    if builder.block is None or not waits:
        return
    if not scope.cluster:
        return sync_threads()
    barrier = builder.tile("cluster_barrier")
    scope.at_end.append(lambda: _drop_unseen(scope, barrier))


def _drop_unseen(scope, barrier):
    """A barrier of the cluster behind which no block sees what another one has done is one of the
    block: the compiler pipelines around it."""
    if not _blocks_meet(scope):
        barrier.name = "sync"


def _blocks_meet(scope):
    """Whether blocks arrive at each other's barriers, write each other's tiles, or may exchange
    values through global memory."""
    read, written = set(), set()
    pending = [scope.body]
    while pending:
        for statement in pending.pop():
            if type(statement) is Tile:
                barriers = statement.operands.get("barriers")
                if statement.name == "cluster_copy" or getattr(barriers, "cluster", False):
                    return True
            for kind, found in zip((read, written), accesses(statement)):
                kind.update(x for x in map(base_of, found) if x.space == "global")
            pending.extend(statement.blocks)
    return bool(read & written)


def copy_cluster(
    src,
    dst,
    *,
    dst_block=None,
    cluster_mask=None,
    remote_barrier=None,
    eviction_policy=None,
    coalesced_width=None,
    annotations=None,
    loop_layout=None,
):
    """A copy between blocks of a cluster (T.ClusterKernel).

    `dst_block`: from a tile in shared memory to that of the block with this rank, which sees it
    behind T.cluster_sync, or once `remote_barrier` has one arrival. `cluster_mask`: to the blocks
    whose ranks are its bits, each of which gets the region that the first of them names; others
    get their own.
    """
    annotations = dict(annotations or {})
    dst_block = annotations.pop("dst_block", dst_block)
    cluster_mask = annotations.pop("cluster_mask", cluster_mask)
    remote_barrier = annotations.pop("barrier", remote_barrier)
    if dst_block is not None and cluster_mask is not None:
        fail("T.copy_cluster: expected dst_block or cluster_mask, got both")
    if dst_block is None:
        if remote_barrier is not None:
            fail("T.copy_cluster: remote_barrier goes with dst_block")
        if cluster_mask is not None:
            src = of_first_block("T.copy_cluster", src, cluster_mask)
        copy(
            src,
            dst,
            coalesced_width=coalesced_width,
            eviction_policy=eviction_policy,
            annotations=annotations,
            loop_layout=loop_layout,
        )
        return
    scope = _scope("T.copy_cluster")
    if not scope.cluster:
        fail("T.copy_cluster(dst_block=...): the kernel has no clusters; open T.ClusterKernel")
    layout = loop_layout if loop_layout is not None else annotations.get("parallel_loop_layout")
    emit_copy(
        "cluster_copy",
        src,
        dst,
        "T.copy_cluster(dst_block=...)",
        tile=True,
        block=as_value(dst_block),
        barrier=None if remote_barrier is None else _barrier_of_cluster(remote_barrier),
        coalesced_width=annotations.get("coalesced_width", coalesced_width),
        layout=None if layout is None else fragment_text(layout),
    )


def cluster_gather(src, dst):
    """Gives each block of the cluster (T.ClusterKernel) the tiles of all: `dst[rank, ...]` is
    what `src` is in the block of that rank, its own included. The blocks wait for each other.

    `src` and `dst` are whole tiles in shared memory or fragments, of one dtype of 8 bits or more;
    `dst` has one dimension more, the first one, of as many elements as the cluster has blocks
    (1 without clusters). It is for few elements: the sum or maximum of a row whose parts the
    blocks hold is T.reduce_sum or T.reduce_max of `dst` along dimension 0, the same in each.
    """
    scope = _scope("T.cluster_gather")
    builder = current("T.cluster_gather")
    if builder.block is None:
        return
    for buffer in (src, dst):
        if not isinstance(buffer, Buffer) or buffer.space == "global":
            fail(f"T.cluster_gather: expected tiles in shared memory or fragments, got {buffer!r}")
    if src.dtype is not dst.dtype:
        fail(f"T.cluster_gather: expected tiles of one dtype, got {src.dtype} and {dst.dtype}")
    size = math.prod(int(x) for x in scope.cluster or ())
    if tuple(dst.shape) != (size, *src.shape):
        fail(
            f"T.cluster_gather: expected a dst of shape {(size, *src.shape)}, a tile of each of the"
            f" cluster's {size} blocks, got {tuple(dst.shape)}"
        )
    builder.tile(
        "cluster_gather",
        source=region_of(src, "T.cluster_gather"),
        target=region_of(dst, "T.cluster_gather"),
    )


def _barrier_of_cluster(value):
    one = one_barrier("T.copy_cluster(remote_barrier=...)", value)
    if not one.barriers.cluster:
        fail("T.copy_cluster: expected a remote_barrier of T.alloc_cluster_barrier")
    return one


def of_first_block(construct, source, mask):
    """A region as the first block of a mask names it, in the blocks of the mask."""
    scope = _scope(construct)
    dims = scope.cluster or [1] * len(scope.blocks)
    size = math.prod(int(x) for x in dims)
    if not isinstance(mask, int) or not 0 < mask < 1 << size:
        fail(
            f"{construct}: expected a cluster_mask of bits of the cluster's {size} blocks, got"
            f" {mask!r}"
        )
    first = (mask & -mask).bit_length() - 1
    inside = True
    if mask != (1 << size) - 1:
        rank = block_rank_in_cluster()
        inside = Or(*(rank == i for i in range(size) if mask >> i & 1))
    places, below = {}, 1
    for block, extent in zip(scope.blocks, map(int, dims)):
        place = block // extent * extent + first // below % extent
        places[block] = place if inside is True else select(inside, place, block)
        below *= extent
    region = region_of(source, construct)
    offsets = [_with_places(construct, x, places) for x in region.offsets]
    if isinstance(source, Load):
        return Load(region.buffer, tuple(offsets))
    return Region(region.buffer, offsets, region.extents)


def _with_places(construct, value, places):
    """The value that another block would have: numbers of blocks are replaced."""
    if not isinstance(value, Expr):
        return value
    if type(value) is Variable:
        return places.get(value, value)
    if type(value) is Let:
        return _with_places(construct, value.value, places)
    if type(value) is Op and not reads_memory(value):
        arguments = [_with_places(construct, x, places) for x in value.args]
        if all(a is b for a, b in zip(arguments, value.args)):
            return value
        return Op(value.name, tuple(arguments), value.dtype)
    if isinstance(value, Const) or not any(x in places for x in walk(value)):
        return value
    fail(
        f"{construct}(cluster_mask=...): where another block would copy from does not follow from"
        f" {value!r}, which is read from memory"
    )
