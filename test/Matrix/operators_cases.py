# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operators_test.py: every memory-bound operator of benchmarks/tilebench/operators.py at sizes that its tiles do not divide."""

import math

import numpy as np

import elements
import philox
from attention_cases import Case, Problem, normal, poison
from tilebench.operators import ARGUMENTS, Operator

CASES = []
SCALARS = {"s": 0.7, "eps": 1e-5, "p": 0.3, "seed": 1234, "g": 256.0}
VOCABULARY = 50


# --- what each kind computes, in float64; rows first


def _normed(x, w, inverse):
    return x * inverse[:, None] * w


def _inverse(x):
    return 1 / np.sqrt((x * x).mean(-1) + SCALARS["eps"])


def _silu(x):
    return x / (1 + np.exp(-x))


_erf = np.vectorize(math.erf)


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _entropy(x):
    return np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1)) + x.max(-1)


def _quantized(x):
    scale = np.maximum(np.abs(x).max(-1, keepdims=True), 1e-4) / 448
    return np.clip(x / scale, -448, 448), scale[..., 0]


def _groups(x):
    y, scale = _quantized(x.reshape(len(x), -1, 128))
    return y.reshape(x.shape), scale


def _layernorm(x, w, b):
    d = x - x.mean(-1, keepdims=True)
    return _normed(d, w, _inverse(d)) + b


def _layernorm_backward(x, w, dy, m, s):
    n, g = (x - m[:, None]) * s[:, None], dy * w
    return (g - g.mean(-1, keepdims=True) - n * (n * g).mean(-1, keepdims=True)) * s[:, None]


def _rmsnorm_backward(x, w, dy, s):
    n, g = x * s[:, None], dy * w
    return (g - n * (n * g).mean(-1, keepdims=True)) * s[:, None]


def _rope(x, c, s):
    a, b, c, s = x[..., :64], x[..., 64:], c[:, None, :], s[:, None, :]
    return np.concatenate((a * c - b * s, b * c + a * s), -1)


def _conv1d(x, w, b):
    padded = np.concatenate((np.zeros((3, x.shape[1])), x))
    return _silu(b + sum(padded[k : k + len(x)] * w[:, k] for k in range(4)))


def _dropout(x):
    kept = (philox.words(np.arange(x.size), SCALARS["seed"]) >> np.uint64(8)).reshape(x.shape) * 2.0**-24 >= np.float32(SCALARS["p"])
    return np.where(kept, x / (1 - SCALARS["p"]), 0.0)


def _hadamard(x):
    h = np.ones((1, 1))
    while len(h) < x.shape[-1]:
        h = np.block([[h, h], [h, -h]])
    return x @ h / len(h) ** 0.5


def _sorted(x):
    order = np.argsort(x, -1, kind="stable")
    return np.take_along_axis(x, order, -1), order


def _top(x, count):
    order = np.argsort(-x, -1, kind="stable")[:, :count]
    return np.take_along_axis(x, order, -1), order


