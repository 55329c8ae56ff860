# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsigned integers in operations on tiles, in reductions and as arguments; sums in a wider type."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import ArgumentError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a", "lowered:sm_80"]
SPACES = {
    "tensor": None,
    "shared": T.alloc_shared,
    "fragment": T.alloc_fragment,
}


def copied(source, target, first, second):
    """B = A through a tile of each type, or through none."""

    @T.prim_func
    def main(A: T.Tensor((4, 40), source), B: T.Tensor((4, 40), target)):
        with T.Kernel(2, threads=64) as bx:
            place = A
            if first is not None:
                held = first((2, 40), source)
                T.copy(A[bx * 2, 0], held)
                place = held
            if second is not None:
                result = second((2, 40), target)
                if first is not None:
                    T.copy(place, result)
                else:
                    T.copy(A[bx * 2, 0], result)
                T.copy(result, B[bx * 2, 0])
            elif first is not None:
                T.copy(place, B[bx * 2, 0])
            else:
                T.copy(A[bx * 2 : bx * 2 + 2, :], B[bx * 2 : bx * 2 + 2, :])

    return main


PAIRS = [
    ("uint8", "float32"),
    ("uint8", "float16"),
    ("uint8", "int32"),
    ("uint16", "int64"),
    ("uint32", "float64"),
    ("uint32", "uint64"),
    ("float32", "uint8"),
    ("bool", "int32"),
    ("int32", "bool"),
    ("int8", "uint8"),
]


def data(source, target):
    if source == "bool":
        return np.arange(160).reshape(4, 40) % 3 == 0
    if source == "int32":
        return (np.arange(160).reshape(4, 40) % 3).astype(source)
    most = 255 if "8" in source + target else np.iinfo(source).max
    values = (np.arange(160).reshape(4, 40) * (most // 160) + most % 160).astype(np.float64)
    return values.astype(np.int64).astype(source) if source != "float32" else values.astype(source)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("first", SPACES)
@pytest.mark.parametrize("second", SPACES)
def test_copies_keep_the_number(first, second, target):
    for kinds in PAIRS:
        a = data(*kinds)
        b = np.zeros(a.shape, kinds[1])
        compile_kernel(copied(*kinds, SPACES[first], SPACES[second]), target=target)(a, b)
        np.testing.assert_array_equal(b, a.astype(kinds[1]), err_msg=f"{kinds}")


def reduced(source, target, kind, clear):
    @T.prim_func
    def main(A: T.Tensor((4, 64), source), B: T.Tensor((4,), target)):
        with T.Kernel(1, threads=64):
            x = T.alloc_fragment((4, 64), source)
            r = T.alloc_fragment((4,), target)
            T.copy(A, x)
            T.copy(B, r)
            getattr(T, f"reduce_{kind}")(x, r, dim=1, clear=clear)
            T.copy(r, B)

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "source, to, kind, value, expected",
    [
        ("float16", "float32", "sum", 2000, 128000),
        ("int8", "int32", "sum", 100, 6400),
        ("bool", "int32", "sum", 1, 64),
        ("uint8", "int32", "max", 255, 255),
        ("uint8", "float32", "sum", 200, 12800),
        ("int8", "int32", "absmax", -128, 128),
        ("int16", "int64", "sum", 32000, 2048000),
        ("int32", "float32", "sum", 1 << 30, 2.0**36),
        ("float32", "float64", "sum", 3e38, 64 * np.float64(np.float32(3e38))),
        ("float32", "int32", "sum", 1.5, 64),
        ("float32", "float16", "sum", 0.25, 16),
    ],
)
def test_reductions_add_up_in_the_wider_type(source, to, kind, value, expected, target):
    a = np.full((4, 64), value).astype(source)
    for clear in (True, False):
        b = np.full(4, 3 if kind == "sum" else 1, to)
        compile_kernel(reduced(source, to, kind, clear), target=target)(a, b)
        more = 0 if clear or kind != "sum" else 3
        np.testing.assert_array_equal(b, np.full(4, expected, np.float64).astype(to) + more)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "source, to, kind, value, before, expected",
    [
        ("int32", "uint8", "max", 7, 200, 200),
        ("uint32", "uint8", "min", 220, 200, 200),
        ("int64", "uint32", "max", 7, 3000000000, 3000000000),
        ("int32", "uint16", "absmax", -7, 60000, 60000),
        ("int32", "int8", "max", 7, 100, 100),
    ],
)
def test_reductions_into_narrower_types_begin_with_what_was_there(
    source, to, kind, value, before, expected, target
):
    a, b = np.full((4, 64), value).astype(source), np.full(4, before).astype(to)
    compile_kernel(reduced(source, to, kind, False), target=target)(a, b)
    np.testing.assert_array_equal(b, np.full(4, expected).astype(to))


