# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of examples/gallery compute that are made of matrix products, in float64: as references.py, which says
what the errors are."""

import numpy as np

from references import APPROXIMATE, UNIT, rounding, summing


def _transposed(X):
    return np.swapaxes(X, -1, -2)


def stream_k_gemm(A, B):
    """C = A B in f32."""
    return {"C": (A @ B, summing(np.abs(A) @ np.abs(B), A.shape[1]))}


def grouped_gemm(X, OFF, W):
    """Rows OFF[e] to OFF[e + 1] of X times W[e]."""
    Y, size = (np.concatenate([a[OFF[e] : OFF[e + 1]] @ b[e] for e in range(len(W))]) for a, b in ((X, W), (np.abs(X), np.abs(W))))
    return {"Y": (Y, summing(size, X.shape[1]) + rounding(Y, "f16"))}


def fp8_block_scaled(A, SA, B, SB):
    """C = A B^T with a scale for each 1 x 128 of A and each 128 x 128 of B, in bf16."""
    a = A * np.repeat(SA.T, 128, 1)
    b = B * np.repeat(np.repeat(SB, 128, 0)[: len(B)], 128, 1)
    C = a @ b.T
    # Tensor cores of Hopper keep 2^-12 of a sum of fp8 products in a step of 32 terms, and a scale is for 4 steps.
    return {"C": (C, np.abs(a) @ np.abs(b).T * 4 * 2.0**-12 + rounding(C, "bf16"))}


def w4a16(A, W, S):
    """C = A D^T with D[n, k] = W[n, k] S[k / 128, n] rounded to f16, as the kernel's description has it."""
    D = (W * np.repeat(S, 128, 0).T).astype(np.float16).astype(np.float64)
    C = A @ D.T
    return C, summing(np.abs(A) @ np.abs(D).T, A.shape[1]) + rounding(C, "f16")


def sparse24_gemm(A, W):
    """C = W A^T of dense W."""
    C = W @ A.T
    return {"C": (C, summing(np.abs(W) @ np.abs(A).T, A.shape[1]) + rounding(C, "f16"))}


def linear_attention(Q, K, V):
    """O[t] = Q[t] sum over s <= t of K[s]^T V[s]."""
    O = np.tril(Q @ _transposed(K)) @ V
    size = np.tril(np.abs(Q) @ _transposed(np.abs(K))) @ np.abs(V)
    # Products within a chunk, or the state of the chunks before it, are rounded to f16 once.
    return {"O": (O, size * UNIT["f16"] + summing(size, Q.shape[1] + 128) + rounding(O, "f16"))}


def mamba2_scan(X, DT, A, B, C):
    """S[t] = exp(DT[t] A) S[t - 1] + DT[t] B[t]^T X[t], Y[t] = C[t] S[t], of each batch and head."""
    batch, T, heads, _ = X.shape
    Y, size = np.zeros(X.shape), np.zeros(X.shape)
    for b in range(batch):
        for h in range(heads):
            state, absolute = np.zeros((128, 64)), np.zeros((128, 64))
            for t in range(T):
                decay, step = np.exp(DT[b, h, t] * A[h]), DT[b, h, t]
                state = decay * state + step * np.outer(B[b, t], X[b, t, h])
                absolute = decay * absolute + step * np.abs(np.outer(B[b, t], X[b, t, h]))
                Y[b, t, h], size[b, t, h] = C[b, t] @ state, np.abs(C[b, t]) @ absolute
    # A term is rounded to f16 as part of the state, and in the weighted rows that update it or the weighted products.
    # Exponents are differences of sums of up to 64 steps, each below 64 units of the largest.
    exponents = 64 * np.abs(A).max() * DT.max() * 66 * UNIT["f32"]
    return {"Y": (Y, size * (2 * UNIT["f16"] + exponents + 4 * APPROXIMATE) + summing(size, T + 128) + rounding(Y, "f16"))}


def _scores(Q, K):
    """Q K^T / sqrt(128) and its error in f32 (natural exponents)."""
    size = np.abs(Q) @ _transposed(np.abs(K)) / np.sqrt(128)
    return Q @ _transposed(K) / np.sqrt(128), summing(size, 132)


