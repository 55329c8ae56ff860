# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of TVM's that TileLang's T has, too: kernels of others use them."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_barriers_attributes_and_products(target):
    @T.prim_func
    def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        T.func_attr({"tir.noalias": True, "global_symbol": "main"})
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            s[tx] = X[tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            # The product is rounded before 1 is added.
            Y[tx] = T.fmul(s[63 - tx], T.float32(3)) + 1.0
            T.tvm_storage_sync("warp")

    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    y = np.zeros_like(x)
    compile_kernel(main, target=target)(x, y)
    assert (y == x[::-1] * np.float32(3) + np.float32(1)).all()


def test_data_types_have_sizes():
    assert T.DataType("float32").bits == 32 and T.DataType("bfloat16").bits == 16
    assert T.DataType(T.float8_e4m3fn).bits == 8


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: T.tvm_storage_sync("global"), "tvm_storage_sync.'global'. is not supported yet"),
        (lambda: T.func_attr({"tir.other": 1}), "expected tir.noalias, .*, got 'tir.other'"),
    ],
)
def test_others_are_refused(call, message):
    with pytest.raises(LanguageError, match=message):

        @T.prim_func
        def main(X: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                call()
