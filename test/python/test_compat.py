# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang's names: the table, the runner of untouched scripts, what is not supported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlir_tile.compat import MODULES, passes, target, tvm
from mlir_tile.compat.arithmetic import cdiv, next_power_of_2

STUB = Path(__file__).parent / "torch_stub"


def run(tmp_path, script, *arguments, target="cpu"):
    """Runs a script through the runner in a process of its own."""
    path = tmp_path / "script.py"
    path.write_text(script)
    paths = [str(STUB), *sys.path]
    command = [sys.executable, "-m", "mlir_tile.compat"]
    command += [] if target is None else ["--target", target]
    return subprocess.run(
        [*command, str(path), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_script_has_its_own_arguments_and_folder(tmp_path):
    (tmp_path / "neighbour.py").write_text("value = 7\n")
    script = "import sys, neighbour\nprint(__name__, sys.argv[1:], neighbour.value)\n"
    done = run(tmp_path, script, "--m", "3", target=None)
    assert done.stdout == "__main__ ['--m', '3'] 7\n", done.stderr


def test_modules_of_tilelang_are_ours(tmp_path):
    script = """
import tilelang, tilelang.testing, tilelang.profiler as p
from tilelang.utils.tensor import torch_assert_close
from tilelang.transform import PassConfigKey
from tilelang.carver.arch import driver
import mlir_tile.testing, mlir_tile.profiler
assert tilelang.testing.main is mlir_tile.testing.main and p.Profiler is mlir_tile.profiler.Profiler
assert tilelang.PassConfigKey is PassConfigKey
print(tilelang.cdiv(7, 2), PassConfigKey.TL_ENABLE_FAST_MATH.value)
"""
    done = run(tmp_path, script, target=None)
    assert done.stdout == "4 tl.enable_fast_math\n", done.stderr


def test_what_scripts_only_look_at_is_there(tmp_path):
    script = """
import tilelang, mlir_tile
from tilelang.engine.callback import register_cuda_postproc_callback
assert tilelang.__file__ == mlir_tile.__file__
register_cuda_postproc_callback(lambda code, target: code)
"""
    done = run(tmp_path, script, target=None)
    assert done.stderr.endswith(
        "mlir_tile.errors.Error: register_cuda_postproc_callback: there is no C text here that a"
        " function could change; kernels are PTX\n"
    )


def test_what_libraries_patch_is_there(tmp_path):
    script = """
from tilelang.jit.adapter.base import BaseKernelAdapter
import tilelang.autotuner.tuner as tuner
kept = BaseKernelAdapter._legalize_result_idx
BaseKernelAdapter._legalize_result_idx = lambda self, x: kept(self, list(x))
print(BaseKernelAdapter(None, ["a", "b", "c"], [-1, 0]).result_idx)
first = tuner.run_with_timeout
tuner.run_with_timeout = lambda f, timeout, *args: first(f, timeout, *args) + 1
print(tuner.run_with_timeout(max, 5, 3, 4))
"""
    done = run(tmp_path, script, target=None)
    assert done.stdout == "[2, 0]\n5\n", done.stderr



@pytest.mark.parametrize(
    "line, name",
    [
        ("import tilelang.webgpu", "tilelang.webgpu"),
        ("from tilelang.ir import LowerTileOp", "tilelang.ir"),
        ("import tilelang; tilelang.register_cuda_postproc", "tilelang.register_cuda_postproc"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path, line, name):
    done = run(tmp_path, line + "\n", target=None)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert f"{name} is not supported; see docs/TileLangCompatibility.md" in last


def test_nothing_is_called_tilelang_without_the_runner():
    code = "import mlir_tile, sys; assert 'tilelang' not in sys.modules; import tilelang"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert "No module named 'tilelang'" in done.stderr


def test_table_names_modules_that_exist():
    from importlib.util import find_spec

    missing = {place for place in MODULES.values() if find_spec(place) is None}
    assert not missing


def test_pass_configs_map_or_are_noted():
    key = passes.PassConfigKey
    configs = {
        key.TL_ENABLE_FAST_MATH: True,
        "tl.disable_warp_specialized": True,
        key.TL_DISABLE_SAFE_MEMORY_ACCESS: True,
        key.TL_SIMPLIFY: 0,
    }
    expected = {"fast_math": True, "roles": "off", "guards": False}
    assert passes.options_of(configs) == expected
    assert passes.note_ignored(configs) == ["tl.Simplify"]
    assert passes.options_of(None) == {}


def test_targets():
    made = target.Target({"kind": "cuda", "arch": "sm_90a"})
    assert str(made) == "cuda -arch=sm_90a" and made.kind.name == "cuda"
    assert str(target.Target(str(made))) == str(made)
    assert target.target_is_cuda("cuda") and not target.target_is_rocm("cuda")
    assert target.target_is_hopper("cuda -arch=sm_90") and not target.target_is_sm100(
        "cuda -arch=sm_90"
    )


def test_small_things():
    assert [cdiv(7, 2), cdiv(8, 2), cdiv(0, 3)] == [4, 4, 0]
    assert [next_power_of_2(n) for n in (0, 1, 2, 3, 64, 65)] == [1, 1, 2, 4, 64, 128]
    assert tvm.DataType("float16x4").lanes == 4 and tvm.DataType("float8_e4m3fn").bits == 8
    assert tvm.DataType("bfloat16").itemsize == 2 and tvm.DataType("bool").bits == 1


def test_layouts_are_drawn(tmp_path):
    from mlir_tile import language as T
    from mlir_tile.compat.layout import make_full_bank_swizzled_layout
    from mlir_tile.compat.tools import plot_layout

    plot_layout(make_full_bank_swizzled_layout(8, 64, 16), tmp_path, name="swizzled")
    plot_layout(T.Layout([2, 4], lambda i, j: (j, i)), tmp_path, name="transposed")
    fragment = T.Fragment([4, 8], forward_thread_fn=lambda i, j: i * 8 + j)
    plot_layout(fragment, tmp_path, name="fragment")
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert sorted(sizes) == ["fragment.svg", "swizzled.svg", "transposed.svg"]
    assert "1,3" in (tmp_path / "transposed.svg").read_text()
    with pytest.raises(TypeError, match="needs a layout"):
        plot_layout(3, tmp_path)
    with pytest.raises(ValueError, match="at most"):
        plot_layout(T.Layout([256, 256], lambda i, j: (j, i)), tmp_path)


def test_tile_sizes_of_the_carver_fit():
    from mlir_tile.compat.carver import ConvTemplate, MatmulTemplate

    for template in (
        MatmulTemplate(M=4096, N=4096, K=4096, in_dtype="float16"),
        ConvTemplate(N=128, C=128, H=64, W=64, F=128, K=3, P=1, in_dtype="float16"),
    ):
        hints = template.with_arch(None).recommend_hints(topk=5)
        assert len(hints) == 5
        for hint in hints:
            needed = sum(hint.block) * hint.rstep[0] * 2 * hint.pipeline_stage
            assert needed <= 227 << 10 and hint.block[0] % hint.warp[0] == 0


def test_expressions_by_tvms_names(tmp_path):
    script = """
from tvm import tirx, DataType
import tilelang, tilelang.language as T, torch

def low_bits(value: tirx.PrimExpr):
    return value & tirx.const(15, T.int32)

@tilelang.jit(out_idx=[1])
def kernel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(N):
                B[i] = low_bits(A[i])
    return main

print(kernel(64)(torch.arange(64, dtype=torch.int32)).max().item(), DataType("int4").bits)
"""
    done = run(tmp_path, script)
    assert done.stdout == "15 4\n", done.stderr
