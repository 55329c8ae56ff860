# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the threads of a warp, or of the block, agree on; numbers by their bits."""

from mlir_tile.errors import ArgumentError

from .builder import current
from .dtypes import dtype
from .errors import fail, unsupported
from .kernel import _scope, thread_index
from .mathematics import reinterpret
from .threads import _through
from .values import Const, Expr, as_value, binary, cast, select, truth, type_of

FULL_WARP = 0xFFFFFFFF


def _predicate(construct, value):
    value = as_value(value)
    if not type_of(value).is_integer:
        raise ArgumentError(
            f"T.{construct} requires an integer or boolean predicate, but got {type_of(value)}."
        )
    known = truth(value)
    return known if isinstance(known, Expr) else Const(known, dtype("bool"))


def _lanes(construct):
    scope = _scope(f"T.{construct}")
    if scope.threads % 32:
        fail(f"T.{construct}: the block has {scope.threads} threads, no whole warps")
    return thread_index(scope) % 32


def _in_mask(lane, mask):
    """Whether a lane counts: true of all where the mask is that of a whole warp."""
    mask = as_value(mask)
    if not isinstance(mask, Expr) and mask & FULL_WARP == FULL_WARP:
        return True
    bits = binary("shr", cast(mask, "uint32"), cast(lane, "uint32"))
    return binary("and", bits, Const(1, dtype("uint32"))) != 0


def _bits(construct, predicate, mask):
    """The bits of the lanes in the mask for which the predicate holds."""
    lane = _lanes(construct)
    inside = _in_mask(lane, mask)
    holds = predicate if inside is True else binary("and", predicate, inside)
    one = binary("shl", Const(1, dtype("uint32")), cast(lane, "uint32"))
    bit = select(holds, one, Const(0, dtype("uint32")))
    return _through(f"T.{construct}", bit, name="thread_reduce", kind="bitor", group=32)


def any_sync(predicate, mask=FULL_WARP):
    """One where the predicate holds for a lane of the mask, else zero."""
    return cast(_bits("any_sync", _predicate("any_sync", predicate), mask) != 0, "int32")


def all_sync(predicate, mask=FULL_WARP):
    """One where the predicate holds for every lane of the mask, else zero."""
    opposite = binary("xor", _predicate("all_sync", predicate), True)
    return cast(_bits("all_sync", opposite, mask) == 0, "int32")


def ballot_sync(predicate, mask=FULL_WARP):
    """Bit n is set where the predicate holds for lane n of the mask."""
    return cast(_bits("ballot_sync", _predicate("ballot_sync", predicate), mask), "uint64")


def ballot(predicate):
    """Bit n is set where the predicate holds for lane n."""
    return cast(_bits("ballot", _predicate("ballot", predicate), FULL_WARP), "uint64")


def activemask():
    """The lanes of the warp that come here."""
    builder = current("T.activemask")
    kernel = builder.kernel
    everyone = kernel is None or (builder.block is kernel.body and not builder.returns)
    if everyone or builder.in_parallel() or kernel.threads % 32:
        return Const(FULL_WARP, dtype("uint64"))
    return cast(_bits("activemask", Const(True, dtype("bool")), FULL_WARP), "uint64")


def match_any_sync(value, mask=FULL_WARP):
    """The lanes of the mask that have the value that this lane has."""
    from .threads import shfl_sync

    lane = _lanes("match_any_sync")
    value = current("T.match_any_sync").define("value", as_value(value))
    found = Const(0, dtype("uint32"))
    for other in range(32):
        same = shfl_sync(value, other) == value
        inside = _in_mask(other, mask)
        same = same if inside is True else binary("and", same, inside)
        bit = select(same, Const(1 << other, dtype("uint32")), Const(0, dtype("uint32")))
        found = binary("or", found, bit)
    inside = _in_mask(lane, mask)
    return found if inside is True else select(inside, found, Const(0, dtype("uint32")))


def match_all_sync(value, mask=FULL_WARP):
    """The mask where all its lanes have one value, else zero."""
    found = match_any_sync(value, mask)
    whole = cast(as_value(mask), "uint32")
    return select(found == whole, whole, Const(0, dtype("uint32")))


def _of_block(construct, value, kind):
    threads = _scope(f"T.{construct}").threads
    return _through(f"T.{construct}", value, name="thread_reduce", kind=kind, group=threads)


