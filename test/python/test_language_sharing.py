# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that work off several tiles of the grid, and blocks that share the iterations of one."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.autotuner import autotune, set_autotune_inputs
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.jit import jit
from mlir_tile.language.errors import LanguageError

TARGETS = ["cpu", "lowered:sm_90a"]
M, N, K, BLOCK = 192, 160, 640, 32


def gemm_with(state):
    """C = A Bᵀ in tiles of 32 × 32; `state` says how the blocks share them."""

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // BLOCK, M // BLOCK, threads=32) as (bx, by):
            state()
            As = T.alloc_shared((BLOCK, BLOCK), "float16")
            Bs = T.alloc_shared((BLOCK, BLOCK), "float16")
            acc = T.alloc_fragment((BLOCK, BLOCK), "float32")
            T.clear(acc)
            for k in T.Pipelined(K // BLOCK, num_stages=2):
                T.copy(A[by * BLOCK, k * BLOCK], As)
                T.copy(B[bx * BLOCK, k * BLOCK], Bs)
                T.gemm(As, Bs, acc, transpose_B=True)
            T.copy(acc, C[by * BLOCK, bx * BLOCK])

    return main


STATES = {
    "persistent": lambda: T.use_persistent(2),
    "split": lambda: T.use_split_k(2),
    "stream": lambda: T.use_stream_k(4),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STATES)
def test_shared_tiles_against_numpy(name, target):
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((size, K)).astype(np.float16) for size in (M, N))
    c = np.full((M, N), np.nan, np.float32)
    kernel = compile_kernel(gemm_with(STATES[name]), target=target)
    for _ in range(2):  # memory of the launch is as the one before left it
        kernel(a, b, c)
        np.testing.assert_allclose(
            c, a.astype(np.float32) @ b.astype(np.float32).T, rtol=1e-2, atol=1e-2
        )
        c[:] = np.nan


def test_what_the_compiler_makes_of_them():
    sources = {
        name: compile_kernel(gemm_with(state), target="cuda:sm_90a")
        for name, state in STATES.items()
    }
    texts = {name: kernel.get_kernel_source() for name, kernel in sources.items()}
    assert [name for name, text in texts.items() if "barrier.cluster" in text] == ["split"]
    # Who comes last to a tile is counted.
    assert [name for name, text in texts.items() if "atom." in text] == ["stream"]
    explained = {name: str(kernel.explain()) for name, kernel in sources.items()}
    assert "each block works off its part of the grid" in explained["persistent"]
    assert "combined over 2 blocks" in explained["split"]
    assert "tiles beyond whole rounds of all blocks are shared" in explained["stream"]


@pytest.mark.parametrize(
    "word, arguments, message",
    [
        ("use_persistent", (0,), "expected an integer from 1 to 32, got 0"),
        ("use_persistent", (True,), "expected an integer from 1 to 32, got True"),
        ("use_split_k", (17,), "expected an integer from 2 to 16, got 17"),
        ("use_split_k", (2.0,), "expected an integer from 2 to 16, got 2.0"),
        ("use_stream_k", (1,), "expected an integer from 2 to 1024, got 1"),
        ("use_stream_k", (4, 33), "expected an integer from 1 to 32, got 33"),
        ("use_swizzle", ("a",), "expected an integer, the number of rows of blocks in a panel"),
        ("use_swizzle", (True,), "expected an integer, the number of rows of blocks in a panel"),
    ],
)
def test_wrong_numbers(word, arguments, message):
    with pytest.raises(LanguageError, match=f"T.{word}: {message}"):
        gemm_with(lambda: getattr(T, word)(*arguments))


@pytest.mark.parametrize("first, second", [("split", "stream"), ("stream", "split")])
def test_one_way_to_share(first, second):
    with pytest.raises(LanguageError, match=f"T.use_{second}_k: the kernel has T.use_{first}_k"):
        gemm_with(lambda: (STATES[first](), STATES[second]()))


def test_outside_of_a_kernel():
    with pytest.raises(LanguageError, match=r"T.use_stream_k: expected to stand inside of"):

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            T.use_stream_k()
            with T.Kernel(1, threads=32):
                A[0] = 1.0


def test_what_the_compiler_refuses():
    with pytest.raises(CompileError, match="sm_80"):
        compile_kernel(gemm_with(STATES["split"]), target="lowered:sm_80")

    @T.prim_func
    def no_loop(A: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=32) as b:
            T.use_stream_k()
            for i in T.Parallel(32):
                A[b * 32 + i] = 1.0

    with pytest.raises(CompileError, match=r"expected one `tile.pipelined`"):
        compile_kernel(no_loop, target="lowered:sm_90a")


@pytest.mark.parametrize("word", ["use_persistent", "use_split_k", "use_stream_k"])
def test_the_autotuner_takes_the_number(word, tmp_path, monkeypatch):
    """It is a parameter of the function that makes the program, as any other."""
    monkeypatch.setattr("mlir_tile.autotuner.tuner.cache_folder", lambda: tmp_path)
    asked = []

    @autotune(configs=[{"number": 2}, {"number": 3}], warmup=0, rep=1, skip_check=True)
    @jit(target="cpu")
    def kernel(number=1):
        asked.append(number)
        return gemm_with(lambda: getattr(T, word)(number))

    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal((size, K)).astype(np.float16) for size in (M, N))
    c = np.full((M, N), np.nan, np.float32)
    with set_autotune_inputs(a, b, c):
        best = kernel()
    assert set(asked) >= {2, 3}
    c[:] = np.nan
    best(a, b, c)
    np.testing.assert_allclose(
        c, a.astype(np.float32) @ b.astype(np.float32).T, rtol=1e-2, atol=1e-2
    )
