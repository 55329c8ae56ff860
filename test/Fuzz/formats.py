# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point formats that numpy has no types for: what their codes mean, and rounding to them, in float64.

A format is its bits of exponent and of mantissa, and whether it has infinities. Rounding is to the nearest, ties to even;
beyond the largest number formats of 16 bits and more give an infinity, narrower ones saturate (docs/Dialects/Tile.md).
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Format:
    exponent: int
    mantissa: int
    ieee: bool  # the largest exponent is for infinities and NaN
    nan: bool = True  # without `ieee`: the code of all bits is NaN

    @property
    def bits(self):
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self):
        return 2 ** (self.exponent - 1) - 1

    @property
    def largest(self):
        exponent = 2**self.exponent - 1 - self.ieee - self.bias
        last = 2.0**-self.mantissa * (2 if self.nan and not self.ieee else 1)  # whose code is NaN
        return (2 - last) * 2.0**exponent


FORMATS = {
    "f64": Format(11, 52, True),
    "f32": Format(8, 23, True),
    "f16": Format(5, 10, True),
    "bf16": Format(8, 7, True),
    "f8E4M3FN": Format(4, 3, False),
    "f8E5M2": Format(5, 2, True),
    "f4E2M1FN": Format(2, 1, False, nan=False),
}


def decode(codes, form):
    """The numbers that codes of a format stand for."""
    codes = np.asarray(codes, dtype=np.int64)
    sign = np.where(codes >> (form.bits - 1) & 1, -1.0, 1.0)
    exponent = codes >> form.mantissa & 2**form.exponent - 1
    fraction = codes & 2**form.mantissa - 1
    normal = exponent > 0
    values = np.ldexp(
        fraction + np.where(normal, 2.0**form.mantissa, 0.0), np.where(normal, exponent, 1) - form.bias - form.mantissa
    )
    if form.ieee:
        top = exponent == 2**form.exponent - 1
        values = np.where(top, np.where(fraction > 0, np.nan, np.inf), values)
    elif form.nan:
        values = np.where(codes & 2 ** (form.bits - 1) - 1 == 2 ** (form.bits - 1) - 1, np.nan, values)
    return sign * values


def rounded(values, element):
    """The nearest numbers that a floating-point element type holds."""
    values = np.asarray(values, dtype=np.float64)
    if element == "f64":
        return values
    if element in ("f16", "f32"):
        with np.errstate(over="ignore"):
            return values.astype({"f16": np.float16, "f32": np.float32}[element]).astype(np.float64)
    form = FORMATS[element]
    _, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    step = np.ldexp(1.0, np.maximum(exponent - 1, 1 - form.bias) - form.mantissa)
    found = np.rint(values / step) * step
    beyond = np.abs(found) > form.largest
    return np.where(beyond, np.copysign(np.inf if form.bits >= 16 else form.largest, found), found)