def syncthreads_count(predicate):
    """For how many threads of the block the predicate holds."""
    value = cast(_predicate("syncthreads_count", predicate), "int32")
    return _of_block("syncthreads_count", value, "sum")


def syncthreads_and(predicate):
    """One where the predicate holds for every thread of the block, else zero."""
    value = cast(_predicate("syncthreads_and", predicate), "int32")
    return _of_block("syncthreads_and", value, "min")


def syncthreads_or(predicate):
    """One where the predicate holds for a thread of the block, else zero."""
    value = cast(_predicate("syncthreads_or", predicate), "int32")
    return _of_block("syncthreads_or", value, "max")


def shuffle_elect(thread_extent=0):
    """Whether this thread is the one elected of each `thread_extent` (zero: of the block)."""
    index = thread_index(_scope("T.shuffle_elect"))
    return (index % int(thread_extent) if thread_extent else index) == 0


def _power_of_two(exponent):
    """2 to an exponent from -126 to 127, by the bits of a float32."""
    bits = binary("shl", binary("add", exponent, 127), Const(23, dtype("int32")))
    return reinterpret("float32", cast(bits, "int32"))


def ldexp(x, exponent):
    """x times 2 to a whole exponent, in float32 (narrower types are widened for it)."""
    x, exponent = as_value(x), cast(as_value(exponent), "int32")
    kind = type_of(x) if type_of(x).is_float else dtype("float32")
    if kind.bits > 32:
        fail("T.ldexp of float64: multiply by T.exp2")
    limited = binary("max", binary("min", exponent, 378), -378)
    third = binary("truncdiv", limited, 3)
    rest = binary("sub", limited, binary("mul", third, 2))
    step = _power_of_two(third)
    made = binary("mul", binary("mul", cast(x, "float32"), step), step)
    return cast(binary("mul", made, _power_of_two(rest)), kind)


def nextafter(x, y):
    """The number of x's type (of 16 bits or more, else float32) next to x in the direction of y."""
    x = as_value(x)
    kind = type_of(x)
    kind = kind if kind.is_float and kind.bits >= 16 else dtype("float32")
    integer = dtype(f"int{kind.bits}")
    x, y = cast(x, kind), cast(as_value(y), kind)
    bits = reinterpret(integer, x)
    up = binary("xor", x < y, x < 0.0)  # a greater magnitude
    moved = binary("add", bits, select(up, Const(1, integer), Const(-1, integer)))
    lowest = Const(-(2 ** (kind.bits - 1)) + 1, integer)
    least = reinterpret(kind, select(y > 0.0, Const(1, integer), lowest))
    result = select(x == 0.0, least, reinterpret(kind, moved))
    either = binary("add", x, y)  # not a number where one of them is none
    ordered = binary("and", x == x, y == y)
    return select(ordered, select(x == y, y, result), either)


def __ffs(value):
    """The place of the lowest bit that is set, counted from one; zero where none is."""
    from .mathematics import popcount

    value = as_value(value)
    kind = dtype(f"uint{type_of(value).bits}")
    value = current("T.__ffs").define("bits", cast(value, kind))
    below = binary("xor", value, binary("sub", value, Const(1, kind)))
    found = cast(popcount(below), "int32")
    return select(value == 0, Const(0, dtype("int32")), found)


def __fns(mask, base, offset):
    """The place of the `offset`-th bit of a mask that is set, from bit `base` on; 2^32 - 1 where
    there is none. `offset`: at least one, or zero for the bit `base` itself."""
    kind, none = dtype("uint32"), Const(FULL_WARP, dtype("uint32"))
    builder = current("T.__fns")
    mask, base = cast(as_value(mask), kind), cast(as_value(base), kind)
    offset = as_value(offset)
    if not isinstance(offset, Expr) and offset < 0:
        unsupported("T.__fns with a negative offset, which searches downwards")
    bit = binary("and", binary("shr", mask, base), Const(1, kind))
    itself = select(bit != 0, base, none)
    left = binary("and", mask, binary("shl", none, base))
    steps = range(1, 32) if isinstance(offset, Expr) else range(1, min(offset, 32))
    for step in steps:
        less = builder.define("bits", binary("and", left, binary("sub", left, Const(1, kind))))
        left = select(step < offset, less, left) if isinstance(offset, Expr) else less
    found = binary("sub", cast(__ffs(left), kind), Const(1, kind))
    if not isinstance(offset, Expr):
        return found if offset else itself
    return select(offset == 0, itself, found)
