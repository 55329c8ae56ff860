# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of examples/gallery compute, in float64: rows, elements, scans and choices. products.py has the rest.

A function a kernel. Its arguments are the kernel's, in float64 (indices are integers); it returns, for each output, a pair
of the exact result and of the largest error that the kernel's own precision allows (0: every bit must be right). These
errors are bounds, not experience:

- a result rounded to a type is off by half a unit in the last place: `rounding`;
- a sum of n terms in f32 is off by at most n units of the sum of their absolute values: `summing`. Where the order of
  the sum is known, n is the length of its longest chain of additions;
- exp2 and rsqrt on GPUs are good to 2^-22 (PTX ISA, ex2.approx and rsqrt.approx); an exponent that is off by d makes
  its power off by the factor 2^d.
"""

import numpy as np

import philox

UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
# Half the distance of subnormal numbers, which bounds the error where numbers have no leading one.
LEAST = {"f16": 2.0**-25, "bf16": 2.0**-134, "f32": 2.0**-150}
APPROXIMATE = 2.0**-22  # of exp2, rsqrt and division on GPUs, relative


def rounding(value, kind):
    return np.abs(value) * UNIT[kind] + LEAST[kind]


def summing(magnitude, terms):
    """Error of a sum in f32 of so many terms with that sum of absolute values. Tensor cores truncate instead of rounding,
    so the unit is a whole one."""
    return magnitude * (terms + 4) * 2.0**-23


def softmax(X, kind, passes=1):
    """e = exp(X - max), Y = e / sum(e), along rows. `passes`: how often the sum so far is scaled to a new maximum."""
    below = X - X.max(1, keepdims=True)
    e = np.exp(below)
    Y = e / e.sum(1, keepdims=True)
    # The exponent is rounded three times (the difference, log2(e), the product), and so is that of the terms of the sum;
    # these matter by their size. Chains of additions: within a thread, a warp, a block.
    spread = np.abs(below) * 3 * UNIT["f32"] + (np.exp(below) * np.abs(below)).sum(1, keepdims=True) / e.sum(1, keepdims=True) * 3 * UNIT["f32"]
    relative = spread + (4 + passes) * APPROXIMATE + 64 * UNIT["f32"]
    return {"Y": (Y, Y * relative + rounding(Y, kind))}


def rmsnorm(X, W, eps):
    """Y = X / sqrt(mean(X^2) + eps) * W, along rows."""
    Y = X / np.sqrt((X**2).mean(1, keepdims=True) + eps) * W
    return {"Y": (Y, np.abs(Y) * (2 * APPROXIMATE + 64 * UNIT["f32"]) + rounding(Y, "f16"))}


def layernorm_residual(X, R, W, B, eps):
    """H = X + R, Y = (H - mean) / sqrt(variance + eps) * W + B, along rows, with the statistics of the exact H."""
    H = X + R
    mean = H.mean(1, keepdims=True)
    scale = 1 / np.sqrt(((H - mean) ** 2).mean(1, keepdims=True) + eps)
    Y = (H - mean) * scale * W + B
    shifted = summing(np.abs(H).mean(1, keepdims=True), 64)  # the mean's error; chains of additions as in softmax
    error = (shifted + np.abs(H - mean) * (2 * APPROXIMATE + 128 * UNIT["f32"])) * scale * np.abs(W)
    return {"H": (H, rounding(H, "f16")), "Y": (Y, error + np.abs(B) * UNIT["f32"] + rounding(Y, "f16"))}


def rope(X, P, COS, SIN):
    """Pairs (X[..., j], X[..., j + 64]) turned by the angle of row P[t] of the tables."""
    c, s = COS[P][:, None], SIN[P][:, None]
    a, b = X[..., :64], X[..., 64:]
    Y = np.concatenate([a * c - b * s, b * c + a * s], -1)
    terms = np.concatenate([np.abs(a * c) + np.abs(b * s), np.abs(b * c) + np.abs(a * s)], -1)
    return {"Y": (Y, summing(terms, 2) + rounding(Y, "f16"))}


def transpose(X):
    return {"Y": (X.T, 0)}


def embedding(TABLE, I):
    """Y[t] = TABLE[I[t]], zeros where there is no such row."""
    exists = (I >= 0) & (I < len(TABLE))
    return {"Y": (np.where(exists[:, None], TABLE[np.where(exists, I, 0)], 0), 0)}


def embedding_backward(DY, I, DTABLE):
    """DTABLE[I[t]] + DY[t] over all tokens that have a row, added in any order."""
    total, terms = DTABLE.copy(), np.abs(DTABLE)
    exists = (I >= 0) & (I < len(DTABLE))
    np.add.at(total, I[exists], DY[exists])
    np.add.at(terms, I[exists], np.abs(DY[exists]))
    return {"DTABLE": (total, summing(terms, len(I) + 1))}


def argmax(X):
    """The first of the largest of each row."""
    return {"I": (X.argmax(1), 0), "V": (X.max(1), 0)}


def top2(X):
    """The two largest of each row, the first of equals first, and their softmax."""
    I = np.argsort(-X, axis=1, kind="stable")[:, :2]
    e = np.exp(np.take_along_axis(X, I, 1) - X.max(1, keepdims=True))
    W = e / e.sum(1, keepdims=True)
    return {"I": (I, 0), "W": (W, W * (8 * APPROXIMATE + np.abs(np.log(e)).max(1, keepdims=True) * 4 * UNIT["f32"]))}


def cumsum(X):
    """Sums of X[i, :j + 1]: 16 in a thread, 7 steps over the threads, one for each 2048 columns."""
    additions = 16 + 7 + X.shape[1] // 2048 + 2
    return {"Y": (np.cumsum(X, 1), np.cumsum(np.abs(X), 1) * additions * UNIT["f32"])}


def histogram(X):
    return {"H": (np.bincount(X[(X >= 0) & (X < 256)], minlength=256), 0)}


def dropout(X, seed, threshold, scale):
    """X scaled where the generator's word is at least the threshold (unsigned), zero elsewhere."""
    keep = philox.words(np.arange(len(X)), seed) >= np.uint64(threshold % 2**32)
    Y = np.where(keep, X * scale, 0)
    return {"Y": (Y, np.where(keep, rounding(Y, "f16") + np.abs(Y) * UNIT["f32"], 0))}


