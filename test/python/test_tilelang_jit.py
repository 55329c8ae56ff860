# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling and calling in TileLang's style: sizes, outputs, errors, profiler, tuning."""

import re

import numpy as np
import pytest
from tilelang_style import T, tilelang, torch


@tilelang.jit
def add(A, B, block: int = 32):
    """C = A + B."""
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B: T.Tensor((M, N), T.float32)
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
        for i, j in T.Parallel(block, block):
            C[by * block + i, bx * block + j] = (
                A[by * block + i, bx * block + j] + B[by * block + i, bx * block + j]
            )
    return C


def _twice(A):
    N = T.const("N")
    A: T.Tensor((N,), T.float32)
    B = T.empty((N,), T.float32)
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = 2 * A[i]
    return B


@tilelang.jit(out_idx=[-1])
def add_lazy(M, N, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            a = T.alloc_fragment((32, 32), dtype)
            b = T.alloc_fragment((32, 32), dtype)
            T.copy(A[by * 32, bx * 32], a)
            T.copy(B[by * 32, bx * 32], b)
            for i, j in T.Parallel(32, 32):
                a[i, j] += b[i, j]
            T.copy(a, C[by * 32, bx * 32])

    return main


def tensors(*shape, dtype=torch.float32):
    return [torch.randn(*shape, device="cuda", dtype=dtype) for _ in range(2)]


def test_eager_takes_sizes_from_tensors():
    for shape in [(64, 32), (32, 96)]:
        a, b = tensors(*shape)
        assert torch.equal(add(a, b), a + b)


def test_eager_compile_with_sizes():
    kernel = add.compile(M=64, N=32, block=16)
    a, b = tensors(64, 32)
    assert torch.equal(kernel(a, b), a + b)


@pytest.fixture
def a_gpu_is_there(monkeypatch):
    """The default target of a machine with a GPU."""
    monkeypatch.setattr(tilelang.jit.targets, "_chosen", None)
    monkeypatch.setattr(tilelang.jit.targets, "_has_gpu", lambda: True)
    monkeypatch.delenv("TILELANG_DEFAULT_TARGET", raising=False)


def test_numpy_arrays_are_computed_on_the_cpu(a_gpu_is_there):
    twice = tilelang.jit(_twice)
    for turn in range(2):
        a = np.full((64,), 1.5 + turn, np.float32)
        assert np.array_equal(twice(a), 2 * a)
    assert [kernel.target for kernel in twice._kernels.values()] == ["cpu"]
    assert twice.compile(N=64, target="cuda:sm_90a").target == "cuda:sm_90a"


def test_a_named_target_stands_for_numpy_arrays(a_gpu_is_there):
    twice = tilelang.jit(_twice, target="lowered:sm_90a")
    a = np.arange(64, dtype=np.float32)
    assert np.array_equal(twice(a), 2 * a)
    assert [kernel.target for kernel in twice._kernels.values()] == ["lowered:sm_90a"]


def test_lazy_returns_the_outputs():
    kernel = add_lazy(64, 64)
    a, b = tensors(64, 64)
    assert torch.equal(kernel(a, b), a + b)
    assert kernel.out_idx in ([2], [-1])


def test_same_arguments_give_the_same_kernel():
    assert add_lazy(32, 64) is add_lazy(32, 64)
    assert add_lazy(32, 64) is not add_lazy(64, 32)


def test_without_out_idx_the_caller_gives_outputs():
    kernel = tilelang.compile(add_lazy.get_tir(32, 32))
    a, b = tensors(32, 32)
    c = torch.empty(32, 32)
    assert kernel(a, b, c) is None
    assert torch.equal(c, a + b)


@tilelang.jit(out_idx=[-1])
def dynamic_rows(N):
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, N), "float32"), B: T.Tensor((m, N), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=128) as bx:
            a = T.alloc_fragment((16, N), "float32")
            T.copy(A[bx * 16, 0], a)
            for i, j in T.Parallel(16, N):
                a[i, j] = a[i, j] * 2
            T.copy(a, B[bx * 16, 0])

    return main


