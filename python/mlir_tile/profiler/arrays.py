# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs as numpy's arrays, for kernels on the CPU where a process has not imported PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["array_supply", "assert_arrays_close"]


def _values(name: str) -> np.ndarray:
    """The number that each byte is; infinite what is none."""
    byte = np.arange(256)
    if name == "float8_e8m0fnu":
        return np.where(byte < 255, 2.0 ** (byte - 127.0), np.inf)
    width, bias = (3, 7) if name == "float8_e4m3fn" else (2, 15)
    exponent, mantissa = (byte & 127) >> width, byte & ((1 << width) - 1)
    normal = (1 + mantissa / (1 << width)) * 2.0 ** (exponent - bias)
    small = mantissa / (1 << width) * 2.0 ** (1 - bias)
    value = np.where(exponent > 0, normal, small) * np.where(byte > 127, -1, 1)
    none = byte & 127 == 127 if width == 3 else exponent == 31
    return np.where(none, np.inf, value)


def _floats(name: str, values: np.ndarray) -> np.ndarray:
    """Numbers as elements of a floating-point type; where numpy has none, as their bits."""
    from ..language.dtypes import dtype

    held = dtype(name).as_numpy()
    if held.kind not in "ui":
        return values.astype(held)
    bits = values.astype(np.float32).view(np.uint32)
    if name == "bfloat16":
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    # Eight bits: the nearest of all values that the type has.
    table = _values(name)
    nearest = np.abs(values[..., None].astype(np.float32) - table).argmin(-1)
    return nearest.astype(np.uint8)


def array_supply(kind: Any) -> Callable[..., np.ndarray]:
    """A function that makes one array for a kernel's parameter (`.dtype`, `.shape`); the same
    arrays in the same order each time."""
    rng = np.random.default_rng(0)

    def supply(param: Any, sizes: dict[str, int] | None = None) -> np.ndarray:
        from ..language.dtypes import dtype
        from .supply import _shape

        shape, element = _shape(param, sizes), dtype(param.dtype)
        if element.bits == 4:
            shape = [*shape[:-1], shape[-1] // 2]
            return rng.integers(0, 256, shape, np.uint8)
        if kind.name in ("Zero", "One"):
            values = np.full(shape, float(kind.name == "One"))
        elif element.is_float and kind.name in ("Auto", "Uniform", "Integer"):
            whole = kind.name == "Integer"
            values = rng.integers(-2, 3, shape) if whole else rng.uniform(-1, 1, shape)
        elif element.is_float:
            mean = -1.0 if kind.name == "Normal" else 0.0
            values = rng.standard_normal(shape) + mean
        elif element.is_bool:
            values = rng.integers(0, 2, shape)
        else:
            values = rng.integers(*((0, 3) if element.is_unsigned else (-2, 3)), shape)
        if element.is_float:
            return _floats(str(element), np.asarray(values, np.float64))
        return np.asarray(values).astype(element.as_numpy())

    return supply


def assert_arrays_close(
    actual: Any, expected: Any, rtol: float, atol: float, max_mismatched_ratio: float, names: Any
) -> bool:
    """Raises AssertionError unless all but a share of the elements of two arrays are close."""
    a, b = (np.asarray(x) for x in (actual, expected))
    if a.shape != b.shape:
        raise AssertionError(f"shape of {names[0]} {a.shape}, {names[1]} {b.shape}")
    close = np.isclose(
        a.astype(np.float64), b.astype(np.float64), rtol=rtol, atol=atol, equal_nan=True
    )
    wrong = int(close.size - close.sum())
    if wrong <= close.size * max_mismatched_ratio:
        return True
    place = tuple(int(i) for i in np.argwhere(~close)[0])
    raise AssertionError(
        f"{wrong} of {close.size} elements differ (allowed: {max_mismatched_ratio:.2%},"
        f" rtol={rtol}, atol={atol}); first at {place}: {names[0]} {a[place]},"
        f" {names[1]} {b[place]}"
    )
