# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of indices: T.Ramp, which a statement takes apart into its lanes."""

import operator

from .ranges import bounds
from .values import Load, Op, Variable, as_value, binary, select


class Ramp(Variable):
    """`lanes` indices in a row, base, base + stride, ...: an assignment is made for each of them."""

    __slots__ = ("base", "stride", "lanes")

    def __init__(self, base, stride=1, lanes=1):
        super().__init__("T.Ramp(...)", "ramp")
        self.base, self.stride, self.lanes = as_value(base), as_value(stride), int(lanes)


def lane_of(value, lane):
    """A value with each Ramp in it replaced by its index of one lane."""
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
    """The indices of one lane of an element; a negative one counts from the end, when it runs, too."""
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
