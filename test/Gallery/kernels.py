# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of examples/gallery: for each the shapes it is run at, its data, and which reference says what it computes.

A function takes a random generator and one of its `shapes` and returns a Case. Of the shapes the first has whole tiles only
and the second has tails: rows, columns and iterations that end within a tile. A third, where there is one, is left to
fast paths: it is too large for an execution thread by thread.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

import elements
import products
import references


@dataclasses.dataclass
class Case:
    arguments: dict  # what tile-run gets: arrays as its files hold them, numbers
    outputs: tuple  # names of arguments that are read back
    expected: dict  # for each output the exact result and the largest error
    decode: dict = dataclasses.field(default_factory=dict)  # functions from an output's file to float64
    wrong: Callable | None = None  # instead of `expected`: what is wrong with the outputs, or ""


@dataclasses.dataclass
class Kernel:
    name: str  # of the file and of the kernel in it
    shapes: list
    case: Callable


KERNELS = []


def kernel(*shapes, name=None):
    """Declares a kernel: its shapes, each the keyword arguments of the function."""

    def declare(function):
        KERNELS.append(Kernel(name or function.__name__, list(shapes), function))
        return function

    return declare


def poison(shape, dtype):
    """A buffer that is to be written: all bits set, which is NaN in floating-point types."""
    found = np.empty(shape, dtype)
    found.view(np.uint8)[...] = 255
    return found


