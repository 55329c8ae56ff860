# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that build operations of the tile dialect, with what can be inferred left out.

Offsets and other operands of type index may be Python integers. Attributes may be given
as attributes, as values of the dialect's enumerations, or as text (`"tma"` for an
enumeration, `"#tile.fragment_layout<...>"` for others). The operations' classes of the
same names keep the constructors that are generated from their definitions.
"""

from collections.abc import Sequence as _Sequence
from contextlib import contextmanager as _contextmanager

from .. import ir as _ir
from .._mlir_libs import _mlirDialectsTile as _attrs
from . import _tile_ops_gen as _ops
from . import arith as _arith
from ._ods_common import _cext as _ods_cext
from ._ods_common import get_op_result_or_value as _value
from ._tile_kernel import KernelOp as _KernelOp

# What is read and written: a value, or an operation with one result; what counts: a number, too.
Operand = _ir.Value | _ir.OpView | _ir.Operation
Index = int | Operand
Indices = _Sequence[Index]

_SPACES = {
    "global": None,
    "shared": "#gpu.address_space<workgroup>",
    "fragment": "#tile.fragment",
    "local": "#tile.local",
    "tmem": "#tile.tmem",
}


def memory_space(name: str) -> "_ir.Attribute | None":
    """The attribute of a memory space: global (None), shared, fragment, local or tmem."""
    if name not in _SPACES:
        raise ValueError(f"expected a memory space among {', '.join(_SPACES)}, got {name!r}")
    text = _SPACES[name]
    return _ir.Attribute.parse(text) if text else None


def memref_type(shape, element_type, space: str = "global") -> _ir.MemRefType:
    """The type of a buffer; an extent of None or -1 is dynamic."""
    dynamic = _ir.ShapedType.get_dynamic_size()
    extents = [dynamic if extent in (None, -1) else extent for extent in shape]
    with element_type.context:
        location = _ir.Location.current or _ir.Location.unknown()
        return _ir.MemRefType.get(
            extents, element_type, memory_space=memory_space(space), loc=location
        )


def _index(value, loc=None, ip=None):
    """A value of type index: a number becomes a constant."""
    if isinstance(value, int):
        return _arith.ConstantOp(_ir.IndexType.get(), value, loc=loc, ip=ip).result
    return _value(value)


def _indices(values, loc=None, ip=None):
    return [_index(value, loc, ip) for value in values or ()]


def _scalar(value, type, loc=None, ip=None):
    """A value of a type: a number becomes a constant."""
    if not isinstance(value, (int, float)):
        return _value(value)
    is_float = not isinstance(type, (_ir.IntegerType, _ir.IndexType))
    attribute = (
        _ir.FloatAttr.get(type, value) if is_float else _ir.IntegerAttr.get(type, int(value))
    )
    return _arith.ConstantOp(type, attribute, loc=loc, ip=ip).result


def _element_type(buffer):
    return _ir.MemRefType(_value(buffer).type).element_type


def _attributes(given):
    """Attributes as the generated classes want them: text that begins with # is parsed, False
    is left out."""
    result = {}
    for name, attribute in given.items():
        if attribute is None or attribute is False:
            continue
        if isinstance(attribute, str) and attribute.startswith("#"):
            attribute = _ir.Attribute.parse(attribute)
        result[name] = attribute
    return result


_REQUESTS = ("prefer", "disable_tma", "coalesced_width", "eviction_policy")
_DECISIONS = ("layout", "plan", "multicast", "multicast_along", "inside", "groups", "in_front")


def _move_attributes(given):
    """The same of an operation that moves a tile: what is asked for and what is decided are
    an attribute each, and their parts are given by name."""
    result = _attributes(given)

    def take(names, attribute):
        parts = {name: result.pop(name) for name in names if name in result}
        for name, part in parts.items():
            if isinstance(part, _ir.Attribute) and name not in ("layout", "plan"):
                parts[name] = _plain(part)
        return attribute.get(**parts) if parts else None

    request = take(_REQUESTS, _attrs.MoveRequestAttr)
    decision = take(_DECISIONS, _attrs.MoveDecisionAttr)
    if request:
        result["request"] = request
    if decision:
        result["decision"] = decision
    return result


def _plain(attribute):
    """The Python value of an attribute: a case, a number, True of a unit, a list."""
    if isinstance(attribute, _ir.UnitAttr):
        return True
    return list(attribute) if isinstance(attribute, _ir.DenseI64ArrayAttr) else attribute.value


def _token(asynchronous):
    return _attrs.TokenType.get() if asynchronous else None


# -- Buffers ------------------------------------------------------------------------------------


def alloc(
    shape_or_type,
    element_type=None,
    space: str = "fragment",
    *,
    extents=(),
    layout=None,
    loc=None,
    ip=None,
) -> _ir.Value:
    """A tile, as a value: of a MemRefType, or of a shape, an element type and a memory space.
    `extents` are the values of dynamic extents, in kernels with tunables."""
    type = shape_or_type
    if not isinstance(type, _ir.Type):
        type = memref_type(type, element_type, space)
    given = _attributes({"layout": layout})
    return _ops.AllocOp(type, _indices(extents, loc, ip), **given, loc=loc, ip=ip).result


def view(source: Operand, shape, element_type=None, *, loc=None, ip=None) -> _ir.Value:
    """The memory of a buffer under another shape (None: what is left, in global memory), as a
    value; of the source's element type where none is given."""
    source = _value(source)
    old = _ir.MemRefType(source.type)
    dynamic = _ir.ShapedType.get_dynamic_size()
    type = _ir.MemRefType.get(
        [dynamic if extent in (None, -1) else extent for extent in shape],
        element_type or old.element_type,
        memory_space=old.memory_space,
        loc=loc,
    )
    return _ops.ViewOp(type, source, loc=loc, ip=ip).result


