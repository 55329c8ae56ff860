# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of quantized_test.py: programs of benchmarks/tilebench/quantized*.py, small data, and what numpy says of the results in float64.

Weights are dequantized with the roundings that the programs state, so that only sums and the result have an error.
"""

import dataclasses

import numpy as np

import attention_references  # noqa: F401  (puts test/Gallery on the path)
import elements
from attention_cases import bf16_bits, normal, poison
from tilebench import packings
from tilebench.quantized import STORED, Quantized
from tilebench.quantized_gemv import Gemv

CASES = []
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
NF4 = np.array([-1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0, 0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1])
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}


def rounded(x, kind):
    """Numbers of a type, in float64."""
    if kind == "bf16":
        return elements.from_bf16(bf16_bits(x))
    return np.asarray(x).astype({"f16": "f2", "f32": "f4"}[kind]).astype(np.float64)


def raw(x, kind):
    """An array as a file holds it."""
    return bf16_bits(x) if kind == "bf16" else np.asarray(x).astype({"f16": "f2", "f32": "f4"}[kind])


def values_of(q, kind, element):
    """What codes mean, in float64, before zero points and scales."""
    if kind in ("f4", "mxfp4"):
        return E2M1[q]
    if kind == "nf4":
        return rounded(NF4, element)[q]
    if kind == "f8":
        return elements.from_e4m3(q)
    if kind == "i8":
        return q.view(np.int8).astype(np.float64)
    return q.astype(np.float64) if kind == "u4" else ((q ^ 8).astype(np.float64) - 8)


def packed(p, q):
    if p.packing == "rows":
        return q.view(np.int8) if p.weights == "i8" else q
    if p.packing == "order":
        return packings.pack_rows(q)
    return packings.pack_words(q, p.bits, p.packing, p.narrow)


def problem(rng, p, M, N, K, splits=1):
    """Arguments, C, and the bound of its error."""
    element, bits = p.element, STORED[p.weights][1]
    q = elements.random_e4m3(rng, (N, K)) if p.weights == "f8" else rng.integers(0, 2**bits, (N, K)).astype(np.uint8)
    if p.integer:
        a = rng.integers(-128, 128, (M, K)).astype(np.int8)
        A = a.astype(np.float64)
    else:
        a, A = normal(rng, (M, K), element)
    given = dict(A=a, W=packed(p, q))
    groups = -(-K // p.group) if p.group else 1
    shape = (groups, N) if p.group else (N,)
    if p.weights == "mxfp4":
        given["S"] = rng.integers(120, 130, shape).astype(np.uint8)
        scale = 2.0 ** (given["S"].astype(np.float64) - 127)
    else:
        scale = rounded(rng.uniform(0.25, 1, shape) / 2 ** (bits - 2), p.scales)
        given["S"] = raw(scale, p.scales)
    w = values_of(q, p.weights, element)
    per = lambda x: np.repeat(x, p.group, 0)[:K].T
    if p.zeros:
        zeros = rng.integers(0, 16, shape).astype(np.float64)
        given["Z"] = raw(zeros, element)
        w = w - per(zeros)
    if p.weights == "nf4":
        given["TABLE"] = raw(NF4, element)
    if p.group:
        w = w * per(scale)
        w = rounded(w, element) if p.scale == "weights" and p.form != "gemv" else w
    else:
        w = w * scale[:, None]
    C, size = A @ w.T, np.abs(A) @ np.abs(w.T)
    if p.narrow:
        rows = rng.uniform(0.25, 1, M).astype("f4")
        given["SA"] = rows
        C, size = C * rows[:, None], size * rows[:, None]
    if p.bias:
        given["BIAS"], bias = normal(rng, (N,), p.result)
        C = C + bias
        size = size + np.abs(bias)
    if p.split_k:
        given |= dict(C=poison((splits, M, N), "f32"), splits=splits)
    else:
        given["C"] = poison((M, N), p.result)
    return given, C, (K + 8) * 2.0**-24 * size + UNIT[p.result] * np.abs(C)


@dataclasses.dataclass
class Case:
    name: str
    program: object
    sizes: tuple  # M, N, K
    lowered: bool
    splits: int = 1


def case(name, sizes, lowered=False, splits=1, **fields):
    CASES.append(Case(name, fields.get("program") or Quantized(**fields), sizes, lowered, splits))


# --- every kind of weights, form and packing; sizes that are no multiples of a tile

case("i4 rows", (5, 80, 384), True)
case("i4 one row of A", (1, 64, 128), True)
for packing in ("pairs", "split"):
    case(f"i4 {packing}", (16, 80, 384), packing == "split", packing=packing)
    case(f"i8 {packing}", (3, 64, 192), weights="i8", packing=packing, group=64)
    case(f"u4 {packing} zeros bf16", (7, 96, 256), packing == "pairs", weights="u4", zeros=True, packing=packing, element="bf16")
for group in (32, 64, 0):
    case(f"i4 group {group}", (9, 64, 320), group == 32, group=group)
    case(f"u4 zeros group {group}", (9, 64, 320), weights="u4", zeros=bool(group), group=group, packing="rows")
case("i4 group 256 in steps of 128", (3, 64, 512), group=256, packing="split")
case("u4 bf16 bias", (17, 48, 256), True, weights="u4", element="bf16", bias=True, group=64)
case("f4 split", (8, 64, 256), True, weights="f4", group=32, packing="split")
case("f4 rows", (8, 64, 160), weights="f4", group=32)
case("f4 rows bf16 sums", (8, 64, 256), weights="f4", scale="sums", element="bf16")
case("mxfp4 bf16", (8, 64, 160), True, weights="mxfp4", group=32, element="bf16")
case("mxfp4 f16 split", (8, 64, 256), weights="mxfp4", group=32, packing="split")
case("nf4 rows", (4, 64, 192), True, weights="nf4", group=64)
case("nf4 split bf16", (4, 64, 256), weights="nf4", group=64, packing="split", element="bf16")
case("f8 rows", (4, 64, 192), True, weights="f8", group=0)
case("f8 split bf16", (4, 64, 192), weights="f8", group=64, packing="split", element="bf16")
case("i8 rows bf16", (4, 64, 96), weights="i8", group=32, element="bf16")
case("w4a8 column", (5, 64, 192), True, element="i8", group=0)
case("w4a8 column split", (5, 64, 256), element="i8", group=0, packing="split")
case("w4a8 group split", (5, 64, 384), True, element="i8", group=128, packing="split", scale="sums")
case("w4a8 unsigned pairs", (5, 64, 256), element="i8", weights="u4", group=0, packing="pairs")
case("w8a8 bias", (5, 64, 192), element="i8", weights="i8", group=0, bias=True)
case("w8a8 split shared", (5, 64, 192), element="i8", weights="i8", group=0, packing="split", form="shared", tile=(64, 64, 64))
case("w4a8 of fp8 column", (5, 64, 256), True, element="f8E4M3FN", group=0, packing="split")
case("w4a8 of fp8 groups", (5, 64, 384), element="f8E4M3FN", scale="sums", packing="pairs")
case("w8a8 of fp8 bf16", (5, 64, 256), element="f8E4M3FN", weights="f8", group=0, packing="split", out="bf16")
case("i4 sums", (16, 64, 384), True, scale="sums", packing="split")
case("u4 zeros sums", (3, 64, 256), weights="u4", zeros=True, scale="sums", packing="pairs")
# --- many rows
case("swap large", (130, 160, 256), True, tile=(128, 128, 128), threads=256, packing="split", stages=2)
case("swap large 256 rows", (257, 128, 256), tile=(256, 128, 128), threads=256, packing="split", stages=2)
case("swap in two parts", (70, 128, 512), True, tile=(128, 128, 256), threads=256, packing="split", stages=2, parts=2, weights="u4", zeros=True)
case("few rows in four parts", (16, 64, 384), True, packing="split", parts=4, scale="sums", weights="f4")
case("shared in two parts", (70, 128, 256), form="shared", tile=(64, 128, 128), packing="split", stages=3, parts=2, group=32)
case("shared", (130, 96, 192), True, form="shared", group=64, tile=(128, 64, 64), packing="rows", stages=3)
case("shared split", (70, 128, 256), form="shared", tile=(64, 128, 128), packing="split", stages=3)
case("shared column bias", (70, 128, 192), form="shared", tile=(64, 128, 64), group=0, bias=True)
case("fragment", (70, 64, 192), True, form="fragment", group=64, tile=(64, 64, 64))
case("cluster along N", (33, 320, 256), True, tile=(64, 128, 128), packing="split", stages=2, cluster=2, threads=256)
# --- K divided
case("cluster of two", (16, 64, 640), True, split=2, packing="split")
case("cluster of four", (5, 64, 384), split=4, packing="split", bias=True)
case("tiles shared", (5, 320, 512), True, persistent=1, stream_k=4, packing="split")
case("tiles shared in two products", (16, 448, 768), tile=(16, 64, 256), parts=2, persistent=1, stream_k=16, packing="split", bias=True)
case("parts", (5, 64, 640), True, split_k=True, splits=3, packing="split")
# --- without tensor cores
for packing in ("order", "rows"):
    case(f"gemv {packing}", (1, 24, 768), True, program=Gemv(packing=packing, tile=(1, 16, 512), bias=True))
    case(f"gemv {packing} four rows", (3, 8, 256), packing == "order", program=Gemv(packing=packing, tile=(4, 8, 256), element="bf16", group=32))
case("gemv zeros", (2, 16, 320), program=Gemv(weights="u4", zeros=True, tile=(2, 16, 256), group=64))
case("gemv f4", (2, 16, 256), program=Gemv(weights="f4", tile=(1, 16, 256)))
case("gemv mxfp4 parts", (1, 16, 640), True, splits=3, program=Gemv(weights="mxfp4", group=32, tile=(1, 16, 256), element="bf16", split_k=True))