REFERENCES = {
    "scale": lambda X: (np.maximum(X, 0) * SCALARS["s"],),
    "add": lambda X, Y: (X + Y,),
    "swiglu": lambda X: (_silu(X[:, : X.shape[1] // 2]) * X[:, X.shape[1] // 2 :],),
    "gelu": lambda X: (X / 2 * (1 + _erf(X / np.sqrt(2))),),
    "cast_token": _quantized,
    "cast_group": _groups,
    "rmsnorm": lambda X, W: (_normed(X, W, _inverse(X)),),
    "rmsnorm_residual": lambda X, R, W: (X + R, _normed(X + R, W, _inverse(X + R))),
    "layernorm": lambda X, W, B: (_layernorm(X, W, B),),
    "layernorm_backward": lambda X, W, DY, M, S: (_layernorm_backward(X, W, DY, M, S),),
    "layernorm_weights": lambda X, DY, M, S: (((X - M[:, None]) * S[:, None] * DY).sum(0), DY.sum(0)),
    "rmsnorm_backward": lambda X, W, DY, S: (_rmsnorm_backward(X, W, DY, S),),
    "softmax": lambda X: (_softmax(X),),
    "cross_entropy": lambda X, T: (_entropy(X) - X[np.arange(len(X)), T],),
    "cross_entropy_backward": lambda X, T, L: ((np.exp(X - L[:, None]) - (np.arange(X.shape[1]) == T[:, None])) * SCALARS["g"],),
    "rowmax": lambda X: (X.max(-1),),
    "rowsum": lambda X: (X.sum(-1),),
    "colsum": lambda X: (X.sum(0),),
    "argmax": lambda X: (X.argmax(-1),),
    "cumsum": lambda X: (X.cumsum(-1),),
    "sort": _sorted,
    "top8": lambda X: _top(X, 8),
    "top64": lambda X: _top(X, 64),
    "rope": lambda X, COS, SIN: (_rope(X, COS, SIN),),
    "permute": lambda X: (X.swapaxes(0, 1),),
    "transpose": lambda X: (X.T,),
    "conv1d": lambda X, W, B: (_conv1d(X, W, B),),
    "dropout": lambda X: (_dropout(X),),
    "gemv": lambda W, x: (W @ x,),
    "gemv_batch": lambda W, x: ((W @ x[:, :, None])[:, :, 0],),
    "hadamard": lambda X: (_hadamard(X),),
    "maxpool": lambda X: (X.max((1, 3)),),
    "embedding": lambda E, I: (E[I],),
}
EXACT = ("argmax", "sort", "top8", "top64", "permute", "transpose", "embedding", "rowmax", "maxpool")


def bound(operator, element, value, rows):
    """What rounding may change: half a unit of the output's type, and sums and functions in float32."""
    if operator.kind in EXACT or element == "i32":
        return 0.0
    share = {"f16": 2.0**-11, "f32": 2.0**-20, "f8E4M3FN": 2.0**-4}[element]
    terms = rows if operator.kind in ("colsum", "layernorm_weights") else operator.columns
    least = {"f16": 2.0**-25, "f32": 0.0, "f8E4M3FN": 2.0**-10}[element]
    if operator.kind == "hadamard":
        # Sums of 64 elements over the root of n, of 1 on average, are f16 before n / 64 of them are added.
        least += 1.5 * 2.0**-11 * (operator.columns / 64) ** 0.5
    # A sum of n terms, each rounded once: n units of the largest one; functions by approximation are off by some units.
    return np.abs(value) * (share + 2.0**-18) + least + terms * 2.0**-22


def operator(o, rows):
    """The problem of one operator on so many rows."""
    n = o.columns
    extents = {"R": rows, "N": n, "2N": 2 * n, "G": n // 128, "H": n // 128, "L": rows * n // 64, "V": VOCABULARY}

    def make(rng):
        data, exact, outputs = {}, {}, {}
        for name, element, shape, access in ARGUMENTS[o.kind]:
            if shape is None:
                continue
            dims = [extents.get(s) or int(s) for s in shape]
            if access == "w":
                data[name] = np.full(dims, 255, "u1") if element == "f8E4M3FN" else np.full(dims, -1, "i4") if element == "i32" else poison(dims, element)
                outputs[name] = element
            elif element == "i32":
                exact[name] = data[name] = rng.integers(0, VOCABULARY if o.kind == "embedding" else n, dims).astype("i4")
            else:
                data[name], exact[name] = normal(rng, dims, element)
                if o.kind == "maxpool":
                    data[name].flat[::101] = exact[name].flat[::101] = np.nan
                if shape[0] == "L":
                    exact[name] = exact[name].reshape(rows, n)
        x = exact.get("X")
        found = {"M": lambda: x.mean(-1), "L": lambda: _entropy(x)}
        found["S"] = lambda: _inverse(x if o.kind == "rmsnorm_backward" else x - x.mean(-1, keepdims=True))
        for name, make_value in found.items():
            if name in exact:
                data[name] = make_value().astype("f4")
                exact[name] = data[name].astype("f8")
        results = [np.asarray(value, "f8").reshape(data[name].shape) for name, value in zip(outputs, REFERENCES[o.kind](*exact.values()))]
        expected = {name: (np.where(np.isnan(value), np.inf, value), bound(o, element, value, rows)) for (name, element), value in zip(outputs.items(), results)}
        given = {name: name if shape is not None else SCALARS[name] for name, _, shape, _ in ARGUMENTS[o.kind]}
        return Decoded([(o, given, {name: name for name in outputs})], data, expected, outputs)

    return make


class Decoded(Problem):
    """A problem whose outputs are numbers of any type of the operators. NaN counts as infinity but where it is the poison, negative."""

    def decode(self, key):
        if self.types[key] == "f8E4M3FN":
            return elements.from_e4m3(self.data[key])
        values = self.data[key].astype(np.float64)
        return np.where(np.isnan(values) & ~np.signbit(values), np.inf, values)


def case(kind, columns, *configuration, rows=37):
    o = Operator(kind, columns, *configuration)
    CASES.append(Case(f"{o.ident()} R{rows}", operator(o, rows), True))


for kind in ("scale", "add", "swiglu", "gelu", "dropout", "embedding"):
    case(kind, 264, 2, 128, 64)
case("cast_token", 264, 2, 0, 64)
case("cast_group", 512, 2, 256, 64)
for kind in ("rmsnorm", "layernorm", "softmax"):
    case(kind, 264, 1, 0, 64)
    case(kind, 264, 4, 0, 128)
    case(kind, 1003, 1, 0, 128, rows=5)
case("rmsnorm", 520, 1, 256, 64, "pieces", rows=5)
case("softmax", 1003, 1, 256, 64, "pieces", rows=5)
for kind in ("rmsnorm_residual", "layernorm_backward", "rmsnorm_backward", "cross_entropy", "rowsum", "rowmax", "argmax", "cumsum"):
    case(kind, 264, 2, 0, 64)
for kind in ("cross_entropy", "rowsum", "rowmax"):
    case(kind, 1003, 1, 256, 64, "pieces", rows=5)
case("cross_entropy_backward", 264, 2, 128, 64)
case("cross_entropy_backward", 1003, 1, 512, 64, rows=5)
for kind in ("colsum", "layernorm_weights"):
    case(kind, 264, 16, 64, 64, "pieces")
case("sort", 256, 1, 0, 64, rows=5)
case("top8", 256, 4, 0, 64)
case("top64", 256, 1, 0, 64, rows=5)
case("rope", 256, 2, 0, 64)
case("permute", 256, 16, 0, 64)
case("transpose", 264, 32, 64, 128, rows=72)
case("conv1d", 264, 16, 64, 64)
case("gemv", 264, 4, 128, 64, "pieces")
case("gemv_batch", 264, 4, 128, 64, "pieces")
case("gemv_batch", 512, 1, 256, 64, "pieces", rows=5)
for configuration in ((1, 0, 128), (2, 0, 128, "pieces")):
    case("hadamard", 4096, *configuration, rows=3)
for configuration in ((4, 0, 128), (4, 0, 256), (8, 0, 128, "pieces")):
    case("hadamard", 1024, *configuration, rows=13)
case("maxpool", 384, 2, 256, 64)
case("maxpool", 256, 1, 256, 32, rows=5)
