# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that return nothing are compared with references by the arguments that they write."""

from types import SimpleNamespace

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.autotuner import AutoTuner
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.profiler import Profiler


def kernel_of(step):
    @T.prim_func
    def main(
        A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
    ):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(64):
                B[i] = A[i] + step
                C[i] += A[i]

    return compile_kernel(main, target="cpu")


def inputs():
    return [np.arange(64, dtype=np.float32), np.zeros(64, np.float32), np.ones(64, np.float32)]


def returned(a, b, c):
    return a + 1, a + c


def written(a, b, c):
    b[:] = a + 1
    c += a


@pytest.mark.parametrize("reference", [returned, written])
def test_arguments_are_compared(reference):
    kernel_of(1).get_profiler().assert_allclose(reference, inputs())
    with pytest.raises(AssertionError, match="63 of 64|64 of 64"):
        kernel_of(2).get_profiler().assert_allclose(reference, inputs())
    found = []
    kernel_of(1).get_profiler().manual_assert_close(
        reference, inputs(), lambda actual, expected: found.extend(zip(actual, expected))
    )
    for actual, expected in found:
        np.testing.assert_array_equal(actual, expected)
    assert len(found) == 2


def test_references_that_say_nothing_are_refused():
    profiler = kernel_of(1).get_profiler()
    with pytest.raises(AssertionError, match="it writes B, C; expected as many tensors.* got 1"):
        profiler.assert_allclose(lambda a, b, c: a + 1, inputs())
    with pytest.raises(AssertionError, match="nothing to compare"):
        profiler.assert_allclose(lambda a, b, c: None, inputs())


def test_runs_on_the_same_inputs_agree():
    calls = []

    def drifts(a):
        calls.append(1)
        a[:] = len(calls)

    param = SimpleNamespace(name="A", dtype="float32", shape=(4,))
    profiler = Profiler([param], None, adapter=drifts)
    profiler._get_inputs = lambda: [np.zeros(4, np.float32)]
    with pytest.raises(AssertionError, match="4 of 4"):
        profiler.assert_consistent(1)
    profiler.with_default_adapter(lambda a: a.fill(a[0] + 1)).assert_consistent(2)


def test_tuning_compares_them(tmp_path):
    tuner = AutoTuner.from_kernel(kernel_of, [{"step": 2}, {"step": 1}, {"step": 3}])
    tuner.set_compile_args(target="cpu")
    tuner.set_profile_args(warmup=0, rep=1, ref_prog=returned)
    tuner.cache_dir, tuner.inputs = tmp_path, inputs()
    result = tuner.run()
    assert result.config == {"step": 1} and len(result.failures) == 2
    assert all("elements differ" in reason for _, reason in result.failures)


def test_fewer_results_than_the_reference_are_no_match(tmp_path):
    class Kernel:
        target, out_idx = "cpu", [0]

        def __call__(self, *arguments):
            return [arguments[0] + 1]

        def get_profiler(self, tensor_supply_type=None):
            return Profiler([], None, adapter=self)

    tuner = AutoTuner.from_kernel(lambda step: Kernel(), [{"step": 1}])
    tuner.set_profile_args(warmup=0, rep=1, ref_prog=returned)
    tuner.cache_dir, tuner.inputs = tmp_path, inputs()
    with pytest.raises(RuntimeError, match="the kernel returns 1 tensors, the reference 2"):
        tuner.run()
