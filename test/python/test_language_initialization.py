# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that are read before they are written are named in the log."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.compat.passes import PassConfigKey
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.initialization import unwritten_reads


def _gemm(how):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        B: T.Tensor((64, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            if how == "clear":
                T.clear(c)
            elif how == "loop":
                for i, j in T.Parallel(64, 64):
                    c[i, j] = 0.0
            for k in T.Pipelined(2, num_stages=2):
                if how == "condition":
                    T.copy(A[0, k * 32], a)
                    T.copy(B[k * 32, 0], b)
                    T.gemm(a, b, c, clear_accum=(k == 0))
                else:
                    T.copy(A[0, k * 32], a)
                    if how != "operand":
                        T.copy(B[k * 32, 0], b)
                    T.gemm(a, b, c, clear_accum=how == "first")
            T.copy(c, C)

    return main


def _names(function):
    return [buffer.name for buffer, _ in unwritten_reads(function.builder.kernels[0])]


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ("clear", []),
        ("loop", []),
        ("condition", []),
        ("first", []),
        ("none", ["c"]),
        ("operand", ["b", "c"]),
    ],
)
def test_reads_of_tiles_that_nothing_wrote(how, names):
    assert _names(_gemm(how)) == names


def test_elements_and_views():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), "float32")
            t = T.alloc_shared((64,), "float32")
            v = T.view(s, (8, 8))
            f = T.alloc_fragment((64,), "float32")
            for i, j in T.Parallel(8, 8):
                v[i, j] = A[i * 8 + j]
            T.copy(s, B)
            for i in T.Parallel(64):
                f[i] = t[i] + 1.0
            for i in T.Parallel(64):
                B[i] = f[i]

    assert _names(main) == ["t"]


def test_the_log_says_it_once_and_can_be_silenced(caplog):
    compile_kernel(_gemm("none"), target="cpu")
    (record,) = caplog.records
    assert "Buffer read before initialization: c, a tile of main" in record.getMessage()
    assert "test_language_initialization.py:" in record.getMessage()
    caplog.clear()
    off = {PassConfigKey.TL_DISABLE_BUFFER_INIT_CHECK: True}
    compile_kernel(_gemm("none"), target="cpu", pass_configs=off)
    assert not caplog.records


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_a_reduction_into_a_tile_that_nothing_wrote_begins_without_it(target):
    """What the tile holds is not defined: no number of it can be missed. In a loop it counts."""

    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tile = T.alloc_fragment((4, 64), "float32")
            most = T.alloc_fragment((64,), "float32")
            T.copy(A, tile)
            T.reduce_max(tile, most, dim=0, clear=False)
            for i, j in T.Parallel(4, 64):
                tile[i, j] = tile[i, j] - 1
            T.reduce_max(tile, most, dim=0, clear=False)
            T.copy(most, B)

    assert _names(main) == ["most"]
    assert main.modules[0].count(" accumulate") == 1
    a = np.random.default_rng(0).standard_normal((4, 64)).astype(np.float32) - 9
    b = np.zeros(64, np.float32)
    compile_kernel(main, target=target)(a, b)
    np.testing.assert_array_equal(b, a.max(0))
