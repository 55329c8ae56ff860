# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types that numpy lacks, as the unsigned integers of their bits that tile-run reads and writes.

bf16 is uint16, fp8 uint8, and an element of four bits is one uint8 below 16. Nothing here knows the compiler: the
tables follow the formats (OCP 8-bit Floating Point Specification, table 1; bfloat16 is the upper half of a float32).
"""

import numpy as np


def _e4m3_table():
    """The value of each of the 256 codes of f8E4M3FN: bias 7, no infinities, NaN where the seven low bits are set."""
    code = np.arange(256)
    exponent, mantissa = (code >> 3) & 15, code & 7
    value = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    value = np.where(code & 127 == 127, np.nan, value)
    return np.where(code & 128, -value, value)


E4M3 = _e4m3_table()


def from_e4m3(bits):
    return E4M3[bits]


def random_e4m3(rng, shape):
    """Codes of numbers between -4 and 4, each of the codes as likely as any other."""
    codes = np.flatnonzero(np.abs(E4M3) <= 4).astype(np.uint8)
    return rng.choice(codes, shape)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def i4_bits(values):
    """Integers from -8 to 7 as tile-run's files hold them."""
    return (values & 15).astype(np.uint8)
