# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build rings, tokens and roles: the schedules of docs/Rings.md."""

from contextlib import contextmanager as _contextmanager

from .. import ir as _ir
from .._mlir_libs._mlirDialectsTile import RingType as _RingType
from .._mlir_libs._mlirDialectsTile import TokenType as _TokenType
from . import _tile_ops_gen as _ops
from ._ods_common import _cext as _ods_cext
from ._ods_common import get_op_result_or_value as _value
from ._tile_builders import Index, Operand, _attributes, _index


def ring_create(
    stages_or_type,
    buffers=(),
    producer="cp_async",
    consumers="threads",
    *,
    layouts=None,
    peers=None,
    pair=None,
    loc=None,
    ip=None,
) -> _ir.Value:
    """A ring, as a value: of a RingType, or of a number of stages, types of buffers, what fills
    the slots (a RingProducer) and what reads them (one RingConsumer or several)."""
    type = stages_or_type
    if not isinstance(type, _ir.Type):
        type = _RingType.get(type, list(buffers), producer, consumers)
    given = _attributes({"layouts": layouts, "peers": peers, "pair": pair})
    return _ops.RingCreateOp(type, **given, loc=loc, ip=ip).result


def _views(ring):
    return list(_value(ring).type.buffers)


def ring_acquire(ring: Operand, use: Index, *, loc=None, ip=None) -> "list[_ir.Value]":
    """Waits until the slot of a use is empty; its buffers, for the producer."""
    op = _ops.RingAcquireOp(_views(ring), _value(ring), _index(use, loc, ip), loc=loc, ip=ip)
    return list(op.results)


def ring_wait(
    ring: Operand, use: Index, *, in_flight=None, again=None, loc=None, ip=None
) -> "list[_ir.Value]":
    """Waits until the slot of a use is full; its buffers, for the consumer."""
    given = _attributes({"in_flight": in_flight, "again": again})
    use = _index(use, loc, ip)
    return list(_ops.RingWaitOp(_views(ring), _value(ring), use, **given, loc=loc, ip=ip).results)


def ring_commit(ring: Operand, use: Index, *, loc=None, ip=None) -> _ops.RingCommitOp:
    """The producer has issued everything that fills a slot."""
    return _ops.RingCommitOp(_value(ring), _index(use, loc, ip), loc=loc, ip=ip)


def ring_release(ring: Operand, use: Index, *, loc=None, ip=None) -> _ops.RingReleaseOp:
    """The consumer has finished reading a slot."""
    return _ops.RingReleaseOp(_value(ring), _index(use, loc, ip), loc=loc, ip=ip)


def ring_drain(ring: Operand, *, loc=None, ip=None) -> _ops.RingDrainOp:
    """Ends a loop over a ring: none of its uses is in flight."""
    return _ops.RingDrainOp(_value(ring), loc=loc, ip=ip)


def token_done(*, loc=None, ip=None) -> _ir.Value:
    """A token of nothing, as a value: what a loop carries before its first issue."""
    return _ops.TokenDoneOp(_TokenType.get(), loc=loc, ip=ip).result


def await_(*tokens, read=False, groups=None, loc=None, ip=None) -> _ops.AwaitOp:
    """Waits until asynchronous operations have ended: tokens, or operations that return one."""
    given = _attributes({"read": read, "groups": groups})
    return _ops.AwaitOp([_value(token) for token in tokens], **given, loc=loc, ip=ip)


def iteration(
    question, count: int, lower: Index, upper: Index, step: Index = 1, *, of=None, loc=None, ip=None
) -> _ir.Value:
    """What a loop with these bounds answers, a boolean: whether it "exists" (iteration `count`),
    or, `of` an induction variable, whether the loop has an iteration that many "ahead" of it, so
    many are "past", or it "is" iteration `count`."""
    bounds = [_index(bound, loc, ip) for bound in (lower, upper, step)]
    index = None if of is None else _value(of)
    result = _ir.IntegerType.get_signless(1)
    op = _ops.IterationOp(result, question, count, *bounds, index=index, loc=loc, ip=ip)
    return op.result


def any_row(
    first: Index, end: Index, rows: int, groups: int, *, loc=None, ip=None
) -> _ir.Value:
    """Whether the group of warps, one of `groups` that share `rows` out in order, holds a row from
    `first` on, in front of `end`."""
    result = _ir.IntegerType.get_signless(1)
    bounds = [_index(bound, loc, ip) for bound in (first, end)]
    return _ops.AnyRowOp(result, *bounds, rows, groups, loc=loc, ip=ip).result


def row_iterations(
    first: Index, step: int, end: Index, rows: int, groups: int, lower: Index, upper: Index,
    *, loc=None, ip=None,
) -> _ir.Value:
    """The first iteration of a loop from `lower` to `upper` for which the group of warps has none
    of the rows from `first` (in iteration 0, `step` more in each) on, in front of `end`."""
    first, end, lower, upper = (_index(x, loc, ip) for x in (first, end, lower, upper))
    op = _ops.RowIterationsOp(
        _ir.IndexType.get(), first, step, end, rows, groups, lower, upper, loc=loc, ip=ip
    )
    return op.result


@_ods_cext.register_operation(_ops._Dialect, replace=True)
class WarpSpecializeOp(_ops.WarpSpecializeOp):
    """Divides the warps of a block into roles that run side by side."""

    def __init__(self, roles, *, loc=None, ip=None):
        """`roles` are tuples of name, warps and registers a thread (0, or left out: as launched),
        in the order of the warps. Bodies are empty: their terminator is `tile.role_end()`."""
        roles = [tuple(role) + (0,) * (3 - len(role)) for role in roles]
        names = _ir.ArrayAttr.get([_ir.StringAttr.get(name) for name, _, _ in roles])
        warps, registers = [warps for _, warps, _ in roles], [count for _, _, count in roles]
        super().__init__(names, warps, registers, len(roles), loc=loc, ip=ip)
        for region in self.regions:
            region.blocks.append()

    @property
    def role_names(self) -> "list[str]":
        """Names of the roles, in the order of the warps."""
        return [_ir.StringAttr(name).value for name in self.names]

    def block(self, name: str) -> _ir.Block:
        """The body of a role."""
        if name not in self.role_names:
            raise ValueError(f"expected a role among {self.role_names}, got {name!r}")
        return self.regions[self.role_names.index(name)].blocks[0]

    @_contextmanager
    def role(self, name: str, *, loc=None):
        """`with op.role("load"):` builds the body of a role."""
        with _ir.InsertionPoint(self.block(name)):
            yield self
            _ops.RoleEndOp(loc=loc)


def warp_specialize(roles, *, loc=None, ip=None) -> WarpSpecializeOp:
    """`roles = tile.warp_specialize([("load", 4, 40), ("mma", 8, 232)])`, then
    `with roles.role("load"):` for each body."""
    return WarpSpecializeOp(roles, loc=loc, ip=ip)
