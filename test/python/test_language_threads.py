# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for single threads: indices of threads, memory of their own, exchange; against numpy."""

import numpy as np

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel


def run(function, *arrays):
    compile_kernel(function, target="cpu")(*arrays)
    return arrays[-1]


def test_each_thread_stores_its_element():
    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
        with T.Kernel(4, threads=64) as b:
            tx = T.get_thread_binding()
            x = A[b, tx]
            B[b, tx] = x * 2.0 + tx

    a = np.random.default_rng(0).standard_normal((4, 64)).astype(np.float32)
    np.testing.assert_allclose(
        run(main, a, np.zeros_like(a)), a * 2 + np.arange(64, dtype=np.float32), rtol=1e-6
    )


def test_local_memory_lives_across_statements():
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding(0)
            values = T.alloc_local((4,), "float32")
            total = T.alloc_local((1,), "float32")
            S = T.alloc_shared((64,), "float32")
            T.clear(total)
            for k in T.serial(8):
                for v in T.vectorized(4):
                    values[v] = A[tx, k * 4 + v]
                for v in T.serial(4):
                    total[0] += values[v]
            S[tx] = total[0]
            T.sync_threads()
            B[tx] = S[63 - tx] + total[0]

    a = np.random.default_rng(1).standard_normal((64, 32)).astype(np.float32)
    s = a.sum(1)
    np.testing.assert_allclose(
        run(main, a, np.zeros(64, np.float32)), s[::-1] + s, rtol=1e-4, atol=1e-5
    )


def test_variables_of_threads_and_conditions():
    @T.prim_func
    def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            n = T.alloc_var("int32")
            n = A[tx]
            steps = T.alloc_var("int32")
            while n > 1:
                n = n // 2
                steps += 1
            T.sync_threads()
            if tx < 16:
                B[tx] = steps
            else:
                B[tx] = -steps
            if tx == 0:
                C[0] = 7

    a = np.arange(1, 33, dtype=np.int32)
    want = np.array([int(x).bit_length() - 1 for x in a], np.int32)
    b, c = np.zeros(32, np.int32), np.zeros(1, np.int32)
    run(main, a, b, c)
    np.testing.assert_array_equal(b, np.where(np.arange(32) < 16, want, -want))
    assert c[0] == 7