@pytest.mark.parametrize("target", TARGETS)
def test_scans_and_atomics_of_unsigned_tiles(target):
    @T.prim_func
    def main(
        A: T.Tensor((64,), "uint8"), S: T.Tensor((64,), "int32"), U: T.Tensor((64,), "int32")
    ):
        with T.Kernel(1, threads=64):
            x = T.alloc_fragment((64,), "uint8")
            s = T.alloc_fragment((64,), "int32")
            T.copy(A, x)
            T.cumsum(x, s)
            T.copy(s, S)
            T.atomic_add(U, x)

    a = np.full(64, 255, np.uint8)
    s, u = np.zeros(64, np.int32), np.ones(64, np.int32)
    compile_kernel(main, target=target)(a, s, u)
    np.testing.assert_array_equal(s, 255 * np.arange(1, 65))
    np.testing.assert_array_equal(u, np.full(64, 256))


def test_edges_of_converted_copies_are_as_elsewhere():
    @T.prim_func
    def main(A: T.Tensor((50,), "uint8"), B: T.Tensor((50,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            x = T.alloc_shared((64,), "float32")
            T.copy(A[0:64], x)
            T.copy(x, B[0:64])
            T.copy(x, C)

    a, b, c = np.full(50, 200, np.uint8), np.zeros(50, np.float32), np.ones(64, np.float32)
    compile_kernel(main, target="lowered:sm_90a")(a, b, c)
    np.testing.assert_array_equal(b, np.full(50, 200.0))
    np.testing.assert_array_equal(c, [200] * 50 + [0] * 14)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
@pytest.mark.parametrize(
    "kind, most", [("uint8", 255), ("uint16", 65535), ("uint32", 2**32 - 1), ("uint64", 2**64 - 1)]
)
def test_unsigned_scalars(kind, most, target):
    wide = "uint64"

    @T.prim_func
    def main(x: getattr(T, kind), B: T.Tensor((2,), wide)):
        with T.Kernel(1, threads=32):
            B[0] = T.cast(x, wide)
            B[1] = T.cast(x // 2, wide)

    kernel = compile_kernel(main, target=target)
    for value in (0, 1, most // 2, most // 2 + 1, most):
        b = np.zeros(2, wide)
        kernel(value, b)
        assert b.tolist() == [value, value // 2]
    for value in (-1, most + 1):
        with pytest.raises(ArgumentError, match=rf"\('x'\): expected an integer that fits {kind}, from 0"):
            kernel(value, b)


KINDS = "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64".split()
NUMBERS = [0, 1, 2, 7, 100, 127, 128, 200, 255, 2048, 32768, 60000, 2**31, 2**32 - 1, 2**40, 2**63]
NUMBERS += [-1, -7, -128, -2048, -(2**31), -(2**40)]


def numbers_of(*kinds):
    """Those that all of the types hold exactly."""

    def holds(kind, number):
        if kind == "bool":
            return number in (0, 1)
        if np.dtype(kind).kind == "f":
            with np.errstate(over="ignore"):
                return float(np.array(number, np.float64).astype(kind)) == number
        return np.iinfo(kind).min <= number <= np.iinfo(kind).max

    return [x for x in NUMBERS if all(holds(kind, x) for kind in kinds)]


@pytest.mark.parametrize("target", TARGETS[:2])
@pytest.mark.parametrize("source", KINDS)
def test_every_pair_of_types(source, target):
    """Copies by one of the routes each, and sums and maxima of rows, of numbers that both types hold."""
    routes = [(first, second) for first in SPACES for second in SPACES]
    for at, to in enumerate(KINDS):
        numbers = numbers_of(source, to)
        a = np.array([numbers[i % len(numbers)] for i in range(160)]).reshape(4, 40).astype(source)
        b = np.zeros((4, 40), to)
        first, second = routes[(at + KINDS.index(source)) % len(routes)]
        compile_kernel(copied(source, to, SPACES[first], SPACES[second]), target=target)(a, b)
        np.testing.assert_array_equal(b, a.astype(to), err_msg=f"{source} to {to}, {first}, {second}")
        if "bool" in (source, to) or source == "float16":
            continue
        # One number a row, the others zeros: sums are exact.
        a = np.zeros((4, 64), source)
        a[range(4), [3, 17, 40, 63]] = [numbers[i * (len(numbers) - 1) // 3] for i in range(4)]
        for kind in ("sum", "max"):
            b = np.zeros(4, to)
            compile_kernel(reduced(source, to, kind, True), target=target)(a, b)
            want = a.max(1) if kind == "max" else a.sum(1, dtype=source)
            np.testing.assert_array_equal(b, want.astype(to), err_msg=f"{kind}, {source} to {to}")