def normal(rng, shape, dtype=np.float16, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(dtype)


def exact(array):
    """An array as the references take it."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array.astype(np.int64)


def exactly(*arrays):
    return [exact(array) for array in arrays]


# Rows.


def softmax(rng, rows, columns, kind, passes):
    X = normal(rng, (rows, columns), kind, 3)
    return Case({"X": X, "Y": poison(X.shape, kind)}, ("Y",), references.softmax(exact(X), {"f2": "f16", "f4": "f32"}[kind], passes))


@kernel({"rows": 8}, {"rows": 7})
def softmax_1000(rng, rows):
    return softmax(rng, rows, 1000, "f4", 1)


@kernel({"rows": 1}, {"rows": 2})
def softmax_50257(rng, rows):
    return softmax(rng, rows, 50257, "f2", 13)


@kernel({"rows": 1}, {"rows": 2})
def softmax_50257_realign(rng, rows):
    return softmax(rng, rows, 50257, "f2", 13)


def rmsnorm(rng, rows, columns):
    X, W = normal(rng, (rows, columns)), normal(rng, columns)
    eps = np.float32(1e-5)
    return Case({"X": X, "W": W, "eps": eps, "Y": poison(X.shape, "f2")}, ("Y",), references.rmsnorm(*exactly(X, W), float(eps)))


@kernel({"rows": 2}, {"rows": 3})
def rmsnorm_4096(rng, rows):
    return rmsnorm(rng, rows, 4096)


@kernel({"rows": 2}, {"rows": 3})
def rmsnorm_7168(rng, rows):
    return rmsnorm(rng, rows, 7168)


@kernel({"rows": 2, "columns": 4096}, {"rows": 3, "columns": 5000}, {"rows": 5, "columns": 16384})
def rmsnorm_dynamic(rng, rows, columns):
    return rmsnorm(rng, rows, columns)


@kernel({"rows": 2}, {"rows": 3})
def layernorm_residual(rng, rows):
    X, R = normal(rng, (rows, 4096)), normal(rng, (rows, 4096))
    W, B = normal(rng, 4096), normal(rng, 4096)
    eps = np.float32(1e-5)
    outputs = {"H": poison(X.shape, "f2"), "Y": poison(X.shape, "f2")}
    return Case({"X": X, "R": R, "W": W, "B": B, "eps": eps, **outputs}, ("H", "Y"), references.layernorm_residual(*exactly(X, R, W, B), float(eps)))


@kernel({"rows": 2, "columns": 4096}, {"rows": 3, "columns": 2056}, {"rows": 4, "columns": 32000})
def argmax(rng, rows, columns):
    X = normal(rng, (rows, columns))
    X[1] = -3  # all equal: the first counts
    return Case({"X": X, "I": poison(rows, "i4"), "V": poison(rows, "f4")}, ("I", "V"), references.argmax(exact(X)))


@kernel({"tokens": 64}, {"tokens": 77})
def top2(rng, tokens):
    X = normal(rng, (tokens, 64), "f4")
    X[3] = 1  # all equal
    return Case({"X": X, "W": poison((tokens, 2), "f4"), "I": poison((tokens, 2), "i4")}, ("W", "I"), references.top2(exact(X)))


@kernel({"rows": 3, "columns": 4096}, {"rows": 5, "columns": 2563})
def rows_anywhere(rng, rows, columns):
    X = normal(rng, (rows, columns))
    return Case({"X": X, "Y": poison(X.shape, "f2")}, ("Y",), {"Y": (2 * exact(X), 0)})


@kernel({"rows": 2, "columns": 4096}, {"rows": 3, "columns": 2500})
def cumsum(rng, rows, columns):
    X = normal(rng, (rows, columns), "f4")
    return Case({"X": X, "Y": poison(X.shape, "f4")}, ("Y",), references.cumsum(exact(X)))


# Elements.


@kernel({"rows": 128, "columns": 192}, {"rows": 72, "columns": 136})
def transpose(rng, rows, columns):
    X = normal(rng, (rows, columns))
    return Case({"X": X, "Y": poison((columns, rows), "f2")}, ("Y",), references.transpose(exact(X)))


KERNELS.append(Kernel("transpose_layout", KERNELS[-1].shapes, transpose))


@kernel({"tokens": 4, "heads": 32}, {"tokens": 3, "heads": 21})
def rope(rng, tokens, heads):
    X = normal(rng, (tokens, heads, 128))
    P = rng.integers(0, 50, tokens, np.int32)
    angle = rng.uniform(-np.pi, np.pi, (50, 64))
    COS, SIN = np.cos(angle).astype("f4"), np.sin(angle).astype("f4")
    return Case({"X": X, "P": P, "COS": COS, "SIN": SIN, "Y": poison(X.shape, "f2")}, ("Y",), references.rope(*exactly(X, P, COS, SIN)))


@kernel({"tokens": 8}, {"tokens": 7})
def embedding(rng, tokens):
    TABLE = normal(rng, (20, 4096))
    I = rng.integers(0, 20, tokens, np.int32)
    I[[1, 5]] = -1, 20  # no rows
    return Case({"TABLE": TABLE, "I": I, "Y": poison((tokens, 4096), "f2")}, ("Y",), references.embedding(*exactly(TABLE, I)))


@kernel({"tokens": 8}, {"tokens": 7})
def embedding_backward(rng, tokens):
    DY = normal(rng, (tokens, 4096))
    I = rng.integers(0, 5, tokens, np.int32)  # rows that several tokens have
    I[[1, 5]] = -1, 20  # no rows
    DTABLE = normal(rng, (20, 4096), np.float32)
    return Case({"DY": DY, "I": I, "DTABLE": DTABLE}, ("DTABLE",), references.embedding_backward(*exactly(DY, I, DTABLE)))


@kernel({"n": 4096}, {"n": 2504})
def dropout(rng, n):
    X = normal(rng, n)
    seed, p = int(rng.integers(2**31)), 0.7
    # Above half of 2^32, so negative as a signed number.
    arguments = {"seed": seed, "threshold": int(p * 2**32) - 2**32, "scale": np.float32(1 / (1 - p))}
    expected = references.dropout(exact(X), *map(lambda name: arguments[name].item() if name == "scale" else arguments[name], arguments))
    return Case({"X": X, **arguments, "Y": poison(n, "f2")}, ("Y",), expected)


@kernel({"batch": 1, "T": 128, "D": 64}, {"batch": 2, "T": 70, "D": 72})
def conv1d_causal(rng, batch, T, D):
    X, W, B = normal(rng, (batch, T, D)), normal(rng, (4, D)), normal(rng, D)
    return Case({"X": X, "W": W, "B": B, "Y": poison(X.shape, "f2")}, ("Y",), references.conv1d_causal(*exactly(X, W, B)))


@kernel({"n": 8192}, {"n": 9000})
def histogram(rng, n):
    X = rng.integers(-5, 300, n, np.int32)
    return Case({"X": X, "H": np.zeros(256, np.int32)}, ("H",), references.histogram(exact(X)))


@kernel({"n": 2048, "room": 2048}, {"n": 1500, "room": 600})
def compaction(rng, n, room):
    X = (rng.permutation(2 * n)[:n] - n).astype("f4")  # all different
    arguments = {"X": X, "Y": poison(room, "f4"), "N": np.zeros(1, np.int32)}
    return Case(arguments, ("Y", "N"), {}, wrong=lambda Y, N: references.wrong_compaction(exact(X), Y, N))


# Products.


@kernel({"M": 256, "N": 128, "K": 256}, {"M": 200, "N": 136, "K": 200}, {"M": 1500, "N": 1200, "K": 192})
def stream_k_gemm(rng, M, N, K):
    A, B = normal(rng, (M, K)), normal(rng, (K, N), scale=0.1)
    return Case({"A": A, "B": B, "C": np.zeros((M, N), "f4")}, ("C",), products.stream_k_gemm(*exactly(A, B)))


@kernel({"rows": (128, 256), "K": 128, "N": 128}, {"rows": (5, 0, 130, 1), "K": 72, "N": 136})
def grouped_gemm(rng, rows, K, N):
    OFF = np.cumsum((0, *rows)).astype(np.int32)
    X, W = normal(rng, (OFF[-1], K)), normal(rng, (len(rows), K, N), scale=0.1)
    return Case({"X": X, "OFF": OFF, "W": W, "Y": poison((OFF[-1], N), "f2")}, ("Y",), products.grouped_gemm(*exactly(X, OFF, W)))


@kernel({"M": 128, "N": 128, "K": 256}, {"M": 132, "N": 136, "K": 128})
def fp8_block_scaled(rng, M, N, K):
    A, B = elements.random_e4m3(rng, (M, K)), elements.random_e4m3(rng, (N, K))
    SA, SB = (rng.uniform(0.5, 2, shape).astype("f4") for shape in ((K // 128, M), (-(-N // 128), K // 128)))
    expected = products.fp8_block_scaled(elements.from_e4m3(A), exact(SA), elements.from_e4m3(B), exact(SB))
    return Case({"A": A, "SA": SA, "B": B, "SB": SB, "C": poison((M, N), "u2")}, ("C",), expected, {"C": elements.from_bf16})


@kernel({"M": 128, "N": 128, "K": 128}, {"M": 136, "N": 136, "K": 192})
def sparse24_gemm(rng, M, N, K):
    A, V = normal(rng, (M, K)), normal(rng, (N, K // 2))
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    places = rng.choice(pairs, (N, K // 4))
    W = np.zeros((N, K // 4, 4))
    np.put_along_axis(W, places, exact(V).reshape(N, K // 4, 2), 2)
    codes = (places[..., 0] + 4 * places[..., 1]).astype(np.uint8)
    return Case({"A": A, "WV": V, "WI": codes, "C": poison((N, M), "f2")}, ("C",), products.sparse24_gemm(exact(A), W.reshape(N, K)))


def packed_words(W):
    """Weights of four bits in words of 32: of each group of 128 along K, element 16 s + 8 h + 2 t + e is nibble
    4 (s mod 2) + 2 h + e of word 4 t + s / 2."""
    j = np.arange(128)
    s, h, t, e = j // 16, j % 16 // 8, j % 8 // 2, j % 2
    nibbles = (W.reshape(len(W), -1, 128) & 15).astype(np.uint32)
    words = np.zeros((*nibbles.shape[:2], 16), np.uint32)
    for element in j:
        shift = 4 * (4 * (s[element] % 2) + 2 * h[element] + e[element])
        words[:, :, 4 * t[element] + s[element] // 2] |= nibbles[:, :, element] << np.uint32(shift)
    return words.reshape(len(W), -1).view(np.int32)


def w4a16(rng, M, N, K, pack, transposed):
    A, W = normal(rng, (M, K)), rng.integers(-8, 8, (N, K))
    S = rng.uniform(0.01, 0.05, (K // 128, N)).astype("f2")
    C, error = products.w4a16(exact(A), W, exact(S))
    if not transposed:
        return Case({"A": A, "W": pack(W), "S": S, "C": poison((M, N), "f2")}, ("C",), {"C": (C, error)})
    # A view of C whose rows are C's columns.
    return Case({"A": A, "W": pack(W), "S": S, "CT": poison((M, N), "f2").T}, ("CT",), {"CT": (C.T, error.T)})


@kernel({"M": 16, "N": 128, "K": 256}, {"M": 5, "N": 200, "K": 128})
def w4a16_m16(rng, M, N, K):
    return w4a16(rng, M, N, K, elements.i4_bits, True)


@kernel({"M": 16, "N": 128, "K": 256}, {"M": 5, "N": 200, "K": 128})
def w4a16_m16_words(rng, M, N, K):
    return w4a16(rng, M, N, K, packed_words, True)


@kernel({"M": 256, "N": 128, "K": 256}, {"M": 300, "N": 136, "K": 128}, {"M": 4096, "N": 1024, "K": 512})
def w4a16_m4096(rng, M, N, K):
    return w4a16(rng, M, N, K, packed_words, False)


@kernel({"heads": 1, "T": 128, "DV": 64}, {"heads": 1, "T": 100, "DV": 72})
def linear_attention(rng, heads, T, DV):
    Q, K, V = normal(rng, (heads, T, 128), scale=0.1), normal(rng, (heads, T, 128), scale=0.1), normal(rng, (heads, T, DV))
    return Case({"Q": Q, "K": K, "V": V, "O": poison(V.shape, "f2")}, ("O",), products.linear_attention(*exactly(Q, K, V)))


@kernel({"batch": 1, "T": 128, "heads": 1}, {"batch": 1, "T": 100, "heads": 2})
def mamba2_scan(rng, batch, T, heads):
    X, DT = normal(rng, (batch, T, heads, 64)), rng.uniform(0.01, 0.2, (batch, heads, T)).astype("f4")
    A = -rng.uniform(0.5, 2, heads).astype("f4")
    B, C = normal(rng, (batch, T, 128), scale=0.2), normal(rng, (batch, T, 128), scale=0.2)
    arguments = {"X": X, "DT": DT, "A": A, "B": B, "C": C, "Y": poison(X.shape, "f2")}
    return Case(arguments, ("Y",), products.mamba2_scan(*exactly(X, DT, A, B, C)))


KERNELS.append(Kernel("mamba2_scan_layout", KERNELS[-1].shapes, mamba2_scan))


@kernel({"lengths": (128, 64), "parts": 2}, {"lengths": (200, 1, 77), "parts": 3})
def flash_decode(rng, lengths, parts):
    batch, heads, most = len(lengths), 2, -(-max(lengths) // 64) + 1
    Q = normal(rng, (batch, heads, 8, 128))
    KC, VC = (normal(rng, (batch * most, 64, heads, 128)) for _ in range(2))
    TABLE = rng.permutation(batch * most).reshape(batch, most).astype(np.int32)
    LEN = np.array(lengths, np.int32)
    outputs = {"OP": poison((batch, heads, parts, 8, 128), "f4"), "LSE": poison((batch, heads, parts, 8), "f4")}
    expected = products.flash_decode(*exactly(Q, KC, VC, TABLE, LEN), parts)
    return Case({"Q": Q, "KC": KC, "VC": VC, "TABLE": TABLE, "LEN": LEN, **outputs}, ("OP", "LSE"), expected)


@kernel({"batch": 2, "heads": 2, "parts": 64}, {"batch": 3, "heads": 1, "parts": 5})
def flash_combine(rng, batch, heads, parts):
    OP, LSE = normal(rng, (batch, heads, parts, 8, 128), "f4"), normal(rng, (batch, heads, parts, 8), "f4", 3)
    OP[0, 0, 1], LSE[0, 0, 1] = 0, -1e30  # an empty part
    return Case({"OP": OP, "LSE": LSE, "O": poison((batch, heads, 8, 128), "f2")}, ("O",), products.flash_combine(*exactly(OP, LSE)))


@kernel({"heads": 2, "S": 64}, {"heads": 2, "S": 77})
def attention_delta(rng, heads, S):
    O, DO = normal(rng, (heads, S, 128)), normal(rng, (heads, S, 128))
    return Case({"O": O, "DO": DO, "D": poison((heads, S), "f4")}, ("D",), products.attention_delta(*exactly(O, DO)))


@kernel({"heads": 1, "S": 128}, {"heads": 1, "S": 152}, {"heads": 2, "S": 520})
def attention_backward(rng, heads, S):
    Q, K, V, DO = (normal(rng, (heads, S, 128)) for _ in range(4))
    # All scores of a query are far below zero, so that keys which do not exist (and score zero) would drown the others.
    K[..., 0], Q[:, 5, 0] = 4, -64
    exact_inputs = exactly(Q, K, V, DO)
    _, O, L = products.attention_forward(*exact_inputs[:3])
    given = {"L": L.astype("f4"), "D": (O * exact_inputs[3]).sum(2).astype("f4")}
    outputs = {"DQ": np.zeros(Q.shape, "f4"), "DK": poison(Q.shape, "f2"), "DV": poison(Q.shape, "f2")}
    return Case({"Q": Q, "K": K, "V": V, "DO": DO, **given, **outputs}, tuple(outputs), products.attention_backward(*exact_inputs))
