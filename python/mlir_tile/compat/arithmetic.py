# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of Python numbers that scripts use for sizes (`tilelang.math`)."""

__all__ = ["cdiv", "next_power_of_2"]


def cdiv(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below x (1 for x <= 1)."""
    return 1 << max(0, x - 1).bit_length()
