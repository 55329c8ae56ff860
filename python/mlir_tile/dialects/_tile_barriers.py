# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build barriers and parts for some warps by hand."""

from collections.abc import Sequence as _Sequence
from contextlib import contextmanager as _contextmanager

from .. import ir as _ir
from .._mlir_libs._mlirDialectsTile import MbarrierType as _MbarrierType
from . import _tile_ops_gen as _ops
from ._ods_common import get_op_result_or_value as _value
from ._tile_builders import Index, Operand, _index


def mbarrier_create(
    count: int, arrivals, *, cluster: bool = False, loc=None, ip=None
) -> _ir.Value:
    """`count` barriers, of which a phase is complete when `arrivals` threads have arrived: one
    number, or one for each. At those of a `cluster` other blocks arrive, too."""
    type = _MbarrierType.get(count)
    numbers = [arrivals] if isinstance(arrivals, int) else list(arrivals)
    return _ops.MbarrierCreateOp(type, numbers, cluster=cluster, loc=loc, ip=ip).result


def mbarrier_arrive(
    barriers: Operand,
    index: Index = 0,
    *,
    block: Index | None = None,
    after_copies: bool = False,
    loc=None,
    ip=None,
) -> _ops.MbarrierArriveOp:
    """Every thread that runs it arrives at a barrier once: this block's, or that of the `block`
    with this place in the cluster; `after_copies`: once its own asynchronous copies are complete."""
    place = None if block is None else _index(block, loc, ip)
    return _ops.MbarrierArriveOp(
        _value(barriers),
        _index(index, loc, ip),
        block=place,
        after_copies=after_copies,
        loc=loc,
        ip=ip,
    )


def mbarrier_wait(
    barriers: Operand, parity: Index, index: Index = 0, *, loc=None, ip=None
) -> _ops.MbarrierWaitOp:
    """Waits while a barrier is in a phase of this parity."""
    index, parity = _index(index, loc, ip), _index(parity, loc, ip)
    return _ops.MbarrierWaitOp(_value(barriers), index, parity, loc=loc, ip=ip)


def cluster_barrier(*, loc=None, ip=None) -> _ops.ClusterBarrierOp:
    """All blocks of a cluster wait for each other."""
    return _ops.ClusterBarrierOp(loc=loc, ip=ip)


def cluster_copy(
    source: Operand,
    target: Operand,
    block: Index,
    source_offsets: _Sequence[Index] = (),
    target_offsets: _Sequence[Index] = (),
    *,
    barriers: Operand | None = None,
    index: Index = 0,
    source_sizes: _Sequence[int] | None = None,
    target_sizes: _Sequence[int] | None = None,
    loc=None,
    ip=None,
) -> _ops.ClusterCopyOp:
    """Copies a tile into the target tile of the block with this place in the cluster; with
    `barriers`, the copy arrives once at that block's barrier `index`."""
    return _ops.ClusterCopyOp(
        _value(source),
        [_index(x, loc, ip) for x in source_offsets],
        _value(target),
        [_index(x, loc, ip) for x in target_offsets],
        _index(block, loc, ip),
        barriers=None if barriers is None else _value(barriers),
        index=None if barriers is None else _index(index, loc, ip),
        source_sizes=source_sizes,
        target_sizes=target_sizes,
        loc=loc,
        ip=ip,
    )


def cluster_gather(source: Operand, target: Operand, *, loc=None, ip=None) -> _ops.ClusterGatherOp:
    """Gives each block of the cluster the tiles of all: `target` has one dimension more, the
    first one, along which they lie in the order of the blocks' places."""
    return _ops.ClusterGatherOp(_value(source), _value(target), loc=loc, ip=ip)


@_contextmanager
def on_warps(first: int, count: int, *, registers: int = 0, loc=None, ip=None):
    """`with tile.on_warps(4, 4):` builds what only `count` warps from `first` on run."""
    op = _ops.OnWarpsOp(first, count, registers=registers, loc=loc, ip=ip)
    with _ir.InsertionPoint(op.regions[0].blocks.append()):
        yield op
