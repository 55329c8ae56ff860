# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build what blocks meet by: loads and stores with a memory order, the barrier of
the grid, who arrives last, and the memory that they share."""

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


def last_arrival(
    counters: Operand, indices, weight: Operand, total: Operand, *, if_last=False, loc=None, ip=None
) -> _ir.Value:
    """Whether this block is the last one that arrives at a counter: that with whose `weight` the
    sum becomes `total`, after which it is zero again. With `if_last` other blocks do not arrive."""
    places = [_index(index, loc, ip) for index in indices]
    i1 = _ir.IntegerType.get_signless(1)
    values = [_value(value) for value in (weight, total)]
    op = _ops.LastArrivalOp(i1, _value(counters), places, *values, if_last=if_last, loc=loc, ip=ip)
    return op.operation.results[0]


def workspace(shape, element_type, *, per_block=1, zeroed=False, loc=None, ip=None) -> _ir.Value:
    """Global memory of the launch, which all of its blocks share: `per_block` entries of `shape`
    for each block, the first dimension. `zeroed`: it is zero before, and is left so."""
    dynamic = _ir.ShapedType.get_dynamic_size()
    type = _ir.MemRefType.get([dynamic, *shape], element_type, loc=loc)
    return _ops.WorkspaceOp(type, per_block, zeroed=zeroed, loc=loc, ip=ip).result
