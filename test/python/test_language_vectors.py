# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and buffers of vector types, T.bfloat16x2; shuffles of them; against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")
rng = np.random.default_rng(0)


@pytest.mark.parametrize("target", TARGETS)
def test_pairs(target):
    """The greatest magnitude of pairs, one instruction for two elements."""

    @T.prim_func
    def main(A: T.Tensor((4, 128), "float16"), B: T.Tensor((128,), "float16"), C: T.Tensor((3, 64), "uint32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            most = T.alloc_local((1,), T.float16x2)
            view = T.view(most, (2,), T.float16)
            for i in T.unroll(4):
                pair = T.float16x2(A[i, 2 * tx], A[i, 2 * tx + 1])
                if i == 0:
                    most[0] = T.abs2(pair)
                else:
                    most[0] = T.max2(T.abs2(pair), most[0])
            for j in T.vectorized(2):
                B[2 * tx + j] = view[j]
            C[0, tx] = T.reinterpret(most[0], "uint32")
            both = T.reinterpret(C[0, tx], T.float16x2)
            C[1, tx] = T.cast(both[1] * T.float16(2.0), "uint32")
            C[2, tx] = T.cast(T.extract_lane(T.cast(both, "float32x2"), 0), "uint32")

    a = (rng.standard_normal((4, 128)) * 20).astype(np.float16)
    b, c = np.zeros(128, np.float16), np.zeros((3, 64), np.uint32)
    compile_kernel(main, target=target)(a, b, c)
    expected = np.abs(a).max(0)
    assert (b == expected).all()
    assert (c[0] == expected.view(np.uint32)).all()
    assert (c[1] == (expected[1::2] * np.float16(2)).astype(np.uint32)).all()
    assert (c[2] == expected[::2].astype(np.uint32)).all()


def test_four_elements():
    @T.prim_func
    def main(A: T.Tensor((32,), "float32"), B: T.Tensor((4, 32), "float32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            x = T.alloc_local((2,), "float32x4")
            x[1] = T.float32x4(A[tx])
            x[0] = T.float32x4(1.0, 2.0, 3.0, A[tx]) * x[1]
            x[1] += x[0]
            for i in T.unroll(4):
                B[i, tx] = T.view(x, (8,), "float32")[4 + i]

    a, b = rng.standard_normal(32).astype(np.float32), np.zeros((4, 32), np.float32)
    compile_kernel(main, target="cpu")(a, b)
    np.testing.assert_allclose(b, [2 * a, 3 * a, 4 * a, a * a + a], rtol=1e-6)


def test_a_vector_is_read_where_it_is_made():
    @T.prim_func
    def main(A: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            x = T.alloc_local((1,), "int32x2")
            x[0] = T.int32x2(A[0], A[1])
            swapped = T.Shuffle([x[0]], [1, 0])
            x[0] = T.int32x2(5)
            if tx == 0:
                A[0] = swapped[0]
                A[1] = swapped[1] + x[0][1]

    a = np.array([3, 4], np.int32)
    compile_kernel(main, target="cpu")(a)
    assert a.tolist() == [4, 8]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda a, x: T.float16x2(a[0], a[1], a[2]), r"T.float16x2: expected one value or 2, got 3"),
        (lambda a, x: T.reinterpret(T.float16x2(a[0]), "uint16"), "has 32 bits, uint16 has 16"),
        (lambda a, x: T.float16x2(a[0])[2], "the vector has 2 lanes, no lane 2"),
        (lambda a, x: T.float16x2(a[0]), "expected one value for the element"),
        (lambda a, x: x[0, 0], "has 1 dimensions, but 2 indices"),
    ],
)
def test_wrong_vectors_are_named(made, message):
    with pytest.raises(T.LanguageError, match=message):

        @T.prim_func
        def main(A: T.Tensor((4,), "float16"), B: T.Tensor((4,), "float16")):
            with T.Kernel(1, threads=32):
                x = T.alloc_local((2,), T.float16x2)
                B[0] = made(A, x)