def test_exchange_in_warps():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((4, 64), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            x = A[tx]
            B[0, tx] = T.shfl_xor(x, 1)
            B[1, tx] = T.shfl_down(x, 3)
            B[2, tx] = T.warp_reduce_sum(x)
            B[3, tx] = T.warp_reduce_max(x * 2.0)

    a = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    b = run(main, a, np.zeros((4, 64), np.float32))
    t = np.arange(64)
    np.testing.assert_array_equal(b[0], a[t ^ 1])
    np.testing.assert_array_equal(b[1], np.where(t % 32 + 3 < 32, a[np.minimum(t + 3, 63)], a))
    np.testing.assert_allclose(b[2], np.repeat(a.reshape(2, 32).sum(1), 32), rtol=1e-5)
    np.testing.assert_allclose(b[3], np.repeat(a.reshape(2, 32).max(1) * 2, 32))


def test_gemv_with_threads_along_k():
    N, K, rows, threads, vector = 16, 256, 4, 32, 4

    @T.prim_func
    def main(
        A: T.Tensor((K,), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((N,), "float32")
    ):
        with T.Kernel(N // rows, threads=(threads, rows)) as bn:
            tx, ty = T.get_thread_binding(0), T.get_thread_binding(1)
            a, b = T.alloc_local((vector,), "float16"), T.alloc_local((vector,), "float16")
            accumulated, reduced = T.alloc_local((1,), "float32"), T.alloc_local((1,), "float32")
            T.clear(accumulated)
            for k in T.serial(K // (threads * vector)):
                for v in T.vectorized(vector):
                    a[v] = A[k * threads * vector + tx * vector + v]
                    b[v] = B[bn * rows + ty, k * threads * vector + tx * vector + v]
                for v in T.serial(vector):
                    accumulated[0] += a[v].astype("float32") * b[v].astype("float32")
            with T.attr(
                T.comm_reducer(lambda x, y: x + y, [T.Cast("float32", 0)]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(
                    T.tvm_thread_allreduce(
                        T.uint32(1), accumulated[0], True, reduced[0], tx, dtype="handle"
                    )
                )
            C[bn * rows + ty] = reduced[0]

    rng = np.random.default_rng(3)
    a, b = rng.standard_normal(K).astype(np.float16), rng.standard_normal((N, K)).astype(np.float16)
    want = b.astype(np.float32) @ a.astype(np.float32)
    np.testing.assert_allclose(run(main, a, b, np.zeros(N, np.float32)), want, rtol=1e-3, atol=1e-3)


def test_threads_meet_between_accesses_of_shared_memory():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=(16, 4)):
            tn, tk = T.get_thread_binding(0), T.get_thread_binding(1)
            S = T.alloc_shared((16,), "float32")
            if tk == 0:
                S[tn] = 0
            for k in T.serial(3):
                T.atomic_add(S[tn], A[tk * 16 + tn] * k)
            B[tn] = S[tn]

    a = np.random.default_rng(4).standard_normal(64).astype(np.float32)
    np.testing.assert_allclose(
        run(main, a, np.zeros(16, np.float32)), 3 * a.reshape(4, 16).sum(0), rtol=1e-5, atol=1e-5
    )


def test_reduction_over_the_second_axis_of_threads():
    @T.prim_func
    def main(A: T.Tensor((8, 16), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=(16, 8)):
            tn, tk = T.get_thread_binding(0), T.get_thread_binding(1)
            total = T.alloc_local((1,), "float32")
            with T.attr(
                T.comm_reducer(lambda x, y: T.max(x, y), [T.Cast("float32", 0)]),
                "reduce_scope",
                None,
            ):
                T.evaluate(
                    T.tvm_thread_allreduce(
                        T.uint32(1), A[tk, tn], True, total[0], tk, dtype="handle"
                    )
                )
            if tk == 3:
                B[tn] = total[0]

    a = np.random.default_rng(5).standard_normal((8, 16)).astype(np.float32)
    np.testing.assert_array_equal(run(main, a, np.zeros(16, np.float32)), a.max(0))


def test_work_of_the_block_under_a_condition_on_threads():
    @T.prim_func
    def main(
        A: T.Tensor((32, 32), "float32"),
        B: T.Tensor((32, 32), "float32"),
        C: T.Tensor((64,), "int32"),
    ):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((32, 32), "float32")
            tx = T.get_thread_binding(0)
            if tx < 32:
                for i, j in T.Parallel(32, 32):
                    S[i, j] = A[i, j] + 1.0
                C[tx] = tx
            T.copy(S, B)

    a, b, c = (
        np.ones((32, 32), np.float32),
        np.zeros((32, 32), np.float32),
        np.full(64, -1, np.int32),
    )
    run(main, a, b, c)
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, np.where(np.arange(64) < 32, np.arange(64), -1))


def test_pairs_of_elements():
    @T.prim_func
    def main(
        A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
    ):
        with T.Kernel(1, threads=32):
            pair = T.Ramp(T.get_thread_binding() * 2, 1, 2)
            C[pair] = T.fma2(A[pair], B[pair], T.abs2(T.sub2(A[pair], B[pair])))

    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(64).astype(np.float32) for _ in range(2))
    np.testing.assert_allclose(
        run(main, a, b, np.zeros(64, np.float32)), a * b + abs(a - b), rtol=1e-5, atol=1e-6
    )


def test_stores_of_several_threads_to_one_element():
    @T.prim_func
    def main(A: T.Tensor((4,), "int32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=(16, 4)):
            tx, ty = T.get_thread_binding(0), T.get_thread_binding(1)
            A[ty] = ty + 1
            B[0] = 5
            if tx == 3:
                if ty == 2:
                    B[1] = 7

    a, b = np.zeros(4, np.int32), np.zeros(2, np.int32)
    run(main, a, b)
    np.testing.assert_array_equal(a, [1, 2, 3, 4])
    np.testing.assert_array_equal(b, [5, 7])


def test_the_index_of_a_binding():
    @T.prim_func
    def main(A: T.Tensor((2, 32), "int32")):
        with T.Kernel(2, threads=32):
            tx = T.thread_binding(0, 32, thread="threadIdx.x")
            bx = T.thread_binding(0, 2, thread="blockIdx.x")
            A[bx, tx] = tx * 10 + bx

    expected = np.arange(32)[None] * 10 + np.arange(2)[:, None]
    np.testing.assert_array_equal(run(main, np.zeros((2, 32), np.int32)), expected)


def test_atomics_are_each_threads_where_threads_are_named():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((2,), "int32"), C: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            T.atomic_add(B[0], 1)
            C[tx] = A[tx] + T.atomic_add(B[1], 1, return_prev=True)

    a, b = np.arange(64, dtype=np.int32), np.zeros(2, np.int32)
    c = run(main, a, b, np.zeros(64, np.int32))
    np.testing.assert_array_equal(b, [64, 64])
    np.testing.assert_array_equal(np.sort(c - a), np.arange(64))


def test_what_is_printed_has_its_name(capfd):
    @T.prim_func
    def main(A: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=32) as bx:
            count = T.alloc_var("int32")
            count = A[2] + 1
            T.print(A[2])
            T.print(count)
            T.print(bx)
            T.print(A[3], msg="mine")
            T.print(A[1] + 1)

    run(main, np.arange(4, dtype=np.int32))
    said = capfd.readouterr().out.splitlines()
    assert said == ["A[2]: 2", "count: 3", "bx: 0", "mine: 3", ": 2"]
