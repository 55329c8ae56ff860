# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of experts in float64, with bounds of the error that the programs' own precision allows (see Gallery/references.py)."""

import pathlib
import sys

import numpy as np

# In front of this folder, which has a module `references` of its own.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Gallery"))

from references import APPROXIMATE, UNIT, rounding, summing  # noqa: E402

F32 = UNIT["f32"]


def product(X, W, element="bf16"):
    """X W and its error: sums in f32; of fp8, tensor cores keep 2^-12 of a sum in a step of 32 terms."""
    value, size, k = X @ W, np.abs(X) @ np.abs(W), X.shape[1]
    error = summing(size, k + 4)
    if element == "f8E4M3FN":
        error = error + size * -(-k // 32) * 2.0**-12
    return value, error


def silu_times(g, g_off, u, u_off):
    """silu(g) u and its error; the slope of silu is at most 1.1."""
    s = g / (1 + np.exp(-g))
    s_off = 1.1 * g_off + np.abs(s) * (np.abs(g) * 4 * F32 + 8 * APPROXIMATE)
    return s * u, s_off * np.abs(u) + np.abs(s) * u_off + s_off * u_off


def rounded(value, error, kind):
    """The error after the value is rounded to a type."""
    return error + (np.abs(value) * F32 if kind == "f32" else rounding(np.abs(value) + error, kind))


def block_scaled(A, B, SA, SB, group):
    """The sum over groups of columns of A B^T times scales: SA [M, groups], SB [N, groups]. And its error."""
    value, error = 0, 0
    for g in range(A.shape[1] // group):
        at = slice(g * group, (g + 1) * group)
        part, off = product(A[:, at], B[:, at].T, "f8E4M3FN")
        scale = SA[:, g : g + 1] * SB[:, g][None]
        value, error = value + part * scale, error + off * np.abs(scale) + np.abs(part * scale) * 4 * F32
    return value, error + np.abs(value) * 8 * F32
