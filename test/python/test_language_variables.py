# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables that loops carry, indices that count from the end, conditions on threads."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def _pipelined(stages):
    @T.prim_func
    def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((65,), "float32")):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((64,), "float32")
            acc = T.alloc_fragment((64,), "float32")
            steps = T.alloc_var("int32", init=1)
            scale = T.alloc_var("float32", init=0.5)
            T.clear(acc)
            for k in T.Pipelined(8, num_stages=stages):
                T.copy(A[k, 0], S)
                scale = scale * 2.0
                if k % 2 == 0:
                    steps += k
                for i in T.Parallel(64):
                    acc[i] += S[i] * scale
            T.copy(acc, B[0:64])
            B[64] = T.cast(steps, "float32") + scale

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stages", [1, 3])
def test_a_pipelined_loop_carries_variables(target, stages):
    kernel = _pipelined(stages)
    assert "tile.pipelined" in kernel.script() or stages == 1
    a = np.random.default_rng(0).integers(-4, 5, (8, 64)).astype(np.float32)
    b = run(kernel, a, np.zeros(65, np.float32), target=target)
    scales = 2.0 ** np.arange(8)
    np.testing.assert_allclose(b[:64], (a * scales[:, None]).sum(0))
    assert b[64] == 1 + 0 + 2 + 4 + 6 + 128


def test_a_variable_of_iterations_is_not_carried():
    @T.prim_func
    def main(A: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
        with T.Kernel(1, threads=32):
            x = T.alloc_var("float32")
            for k in T.serial(4):
                for i in T.Parallel(32):
                    x = A[k, i] * 3.0
                    B[k, i] = x + 1.0

    a = np.random.default_rng(1).standard_normal((4, 32)).astype(np.float32)
    np.testing.assert_allclose(run(main, a, np.zeros_like(a)), a * 3 + 1, rtol=1e-6)


def test_a_variable_of_iterations_cannot_be_read_by_the_block():
    with pytest.raises(CompileError, match="is read after iterations of T.Parallel"):

        @T.prim_func
        def main(A: T.Tensor((4, 32), "float32"), B: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                x = T.alloc_var("float32")
                for k in T.Pipelined(4, num_stages=2):
                    B[k] = x
                    for i in T.Parallel(32):
                        x = A[k, i]


def test_indices_that_are_negative_count_from_the_end():
    @T.prim_func
    def main(
        A: T.Tensor((32,), "float32"),
        B: T.Tensor((4, 4), "float32"),
        C: T.Tensor((4,), "float32"),
        D: T.Tensor((32,), "float32"),
    ):
        with T.Kernel(1, threads=1):
            for t in T.serial(4):
                C[t] = A[t - 4]
                B[t, T.Ramp(0, 1, 4)] = A[T.Ramp(t - 2, 1, 4)]
                D[T.Ramp(t - 2, 1, 4)] = B[t, T.Ramp(0, 1, 4)]

    a, b = np.arange(32, dtype=np.float32), np.zeros((4, 4), np.float32)
    c, d = np.zeros(4, np.float32), np.full(32, -1, np.float32)
    run(main, a, b, c, d)
    rows = np.arange(4)[:, None] + np.arange(4)[None] - 2
    np.testing.assert_array_equal(b, a[rows])
    np.testing.assert_array_equal(c, a[-4:])
    expected = np.full(32, -1, np.float32)
    for t in range(4):
        expected[rows[t]] = b[t]
    np.testing.assert_array_equal(d, expected)


@pytest.mark.parametrize("target", TARGETS)
def test_both_arms_of_a_condition_on_threads_have_tiles(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            S = T.alloc_shared((64,), "float32")
            T.copy(A, S)
            if tx < 32:
                low = T.alloc_fragment((32,), "float32")
                T.copy(S[0:32], low)
                for i in T.Parallel(32):
                    B[i] = low[i] * 2.0
                B[tx] = B[tx] + 1.0
            else:
                high = T.alloc_fragment((32,), "float32")
                T.copy(S[32:64], high)
                for i in T.Parallel(32):
                    B[32 + i] = high[i] * 3.0
                B[tx] = B[tx] - 1.0

    a = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    b = run(main, a, np.zeros_like(a), target=target)
    np.testing.assert_allclose(b, np.concatenate([a[:32] * 2 + 1, a[32:] * 3 - 1]), rtol=1e-6)


def test_tiles_under_a_condition_of_the_data_of_threads_are_refused():
    with pytest.raises(CompileError, match="differs from thread to thread"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding()
                S = T.alloc_shared((64,), "float32")
                if A[tx] > 0.0:
                    T.copy(A, S)
                    T.copy(S, B)


def test_numbers_of_a_narrow_type_keep_it():
    @T.prim_func
    def main(A: T.Tensor((16,), "uint8"), B: T.Tensor((16,), "int8")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(16):
                four = T.const_value(4, "uint8")
                B[i] = T.reinterpret("int8", (A[i] & T.uint8(15)) << four) >> T.int8(4)

    a = np.arange(16, dtype=np.uint8) + 16
    low = np.arange(16)
    np.testing.assert_array_equal(
        run(main, a, np.zeros(16, np.int8)), np.where(low > 7, low - 16, low)
    )


def test_a_workspace_in_front_of_the_kernel():
    @T.prim_func
    def main(A: T.Tensor((2, 32), "float32"), B: T.Tensor((32,), "float32")):
        Parts = T.alloc_buffer((2, 32), "float32")
        with T.Kernel(2, threads=32) as b:
            for i in T.Parallel(32):
                Parts[b, i] = A[b, i] * 2.0
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                B[i] = Parts[0, i] + Parts[1, i]

    a = np.random.default_rng(3).standard_normal((2, 32)).astype(np.float32)
    np.testing.assert_allclose(
        run(main, a, np.zeros(32, np.float32)), a.sum(0) * 2, rtol=1e-5, atol=1e-6
    )


def test_variables_in_arms_of_a_condition_on_threads():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            S = T.alloc_shared((4,), "float32")
            n = T.alloc_var("float32", init=1.0)
            if tx < 32:
                for i in T.Parallel(4):
                    S[i] = A[i] * 2.0
                n = 5.0
            else:
                out = T.alloc_fragment((16,), "float32")
                T.clear(out)
                for k in T.serial(4):
                    factor = S[k]
                    for i in T.Parallel(16):
                        out[i] += factor * A[i]
                for i in T.Parallel(16):
                    B[i] = out[i]
            T.sync_threads()
            B[tx] = B[tx] + n

    a = np.random.default_rng(4).standard_normal(64).astype(np.float32)
    b = run(main, a, np.zeros_like(a))
    expected = np.where(np.arange(64) < 32, 5.0, 1.0)
    expected[:16] += a[:16] * (a[:4] * 2).sum()
    np.testing.assert_allclose(b, expected, rtol=1e-5)


def test_lanes_of_vectors():
    @T.prim_func
    def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=1):
            x, y = A[T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)]
            both = T.vectorcombine("float32x8", x, y)
            B[T.Ramp(0, 1, 4)] = T.vectorhigh("float32x4", both)
            B[T.Ramp(4, 1, 2)] = T.Shuffle([x, y], [1, 7])
            B[6] = T.extract_lane(x, 2) + T.Shuffle([x], [0])
            B[7] = T.extract_lane(T.vectorlow("float32x2", x), 1)

    a = np.arange(8, dtype=np.float32) + 1
    np.testing.assert_array_equal(run(main, a, np.zeros_like(a)), [5, 6, 7, 8, 2, 8, 4, 2])
