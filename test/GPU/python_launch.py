#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches from Python on this machine's GPUs: results, streams, graphs, wrong arguments.

    PYTHONPATH=build/release/python python3 test/GPU/python_launch.py

Needs PyTorch; CuPy and JAX are tried where they are installed. A check that fails prints why;
the last line counts. benchmarks/python/launch.py measures.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import exchange_support
import numpy as np
import torch

import mlir_tile.language as T
from mlir_tile import cache, execution
from mlir_tile.errors import ArgumentError
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.tensors import torch_op

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def tensors(device="cuda:0"):
    a, b = (torch.randn(128, 256, device=device) for _ in range(2))
    return a, b, torch.zeros_like(a)


def right(a, b, c):
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)


@check
def results(add):
    a, b, c = tensors()
    add(a, b, c)
    right(a, b, c)
    add(a[::2, 1:65], b[::2, :64], c[::2, 64:128])
    right(a[::2, 1:65], b[::2, :64], c[::2, 64:128])
    p = torch.nn.Parameter(a)
    add(p, b, c)
    right(a, b, c)
    add(a[:0], b[:0], c[:0])


@check
def streams(add):
    a, b, c = tensors()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(50_000_000)
        a.mul_(2)
        add(a, b, c)  # behind the multiplication, by the library's stream
    side.synchronize()
    right(a, b, c)
    c.zero_()
    torch.cuda.synchronize()
    for stream in (side, side.cuda_stream):
        add(a, b, c, stream=stream)
    side.synchronize()
    right(a, b, c)


@check
def graphs(add):
    a, b, c = tensors()
    add.load(0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(a, b, c)
    c.zero_()
    a.copy_(torch.randn_like(a))
    graph.replay()
    right(a, b, c)


@check
def several_gpus(add):
    for index in range(torch.cuda.device_count()):
        a, b, c = tensors(f"cuda:{index}")
        add(a, b, c)  # whichever GPU is current
        right(a, b, c)
    if torch.cuda.device_count() > 1:
        a, b, c = tensors()
        refused(add, a, b.to("cuda:1"), c, text="expected memory of GPU 0")


def refused(kernel, *args, text):
    try:
        kernel(*args)
    except ArgumentError as error:
        assert text in str(error), f"expected '{text}', got '{error}'"
    else:
        raise AssertionError(f"expected an error with '{text}', got none")


@check
def wrong_arguments(add):
    a, b, c = tensors()
    refused(add, a, b.cpu(), c, text="('B'): expected memory of a GPU, got a tensor on the CPU")
    refused(add, a, b.cpu().numpy(), c, text="('B'): expected memory of a GPU, got ndarray")
    refused(add, a, b.half(), c, text="('B'): expected element type f32, got f16")
    refused(add, a, b.t(), c, text="('B'): expected strides [*, 1]")
    refused(add, a, None, c, text="('B'): expected a tensor of f32, got None")
    refused(add, a, b, a, text="('C'): expected memory of its own")
    refused(add, a, b.to("meta"), c, text="argument 1 ('B')")
    complex_view = torch.view_as_complex(torch.randn(128, 256, 2, device="cuda")).conj().imag
    for negative in (complex_view, torch._neg_view(b)):
        refused(add, a, negative, c, text="('B'): expected what is in memory")
        add(a, negative.resolve_neg().contiguous(), c)
    add(a, b, c)
    right(a, b, c)


@check
def pinned_memory(add):
    a, b, c = tensors()
    pinned = b.cpu().pin_memory()
    try:
        add(a, pinned, c)
    except ArgumentError as error:  # PyTorch says that pinned memory is the CPU's
        assert "on the CPU" in str(error)
    else:
        right(a, b, c)


@check
def operators(add):
    a, b, c = tensors()
    made = torch_op("mlir_tile_check::add", add, outputs=lambda a, b: torch.empty_like(a))
    compiled = torch.compile(lambda a, b: made(a, b) * 2, fullgraph=True)
    torch.testing.assert_close(compiled(a, b), (a + b) * 2)


@check
def threads(add):
    failures = []

    def work():
        try:
            a, b, c = tensors()
            for _ in range(500):
                add(a, b, c)
            right(a, b, c)
        except Exception as error:
            failures.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]


