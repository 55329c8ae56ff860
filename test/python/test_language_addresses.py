# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of addresses (T.ptr) that begin anywhere in a longer one."""

import numpy as np

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel


def test_a_table_is_a_part_of_a_longer_one():
    @T.prim_func
    def main(table: T.Tensor((2,), T.ptr), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=32):
            x = T.make_tensor(table[1], (4,), "float32")
            T.copy(x, B)

    kernel = compile_kernel(main, target="cpu")
    a, whole = np.arange(4, dtype=np.float32), np.zeros(8, np.int64)
    for first in range(3):
        part, b = whole[first : first + 2], np.zeros(4, np.float32)
        part[1] = a.ctypes.data
        kernel(part, b)
        assert (b == a).all()
