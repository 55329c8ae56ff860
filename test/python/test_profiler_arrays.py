# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profiler without PyTorch: inputs are numpy's arrays on the CPU target."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import mlir_tile as tilelang
import mlir_tile.language as T


@tilelang.jit(out_idx=[-1], target="cpu")
def gemm(n):
    @T.prim_func
    def main(
        A: T.Tensor((n, n), "float16"),
        B: T.Tensor((n, n), "float16"),
        C: T.Tensor((n, n), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((n, n), "float16"), T.alloc_shared((n, n), "float16")
            c = T.alloc_fragment((n, n), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, C)

    return main


profiler = gemm(64).get_profiler()
reference = lambda a, b: a.astype(np.float32) @ b.astype(np.float32)
profiler.assert_allclose(reference, atol=1e-2, rtol=1e-2)
profiler.assert_consistent(2)
assert profiler.do_bench(warmup=0, rep=1) > 0
try:
    profiler.assert_allclose(lambda a, b: reference(a, b) + 1)
except AssertionError as error:
    assert "4096 of 4096 elements differ" in str(error), error
else:
    raise SystemExit("a wrong result passed")
assert "torch" not in sys.modules
"""


def test_inputs_without_torch(tmp_path):
    script = tmp_path / "profile.py"
    script.write_text(PROGRAM)
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("kind", ["Auto", "Integer", "Normal", "Randn", "Zero", "One"])
@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "bool"]
)
def test_arrays_of_every_type(kind, dtype):
    from mlir_tile.language.dtypes import dtype as element
    from mlir_tile.profiler import TensorSupplyType
    from mlir_tile.profiler.arrays import array_supply

    class Param:
        name, shape = "A", (4, 6)

    Param.dtype = dtype
    made = array_supply(TensorSupplyType[kind])(Param)
    assert made.shape == (4, 6) and made.dtype == element(dtype).as_numpy()
    if kind == "Zero":
        assert not made.view("uint8").any()


def test_narrow_floats_are_the_nearest():
    import numpy as np

    from mlir_tile.profiler.arrays import _values

    for name, one, largest in (("float8_e4m3fn", 0x38, 448.0), ("float8_e5m2", 0x3C, 57344.0)):
        table = _values(name)
        assert table[one] == 1.0 and table[one + 128] == -1.0
        assert table[np.isfinite(table)].max() == largest