@pytest.mark.parametrize("rows", [16, 17, 1])
def test_sizes_that_are_known_when_the_kernel_runs(rows):
    a = torch.randn(rows, 32)
    assert torch.equal(dynamic_rows(32)(a), a * 2)


def test_kernel_source_is_ptx():
    assert ".entry" in add_lazy(64, 64).get_kernel_source()


def test_remarks_are_text():
    assert "remark: " in add_lazy(64, 64).remarks


def test_pass_configs_are_accepted():
    options = {
        tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED: True,
        tilelang.PassConfigKey.TL_DISABLE_TMA_LOWER: True,
    }
    kernel = tilelang.compile(add_lazy.get_tir(32, 32), out_idx=[-1], pass_configs=options)
    a, b = tensors(32, 32)
    assert torch.equal(kernel(a, b), a + b)


def test_profiler_checks_and_measures():
    profiler = add_lazy(64, 64).get_profiler(tilelang.TensorSupplyType.Normal)
    profiler.assert_allclose(lambda a, b: a + b)
    with pytest.raises(AssertionError, match="elements differ"):
        profiler.assert_allclose(lambda a, b: a - b)
    assert profiler.do_bench(warmup=1, rep=2) > 0


@tilelang.autotune(configs=[{"block": 16}, {"block": 32}], warmup=1, rep=2)
@tilelang.jit
def tuned_add(A, B, block: int = 8):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B: T.Tensor((M, N), T.float32)
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
        for i, j in T.Parallel(block, block):
            C[by * block + i, bx * block + j] = (
                A[by * block + i, bx * block + j] + B[by * block + i, bx * block + j]
            )
    return C


def test_autotune_finds_a_configuration_and_runs_it():
    a, b = tensors(64, 64)
    assert torch.equal(tuned_add(a, b), a + b)
    result = tuned_add.tune(a, b)
    assert result.config["block"] in (16, 32) and len(result.latencies) == 2


def test_autotuner_of_a_function():
    from mlir_tile.autotuner import AutoTuner

    def kernel(block=None):
        @T.prim_func
        def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
            with T.Kernel(64 // block, threads=128) as bx:
                a = T.alloc_fragment((block, 64), "float32")
                T.copy(A[bx * block, 0], a)
                T.copy(a, B[bx * block, 0])

        return main

    tuner = AutoTuner.from_kernel(kernel, [{"block": 16}, {"block": 64}])
    tuner.set_compile_args(out_idx=[-1]).set_profile_args(ref_prog=lambda a: a, warmup=1, rep=2)
    result = tuner.run()
    assert result.config["block"] in (16, 64) and not result.failures


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda a, b: (a.half(), b), "expected element type f32, got f16"),
        (lambda a, b: (a.reshape(32, 128), b), "32"),
        (lambda a, b: (None, b), "A"),
    ],
)
def test_wrong_arguments_name_the_argument(change, words):
    a, b = tensors(64, 64)
    with pytest.raises(Exception, match=words) as caught:
        add_lazy(64, 64)(*change(a, b))
    assert "A" in str(caught.value)
    assert torch.equal(add_lazy(64, 64)(a, b), a + b)


def test_errors_name_the_line_of_the_script():
    with pytest.raises(Exception, match=r"test_tilelang_jit\.py:\d+") as caught:

        @T.prim_func
        def main(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128) as _:
                a = T.alloc_fragment((64, 32), "float32")
                T.copy(A[0, 0], a)
                T.gemm(a, a, a)

        tilelang.compile(main)
    assert re.search(r"gemm", str(caught.value))


