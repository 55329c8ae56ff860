# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors: T.Ramp and values of types like T.float16x2. A statement takes them apart into lanes."""

import operator

from .buffers import Buffer, Region
from .dtypes import dtype
from .errors import fail
from .ranges import bounds
from .values import Const, Load, Op, Variable, as_value, binary, cast, select, type_of


class Ramp(Variable):
    """`lanes` indices in a row, base, base + stride, ...: an assignment is made for each of
    them."""

    __slots__ = ("base", "stride", "lanes")

    def __init__(self, base, stride=1, lanes=1):
        super().__init__("T.Ramp(...)", "ramp")
        self.base, self.stride, self.lanes = as_value(base), as_value(stride), int(lanes)


class Lanes(Variable):
    """Several values as one vector: T.float16x2(a, b), T.Shuffle of several lanes, an element of a
    VectorBuffer."""

    def __init__(self, parts):
        super().__init__("a vector", "lanes", type_of(parts[0]))
        self.parts = tuple(parts)

    def __getitem__(self, lane):
        return extract_lane(self, lane)


class VectorBuffer(Buffer):
    """A tile whose element type is a vector: an index counts vectors, which lie in `scalars`."""

    def __init__(self, scalars, shape, kind):
        self.__dict__.update(scalars.__dict__)
        self.scalars, self.vector = scalars, dtype(kind)
        self.vectors = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)

    @property
    def name(self):
        return self.scalars.name

    @name.setter
    def name(self, name):
        self.scalars.name = name

    def __getitem__(self, key):
        key, count = key if isinstance(key, tuple) else (key,), self.vector.lanes
        if any(x is Ellipsis or isinstance(x, slice) for x in key) or len(key) < len(self.vectors):
            whole = Region.of(self.scalars, key[: len(self.vectors) - 1])
            if len(key) < len(self.vectors) or key[-1] == slice(None):
                return whole
            return fail(
                f"a slice of the last dimension of {self.name}, a buffer of {self.vector}: name its"
                " elements one by one, or take T.view of it as a buffer of"
                f" {self.vector.element}"
            )
        if len(key) > len(self.vectors):
            fail(
                f"{self.name} has {len(self.vectors)} dimensions, but {len(key)} indices are given"
            )
        last = as_value(key[-1])
        if isinstance(last, int) and last < 0:
            last += self.vectors[-1]
        places = [binary("add", binary("mul", last, count), lane) for lane in range(count)]
        return Lanes([self.scalars[(*key[:-1], place)] for place in places])


def vector_of(kind, values):
    """A value of a vector type: of one value for each lane, of one for all, of another vector."""
    if len(values) == 1:
        value = as_value(values[0])
        if lane_count(value) in (1, kind.lanes):
            values = [lane_of(value, i) for i in range(kind.lanes)]
    if len(values) != kind.lanes:
        fail(f"T.{kind}: expected one value or {kind.lanes}, got {len(values)}")
    return Lanes([cast(x, kind.element) for x in values])


def pack(value, kind):
    """The lanes of a vector as the bits of one value, the first lane lowest."""
    lanes = [lane_of(value, i) for i in range(lane_count(value))]
    word = dtype(f"uint{kind.bits}")
    found = Const(0, word)
    for i, x in enumerate(lanes):
        bits = type_of(x).bits
        part = cast(_seen_as(x, dtype(f"uint{bits}")), word)
        found = binary("or", found, binary("shl", part, Const(bits * i, word)) if i else part)
    return _seen_as(found, kind)


def unpack(value, kind):
    """The bits of a value as lanes of a vector type."""
    have, bits = type_of(value).bits, kind.element.bits
    word, part = dtype(f"uint{have}"), dtype(f"uint{bits}")
    whole = _seen_as(value, word)
    moved = [binary("shr", whole, Const(bits * i, word)) for i in range(kind.lanes)]
    return Lanes([_seen_as(cast(x, part), kind.element) for x in moved])


def reinterpreted(value, kind):
    """The bits of a vector, or of one value, as another type, where one of both is a vector."""
    count = lane_count(value)
    have, want = count * type_of(lane_of(value, 0)).bits, kind.bits * kind.lanes
    if have != want:
        fail(f"T.reinterpret: the value has {have} bits, {kind} has {want}")
    if count == kind.lanes:
        return Lanes([_seen_as(lane_of(value, i), kind.element) for i in range(count)])
    if kind.lanes == 1:
        return pack(value, kind)
    if count == 1:
        return unpack(value, kind)
    return fail(f"T.reinterpret: a vector of {count} lanes as {kind}; go through an integer type")


def _seen_as(value, kind):
    return value if type_of(value) is kind else Op("bitcast", (as_typed(value),), kind)


def as_typed(value):
    """A value with a type of its own: Python's numbers become constants."""
    return Const(value, type_of(value)) if isinstance(value, (int, float)) else value


def lane_count(value):
    """The lanes of a vector value; one of any other."""
    if type(value) is Ramp:
        return value.lanes
    if type(value) is Lanes:
        return len(value.parts)
    inner = value.args if type(value) is Op else value.indices if type(value) is Load else ()
    return max([1, *(lane_count(x) for x in inner)])


def extract_lane(vector, lane):
    """One lane of a vector."""
    vector, count = as_value(vector), lane_count(as_value(vector))
    if not 0 <= int(lane) < count:
        fail(f"T.extract_lane: the vector has {count} lanes, no lane {lane}")
    return lane_of(vector, int(lane))


def Shuffle(vectors, indices):
    """Lanes of several vectors, counted through: one is a value, several are a vector."""
    every = [lane_of(as_value(v), i) for v in vectors for i in range(lane_count(as_value(v)))]
    for i in indices:
        if not 0 <= int(i) < len(every):
            fail(f"T.Shuffle: the vectors have {len(every)} lanes, no lane {i}")
    chosen = [every[int(i)] for i in indices]
    return chosen[0] if len(chosen) == 1 else Lanes(chosen)


def vectorlow(dtype, vector):
    """The first half of a vector."""
    return Shuffle([vector], range(lane_count(as_value(vector)) // 2))


def vectorhigh(dtype, vector):
    """The second half of a vector."""
    count = lane_count(as_value(vector))
    return Shuffle([vector], range(count // 2, count))


def vectorcombine(dtype, low, high):
    """Two vectors one behind the other."""
    count = lane_count(as_value(low)) + lane_count(as_value(high))
    return Shuffle([low, high], range(count))


def lane_of(value, lane):
    """A value with each vector in it replaced by its value of one lane."""
    if type(value) is Lanes:
        return value.parts[lane]
    if type(value) is Ramp:
        return binary("add", value.base, binary("mul", value.stride, lane))
    if type(value) is Op:
        made = tuple(lane_of(x, lane) for x in value.args)
        return (
            value if all(map(operator.is_, made, value.args)) else Op(value.name, made, value.dtype)
        )
    if type(value) is Load:
        return Load(value.buffer, lanes_of(value, lane))
    return value


def lanes_of(place, lane):
    """The indices of one lane of an element; a negative one counts from the end, when it runs,
    too."""
    return tuple(
        _from_the_end(lane_of(x, lane), size) if type(x) is Ramp else lane_of(x, lane)
        for x, size in zip(place.indices, place.buffer.shape)
    )


def _from_the_end(index, size):
    low, high = bounds(index)
    if low is not None and low >= 0:
        return index
    wrapped = binary("add", index, size)
    return wrapped if high is not None and high < 0 else select(index < 0, wrapped, index)
