# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in float64, with bounds of the error that the programs' own precision allows (see Gallery/references.py).

A problem is one head of one sequence: `forward` takes its Q [m, d], K [n, d] and V [n, dv], and what changes its scores.
"""

import dataclasses
import pathlib
import sys

import numpy as np

# In front of this folder, which has a module `references` of its own.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Gallery"))

from references import APPROXIMATE, UNIT as FLOATS, rounding as rounding_of, summing  # noqa: E402

UNIT = {**FLOATS, "f8E4M3FN": 2.0**-4}
# Half the distance of the smallest numbers, of weights that are 1 at most (fp8: 2^8).
LEAST = {"f16": 2.0**-25, "bf16": 2.0**-134, "f8E4M3FN": 2.0**-18}
TANH = 2.0**-10  # of tanh.approx, relative


@dataclasses.dataclass
class Options:
    element: str
    out: str = ""
    causal: bool = False  # the last query sees the last key
    left: int | None = None  # of a window
    right: int | None = None
    sink: float | None = None
    bias: np.ndarray | None = None  # [m, n], added to scores
    softcap: float = 0
    unit: float = 0  # scores are unit Q K^T; 0: 1 / sqrt(d)
    least: float = 0  # as LEAST, where weights are larger


def visible(m, n, o):
    """Which keys each query sees."""
    distance = np.arange(n)[None, :] - (np.arange(m)[:, None] + n - m)
    seen = np.ones((m, n), bool)
    right = 0 if o.causal else o.right
    if right is not None:
        seen &= distance <= right
    if o.left is not None:
        seen &= distance >= -o.left
    return seen


def scores(Q, K, o, seen=None):
    """Scores, -inf where a key is not seen, and their error."""
    unit = o.unit or Q.shape[1] ** -0.5
    score, size = Q @ K.T * unit, np.abs(Q) @ np.abs(K).T * abs(unit)
    error = summing(size, Q.shape[1] + 4)
    if o.element == "f8E4M3FN":
        # Tensor cores keep 2^-12 of a sum of fp8 products in a step of 32 terms.
        error += size * -(-Q.shape[1] // 32) * 2.0**-12
    if o.softcap:
        score = o.softcap * np.tanh(score / o.softcap)
        error += np.abs(score) * TANH
    if o.bias is not None:
        score = score + o.bias
        error += (np.abs(o.bias) + np.abs(score)) * 4 * FLOATS["f32"]
    seen = visible(*score.shape, o) if seen is None else seen
    return np.where(seen, score, -np.inf), error, seen


def forward(Q, K, V, o, seen=None):
    """O, LSE (natural), and their errors; a query that sees no key has O = 0 and LSE = -inf."""
    score, error, seen = scores(Q, K, o, seen)
    m, n = score.shape
    extra = np.full((m, 1), -np.inf if o.sink is None else o.sink)
    top = np.concatenate([score, extra], 1).max(1, keepdims=True)
    some = np.isfinite(top)
    top = np.where(some, top, 0)
    e = np.exp(score - top)
    total = e.sum(1, keepdims=True) + np.exp(extra - top)
    safe = np.where(some, total, 1)
    P = e / safe
    O, size = P @ V, P @ np.abs(V)
    with np.errstate(divide="ignore"):
        LSE = (np.log(total) + top)[:, 0]
    # Exponents are differences of products, each rounded; the maximum cancels, but is rounded, too.
    spread = np.where(seen, np.abs(score - top), 0) * 3 + np.abs(top) * 4
    relative = np.where(seen, error + np.where(np.isfinite(spread), spread, 0) * FLOATS["f32"] + 4 * APPROXIMATE, 0)
    doubt = 2 * relative.max(1, keepdims=True, initial=0)
    least = o.least or LEAST[o.element]
    off = (P * (UNIT[o.element] + doubt) + least / safe * seen) @ np.abs(V) + summing(size, n + 8)
    if o.element == "f8E4M3FN":
        off += size * (-(-n // 32)) * 2.0**-12
    off += rounding_of(O, o.out or o.element) + size * 8 * APPROXIMATE
    lse_off = doubt[:, 0] + (np.abs(np.where(some[:, 0], LSE, 0)) + 8) * 8 * FLOATS["f32"]
    return O, LSE, off, lse_off


def backward(Q, K, V, DO, o, seen=None):
    """DQ, DK, DV and their errors, and O and LSE; the softmax's weights and the scores' gradients are rounded to 16 bits."""
    score, error, seen = scores(Q, K, o, seen)
    O, LSE, _, lse_off = forward(Q, K, V, o, seen)
    unit = o.unit or Q.shape[1] ** -0.5
    P = np.where(seen, np.exp(score - np.where(np.isfinite(LSE), LSE, 0)[:, None]), 0)
    dp, delta = DO @ V.T, (O * DO).sum(1, keepdims=True)
    ds = P * (dp - delta)
    exponent = error + lse_off[:, None] + (np.abs(np.where(np.isfinite(LSE), LSE, 0))[:, None] + 8) * 8 * FLOATS["f32"] + 2 * APPROXIMATE
    p_off = P * (2 * exponent + UNIT[o.element]) + LEAST[o.element] * seen
    # O was rounded before delta was computed from it.
    delta_off = (np.abs(O * DO)).sum(1, keepdims=True) * UNIT[o.element] + summing(np.abs(O * DO).sum(1, keepdims=True), Q.shape[1])
    parts = summing(np.abs(DO) @ np.abs(V).T, V.shape[1]) + delta_off
    ds_off = np.abs(ds) * UNIT[o.element] + P * parts + np.abs(dp - delta) * P * 2 * exponent + LEAST[o.element] * seen
    n = max(len(Q), len(K))
    off = lambda error, value, other: error @ np.abs(other) + summing(np.abs(value) @ np.abs(other), n + 8)
    return {
        "DV": (P.T @ DO, off(p_off.T, P.T, DO)),
        "DQ": (ds @ K * unit, off(ds_off, ds, K) * unit),
        "DK": (ds.T @ Q * unit, off(ds_off.T, ds.T, Q) * unit),
    }