def flash_decode(Q, KC, VC, TABLE, LEN, parts):
    """Attention of 8 queries a head to the keys of a paged cache, those of each part apart: part s has the pages from
    s ceil(pages / parts) on. OP is normalized; LSE is log2 of the sum of exp(scores), -1e30 where a part is empty."""
    batch, heads = Q.shape[:2]
    OP, LSE = np.zeros((batch, heads, parts, 8, 128)), np.full((batch, heads, parts, 8), -1e30)
    off, lseoff = np.zeros(OP.shape), np.full(LSE.shape, 1e24)
    for b in range(batch):
        pages = -(-LEN[b] // 64)
        share = -(-pages // parts)
        for s in range(parts):
            own = range(s * share, min((s + 1) * share, pages))
            if not len(own):
                continue
            keys = min(LEN[b], 64 * own.stop) - 64 * own.start
            for h in range(heads):
                K, V = (cache[TABLE[b, own]][:, :, h].reshape(-1, 128)[:keys] for cache in (KC, VC))
                score, wrong = _scores(Q[b, h], K)
                top = score.max(1, keepdims=True)
                e = np.exp(score - top)
                P = e / e.sum(1, keepdims=True)
                # Weights are rounded to f16; the scale and the difference to the maximum make exponents 3 units off.
                relative = wrong + np.abs(score - top) * 3 * UNIT["f32"] + 4 * APPROXIMATE
                OP[b, h, s] = P @ V
                doubt = 2 * relative.max(1, keepdims=True)
                off[b, h, s] = (P * (UNIT["f16"] + doubt) + 2.0**-25 / e.sum(1, keepdims=True)) @ np.abs(V) + summing(P @ np.abs(V), keys)
                LSE[b, h, s] = np.log2(e.sum(1)) + top[:, 0] / np.log(2)
                lseoff[b, h, s] = 2 * relative.max(1) + (np.abs(LSE[b, h, s]) + 8) * 4 * UNIT["f32"]
    return {"OP": (OP, off), "LSE": (LSE, lseoff)}


def flash_combine(OP, LSE):
    """O = sum over parts of OP 2^LSE / sum of 2^LSE."""
    w = np.exp2(LSE - LSE.max(2, keepdims=True))
    w = (w / w.sum(2, keepdims=True))[..., None]
    O, size = (w * OP).sum(2), (w * np.abs(OP)).sum(2)
    spread = np.abs(np.where(LSE > -1e29, LSE - LSE.max(2, keepdims=True), 0)).max() * 2 * UNIT["f32"]
    return {"O": (O, size * (4 * APPROXIMATE + spread) + summing(size, LSE.shape[2]) + rounding(O, "f16"))}


def attention_delta(O, DO):
    """D = sum over d of O DO."""
    return {"D": ((O * DO).sum(2), summing(np.abs(O * DO).sum(2), 128))}


def attention_forward(Q, K, V):
    """P = softmax(Q K^T / sqrt(128)), O = P V, L = log2 of the sums of exp(scores): what the backward kernel is given."""
    score = _scores(Q, K)[0]
    top = score.max(2, keepdims=True)
    e = np.exp(score - top)
    P = e / e.sum(2, keepdims=True)
    return P, P @ V, np.log2(e.sum(2)) + top[..., 0] / np.log(2)


def attention_backward(Q, K, V, DO):
    """The gradients: DV = P^T DO, DS = P (DO V^T - D), DQ = DS K / sqrt(128), DK = DS^T Q / sqrt(128)."""
    P, O, L = attention_forward(Q, K, V)
    D = (O * DO).sum(2, keepdims=True)
    dp = DO @ _transposed(V)
    ds = P * (dp - D)
    DV, DQ, DK = _transposed(P) @ DO, ds @ K / np.sqrt(128), _transposed(ds) @ Q / np.sqrt(128)
    # P is off as its exponent is, and by a rounding to f16; DS as P is, by the products it is made of, and by a rounding.
    exponent = _scores(Q, K)[1] + (np.abs(L).max() + 8) * 4 * UNIT["f32"] + 2 * APPROXIMATE
    poff = P * (2 * exponent + UNIT["f16"]) + 2.0**-25
    parts = summing(np.abs(DO) @ _transposed(np.abs(V)), 128) + np.abs(D) * 2.0**-22
    dsoff = np.abs(ds) * (2 * exponent + UNIT["f16"]) + P * parts + 2.0**-25
    n = Q.shape[1]

    def off(error, value, other, kind):
        return error @ np.abs(other) + summing(np.abs(value) @ np.abs(other), n) + (0 if kind == "f32" else 1) * UNIT["f16"] * np.abs(value @ other)

    return {
        "DV": (DV, off(_transposed(poff), _transposed(P), DO, "f16") + 2.0**-24),
        "DQ": (DQ, off(dsoff, ds, K, "f32") / np.sqrt(128)),
        "DK": (DK, off(_transposed(dsoff), _transposed(ds), Q, "f16") / np.sqrt(128) + 2.0**-24),
    }
