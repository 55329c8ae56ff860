# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `mlir-tile`, as a user runs it: a process of its own."""

import os
import pathlib
import subprocess
import sys

import mlir_tile
import pytest

PACKAGE = pathlib.Path(mlir_tile.__file__).parents[1]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCRIPT = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def scale(n, factor=2.0):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                Y[bx * 128 + i] = X[bx * 128 + i] * factor

    return main


if __name__ == "__main__":
    print("as a script")
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "scale.py").write_text(SCRIPT)
    environment = {
        **os.environ, "MLIR_TILE_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(PACKAGE),
    }  # fmt: skip

    def run(*words, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "mlir_tile", *map(str, words)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    return run


def test_compiles_a_file(run, tmp_path):
    assert ".target sm_90a" in run("compile", EXAMPLES / "gemm.mlir", "--arch=sm_90a")
    run("compile", EXAMPLES / "scale.mlir", "--arch=sm_80", "--emit=llvmir", "-o", "scale.ll")
    assert "define" in (tmp_path / "scale.ll").read_text()


def test_compiles_a_function_of_a_script(run):
    ptx = run("compile", "scale.py:scale", "--arg", "n=1024", "--arg", "factor=3.0", "--arch=sm_90")
    assert ".entry" in ptx and ".target sm_90" in ptx
    assert "memref<1024xf32" in run("compile", "scale.py:scale", "--arg", "n=1024", "--emit=tile")


def test_compiles_an_eager_function_of_sizes(run):
    words = ["--arg", "M=256", "--arg", "N=128", "--arg", "K=64", "--arg", "block_M=64"]
    gemm = f"{EXAMPLES / 'python/gemm.py'}:matmul"
    assert ".target sm_90a" in run("compile", gemm, *words, "--arch=sm_90a")
    assert "T.gemm(A_shared" in run("explain", gemm, *words)
    text = run("compile", gemm, "--arg", "M=256", status=1)
    assert "the size K is not known: give it as K=..." in text and "Traceback" not in text
    text = run("compile", gemm, *words, "--arg", "L=1", status=1)
    assert "no size of T.const named L" in text and "Traceback" not in text


def test_runs_and_times(run):
    assert run("run", EXAMPLES / "scale.mlir", "--check").endswith("PASS\n")
    assert "as a script" in run("run", "scale.py")
    assert "GB/s" in run("bench", EXAMPLES / "scale.mlir", "--repeats=1")


def test_explains_and_draws(run, tmp_path):
    text = run("explain", EXAMPLES / "gemm.mlir", "--arch=sm_90a")
    assert "gemm.mlir" in text or "wgmma" in text or "mma" in text
    text = run("layout", EXAMPLES / "gemm.mlir", "--arch=sm_80", "--svg", "drawings")
    assert text.count("\n") >= 3
    drawings = list((tmp_path / "drawings").glob("*.svg"))
    assert len(drawings) == 3 and all(d.stat().st_size < 1e6 for d in drawings)


def test_shows_and_empties_the_cache(run, tmp_path):
    assert run("cache", "path").strip() == str(tmp_path / "cache")
    assert run("cache", "info").startswith("0 kernels")
    assert run("cache", "clear").startswith("removed 0 kernels")


@pytest.mark.parametrize(
    "words, expected",
    [
        (["compile", "none.mlir"], "none.mlir"),
        (["compile", "scale.py"], "expected FILE.py:FUNCTION, got 'scale.py'"),
        (["compile", "scale.py:other"], "scale.py has no function 'other'"),
        (["compile", "scale.py:scale", "--arg", "n"], "expected --arg NAME=VALUE, got 'n'"),
        (
            ["compile", "scale.py:scale", "--arg", "m=1"],
            "got an unexpected keyword argument 'm'; its arguments: (n, factor=2.0)",
        ),
        (["compile", str(EXAMPLES / "gemm.mlir"), "--arch=sm_1"], "sm_1"),
        (["layout", str(EXAMPLES / "gemm.mlir"), "--buffer=%none"], "no buffer '%none'"),
        (["bench", "scale.py"], "a script times its own kernels"),
    ],
)
def test_says_what_is_wrong(run, words, expected):
    text = run(*words, status=1)
    assert expected in text and "Traceback" not in text, text


def test_refuses_a_wrong_command_line(run):
    assert "COMMAND" in run(status=2)
    assert "unrecognized arguments" in run("cache", "info", "--more", status=2)


@pytest.mark.parametrize(
    "tool", ["tile-opt", "tile-translate", "tile-run", "tile-reduce", "tile-lsp-server"]
)
def test_tools_are_in_the_library(tool):
    code = f"import sys; sys.argv = ['{tool}', '--help']; from mlir_tile import _tools; _tools.{tool.replace('-', '_')}()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and len(done.stdout) > 100, done.stderr