def from_address(
    address: Operand, shape, element_type, sizes=(), *, alignment=None, loc=None, ip=None
) -> _ir.Value:
    """The global memory that begins at an address (an i64), as a value; `sizes` are the values of
    dynamic extents (None in the shape), `alignment` the bytes that the address is a multiple of."""
    dynamic = _ir.ShapedType.get_dynamic_size()
    type = _ir.MemRefType.get(
        [dynamic if extent in (None, -1) else extent for extent in shape], element_type, loc=loc
    )
    op = _ops.FromAddressOp(type, _value(address), _indices(sizes, loc, ip), loc=loc, ip=ip)
    if alignment is not None:
        i64 = _ir.IntegerType.get_signless(64)
        op.operation.attributes["tile.alignment"] = _ir.IntegerAttr.get(i64, alignment)
    return op.result


def block_range(*, loc=None, ip=None) -> "tuple[_ir.Value, ...]":
    """`first, end, step` of the numbers of the grid's blocks that are this block's."""
    index = _ir.IndexType.get()
    return tuple(_ops.BlockRangeOp(index, index, index, loc=loc, ip=ip).results)


def block_coordinates(number: Index, rank=None, *, loc=None, ip=None) -> "tuple[_ir.Value, ...]":
    """The block indices that a number stands for. `rank` is the grid's; by default that of
    the kernel in which the operation is built."""
    if rank is None:
        rank = _enclosing_kernel(ip).grid_rank
    types = [_ir.IndexType.get()] * rank
    return tuple(_ops.BlockCoordinatesOp(types, _index(number, loc, ip), loc=loc, ip=ip).results)


def _enclosing_kernel(ip):
    op = (ip or _ir.InsertionPoint.current).block.owner
    while op is not None and not isinstance(op.opview, _KernelOp):
        op = op.operation.parent
    if op is None:
        raise ValueError("expected an insertion point inside of a tile.kernel")
    return op.opview


# -- Moving and computing -----------------------------------------------------------------------