def gemm_of(m, n, k):
    """A function of tile sizes."""

    def kernel(block_m, block_n, block_k):
        @T.prim_func
        def main(
            A: T.Tensor((m, k), "float16"),
            B: T.Tensor((k, n), "float16"),
            C: T.Tensor((m, n), "float16"),
        ):
            with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
                a = T.alloc_shared((block_m, block_k), "float16")
                b = T.alloc_shared((block_k, block_n), "float16")
                c = T.alloc_fragment((block_m, block_n), "float32")
                T.clear(c)
                for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                    T.copy(A[by * block_m, step * block_k], a)
                    T.copy(B[step * block_k, bx * block_n], b)
                    T.gemm(a, b, c)
                T.copy(c, C[by * block_m, bx * block_n])

        return main

    return kernel


def test_cost_model_ranks_configurations():
    from mlir_tile.autotuner import AutoTuner
    from mlir_tile.autotuner.ranking import ranked

    sizes = [(16, 16, 16), (128, 128, 32), (64, 64, 32)]
    configs = [dict(zip(("block_m", "block_n", "block_k"), s, strict=True)) for s in sizes]
    tuner = AutoTuner.from_kernel(gemm_of(4096, 4096, 4096), configs).set_compile_args(out_idx=[-1])
    order = ranked(configs, tuner.portable)
    assert [index for _, index in order] == [1, 2, 0] and 0 < order[0][0] < order[2][0]


def test_only_what_the_cost_model_prefers_is_measured():
    from mlir_tile.autotuner import AutoTuner

    sizes = [(16, 16, 16), (64, 64, 32), (32, 32, 32)]
    configs = [dict(zip(("block_m", "block_n", "block_k"), s, strict=True)) for s in sizes]
    tuner = AutoTuner.from_kernel(gemm_of(256, 256, 64), configs).set_compile_args(out_idx=[-1])
    result = tuner.set_profile_args(warmup=1, rep=1).run(keep=2)
    assert len(result.latencies) == 2


def test_a_kernel_says_what_it_takes(monkeypatch, tmp_path):
    @T.prim_func
    def main(A: T.Tensor((64, 64), T.float32), B: T.Tensor((64, 64), T.float32)):
        with T.Kernel(1, threads=128):
            T.copy(A, B)

    kernel = tilelang.compile(main, target="cuda:sm_90a")
    usage = kernel.resource_usage["main"]
    assert kernel.n_max_threads == usage.threads == 128 and kernel.n_spills == 0
    assert kernel.n_regs is None or 0 < kernel.n_regs <= 255
    assert kernel.host_source == kernel.get_host_source()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(tilelang.Error, match="needs CUDA's nvdisasm"):
        kernel.show_sass()


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_a_call_in_place(target):
    """An input that is the output, too, or overlaps it: nothing is read before what is written in
    front of it, and calls with memory of their own keep their kernel."""

    @T.prim_func
    def main(A: T.Tensor((256,), "int32"), B: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((128,), "int32")
            T.copy(A[0:128], f)
            for j in T.Parallel(128):
                f[j] = f[j] * 2
            T.copy(f, B[64:192])
            T.copy(A[64:192], f)
            for j in T.Parallel(128):
                f[j] = f[j] + 1
            T.copy(f, B[128:256])

    kernel = tilelang.compile(main, target=target)

    def expected(a, b):
        b[64:192] = a[0:128] * 2
        b[128:256] = a[64:192] + 1
        return b

    rng = np.random.default_rng(0)
    data = torch.from_numpy(rng.integers(-9, 9, 256).astype(np.int32))
    apart = torch.zeros(256, dtype=torch.int32)
    kernel(data, apart)
    np.testing.assert_array_equal(apart, expected(data.numpy(), np.zeros(256, np.int32)))
    for _ in range(2):
        same = data.clone()
        kernel(same, same)
        wanted = data.numpy().copy()
        np.testing.assert_array_equal(same, expected(wanted, wanted))
        shifted = torch.cat([data, data[:64]])
        kernel(shifted[:256], shifted[64:])
        wanted = np.concatenate([data.numpy(), data.numpy()[:64]])
        expected(wanted[:256], wanted[64:])
        np.testing.assert_array_equal(shifted, wanted)
        kernel(data, apart)
