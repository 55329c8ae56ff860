# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and sums that are rounded once, as by CUDA's compiler, and those that are not."""

import re

import mlir_tile as tl
import mlir_tile.language as T
import numpy as np

TARGET = "cuda:sm_90a"


def instructions(kernel):
    """The kinds of floating-point instructions of a kernel's PTX."""
    text = kernel.get_kernel_source()
    return sorted(set(re.findall(r"^\s+((?:fma|mul|add|sub|ex2)\.[\w.]*f\d\d)", text, re.M)))


def of_three(compute):
    @T.prim_func
    def kernel(
        A: T.Tensor((128,), "float32"),
        B: T.Tensor((128,), "float32"),
        C: T.Tensor((128,), "float32"),
    ):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(128):
                C[i] = compute(A[i], B[i], C[i])

    return kernel


def test_a_product_and_its_sum_are_one_instruction():
    found = tl.compile(of_three(lambda a, b, c: a * b + c), target=TARGET)
    assert instructions(found) == ["fma.rn.f32"]
    found = tl.compile(of_three(lambda a, b, c: c - a * b), target=TARGET)
    assert [name for name in instructions(found) if name != "fma.rn.f32"] == []


def test_ieee_operations_are_rounded_on_their_own():
    found = tl.compile(of_three(lambda a, b, c: T.ieee_add(T.ieee_mul(a, b), c)), target=TARGET)
    assert instructions(found) == ["add.rn.f32", "mul.rn.f32"]
    # Beside a sum that may be contracted, too.
    found = tl.compile(of_three(lambda a, b, c: T.ieee_mul(a, b) + c), target=TARGET)
    assert "mul.rn.f32" in instructions(found) and "fma.rn.f32" not in instructions(found)


def test_exp2_is_the_gpus_instruction():
    found = tl.compile(of_three(lambda a, b, c: T.exp2(a)), target=TARGET)
    assert instructions(found) == ["ex2.approx.ftz.f32"]


def test_results_on_the_cpu():
    a, b, c = (np.random.default_rng(1).standard_normal((3, 128))).astype(np.float32)
    expected = (a.astype(np.float64) * b + c).astype(np.float32)
    tl.compile(of_three(lambda a, b, c: a * b + c), target="cpu")(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-6, atol=1e-6)
