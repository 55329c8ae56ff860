# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build what blocks meet by: loads and stores with a memory order, the barrier of
the grid."""

from .. import ir as _ir
from . import _tile_ops_gen as _ops
from ._ods_common import get_op_result_or_value as _value
from ._tile_builders import Operand, _index


def atomic_load(order, memref: Operand, indices, *, loc=None, ip=None) -> _ir.Value:
    """An element that other threads may be writing; `order`: "relaxed", "acquire" or
    "seq_cst"."""
    memref = _value(memref)
    element = _ir.MemRefType(memref.type).element_type
    places = [_index(index, loc, ip) for index in indices]
    return _ops.AtomicLoadOp(element, order, memref, places, loc=loc, ip=ip).result


def atomic_store(
    order, value: Operand, memref: Operand, indices, *, loc=None, ip=None
) -> _ops.AtomicStoreOp:
    """Writes an element that other threads may be reading; `order`: "relaxed", "release" or
    "seq_cst"."""
    places = [_index(index, loc, ip) for index in indices]
    return _ops.AtomicStoreOp(order, _value(value), _value(memref), places, loc=loc, ip=ip)


def grid_barrier(*, loc=None, ip=None) -> _ops.GridBarrierOp:
    """Where all blocks of the grid wait for each other."""
    return _ops.GridBarrierOp(loc=loc, ip=ip)