@check
def disk_cache(add):
    cache.configure(directory=tempfile.mkdtemp())
    execution.compile(exchange_support.ADD, target="cuda")
    times = []
    for _ in range(5):
        cache._state.memory.clear()
        start = time.perf_counter()
        again = execution.compile(exchange_support.ADD, target="cuda")
        again.load()
        times.append(time.perf_counter() - start)
        a, b, c = tensors()
        again(a, b, c)
        right(a, b, c)
    print(f"     a hit on disk and loading: {min(times) * 1e3:.2f} ms")
    assert min(times) <= 5e-3


@check
def cupy_arrays(add):
    try:
        import cupy
    except ImportError:
        print("     CuPy is not installed")
        return
    a, b, c = tensors()
    x, y, z = (cupy.asarray(tensor) for tensor in (a, b, c))
    stream = cupy.cuda.Stream()
    torch.cuda.synchronize()
    with stream:
        add(x, y, z)
    stream.synchronize()
    right(a, b, c)
    c.zero_()
    torch.cuda.synchronize()
    add(a, y, c)  # with a tensor of PyTorch
    right(a, b, c)


def gemm_with(state, m, n, k):
    """C = A Bᵀ in tiles of 128 × 128; `state` says how the blocks share them."""

    @T.prim_func
    def main(
        A: T.Tensor((m, k), "float16"),
        B: T.Tensor((n, k), "float16"),
        C: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(n // 128, m // 128, threads=256) as (bx, by):
            state()
            As = T.alloc_shared((128, 64), "float16")
            Bs = T.alloc_shared((128, 64), "float16")
            acc = T.alloc_fragment((128, 128), "float32")
            T.clear(acc)
            for step in T.Pipelined(k // 64, num_stages=4):
                T.copy(A[by * 128, step * 64], As)
                T.copy(B[bx * 128, step * 64], Bs)
                T.gemm(As, Bs, acc, transpose_B=True)
            T.copy(acc, C[by * 128, bx * 128])

    return main


@check
def tiles_that_blocks_share(_):
    """T.use_persistent, T.use_split_k and T.use_stream_k: the result, its bits at each launch, streams and graphs."""
    m, n, k = 640, 7168, 4096  # 280 tiles: two rounds of an H200's blocks, and 16 tiles that blocks can share
    a, b = (torch.randn(size, k, device="cuda").half() for size in (m, n))
    expected = a.float() @ b.float().t()
    states = {
        "persistent": lambda: T.use_persistent(1),
        "split": lambda: T.use_split_k(2),
        "stream": lambda: T.use_stream_k(16),
    }
    for name, state in states.items():
        kernel = compile_kernel(gemm_with(state, m, n, k), target="cuda")
        first = torch.full((m, n), float("nan"), device="cuda")
        kernel(a, b, first)
        torch.testing.assert_close(first, expected, rtol=1e-3, atol=2e-2, msg=lambda text: f"{name}: {text}")
        again = [torch.full_like(first, float("nan")) for _ in range(4)]
        sides = [torch.cuda.Stream() for _ in again]
        torch.cuda.synchronize()
        for result, side in zip(again, sides):
            with torch.cuda.stream(side):
                kernel(a, b, result)
        graph, captured = torch.cuda.CUDAGraph(), torch.full_like(first, float("nan"))
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            kernel(a, b, captured)
        for _ in range(3):
            captured.fill_(float("nan"))
            graph.replay()
        torch.cuda.synchronize()
        assert all(torch.equal(first, result) for result in (*again, captured)), f"{name}: other bits in another launch"


def shared_softmax(rows, columns, blocks):
    """A softmax of rows that the blocks of a cluster share."""
    part = columns // blocks

    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float16"), Y: T.Tensor((rows, columns), "float16")):
        with T.ClusterKernel(blocks, rows, threads=128, cluster_dims=(blocks, 1)) as (bx, by):
            x = T.alloc_fragment((1, part), "float32")
            top, total = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            tops, totals = T.alloc_fragment((blocks, 1), "float32"), T.alloc_fragment((blocks, 1), "float32")
            T.copy(X[by, bx * part], x)
            T.reduce_max(x, top, dim=1)
            T.cluster_gather(top, tops)
            T.reduce_max(tops, top, dim=0)
            for i, j in T.Parallel(1, part):
                x[i, j] = T.exp(x[i, j] - top[i])
            T.reduce_sum(x, total, dim=1)
            T.cluster_gather(total, totals)
            T.reduce_sum(totals, total, dim=0)
            for i, j in T.Parallel(1, part):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[by, bx * part])

    return main


@check
def rows_that_clusters_share(_):
    """T.cluster_gather: results, and the same bits at each launch."""
    for rows, columns, blocks in ((512, 65536, 4), (300, 8192, 2), (64, 131072, 8), (37, 4096, 1)):
        x = torch.randn(rows, columns, device="cuda").half()
        kernel = compile_kernel(shared_softmax(rows, columns, blocks), target="cuda")
        results = [torch.full_like(x, float("nan")) for _ in range(4)]
        for y in results:
            kernel(x, y)
        torch.testing.assert_close(results[0].float(), torch.softmax(x.float(), 1), rtol=2e-3, atol=1e-7)
        assert all(torch.equal(results[0], y) for y in results), "other bits in another launch"


def unsigned_kernel(source, target):
    """B = A by a tile of shared memory; S and U: the sum of each row, and its elements added to what is there."""

    @T.prim_func
    def main(
        n: T.uint32,
        A: T.Tensor((64, 256), source),
        B: T.Tensor((64, 256), target),
        S: T.Tensor((64,), "float64"),
        U: T.Tensor((256,), "int32"),
    ):
        with T.Kernel(4, threads=128) as bx:
            tile = T.alloc_shared((16, 256), target)
            row = T.alloc_fragment((16, 256), source)
            total = T.alloc_fragment((16,), "float64")
            T.copy(A[bx * 16, 0], tile)
            T.copy(tile, B[bx * 16, 0])
            T.copy(A[bx * 16, 0], row)
            T.reduce_sum(row, total, dim=1)
            for i in T.Parallel(16):
                total[i] += T.cast(n, "float64")
            T.copy(total, S[bx * 16])
            if source == "uint8":
                for k in T.serial(16):
                    T.atomic_add(U, A[bx * 16 + k, 0:256])

    return main


@check
def unsigned_tiles(_):
    """Copies, sums, atomics and scalars of unsigned numbers."""
    for source, target in (("uint8", "float16"), ("uint8", "int32"), ("uint32", "float64"), ("uint32", "int64"), ("float32", "uint8")):
        most = 255 if "8" in source + target else 2**32 - 1
        values = np.random.default_rng(1).integers(0, most, (64, 256), endpoint=True)
        a = torch.from_numpy(values.astype(source)).cuda()
        b = torch.zeros(64, 256, dtype=getattr(torch, target), device="cuda")
        sums, updated = torch.zeros(64, dtype=torch.float64, device="cuda"), torch.ones(256, dtype=torch.int32, device="cuda")
        kernel = compile_kernel(unsigned_kernel(source, target), target="cuda")
        kernel(2**32 - 2, a, b, sums, updated)
        np.testing.assert_array_equal(b.cpu().numpy(), values.astype(target))
        np.testing.assert_array_equal(sums.cpu().numpy(), values.sum(1) + 2.0**32 - 2)
        if source == "uint8":
            np.testing.assert_array_equal(updated.cpu().numpy(), 1 + values.sum(0))
        refused(kernel, -1, a, b, sums, updated, text="('n'): expected an integer that fits uint32")


def passes(name):
    """What a program beside this one prints, which must end well."""
    program = pathlib.Path(__file__).with_name(name)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "PASS" in done.stdout, done.stdout + done.stderr
    return done.stdout


@check
def cupy_without_torch(_):
    """Outputs are CuPy's where the inputs are, in a process that has no PyTorch."""
    if importlib.util.find_spec("cupy") is None:
        print("     CuPy is not installed")
        return
    passes("python_cupy.py")


@check
def rounded_operands(_):
    """TMA rounds operands of products in tf32."""
    print(passes("python_rounding.py"), end="")


@check
def jax_arrays(add):
    try:
        import jax
    except ImportError:
        print("     JAX is not installed")
        return
    a, b, c = tensors()
    gpu = jax.devices("cuda")[0]
    x, y = (jax.numpy.asarray(tensor.cpu().numpy(), device=gpu) for tensor in (a, b))
    add(x, y, c)
    right(a, b, c)


def main():
    add = execution.compile(exchange_support.ADD, target="cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}: {add.load()}")
    failed = 0
    for function in CHECKS:
        try:
            function(add)
            torch.cuda.synchronize()
            print(f"PASS {function.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {function.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
