# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of elements as pointers, and loads and stores of words: T.ldg32, T.stg128, ..."""

import sys

from .buffers import Buffer, Region, row_major
from .builder import current
from .dtypes import dtype
from .errors import fail, unsupported
from .mathematics import reinterpret
from .ranges import divided
from .statements import Store
from .values import Const, Load, as_value, binary, cast, number_of, select, truth, type_of
from .vectors import Lanes, lane_count, lane_of

_WORD, _HALF = dtype("uint32"), dtype("uint64")


def place_of(value, construct):
    """The element that a buffer, a region of one, or an element begins at."""
    value = getattr(value, "scalars", value)
    value = value.parts[0] if type(value) is Lanes else value
    if isinstance(value, Region):
        return Load(value.buffer, value.offsets)
    if isinstance(value, Buffer):
        return Load(value, (0,) * len(value.shape))
    if isinstance(value, Load):
        return value
    return fail(f"{construct}: expected a buffer, a slice or an element of one, got {value!r}")


def access_ptr(
    base, access_type="r", *extents, offset=0, extent=None, ignore_last_ndim=0
):  # TileLang's
    """The place of a buffer, slice or element, for operations that take one; `offset`: that many
    elements on. How it is accessed, and how many elements, the operation says itself."""
    current("T.access_ptr")
    place = place_of(base, "T.access_ptr")
    if number_of(as_value(offset)) == 0:
        return place
    return _behind(place, offset, "T.access_ptr")


def address_of(base):
    """The place of an element (see T.access_ptr)."""
    return access_ptr(base)


def type_annotation(kind):
    """The element type that T.tvm_access_ptr counts in."""
    return dtype(kind)


def tvm_access_ptr(ptype, data, offset, extent, rw_mask):
    """The place of the element that lies `offset` elements behind the first of a buffer, in
    row-major order. How many elements are accessed, and how, the operation says itself."""
    current("T.tvm_access_ptr")
    place = place_of(data, "T.tvm_access_ptr")
    kind = dtype(ptype)
    if kind is not place.buffer.dtype:
        unsupported(
            f"T.tvm_access_ptr in elements of {kind} of {place.buffer.name}, which has elements of"
            f" {place.buffer.dtype},",
            "count in the buffer's own elements, or use T.view",
        )
    return _behind(place, offset, "T.tvm_access_ptr")


def _behind(place, count, construct):
    """The element that lies `count` elements behind one, in row-major order."""
    buffer = place.buffer
    if len(buffer.shape) == 1:
        return _next(place, count, construct)
    if buffer.given_strides is not None and buffer.given_strides != row_major(buffer.shape):
        unsupported(
            f"{construct} with an offset into {buffer.name}, which has strides of its own,",
            "name the element",
        )
    flat = as_value(count)
    for x, stride in zip(place.indices, row_major(buffer.shape), strict=True):
        flat = binary("add", flat, binary("mul", x, stride))
    indices = []
    for stride in row_major(buffer.shape)[:-1]:
        quotient, flat = divided(flat, stride)
        indices.append(quotient)
    return Load(buffer, (*indices, flat))


def _next(place, count, construct):
    """The element `count` places on, in a row of its buffer."""
    return Load(place.buffer, (*place.indices[:-1], binary("add", place.indices[-1], count)))


