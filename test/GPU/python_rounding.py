#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tf32 by TMA with operands that tf32 lacks: TMA rounds them to nearest, it does not cut them.

    PYTHONPATH=build/release/python python3 test/GPU/python_rounding.py

python_launch.py runs it.
"""

import mlir_tile
import mlir_tile.language as T
import torch

K = 64


def product_of(rows):
    """`rows` of 64 go by wgmma, which reads shared memory itself; of 32 by mma.sync, by way of registers."""

    @T.prim_func
    def product(A: T.Tensor((rows, K), T.float32), B: T.Tensor((64, K), T.float32), C: T.Tensor((rows, 64), T.float32)):
        with T.Kernel(1, threads=128) as _:
            left = T.alloc_shared((rows, K), T.float32)
            right = T.alloc_shared((64, K), T.float32)
            sums = T.alloc_fragment((rows, 64), T.float32)
            T.clear(sums)
            for k in T.Pipelined(1, num_stages=2):
                T.copy(A[0, k * K], left)
                T.copy(B[0, k * K], right)
                T.gemm(left, right, sums, transpose_B=True)
            T.copy(sums, C)

    return mlir_tile.compile(product, target="cuda")


def main():
    for rows in (64, 32):
        kernel = product_of(rows)
        by_tma = "cp.async.bulk.tensor" in kernel.ptx
        # From 1 to 1 + 2^-3 in steps that tf32 has an eighth of, of both signs.
        a = (1 + torch.arange(rows * K, device="cuda").reshape(rows, K) % 1024 * 2.0**-13).float()
        a[1::2] *= -1
        unit = torch.eye(64, device="cuda")
        c = torch.full((rows, 64), float("nan"), device="cuda")
        kernel(a, unit, c)
        error = (c - a).abs().max().item()
        print(f"{rows} rows, by TMA: {by_tma}, largest error {error * 2**11:.3f} of half a unit")
        assert by_tma and error <= 2.0**-11, f"expected to nearest, got an error of {error}"
        special = torch.tensor([float("inf"), float("-inf"), float("nan"), 2.0**-120], device="cuda")
        for column in range(4):
            one = torch.zeros(64, K, device="cuda")
            one[:, column] = 1
            row = torch.zeros(rows, K, device="cuda")
            row[0, column] = special[column]
            kernel(row, one, c)
            got = c[0, 0]
            same = bool(torch.isnan(got)) if column == 2 else bool(got == special[column])
            assert same, f"expected {special[column]}, got {got}"
    print("PASS")


if __name__ == "__main__":
    main()
