# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that meet: flags in global memory, the barrier of the grid. Tensors by their addresses."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile import compile as compile_kernel
from mlir_tile.errors import CompileError
from mlir_tile.language.errors import LanguageError, UnsupportedError

TARGETS = ["cpu", "lowered:sm_80", "lowered:sm_90a"]


def text_of(kernel):
    return str(kernel.prim_func.modules[0])


@pytest.mark.parametrize("target", TARGETS)
def test_each_block_waits_for_the_one_before(target):
    @T.prim_func
    def main(
        X: T.Tensor((5, 32), "float32"), Y: T.Tensor((5, 32), "float32"), F: T.Tensor((5,), "int32")
    ):
        with T.Kernel(5, threads=32) as block:
            row = T.alloc_fragment((32,), "float32")
            T.copy(X[block, :], row)
            if block > 0:
                while T.atomic_load(F[block - 1], memory_order="acquire") == 0:
                    pass
                for i in T.Parallel(32):
                    row[i] += Y[block - 1, i]
            T.copy(row, Y[block, :])
            T.atomic_store(F[block], 1, memory_order="release")

    x = np.random.default_rng(1).integers(0, 9, (5, 32)).astype(np.float32)
    y, f = np.zeros((5, 32), np.float32), np.zeros(5, np.int32)
    compile_kernel(main, target=target)(x, y, f)
    np.testing.assert_array_equal(y, np.cumsum(x, 0))
    np.testing.assert_array_equal(f, 1)


@pytest.mark.parametrize("target", TARGETS)
def test_one_thread_looks_back(target):
    @T.prim_func
    def main(status: T.Tensor((6,), "int32"), out: T.Tensor((6,), "int32")):
        with T.Kernel(6, threads=32) as block:
            tx = T.get_thread_binding()
            look = T.alloc_var("int32")
            seen = T.alloc_var("int32")
            if tx == 0:
                look = block - 1
                seen = 0
                while look >= 0:
                    seen = T.atomic_load(status[look], memory_order="acquire")
                    if seen != 0:
                        look = -1
                out[block] = seen + 1
                T.atomic_store(status[block], seen + 1)

    status, out = np.zeros(6, np.int32), np.zeros(6, np.int32)
    compile_kernel(main, target=target)(status, out)
    np.testing.assert_array_equal(out, np.arange(1, 7))