def conv1d_causal(X, W, B):
    """Z[b, t, d] = B[d] + sum over k of W[k, d] X[b, t - 3 + k, d] with zeros before the start; Y = Z / (1 + exp(-Z))."""
    padded = np.pad(X, ((0, 0), (3, 0), (0, 0)))
    taps = [W[k] * padded[:, k : k + X.shape[1]] for k in range(4)]
    Z = B + sum(taps)
    Y = Z / (1 + np.exp(-Z))
    off = summing(np.abs(B) + sum(map(np.abs, taps)), 4)
    # The slope of Z / (1 + exp(-Z)) is below 1.1; the exponent is off by 2 units of Z.
    error = 1.1 * off + np.abs(Y) * (np.abs(Z) * 2 * UNIT["f32"] + 3 * APPROXIMATE)
    return {"Y": (Y, error + rounding(Y, "f16"))}


def wrong_compaction(X, Y, N, block=1024):
    """What is wrong with the positive elements: those of a block of X lie together and in order, blocks in any order, cut
    off where Y ends. (The elements are all different.) The rest of Y, which starts as NaN, stays so."""
    kept = [part[part > 0] for part in np.split(X, range(block, len(X), block))]
    count = sum(map(len, kept))
    if N[0] != count:
        return f"N is {N[0]}, expected {count}"
    if not np.isnan(Y[count:]).all():
        return "elements behind the kept ones were written"
    at, found = 0, {part[0]: part for part in kept if len(part)}
    while at < min(count, len(Y)):
        part = found.pop(Y[at], np.array([]))[: len(Y) - at]
        if not len(part) or not np.array_equal(Y[at : at + len(part)], part):
            return f"Y[{at}:] is no block's kept elements"
        at += len(part)
    return ""
