#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process without PyTorch, whose arrays are CuPy's: a kernel that returns its output, and one that gets it.

    PYTHONPATH=build/release/python python3 test/GPU/python_cupy.py

python_launch.py runs it, too. Prints `PASS`, or fails.
"""

import pathlib
import sys

import cupy

import mlir_tile as tilelang
import mlir_tile.language as T

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/python"))
from gemm import matmul  # noqa: E402


@tilelang.jit
def doubled(X, Y):
    N = T.const("N")
    X: T.Tensor[[N], T.float32]
    Y: T.Tensor[[N], T.float32]
    with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
        for i in T.Parallel(128):
            Y[bx * 128 + i] = X[bx * 128 + i] * 2.0


def main():
    normal = lambda *shape: cupy.random.standard_normal(shape, dtype=cupy.float32)
    a, b = normal(1024, 512).astype(cupy.float16), normal(512, 760).astype(cupy.float16)
    want = a.astype(cupy.float32) @ b.astype(cupy.float32)
    for _ in range(3):  # compiled, then remembered
        c = matmul(a, b)
        assert isinstance(c, cupy.ndarray) and c.shape == (1024, 760) and c.dtype == cupy.float16, type(c)
        error = float(cupy.abs(c.astype(cupy.float32) - want).max())
        assert error < 0.1, error
    x, y = normal(1000), cupy.full(1000, cupy.nan, cupy.float32)
    doubled(x, y)
    assert bool((y == 2 * x).all())
    assert "torch" not in sys.modules
    print("PASS")


if __name__ == "__main__":
    main()
