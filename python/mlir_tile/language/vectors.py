# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of indices: T.Ramp, which a statement takes apart into its lanes."""

import operator

from .errors import fail
from .ranges import bounds
from .values import Load, Op, Variable, as_value, binary, select, type_of


class Ramp(Variable):
    """`lanes` indices in a row, base, base + stride, ...: an assignment is made for each of
    them."""

    __slots__ = ("base", "stride", "lanes")

    def __init__(self, base, stride=1, lanes=1):
        super().__init__("T.Ramp(...)", "ramp")
        self.base, self.stride, self.lanes = as_value(base), as_value(stride), int(lanes)


class Lanes(Variable):
    """Several values as one vector: what T.Shuffle of several lanes gives."""

    def __init__(self, parts):
        super().__init__("T.Shuffle(...)", "lanes", type_of(parts[0]))
        self.parts = tuple(parts)


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
