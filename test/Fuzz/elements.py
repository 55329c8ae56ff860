# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: which integers they hold exactly, and the data that tile-run fills arguments with.

Every number of a program is an integer that its element type holds exactly, so that no order of
summation, fused multiply or conversion changes a result: what a run gives is compared bit by bit.
In numpy all of them are float64; NaN stands for "nothing was written here".
"""

import dataclasses

import numpy as np


class Unfit(Exception):
    """The program has no defined or no exact result; its seed makes another one."""


@dataclasses.dataclass(frozen=True)
class Element:
    name: str
    bits: int
    kind: str  # "float" or "int"
    least: int  # the range of integers that are all exact
    most: int
    arithmetic: str  # the type that expressions of it are computed in


def _float(name, bits, most, arithmetic=None):
    return Element(name, bits, "float", -most, most, arithmetic or name)


def _int(name, bits, least, most, arithmetic=None):
    return Element(name, bits, "int", least, most, arithmetic or name)


ELEMENTS = {
    element.name: element
    for element in (
        _float("f64", 64, 2**40),
        _float("f32", 32, 2**24),
        _float("f16", 16, 2**11),
        _float("bf16", 16, 2**8),
        _float("f8E4M3FN", 8, 2**4, "f32"),
        _float("f8E5M2", 8, 2**3, "f32"),
        _float("f4E2M1FN", 4, 4, "f32"),
        _int("i64", 64, -(2**40), 2**40),
        _int("i32", 32, -(2**31), 2**31 - 1),
        _int("i16", 16, -(2**15), 2**15 - 1),
        _int("i8", 8, -(2**7), 2**7 - 1),
        _int("i4", 4, -8, 7, "i32"),
        _int("i1", 1, 0, 1, "i32"),
        _int("index", 64, -(2**40), 2**40),
    )
}


def largest(element):
    """The bound that expressions of an element keep to."""
    found = ELEMENTS[element]
    return found.most if found.kind == "float" or found.bits == 1 else min(found.most, 2**20)


def check_exact(values, element):
    """The values, which the element type holds exactly; anything else is no program of ours."""
    found = ELEMENTS[element]
    if np.isnan(values).any():
        raise Unfit("reads what nothing wrote")
    if (values < found.least).any() or (values > found.most).any() or (values != np.trunc(values)).any():
        raise Unfit(f"a number that {element} does not hold exactly")
    return values


def _hash(seed, count):
    """SplitMix64's output function, as in tools/tile-run/Arguments.cpp."""
    with np.errstate(over="ignore"):
        counter = np.arange(1, count + 1, dtype=np.uint64)
        x = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + counter * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def fill(kind, seed, shape, element):
    """What `--args=A=SHAPE:KIND:SEED` puts into a buffer; a kind may be `range:LO:HI`."""
    count = int(np.prod(shape, dtype=np.int64))
    kind, *limits = kind.split(":")
    if kind == "range":
        low, high = map(int, limits)
        values = (_hash(seed, count) % np.uint64(high - low)).astype(np.float64) + low
    elif kind in ("places", "halves"):
        nibbles = np.array([0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110] if kind == "places" else [0b0100, 0b1110])
        bits, random, values = ELEMENTS[element].bits, _hash(seed, count), np.zeros(count, np.int64)
        for first in range(0, bits, 4):
            byte = (random >> np.uint64(2 * first) & np.uint64(0xFF)).astype(np.int64)
            values |= nibbles[byte % len(nibbles)] << first
        values = np.where(values >> (bits - 1), values - (1 << bits), values).astype(np.float64)
    elif kind == "zeros":
        values = np.zeros(count)
    elif kind == "ones":
        values = np.ones(count)
    elif kind == "iota":
        values = np.arange(count, dtype=np.float64)
    else:
        assert kind == "smallint", kind
        values = (_hash(seed, count) % np.uint64(7)).astype(np.float64) - 3
    if element == "i1":
        values = (values != 0).astype(np.float64)
    return values.reshape(shape)
