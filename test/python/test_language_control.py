# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow, variables and macros of the language, run on the CPU and compared with numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


def run(function, *arrays, **options):
    compile_kernel(function, target="cpu", **options)(*arrays)
    return arrays[-1]


def test_serial_loop_carries_a_variable():
    @T.prim_func
    def main(A: T.Tensor((8, 16), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(8, threads=32) as b:
            total = T.alloc_var("int32")
            for i in range(16):
                total = total + A[b, i]
            B[b] = total

    a = np.arange(128, dtype=np.int32).reshape(8, 16)
    np.testing.assert_array_equal(run(main, a, np.zeros(8, np.int32)), a.sum(1))


def test_branches_assign_variables_and_steps_go_down():
    @T.prim_func
    def main(A: T.Tensor((10,), "int32")):
        with T.Kernel(1, threads=32):
            x = T.alloc_var("int32", init=3)
            for i in T.serial(9, -1, -1):
                if i % 3 == 0:
                    x += i
                elif i > 6:
                    x = x - 1
                else:
                    x = x * 2
                A[i] = x

    want, x = np.zeros(10, np.int32), 3
    for i in range(9, -1, -1):
        x = x + i if i % 3 == 0 else x - 1 if i > 6 else x * 2
        want[i] = x
    np.testing.assert_array_equal(run(main, np.zeros(10, np.int32)), want)


def test_break_and_continue():
    @T.prim_func
    def main(A: T.Tensor((4, 32), "int32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=32) as b:
            found = T.alloc_var("int32", init=-1)
            odd = T.alloc_var("int32")
            for i in T.serial(32):
                if A[b, i] % 2 == 1:
                    odd += 1
                    continue
                if A[b, i] > 20:
                    found = i
                    break
                odd += 0
            B[b] = found * 100 + odd

    a = np.random.default_rng(0).integers(0, 30, (4, 32)).astype(np.int32)
    want = []
    for row in a:
        found, odd = -1, 0
        for i, x in enumerate(row):
            if x % 2 == 1:
                odd += 1
                continue
            if x > 20:
                found = i
                break
        want.append(found * 100 + odd)
    np.testing.assert_array_equal(run(main, a, np.zeros(4, np.int32)), want)


def test_while_with_break():
    @T.prim_func
    def main(A: T.Tensor((6,), "int32"), B: T.Tensor((6,), "int32")):
        with T.Kernel(6, threads=32) as b:
            x, steps = T.alloc_var("int32"), T.alloc_var("int32")
            x = A[b]
            steps = 0
            while x != 1:
                x = T.if_then_else(x % 2 == 0, x // 2, 3 * x + 1)
                steps += 1
                if steps > 100:
                    break
            B[b] = steps

    def collatz(x):
        steps = 0
        while x != 1:
            x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
            if steps > 100:
                break
        return steps

    a = np.array([1, 6, 7, 27, 9, 2], np.int32)
    np.testing.assert_array_equal(run(main, a, np.zeros(6, np.int32)), [collatz(int(x)) for x in a])


def test_variables_and_loops_inside_of_parallel():
    @T.prim_func
    def main(A: T.Tensor((64, 16), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                best = T.alloc_var("float32", init=-1e30)
                for j in range(16):
                    if A[i, j] > best and j != 3:
                        best = A[i, j]
                B[i] = best

    a = np.random.default_rng(1).standard_normal((64, 16)).astype(np.float32)
    np.testing.assert_array_equal(run(main, a, np.zeros(64, np.float32)), np.delete(a, 3, 1).max(1))


def test_static_control_flow_stays_pythons():
    for flag in (True, False):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                scales = [1.0, 2.0, 3.0] if flag else [5.0]
                for i in T.Parallel(8):
                    A[i] = 0.0
                for s in scales:
                    if s == 2.0:
                        continue
                    for i in T.Parallel(8):
                        A[i] += s * i

        factor = 4.0 if flag else 5.0
        np.testing.assert_allclose(run(main, np.ones(8, np.float32)), factor * np.arange(8))


def test_swap_and_chained_comparison():
    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(8, threads=32) as b:
            x = T.alloc_var("int32")
            y = T.alloc_var("int32")
            x, y = A[b], A[b] * 10
            if 2 <= x < 6:
                x, y = y, x
            B[b] = x - y

    a = np.arange(8, dtype=np.int32)
    want = [(10 * x - x) if 2 <= x < 6 else x - 10 * x for x in a]
    np.testing.assert_array_equal(run(main, a, np.zeros(8, np.int32)), want)


def test_macros_by_value_and_by_reference():
    @T.macro
    def double(x):
        y = x * 2
        return y

    @T.macro
    def add_to(place: T.Ref, amount, factor=3):
        place += amount * factor

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(8, threads=32) as b:
            v = T.alloc_var("int32")
            v = double(A[b])
            add_to(v, 1)
            B[b] = v
            add_to(B[b], 2, factor=5)

    a = np.arange(8, dtype=np.int32)
    np.testing.assert_array_equal(run(main, a, np.zeros(8, np.int32)), 2 * a + 3 + 10)


def test_unrolled_vectorized_and_grid_loops():
    @T.prim_func
    def main(A: T.Tensor((4, 8), "int32"), B: T.Tensor((4, 8), "int32")):
        with T.Kernel(1, threads=32):
            for i, j in T.grid(4, 4):
                B[i, j] = A[i, j] + 1
            for i in T.unroll(4):
                for j in T.vectorized(4):
                    B[i, j + 4] = A[i, j + 4] * i

    a = np.arange(32, dtype=np.int32).reshape(4, 8)
    want = a + 1
    want[:, 4:] = a[:, 4:] * np.arange(4)[:, None]
    np.testing.assert_array_equal(run(main, a, np.zeros((4, 8), np.int32)), want)


def test_kernel_opened_by_an_assignment_and_floor_division():
    @T.prim_func
    def main(A: T.Tensor((4, 5), "int32")):
        bx, by = T.Kernel(5, 4, threads=32)
        A[by, bx] = (bx - 3) // 2 * 100 + (bx - 3) % 2 * 10 + by

    x, y = np.meshgrid(np.arange(5), np.arange(4))
    np.testing.assert_array_equal(
        run(main, np.zeros((4, 5), np.int32)), (x - 3) // 2 * 100 + (x - 3) % 2 * 10 + y
    )


def test_what_lies_outside_of_a_tensor():
    @T.prim_func
    def main(A: T.Tensor((100,), "float32"), B: T.Tensor((100,), "float32")):
        with T.Kernel(T.ceildiv(100, 64), threads=64) as b:
            for i in T.Parallel(64):
                B[b * 64 + i] = A[b * 64 + i + 1] + 1.0

    a = np.random.default_rng(2).standard_normal(100).astype(np.float32)
    np.testing.assert_allclose(run(main, a, np.zeros(100, np.float32)), np.append(a[1:], 0) + 1)


def test_dynamic_extent_of_a_parallel_loop():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = A[i] * 2.0

    a = np.arange(77, dtype=np.float32)
    np.testing.assert_array_equal(run(main, a, np.zeros(77, np.float32)), a * 2)


def test_persistent_tiles_cover_the_domain():
    @T.prim_func
    def main(A: T.Tensor((5, 7), "int32")):
        with T.Kernel(4, threads=32) as b:
            for i, j in T.Persistent([5, 7], 4, b):
                A[i, j] += 1

    np.testing.assert_array_equal(run(main, np.zeros((5, 7), np.int32)), np.ones((5, 7)))


@pytest.mark.parametrize(
    "body, text",
    [
        (
            "x = A[0]\n    if A[1] > 0:\n        y = A[2]\n    A[3] = y",
            "used outside of the region",
        ),
        ("for i in T.serial(4):\n        z = i\n    A[3] = z", "outside of the loop"),
        ("A[0] = undefined_name", "undefined_name"),
        ("A[0, 0] = 1", "1 dimensions, but 2 indices"),
        ("T.copy(A[0:7], T.alloc_shared((9,), 'int32'))", "extents of both sides differ"),
        ("T.no_such_thing(A)", "T.no_such_thing"),
        ("while True:\n        A[0] = 1", "always true"),
        ("for i in T.Parallel(8):\n        break", "break"),
        ("if A:\n        pass", "used as a value"),
    ],
)
def test_errors_name_file_and_line(tmp_path, body, text):
    file = tmp_path / "kernel.py"
    lines = body.split("\n    ")
    source = "import mlir_tile.language as T\n\n@T.prim_func\ndef main(A: T.Tensor((8,), 'int32')):\n    with T.Kernel(1, threads=32):\n"
    source += "".join(f"        {x}\n" for x in lines)
    file.write_text(source)
    import importlib.util

    spec = importlib.util.spec_from_file_location("kernel_with_an_error", file)
    module = importlib.util.module_from_spec(spec)
    with pytest.raises((LanguageError, NameError)) as caught:
        spec.loader.exec_module(module)
    assert text in str(caught.value)
    if isinstance(caught.value, LanguageError):
        assert "kernel.py:" in str(caught.value)


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_80", "lowered:sm_90a"])
@pytest.mark.parametrize("named", [False, True])
def test_the_whole_block_uses_the_old_value_of_an_update(named, target):
    """A queue: blocks take tiles from a counter."""

    @T.prim_func
    def main(
        A: T.Tensor((7, 32), "float32"), B: T.Tensor((7, 32), "float32"), N: T.Tensor((1,), "int32")
    ):
        with T.Kernel(3, threads=64):
            tile = T.alloc_var("int32")
            row = T.alloc_fragment((32,), "float32")
            if named:
                taken = T.atomic_add(N[0], 1, return_prev=True)
                tile = taken
            else:
                tile = T.atomic_add(N[0], 1, return_prev=True)
            while tile < 7:
                T.copy(A[tile, :], row)
                T.copy(row, B[tile, :])
                tile = T.atomic_add(N[0], 1, return_prev=True)

    a = np.arange(224, dtype=np.float32).reshape(7, 32)
    b, n = np.zeros_like(a), np.zeros(1, np.int32)
    compile_kernel(main, target=target)(a, b, n)
    np.testing.assert_array_equal(a, b)
    assert n[0] == 10


def test_an_extent_of_the_grid_of_64_bits():
    n = T.dynamic("n", T.int64)

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, T.int64(512)), threads=128) as b:
            for i in T.Parallel(512):
                A[b * 512 + i] = 7.0

    for target in ("cpu", "lowered:sm_90a"):
        a = np.zeros(1300, np.float32)
        compile_kernel(main, target=target)(a)
        assert (a == 7).all()


def test_a_fraction_of_integers_is_refused():
    """TileLang refuses it, too: Python's `/` is a fraction, and C's is none."""
    with pytest.raises(LanguageError, match="of two integers .int32 and int32.: expected `//`"):

        @T.prim_func
        def main(I: T.Tensor((8,), "int32"), Y: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    Y[i] = I[i] / 4