def _words_at(place, count, inside):
    """`count` words of 32 bits that lie at an element and behind it in its row, zero where
    `inside` is false."""
    kind = place.buffer.dtype
    builder = current()

    def element(at):
        there = _next(place, at, "T.ldg")
        if inside is not True:  # another place is read then: this one may be none
            first = select(inside, there.indices[-1], place.buffer.shape[-1] - 1)
            there = Load(there.buffer, (*there.indices[:-1], first))
        bits = reinterpret(there, dtype(f"uint{kind.bits}"))
        bits = bits if inside is True else select(inside, bits, Const(0, bits.dtype))
        return builder.define("word", bits)

    if kind.bits == 64:
        wide = [element(i) for i in range(count // 2)]
        return [cast(binary("shr", x, Const(32 * i, _HALF)), _WORD) for x in wide for i in (0, 1)]
    if kind.bits == 32:
        return [element(i) for i in range(count)]
    parts = 32 // kind.bits
    words = []
    for i in range(count):
        word = Const(0, _WORD)
        for j in range(parts):
            part = cast(element(i * parts + j), _WORD)
            word = binary("or", word, binary("shl", part, Const(kind.bits * j, _WORD)))
        words.append(builder.define("word", word))
    return words


def _loads(name, bits, space):
    def function(src, pred=None):
        construct = f"T.{name}"
        builder = current(construct)
        place = _checked(src, construct, space, bits)
        inside = True if pred is None else truth(as_value(pred))
        if inside is False:
            words = [Const(0, _WORD)] * (bits // 32)
        else:
            words = _words_at(place, bits // 32, inside)
        words = [builder.define("word", x) for x in words]
        return words[0] if len(words) == 1 else Lanes(words)

    function.__name__ = name
    function.__doc__ = (
        f"{bits} bits that lie at an element and behind it, as {bits // 32} uint32; `pred`: zero"
        " where it is false."
    )
    return function


def _checked(value, construct, space, bits):
    place = place_of(value, construct)
    if place.buffer.space not in space:
        fail(f"{construct}: expected an element in {space[0]} memory, got {place.buffer!r}")
    if place.buffer.dtype.bits not in (8, 16, 32, 64) or place.buffer.dtype.bits > bits:
        fail(f"{construct}: {bits} bits are no whole number of {place.buffer.dtype}")
    return place


def _stores(name, bits, space):
    def function(dst, value, pred=None):
        construct = f"T.{name}"
        builder = current(construct)
        place = _checked(dst, construct, space, bits)
        value = as_value(value)
        if lane_count(value) != bits // 32 or type_of(lane_of(value, 0)).bits != 32:
            fail(f"{construct}: expected {bits // 32} values of 32 bits, got {value!r}")
        inside = True if pred is None else pred
        branch = builder.branch(inside)
        if builder.then(branch):
            for at, part in enumerate(_parts(value, bits // 32, place.buffer.dtype)):
                there = _next(place, at, "T.stg")
                builder.add(Store(there.buffer, there.indices, part))
        builder.end(branch)

    function.__name__ = name
    function.__doc__ = (
        f"Stores {bits // 32} uint32 at an element and behind it; `pred`: nothing where it is"
        " false."
    )
    return function


def _parts(value, count, kind):
    """The elements of a type that words are."""
    words = [reinterpret(lane_of(value, i), _WORD) for i in range(count)]
    if kind.bits == 64:
        pairs = zip(words[::2], words[1::2], strict=True)
        wide = [
            binary("or", cast(low, _HALF), binary("shl", cast(high, _HALF), Const(32, _HALF)))
            for low, high in pairs
        ]
        return [reinterpret(x, kind) for x in wide]
    bits = dtype(f"uint{kind.bits}")
    return [
        reinterpret(cast(binary("shr", word, Const(kind.bits * j, _WORD)), bits), kind)
        for word in words
        for j in range(32 // kind.bits)
    ]


_GLOBAL, _SHARED = ("global",), ("shared",)
for _bits in (32, 64, 128, 256):
    for _name, _make, _space in (
        ("ldg", _loads, _GLOBAL),
        ("stg", _stores, _GLOBAL),
        ("lds", _loads, _SHARED),
        ("sts", _stores, _SHARED),
    ):
        if _bits < 256 or _space is _GLOBAL:
            setattr(
                sys.modules[__name__], f"{_name}{_bits}", _make(f"{_name}{_bits}", _bits, _space)
            )


def __ldg(buffer, index=None):
    """An element of an argument that the kernel only reads."""
    if index is not None:
        return buffer[index]
    return place_of(buffer, "T.__ldg")
