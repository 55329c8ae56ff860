# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.gemm_sp: products whose left side has zeros in every group; against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.compat.sparse_layout import get_e_factor
from mlir_tile.jit import compile as compile_kernel

rng = np.random.default_rng(0)


def sparse(rows, columns, dtype, meta):
    """A matrix with two values of each four (one of each two), those values, and their places."""
    kept, group = (1, 2) if np.dtype(dtype).itemsize == 4 else (2, 4)
    count = columns // group
    chosen = np.sort(np.argsort(rng.random((rows, count, group)), -1)[..., :kept], -1)
    values = rng.integers(1, 4, (rows, count, kept)).astype(dtype)
    dense = np.zeros((rows, count, group), dtype)
    np.put_along_axis(dense, chosen, values, -1)
    if kept == 1:
        nibbles = np.where(chosen[..., 0] == 0, 0b0100, 0b1110)
    else:
        nibbles = chosen[..., 0] | chosen[..., 1] << 2
    per_word = np.dtype(meta).itemsize * 2
    words = np.zeros((rows, count // per_word), np.int64)
    for i in range(per_word):
        words |= nibbles[:, i::per_word] << (4 * i)
    return dense.reshape(rows, columns), values.reshape(rows, -1), words.astype(meta)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a", "lowered:sm_80", "lowered:sm_100a"])
@pytest.mark.parametrize(
    "dtype, meta, accumulator, transposed, fragment",
    [
        ("float16", "int16", "float32", False, False),
        ("float16", "int16", "float32", True, False),
        ("float16", "int16", "float32", False, True),
        ("int8", "int32", "int32", False, False),
        ("float32", "int16", "float32", False, False),
    ],
)
def test_products(dtype, meta, accumulator, transposed, fragment, target):
    m, n, k, step = 64, 64, 128, 64
    factor = get_e_factor(dtype, meta)
    turned = (lambda x, y: (y, x)) if transposed else (lambda x, y: (x, y))

    @T.prim_func
    def main(
        A: T.Tensor(turned(m, k // 2), dtype),
        E: T.Tensor(turned(m, k // factor), meta),
        B: T.Tensor((n, k), dtype),
        C: T.Tensor((m, n), accumulator),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared(turned(m, step // 2), dtype)
            held = T.alloc_fragment(turned(m, step // 2), dtype)
            e = T.alloc_shared(turned(m, step // factor), meta)
            b = T.alloc_shared((n, step), dtype)
            c = T.alloc_fragment((m, n), accumulator)
            T.clear(c)
            for i in T.Pipelined(k // step, num_stages=2):
                if transposed:
                    T.copy(A[i * step // 2, 0], a)
                    T.copy(E[i * step // factor, 0], e)
                else:
                    T.copy(A[0, i * step // 2], a)
                    T.copy(E[0, i * step // factor], e)
                T.copy(B[0, i * step], b)
                if fragment:
                    T.copy(a, held)
                T.gemm_sp(held if fragment else a, e, b, c, transposed, transposed, True)
            T.copy(c, C)

    dense, values, words = sparse(m, k, dtype, meta)
    if transposed:
        values, words = np.ascontiguousarray(values.T), np.ascontiguousarray(words.T)
    b = rng.integers(-3, 4, (n, k)).astype(dtype)
    c = np.zeros((m, n), accumulator)
    compile_kernel(main, target=target)(values, words, b, c)
    np.testing.assert_array_equal(c, dense.astype(np.float64) @ b.T.astype(np.float64))


def test_places_of_another_size_are_named():
    with pytest.raises(T.LanguageError, match="expected .64, 4. of int16, got .64, 8."):

        @T.prim_func
        def main(C: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                a = T.alloc_shared((64, 32), "float16")
                e = T.alloc_shared((64, 8), "int16")
                b = T.alloc_shared((64, 64), "float16")
                c = T.alloc_fragment((64, 64), "float32")
                T.gemm_sp(a, e, b, c)
                T.copy(c, C)