def copy(
    source: Operand,
    target: Operand,
    source_offsets: Indices = (),
    target_offsets: Indices = (),
    *,
    pad=None,
    asynchronous: bool = False,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.CopyOp:
    """Copies a region to another. Attributes: source_sizes, target_sizes, layout, plan, prefer,
    disable_tma, coalesced_width, eviction_policy, multicast, multicast_along, inside, groups,
    in_front.
    Returns the operation; its `token`, where `asynchronous`, is what `await_` takes."""
    if pad is not None:
        pad = _scalar(pad, _element_type(target), loc, ip)
    return _ops.CopyOp(
        _token(asynchronous), _value(source), _indices(source_offsets, loc, ip),
        _value(target), _indices(target_offsets, loc, ip), pad=pad,
        **_move_attributes(attributes), loc=loc, ip=ip,
    )  # fmt: skip


def fill(
    target: Operand, value, offsets: Indices = (), *, loc=None, ip=None, **attributes
) -> _ops.FillOp:
    """Writes one value, a Python number or a value of the element type, to every element of a
    region. Attributes: sizes, layout."""
    value = _scalar(value, _element_type(target), loc, ip)
    return _ops.FillOp(
        _value(target), _indices(offsets, loc, ip), value, **_attributes(attributes), loc=loc, ip=ip
    )


def atomic(
    kind,
    source: Operand,
    target: Operand,
    source_offsets: Indices = (),
    target_offsets: Indices = (),
    *,
    asynchronous: bool = False,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.AtomicOp:
    """Combines a region into another (`kind`: add, max, min), each element atomically.
    Attributes: source_sizes, target_sizes, layout, plan, prefer, disable_tma, eviction_policy,
    is_unsigned."""
    return _ops.AtomicOp(
        _token(asynchronous), kind, _value(source), _indices(source_offsets, loc, ip),
        _value(target), _indices(target_offsets, loc, ip), **_move_attributes(attributes),
        loc=loc, ip=ip,
    )  # fmt: skip


def gather(
    source: Operand,
    indices: Operand,
    target: Operand,
    *,
    column: Index = 0,
    first: Index = 0,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.GatherOp:
    """Copies rows of a matrix, named by `indices` from `first` on, to a tile. Attributes: layout,
    plan, prefer, disable_tma, coalesced_width, eviction_policy, multicast, multicast_along."""
    return _ops.GatherOp(
        _value(source), _index(column, loc, ip), _value(indices), _index(first, loc, ip),
        _value(target), **_move_attributes(attributes), loc=loc, ip=ip,
    )  # fmt: skip


def scatter(
    source: Operand,
    target: Operand,
    indices: Operand,
    *,
    column: Index = 0,
    first: Index = 0,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.ScatterOp:
    """Copies rows of a tile to the rows of a matrix that `indices` name from `first` on.
    Attributes: layout, plan, prefer, disable_tma, coalesced_width, eviction_policy."""
    return _ops.ScatterOp(
        _value(source), _value(target), _index(column, loc, ip), _value(indices),
        _index(first, loc, ip), **_move_attributes(attributes), loc=loc, ip=ip,
    )  # fmt: skip


def im2col(
    source: Operand,
    target: Operand,
    *,
    pixel: Index,
    filter: Indices,
    channel: Index,
    kernel: "_Sequence[int]",
    loc=None,
    ip=None,
    **attributes,
) -> _ops.Im2colOp:
    """Copies a tile of the matrix that a convolution multiplies. Attributes: strides, dilations,
    pad_lower, pad_upper, and those of `gather`."""
    return _ops.Im2colOp(
        _value(source), _index(pixel, loc, ip), _indices(filter, loc, ip),
        _index(channel, loc, ip), _value(target), list(kernel), **_move_attributes(attributes),
        loc=loc, ip=ip,
    )  # fmt: skip


def gemm(
    a: Operand,
    b: Operand,
    c: Operand,
    *,
    accumulate=None,
    metadata: Operand | None = None,
    asynchronous: bool = False,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.GemmOp:
    """C = A * B + C. With `metadata` A is sparse. Attributes: transpose_a, transpose_b,
    transpose_metadata, clear, policy, precision, unsigned_a, unsigned_b, promote_every, plan."""
    if accumulate is not None:
        accumulate = _scalar(accumulate, _ir.IntegerType.get_signless(1), loc, ip)
    return _ops.GemmOp(
        _token(asynchronous), _value(a), _value(b), _value(c), accumulate=accumulate,
        metadata=None if metadata is None else _value(metadata),
        **_attributes(attributes), loc=loc, ip=ip,
    )  # fmt: skip


def reduce(
    kind, source: Operand, target: Operand, dim: int = -1, *, loc=None, ip=None, **attributes
) -> _ops.ReduceOp:
    """Combines the elements along a dimension (`kind`: sum, prod, max, min, abssum, absmax, bitand,
    bitor, bitxor); negative ones count from the last. Attributes: accumulate, propagate_nan,
    is_unsigned."""
    source = _value(source)
    if dim < 0:
        dim += _ir.MemRefType(source.type).rank
    return _ops.ReduceOp(
        kind, source, _value(target), dim, **_attributes(attributes), loc=loc, ip=ip
    )


def scan(
    kind,
    source: Operand,
    target: Operand | None = None,
    dim: int = -1,
    *,
    carry: Operand | None = None,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.ScanOp:
    """Combines each element with those before it along a dimension (`kind`: sum, prod, max, min), in
    place without a target. `carry` goes on from the pieces before. Attributes: reverse, exclusive,
    propagate_nan, is_unsigned, layout."""
    source = _value(source)
    target = source if target is None else _value(target)
    if dim < 0:
        dim += _ir.MemRefType(source.type).rank
    carry = None if carry is None else _value(carry)
    return _ops.ScanOp(
        kind, source, target, dim, carry=carry, **_attributes(attributes), loc=loc, ip=ip
    )


def sort(
    keys: Operand, *payloads: Operand, dim: int = -1, loc=None, ip=None, **attributes
) -> _ops.SortOp:
    """Sorts rows along a dimension in place, payloads with them. Attributes: descending,
    is_unsigned."""
    keys = _value(keys)
    if dim < 0:
        dim += _ir.MemRefType(keys.type).rank
    payloads = [_value(payload) for payload in payloads]
    return _ops.SortOp(keys, payloads, dim, **_attributes(attributes), loc=loc, ip=ip)


def topk(
    source: Operand,
    values: Operand,
    places: Operand,
    dim: int = -1,
    *,
    loc=None,
    ip=None,
    **attributes,
) -> _ops.TopKOp:
    """The largest elements of rows along a dimension, and where they stand. Attributes: smallest,
    is_unsigned."""
    source = _value(source)
    if dim < 0:
        dim += _ir.MemRefType(source.type).rank
    return _ops.TopKOp(
        source, _value(values), _value(places), dim, **_attributes(attributes), loc=loc, ip=ip
    )


def yield_(*values, loc=None, ip=None) -> _ops.YieldOp:
    """Ends the body of a loop over a tile, without values, or gives a combination's."""
    return _ops.YieldOp([_value(value) for value in values], loc=loc, ip=ip)


def _combined(make, neutral, combine, loc, ip):
    """An operation with a region that `combine` fills: it gets two tuples of values, and returns
    their combination."""
    neutral = [_value(value) for value in neutral]
    op = make(neutral)
    types = [value.type for value in neutral]
    block = op.regions[0].blocks.append(*types, *types)
    with _ir.InsertionPoint(block), loc or _ir.Location.current:
        arguments = list(block.arguments)
        result = combine(arguments[: len(types)], arguments[len(types) :])
        yield_(*result)
    return op


def reduce_with(
    sources, targets, neutral, combine, dim: int = -1, *, loc=None, ip=None, **attributes
) -> _ops.ReduceWithOp:
    """Combines the elements of several tiles along a dimension: `combine` gets two tuples, as
    sequences of values, and returns one. Attributes: accumulate, layout."""
    sources = [_value(source) for source in sources]
    targets = [_value(target) for target in targets]
    if dim < 0:
        dim += _ir.MemRefType(sources[0].type).rank
    given = _attributes(attributes)
    return _combined(
        lambda values: _ops.ReduceWithOp(sources, targets, values, dim, **given, loc=loc, ip=ip),
        neutral, combine, loc, ip,
    )  # fmt: skip


def scan_with(
    sources, targets, neutral, combine, dim: int = -1, *, carries=(), loc=None, ip=None, **attributes
) -> _ops.ScanWithOp:
    """Combines each tuple of elements with those before it along a dimension, as reduce_with does.
    Attributes: reverse, exclusive, layout."""
    sources = [_value(source) for source in sources]
    targets = [_value(target) for target in targets]
    carries = [_value(carry) for carry in carries]
    if dim < 0:
        dim += _ir.MemRefType(sources[0].type).rank
    given = _attributes(attributes)
    return _combined(
        lambda values: _ops.ScanWithOp(
            sources, targets, values, carries, dim, **given, loc=loc, ip=ip
        ),
        neutral, combine, loc, ip,
    )  # fmt: skip


def cluster_reduce(
    kind, target: Operand, blocks: int, stride: int = 1, *, parts=None, is_unsigned=None, loc=None, ip=None
) -> _ops.ClusterReduceOp:
    """Combines a fragment over a cluster's blocks (sum, max, min), into the last one, or into each a part along `parts`."""
    given = _attributes({"parts": parts, "is_unsigned": is_unsigned})
    return _ops.ClusterReduceOp(kind, _value(target), blocks, stride, **given, loc=loc, ip=ip)


def cluster_parts(blocks: int, stride: int = 1, *, loc=None, ip=None) -> "tuple[_ir.Value, ...]":
    """The parts of what `cluster_reduce` shares out that this block finishes: the first, and the one behind the last."""
    return tuple(_ops.ClusterPartsOp(blocks, stride, loc=loc, ip=ip).results)


def cluster_part(source: Operand, part: Operand, target: Operand, *, loc=None, ip=None) -> _ops.ClusterPartOp:
    """Copies a part of what `cluster_reduce` has shared out into a fragment of its own."""
    return _ops.ClusterPartOp(_value(source), _index(part), _value(target), loc=loc, ip=ip)


def convert_layout(source: Operand, target: Operand, *, loc=None, ip=None) -> _ops.ConvertLayoutOp:
    """Copies a fragment into a fragment with another layout."""
    return _ops.ConvertLayoutOp(_value(source), _value(target), loc=loc, ip=ip)


# -- Debugging and promises ---------------------------------------------------------------------


def print_(message: str, value, *, loc=None, ip=None) -> _ops.PrintOp:
    """Prints a scalar, or every element of a tile with its coordinates."""
    return _ops.PrintOp(message, _value(value), loc=loc, ip=ip)


def assert_(condition: Operand, message: str, *, loc=None, ip=None) -> _ops.AssertOp:
    """Stops the program with a message where the condition is false."""
    return _ops.AssertOp(_value(condition), message, loc=loc, ip=ip)


def assume(
    value, *, equals=None, divisible_by=None, min=None, max=None, loc=None, ip=None
) -> _ops.AssumeOp:
    """Promises divisibility or a range of an index or an integer, or that two indices are equal."""
    given = _attributes({"divisible_by": divisible_by, "min": min, "max": max})
    same = None if equals is None else _value(equals)
    return _ops.AssumeOp(_value(value), equals=same, **given, loc=loc, ip=ip)


def assume_rows(first: Index, end: Index, rows: int, *, loc=None, ip=None) -> _ops.AssumeRowsOp:
    """Promises that the rest of the region matters for rows of its tiles, of `rows`, from `first`
    on, in front of `end`."""
    return _ops.AssumeRowsOp(
        _index(first, loc, ip), _index(end, loc, ip), rows, loc=loc, ip=ip
    )


# -- Loops --------------------------------------------------------------------------------------


@_ods_cext.register_operation(_ops._Dialect, replace=True)
class ParallelOp(_ops.ParallelOp):
    """Runs a scalar body for each element of a tile, in any order."""

    def __init__(self, extents, *, layout=None, coalesced_width=None, loc=None, ip=None):
        """`extents` are numbers or, in kernels with tunables, values. The body is empty: its
        terminator is `tile.yield_()`."""
        dynamic = _ir.ShapedType.get_dynamic_size()
        values = [_value(extent) for extent in extents if not isinstance(extent, int)]
        static = [extent if isinstance(extent, int) else dynamic for extent in extents]
        given = _attributes({"layout": layout, "coalesced_width": coalesced_width})
        super().__init__(values, static, **given, loc=loc, ip=ip)
        self.regions[0].blocks.append(*[_ir.IndexType.get()] * len(static))

    @property
    def block(self) -> _ir.Block:
        """The loop's body."""
        return self.regions[0].blocks[0]

    @property
    def induction_variables(self) -> "list[_ir.Value]":
        """Coordinates of the element, one per extent."""
        return list(self.block.arguments)


@_ods_cext.register_operation(_ops._Dialect, replace=True)
class PipelinedOp(_ops.PipelinedOp):
    """A loop whose copies may run ahead of its arithmetic."""

    def __init__(self, lower_bound, upper_bound, step=1, *, stages=1, loc=None, ip=None):
        """`stages` is a number or, in kernels with tunables, a value. The body is empty: its
        terminator is `tile.yield_()`."""
        given = {"stages": stages}
        if not isinstance(stages, int):
            given = {"stages": 1, "open_stages": _value(stages)}
        bounds = _indices([lower_bound, upper_bound, step], loc, ip)
        super().__init__(*bounds, **given, loc=loc, ip=ip)
        self.regions[0].blocks.append(_ir.IndexType.get())

    @property
    def block(self) -> _ir.Block:
        """The loop's body."""
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self) -> _ir.Value:
        """The index of the iteration, from the lower bound on by steps."""
        return self.block.arguments[0]


@_contextmanager
def parallel(extents: "Indices | Index", *, layout=None, coalesced_width=None, loc=None, ip=None):
    """`with tile.parallel((128, 64)) as (i, j):` builds the body; with one extent, `as i`."""
    extents = [extents] if not isinstance(extents, (list, tuple)) else extents
    op = ParallelOp(extents, layout=layout, coalesced_width=coalesced_width, loc=loc, ip=ip)
    variables = op.induction_variables
    with _ir.InsertionPoint(op.block):
        yield variables[0] if len(variables) == 1 else tuple(variables)
        _ops.YieldOp([], loc=loc)


@_contextmanager
def pipelined(
    lower_bound: Index,
    upper_bound: Index,
    step: Index = 1,
    *,
    stages: Index = 1,
    loc=None,
    ip=None,
):
    """`with tile.pipelined(0, K, 32, stages=3) as k:` builds the body."""
    op = PipelinedOp(lower_bound, upper_bound, step, stages=stages, loc=loc, ip=ip)
    with _ir.InsertionPoint(op.block):
        yield op.induction_variable
        _ops.YieldOp([], loc=loc)
