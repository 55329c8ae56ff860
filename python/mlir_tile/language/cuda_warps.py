# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's built-in functions of warps and of the block, by their names: see cuda_functions.py."""

from . import threads, votes
from .builder import current
from .dtypes import dtype
from .statements import Store
from .sync import sync_threads
from .values import Const, Expr, as_value, binary, cast, number_of, select, type_of
from .words import place_of

_I32, _U32 = dtype("int32"), dtype("uint32")
FULL = votes.FULL_WARP
_KINDS = {
    "add": "sum", "min": "min", "max": "max", "and": "bitand", "or": "bitor", "xor": "bitxor",
}  # fmt: skip


def _whole(mask):
    """Whether a mask is known to name every lane."""
    number = number_of(as_value(mask))
    return number is not None and int(number) & FULL == FULL


def _masked(bits, mask):
    bits = cast(bits, _U32)
    return bits if _whole(mask) else binary("and", bits, cast(mask, _U32))


def _ballot(mask, predicate):
    return _masked(votes.ballot_sync(predicate), mask)


def _any(mask, predicate):
    return cast(_ballot(mask, predicate) != 0, _I32)


def _all(mask, predicate):
    whole = Const(FULL, _U32) if _whole(mask) else cast(mask, _U32)
    return cast(_ballot(mask, predicate) == whole, _I32)


def _match_any(mask, value):
    return _masked(votes.match_any_sync(value), mask)


def _match_all(mask, value, holds=None):
    """The mask where all its lanes have one value; *holds says whether they do."""
    whole = Const(FULL, _U32) if _whole(mask) else cast(mask, _U32)
    found = _match_any(mask, value)
    if holds is not None:
        if hasattr(holds, "moved"):  # a pointer of a function of T.import_source
            holds.write(cast(found == whole, _I32))
        else:
            place = place_of(holds, "T.call_extern of '__match_all_sync'")
            same = cast(found == whole, place.dtype)
            current().add(Store(place.buffer, place.indices, same))
    return select(found == whole, whole, Const(0, _U32))


def _reduction(name):
    """A reduction over the lanes of a mask: masks may share out a warp."""

    def function(mask, value):
        value = as_value(value)
        if not type_of(value).is_integer:
            raise TypeError(f"it takes an integer, got a value of type {type_of(value)}")
        value = cast(value, _U32 if type_of(value).is_unsigned else _I32)
        construct = f"T.call_extern of '__reduce_{name}_sync'"
        if _whole(mask):
            return threads._through(
                construct, value, name="thread_reduce", kind=_KINDS[name], group=32
            )
        builder = current(construct)
        value, kind = builder.define("value", value), type_of(value)
        mask = builder.define("mask", cast(mask, _U32)) if isinstance(mask, Expr) else mask
        found = value
        # Its own value is in already: what may be combined twice is left as it is.
        twice = name in ("min", "max", "and", "or")
        lane = votes._lanes(construct)
        for other in range(32):
            theirs = threads.shfl_sync(value, other)
            inside = votes._in_mask(other, mask)
            if twice:
                made = select(inside, binary(name, found, theirs), found)
            else:
                inside = binary("and", inside, lane != other)
                made = binary(name, found, select(inside, theirs, Const(0, kind)))
            found = builder.define("found", made)
        return found

    return function


def _shuffle(function):
    def shuffle(mask, value, lane, width=32):
        return function(value, cast(lane, _I32), int(number_of(as_value(width))))

    return shuffle


def _nothing(*_):
    """The compiler orders memory and waits itself."""


def table():
    """The functions by their names."""
    found = {
        "__ballot_sync": _ballot,
        "__any_sync": _any,
        "__all_sync": _all,
        "__activemask": lambda: cast(votes.activemask(), _U32),
        "__match_any_sync": _match_any,
        "__match_all_sync": _match_all,
        "__shfl_sync": _shuffle(threads.shfl_sync),
        "__shfl_up_sync": _shuffle(threads.shfl_up),
        "__shfl_down_sync": _shuffle(threads.shfl_down),
        "__shfl_xor_sync": _shuffle(threads.shfl_xor),
        "__syncthreads": lambda: sync_threads(),
        "__syncthreads_count": votes.syncthreads_count,
        "__syncthreads_and": votes.syncthreads_and,
        "__syncthreads_or": votes.syncthreads_or,
    }
    for name in ("syncwarp", "threadfence", "threadfence_block", "threadfence_system", "nanosleep"):
        found[f"__{name}"] = _nothing
    for name in _KINDS:
        found[f"__reduce_{name}_sync"] = _reduction(name)
    for tail in ("ldg", "ldcg", "ldca", "ldcs", "ldlu", "ldcv"):
        found[f"__{tail}"] = _read
    return found


def _read(place):
    """The element at a pointer."""
    return place.read() if hasattr(place, "moved") else place_of(place, "T.call_extern")
