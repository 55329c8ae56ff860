# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build barriers and parts for some warps by hand."""

from contextlib import contextmanager as _contextmanager

from .. import ir as _ir
from .._mlir_libs._mlirDialectsTile import MbarrierType as _MbarrierType
from . import _tile_ops_gen as _ops
from ._ods_common import get_op_result_or_value as _value
from ._tile_builders import Index, Operand, _index


def mbarrier_create(count: int, arrivals, *, loc=None, ip=None) -> _ir.Value:
    """`count` barriers, of which a phase is complete when `arrivals` threads have arrived: one
    number, or one for each."""
    type = _MbarrierType.get(count)
    numbers = [arrivals] if isinstance(arrivals, int) else list(arrivals)
    return _ops.MbarrierCreateOp(type, numbers, loc=loc, ip=ip).result


def mbarrier_arrive(
    barriers: Operand, index: Index = 0, *, loc=None, ip=None
) -> _ops.MbarrierArriveOp:
    """Every thread that runs it arrives at a barrier once."""
    return _ops.MbarrierArriveOp(_value(barriers), _index(index, loc, ip), loc=loc, ip=ip)


def mbarrier_wait(
    barriers: Operand, parity: Index, index: Index = 0, *, loc=None, ip=None
) -> _ops.MbarrierWaitOp:
    """Waits while a barrier is in a phase of this parity."""
    index, parity = _index(index, loc, ip), _index(parity, loc, ip)
    return _ops.MbarrierWaitOp(_value(barriers), index, parity, loc=loc, ip=ip)


@_contextmanager
def on_warps(first: int, count: int, *, registers: int = 0, loc=None, ip=None):
    """`with tile.on_warps(4, 4):` builds what only `count` warps from `first` on run."""
    op = _ops.OnWarpsOp(first, count, registers=registers, loc=loc, ip=ip)
    with _ir.InsertionPoint(op.regions[0].blocks.append()):
        yield op