@pytest.mark.parametrize("order", ["relaxed", "consume", "acquire", "seq_cst"])
def test_orders_of_loads(order):
    @T.prim_func
    def main(A: T.Tensor((1,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=1):
            B[0] = T.atomic_load(A[0], memory_order=order)

    kernel = compile_kernel(main, target="cpu")
    assert f"tile.atomic_load {'acquire' if order == 'consume' else order}" in text_of(kernel)
    a, b = np.array([7], np.int32), np.zeros(1, np.int32)
    kernel(a, b)
    assert b[0] == 7


@pytest.mark.parametrize("order", ["relaxed", "release", "seq_cst"])
def test_orders_of_stores(order):
    @T.prim_func
    def main(A: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=1):
            T.atomic_store(A[0], 7, memory_order=order)

    kernel = compile_kernel(main, target="cpu")
    assert f"tile.atomic_store {order}" in text_of(kernel)
    a = np.zeros(1, np.int32)
    kernel(a)
    assert a[0] == 7


def test_orders_that_have_no_meaning():
    def load(order):
        @T.prim_func
        def main(A: T.Tensor((1,), "int32"), B: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=1):
                B[0] = T.atomic_load(A[0], memory_order=order)

        return main

    def store(order):
        @T.prim_func
        def main(A: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=1):
                T.atomic_store(A[0], 7, memory_order=order)

        return main

    for order in ("release", "acq_rel", "strong"):
        with pytest.raises(ValueError, match="atomic_load does not support memory_order"):
            compile_kernel(load(order), target="cpu")
    for order in ("consume", "acquire", "acq_rel"):
        with pytest.raises(ValueError, match="atomic_store does not support memory_order"):
            compile_kernel(store(order), target="cpu")


@pytest.mark.parametrize("target", TARGETS)
def test_the_blocks_of_a_grid_meet(target):
    blocks, width = 5, 64

    @T.prim_func
    def main(
        X: T.Tensor((blocks, width), "float32"),
        P: T.Tensor((blocks,), "float32"),
        Y: T.Tensor((blocks, width), "float32"),
    ):
        with T.Kernel(blocks, threads=64) as block:
            row = T.alloc_fragment((width,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[block, :], row)
            T.reduce_sum(row, total, dim=0)
            P[block] = total[0]
            T.sync_global()
            whole = T.alloc_var("float32", 0.0)
            for other in T.serial(blocks):
                whole += P[other]
            for i in T.Parallel(width):
                Y[block, i] = row[i] / whole

    x = np.random.default_rng(1).integers(1, 9, (blocks, width)).astype(np.float32)
    partial, y = np.zeros(blocks, np.float32), np.zeros_like(x)
    kernel = compile_kernel(main, target=target)
    assert "tile.grid_barrier" in text_of(kernel)
    kernel(x, partial, y)
    np.testing.assert_allclose(y, x / x.sum(), rtol=1e-6)


def test_where_a_grid_cannot_meet():
    @T.prim_func
    def main(X: T.Tensor((4096,), "float32")):
        with T.Kernel(4096, threads=32) as block:
            X[block] = 1.0
            T.sync_grid()

    x = np.zeros(4096, np.float32)
    with pytest.raises(Exception, match="expected a grid of at most 1024 blocks, got 4096"):
        compile_kernel(main, target="cpu")(x)
    with pytest.raises(Exception, match="expected a grid of at most [0-9]+ blocks .*got 4096 x 1"):
        compile_kernel(main, target="lowered:sm_80")(x)


def addresses(arrays):
    return np.array([x.ctypes.data for x in arrays], np.int64)


def test_a_table_of_addresses():
    groups, n = 3, 64

    @T.prim_func
    def main(table: T.Tensor([groups], T.ptr), out: T.Tensor([groups, n], "float16")):
        with T.Kernel(groups, threads=32) as block:
            source = T.make_tensor(table[block], (n,), "float16")
            for i in T.serial(n):
                out[block, i] = source[i]

    sources = [np.random.default_rng(i).random(n).astype(np.float16) for i in range(groups)]
    out = np.zeros((groups, n), np.float16)
    kernel = compile_kernel(main, target="cpu")
    assert "tile.from_address" in text_of(kernel)
    kernel(addresses(sources), out)
    np.testing.assert_array_equal(out, np.stack(sources))


def test_products_of_tensors_in_a_table():
    sizes, n, k, block = [8, 12, 17], 32, 64, 16
    most = max(sizes)

    @T.prim_func
    def main(
        a_table: T.Tensor([3], T.ptr), b_table: T.Tensor([3], T.ptr), c_table: T.Tensor([3], T.ptr)
    ):
        with T.Kernel(3, T.ceildiv(most, block), threads=32) as (group, row):
            a_tile = T.alloc_shared((block, block), "float16")
            b_tile = T.alloc_shared((block, n), "float16")
            acc = T.alloc_fragment((block, n), "float32")
            A = T.make_tensor(a_table[group], (most, k), "float16")
            B = T.make_tensor(b_table[group], (k, n), "float16")
            C = T.make_tensor(c_table[group], (most, n), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block), num_stages=2):
                T.copy(A[row * block, step * block], a_tile)
                T.copy(B[step * block, 0], b_tile)
                T.gemm(a_tile, b_tile, acc)
            T.copy(acc, C[row * block, 0])

    random = np.random.default_rng(1)
    a = [random.integers(-3, 4, (most, k)).astype(np.float16) for _ in sizes]
    b = [random.integers(-3, 4, (k, n)).astype(np.float16) for _ in sizes]
    c = [np.zeros((most, n), np.float32) for _ in sizes]
    kernel = compile_kernel(main, target="cpu")
    kernel(addresses(a), addresses(b), addresses(c))
    for x, y, z in zip(a, b, c):
        np.testing.assert_array_equal(z, x.astype(np.float32) @ y.astype(np.float32))


def test_sizes_of_a_tensor_at_an_address():
    @T.prim_func
    def main(table: T.Tensor([1], T.ptr), n: T.int32, out: T.Tensor([64], "float32")):
        with T.Kernel(1, threads=64):
            source = T.make_tensor(table[0], (n,), "float32")
            for i in T.Parallel(64):
                out[i] = source[i]

    x, out = np.arange(40, dtype=np.float32), np.ones(64, np.float32)
    compile_kernel(main, target="cpu")(addresses([x]), 40, out)
    np.testing.assert_array_equal(out[:40], x)
    np.testing.assert_array_equal(out[40:], 0)  # outside of the tensor


def test_addresses_that_are_none():
    with pytest.raises(LanguageError, match="expected an address"):

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                T.make_tensor(A[0], (4,), "float32")

        compile_kernel(main, target="cpu")


def test_programs_from_elsewhere_may_not_take_addresses():
    from mlir_tile import execution

    text = """
    tile.kernel @k(%a: i64, %out: memref<8xf32>) grid(%b) = (1) threads(32) {
      %x = tile.from_address %a : memref<8xf32>
      tile.parallel (%i) in (8) {
        %v = memref.load %x[%i] : memref<8xf32>
        memref.store %v, %out[%i] : memref<8xf32>
      }
    }
    """
    with pytest.raises(CompileError, match="which memory of this process"):
        execution.compile(text, target="cpu")
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    options = execution.CompileOptions(allow_addresses=True)
    execution.compile(text, target="cpu", options=options)(x.ctypes.data, out)
    np.testing.assert_array_equal(out, x)


def test_a_loop_around_kernels_makes_one_in_each_iteration():
    """As a program with several T.Kernel: one after the other, what one wrote is there."""

    @T.macro
    def add(A, B, step, last):
        with T.Kernel(2, threads=32) as b:
            for i in T.Parallel(32):
                B[b * 32 + i] = B[b * 32 + i] * 2 + A[step, b * 32 + i]
                if last:
                    B[b * 32 + i] += 1

    @T.prim_func
    def main(A: T.Tensor((4, 64), "int32"), B: T.Tensor((64,), "int32")):
        for step in range(0, 4, 2):
            add(A, B, step, step + 2 == 4)
        for step in T.serial(0):
            add(A, B, step, False)
        for step, again in T.grid(1, 2):
            add(A, B, 2 * step + again + 1, False)

    assert len(main.modules) == 4
    a = np.random.default_rng(0).integers(-9, 9, (4, 64)).astype(np.int32)
    b = np.ones(64, np.int32)
    want = b
    for step, last in ((0, 0), (2, 1), (1, 0), (2, 0)):
        want = want * 2 + a[step] + last
    compile_kernel(main, target="cpu")(a, b)
    np.testing.assert_array_equal(b, want)


def test_loops_around_kernels_have_numbers_as_bounds():
    n = T.dynamic("n")

    def make(loop):
        @T.prim_func
        def main(A: T.Tensor((n, 32), "float32")):
            for step in loop():
                with T.Kernel(1, threads=32):
                    T.clear(A[step, 0:32])

    with pytest.raises(LanguageError, match="a loop around T.Kernel makes a kernel in each"):
        make(lambda: T.serial(n))
    with pytest.raises(LanguageError, match="a parallel loop stands outside of `with T.Kernel"):
        make(lambda: T.Parallel(4))


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
def test_a_product_of_sizes_as_an_extent(target):
    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def main(X: T.Tensor((n, m), "float32"), Y: T.Tensor((n, m), "float32")):
        with T.Kernel(n * m, threads=32) as b:
            for i in T.Parallel(1):
                Y[b // m, b % m + i] = X[b // m, b % m + i] + 1.0

    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    y = np.zeros_like(x)
    compile_kernel(main, target=target)(x, y)
    np.testing.assert_array_equal(y, x + 1)


EXTENTS = {
    # name: (the extent, for n = 600 and m = 13; how many blocks)
    "cast": (lambda n, m: T.cast(n, "int32") // 2, 300),
    "cast_ceildiv": (lambda n, m: T.ceildiv(T.int32(m), 4), 4),
    "negative_summand": (lambda n, m: n + (-1), 599),
    "negative_factor": (lambda n, m: n * -1 + 1000, 400),
    "shift": (lambda n, m: (n + 3) >> 2, 150),
    "shift_left": (lambda n, m: T.cast(m, "int64") << 3, 104),
}


@pytest.mark.parametrize("target", ("cpu", "lowered:sm_90a"))
@pytest.mark.parametrize("name", EXTENTS)
def test_extents_that_are_computed(name, target):
    extent, count = EXTENTS[name]
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), m: T.int32):
        with T.Kernel(extent(n, m), threads=32) as block:
            A[block] = 1

    found = np.zeros(600, np.int32)
    compile_kernel(main, target=target)(found, 13)
    np.testing.assert_array_equal(found, np.arange(600) < count)


@pytest.mark.parametrize(
    "extent, message",
    [
        (lambda n, f: T.cast(f, "int32"), "a value of type float32, f, in an extent of the grid"),
        (lambda n, f: T.cast(n * 0.5, "int32"), "a value of type float32, .* in an extent"),
        (lambda n, f: T.cast(n, "int8"), "a value of type int8, .* in an extent of the grid"),
    ],
)
def test_extents_that_the_launcher_cannot_compute(extent, message):
    n = T.dynamic("n")
    with pytest.raises(UnsupportedError, match=f"test_language_grid.py:.*{message}"):

        @T.prim_func
        def main(A: T.Tensor((n,), "int32"), f: T.float32):
            with T.Kernel(extent(n, f), threads=32) as block:
                A[block] = 1
