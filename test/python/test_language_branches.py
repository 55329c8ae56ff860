# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.If, T.Then and T.Else mean what `if` means, for each kind of condition."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

TARGETS = ["cpu", "lowered:sm_90a"]


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def _tiles(frames):
    """Whole tiles by a copy, the last one element by element."""

    @T.prim_func
    def main(A: T.Tensor((4, 50), "float32"), B: T.Tensor((4, 64), "float32")):
        with T.Kernel(4, threads=32) as b:
            tile = T.alloc_shared((16,), "float32")
            for t in T.Serial(4):
                if frames:
                    with T.If(t < 3):
                        with T.Then():
                            T.copy(A[b, t * 16], tile)
                        with T.Else():
                            for i in T.Parallel(16):
                                tile[i] = T.if_then_else(t * 16 + i < 50, A[b, t * 16 + i], -1.0)
                else:
                    if t < 3:
                        T.copy(A[b, t * 16], tile)
                    else:
                        for i in T.Parallel(16):
                            tile[i] = T.if_then_else(t * 16 + i < 50, A[b, t * 16 + i], -1.0)
                T.copy(tile, B[b, t * 16])

    return main


@pytest.mark.parametrize("target", TARGETS)
def test_a_condition_of_the_block(target):
    a = np.random.default_rng(0).standard_normal((4, 50)).astype(np.float32)
    want = np.full((4, 64), -1, np.float32)
    want[:, :50] = a
    got = run(_tiles(True), a, np.zeros((4, 64), np.float32), target=target)
    np.testing.assert_array_equal(got, want)


def test_the_module_is_that_of_if():
    texts = [
        [x for x in _tiles(frames).modules[0].splitlines() if not x.startswith("#")]
        for frames in (True, False)
    ]
    bare = [[x.split(" loc(")[0] for x in text] for text in texts]
    assert bare[0] == bare[1]
    assert any("scf.if" in x for x in bare[0])


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_of_an_element_in_both_ways_of_writing(target):
    @T.prim_func
    def main(A: T.Tensor((50,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(64):
                with T.If(i < 50), T.Then():
                    with T.If(A[i] > 0):
                        with T.Then():
                            B[i] = A[i]
                        with T.Else():
                            B[i] = -2 * A[i]

    a = np.random.default_rng(1).standard_normal(50).astype(np.float32)
    want = np.zeros(64, np.float32)
    want[:50] = np.where(a > 0, a, -2 * a)
    got = run(main, a, np.zeros(64, np.float32), target=target)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_of_a_thread_and_of_variables(target):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            count = T.alloc_var("int32", init=1)
            with T.If(tx % 3 == 0):
                with T.Then():
                    count = count + A[tx]
                with T.Else():
                    count = 7
            with T.If(tx < 60), T.Then():
                B[tx] = count

    a = np.arange(64, dtype=np.int32)
    want = np.where(a % 3 == 0, a + 1, 7) * (a < 60)
    np.testing.assert_array_equal(run(main, a, np.zeros(64, np.int32), target=target), want)


def test_an_arm_that_is_known_not_to_run_is_not_traced():
    seen = []

    @T.macro
    def note(name):
        seen.append(name)

    @T.prim_func
    def main(B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            with T.If(2 < 1):
                with T.Then():
                    note("then")
                    B[100] = 1
                with T.Else():
                    note("else")
                    B[0] = 5
            with T.If(True), T.Then():
                B[1] = 6

    assert seen == ["else"]
    assert "scf.if" not in main.modules[0]
    assert run(main, np.zeros(8, np.int32)).tolist() == [5, 6, 0, 0, 0, 0, 0, 0]


def test_break_and_return_are_those_of_if():
    @T.prim_func
    def main(A: T.Tensor((16,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            found = T.alloc_var("int32", init=-1)
            for i in T.serial(16):
                with T.If(A[i] > 5), T.Then():
                    found = i
                    break
            B[0] = found

    a = np.array([0, 3, 5, 9, 1, 7, *[0] * 10], np.int32)
    assert run(main, a, np.zeros(1, np.int32)).tolist() == [3]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("with T.Then():\n    B[0] = 1", r"T.Then stands outside of T.If"),
        ("with T.If(A[0] > 0):\n    B[0] = 1", r"a statement inside of T.If stands outside of its"),
        ("with T.If(A[0] > 0):\n    pass", r"T.If has no T.Then"),
        (
            "with T.If(A[0] > 0):\n    with T.Then():\n        B[0] = 1\n"
            "    with T.Then():\n        B[0] = 2",
            r"T.If has two T.Then; join them into one",
        ),
        ("T.If(A[0] > 0)", r"T.If\(condition\) stands alone; write `with T.If"),
        (
            "with T.If(A[T.get_thread_binding()] > 0), T.Then():\n    T.copy(A, B)",
            r"work of the whole block .* under a condition",
        ),
    ],
)
def test_errors_say_where_and_what_to_write(tmp_path, body, text):
    script = tmp_path / "kernel.py"
    lines = "\n".join("            " + x for x in body.splitlines())
    script.write_text(
        "import mlir_tile.language as T\n\n"
        "def make():\n"
        "    @T.prim_func\n"
        '    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):\n'
        "        with T.Kernel(1, threads=64):\n"
        f"{lines}\n"
        "    return main\n"
    )
    names = {}
    exec(compile(script.read_text(), str(script), "exec"), names)
    with pytest.raises(LanguageError, match=rf"kernel\.py:\d+:\d+: {text}"):
        names["make"]()
