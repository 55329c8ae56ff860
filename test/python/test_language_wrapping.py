# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that wrap around or are cut: what is known of them says no more than their types hold."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ["cpu", "lowered:sm_90a"]
WORDS = np.array(
    [0xFFFFFFF0, 0x80000000, 0x7FFFFFFF, 0, 1, 7, 128, 255, 0xFFFFFFFF, 100] * 4, np.uint32
)


def floor_mod(a, b):
    return a - (a // b) * b


CASES = {
    # name: (type of A, type of B, kernel's expression, numpy's)
    "unsigned_as_signed_div": ("uint32", "int32", lambda a: T.cast(a, "int32") // 3, lambda a: a.astype(np.int32) // 3),
    "unsigned_as_signed_mod": ("uint32", "int32", lambda a: T.cast(a, "int32") % 9, lambda a: a.astype(np.int32) % 9),
    "sign_extended": ("uint8", "int32", lambda a: ((T.cast(a, "int32") << 24) >> 24) // 3, lambda a: a.view(np.int8).astype(np.int32) // 3),
    "narrowed": ("int64", "int32", lambda a: T.cast(a, "int32") // 3, lambda a: a.astype(np.int32) // 3),
    "narrow_sum": ("int8", "int32", lambda a: T.cast(T.max(a, T.int8(0)) + T.int8(100), "int32") // 3, lambda a: (np.maximum(a, np.int8(0)) + np.int8(100)).astype(np.int32) // 3),
    "narrow_difference": ("uint8", "int32", lambda a: T.cast(a - T.uint8(5), "int32") % 7, lambda a: (a - np.uint8(5)).astype(np.int32) % 7),
    "zero_times": ("uint8", "uint8", lambda a: T.min(T.uint8(0) * a - a, T.uint8(1)), lambda a: np.minimum(np.uint8(0) * a - a, np.uint8(1))),
    "remainder_of_one": ("uint8", "uint8", lambda a: T.min(a % T.uint8(1) - a, T.uint8(1)), lambda a: np.minimum(a % np.uint8(1) - a, np.uint8(1))),
    "zero_of_64_bits": ("int64", "int64", lambda a: a * T.int64(0) - (a >> 1) // 3, lambda a: -((a >> 1) // 3)),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_arithmetic(name, target):
    source, result, expression, expected = CASES[name]
    bits = np.dtype(source).itemsize * 8
    data = (WORDS.astype(np.uint64) * (0x1_0000_0001 if bits == 64 else 1)).astype(source)

    @T.prim_func
    def main(A: T.Tensor((40,), source), B: T.Tensor((40,), result)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(40):
                B[i] = expression(A[i])

    found = np.zeros(40, result)
    compile_kernel(main, target=target)(data, found)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, expected(data).astype(result))


INDICES = {
    "unsigned_as_signed": ("uint32", lambda u: T.cast(u, "int32"), lambda u: u.astype(np.int32)),
    "sign_extended": ("uint8", lambda u: (T.cast(u, "int32") << 24) >> 24, lambda u: u.view(np.int8).astype(np.int32)),
    "wrapped": ("uint8", lambda u: T.cast(u - T.uint8(5), "int32"), lambda u: (u - np.uint8(5)).astype(np.int32)),
    "wrapped_words": ("uint32", lambda u: T.cast((u & T.uint32(255)) - T.uint32(5), "int32"), lambda u: ((u & np.uint32(255)) - np.uint32(5)).astype(np.int32)),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", INDICES)
def test_indices_that_are_outside_read_zero(name, target):
    source, index, expected = INDICES[name]
    places = WORDS.astype(source)

    @T.prim_func
    def main(A: T.Tensor((251,), "int32"), U: T.Tensor((40,), source), B: T.Tensor((40,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(40):
                B[i] = A[index(U[i])]

    data, found = np.arange(251, dtype=np.int32) + 1, np.full(40, -1, np.int32)
    compile_kernel(main, target=target)(data, places, found)
    at = expected(places)
    inside = (at >= 0) & (at < 251)
    np.testing.assert_array_equal(found, np.where(inside, data[np.where(inside, at, 0)], 0))


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("target", TARGETS)
def test_dp4a(kind, target):
    """Four products of bytes, as in TileLang's dequantizing GEMV."""
    wide = "int32" if kind == "int8" else "uint32"

    @T.prim_func
    def main(A: T.Tensor((32, 16), kind), B: T.Tensor((32, 16), kind), C: T.Tensor((32,), wide)):
        with T.Kernel(1, threads=32):
            thread = T.get_thread_binding()
            a, b = T.alloc_local((16,), kind), T.alloc_local((16,), kind)
            total = T.alloc_local((1,), wide)
            T.clear(total)
            for v in T.vectorized(16):
                a[v] = A[thread, v]
                b[v] = B[thread, v]
            for k in T.serial(4):
                T.dp4a(a[k * 4], b[k * 4], total[0])
            C[thread] = total[0]

    rng = np.random.default_rng(5)
    limits = np.iinfo(kind)
    a, b = (rng.integers(limits.min, limits.max, (32, 16), kind, endpoint=True) for _ in range(2))
    found = np.zeros(32, wide)
    compile_kernel(main, target=target)(a, b, found)
    np.testing.assert_array_equal(found, (a.astype(wide) * b.astype(wide)).sum(1, dtype=wide))


def test_dp4a_of_other_types():
    from mlir_tile.errors import Error

    with pytest.raises(Error, match="expects an element of an integer of 8 bits as b"):

        @T.prim_func
        def main(A: T.Tensor((32,), "int8"), B: T.Tensor((32,), "int32"), C: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=32):
                T.dp4a(A[0], B[0], C[0])
