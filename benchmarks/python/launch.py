#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch from Python costs: three f32 tensors, a kernel that adds them.

    benchmarks/python/launch.py            # a GPU, PyTorch (and CuPy where it is installed)
    benchmarks/python/launch.py --mock     # no GPU: the tests' tensors and the mock driver
    benchmarks/python/launch.py --mock --torch  # the same with PyTorch's tensors, and the styles
    benchmarks/python/launch.py --tilelang # the same scripts by both packages, alternating

Nanoseconds of a call as its caller waits for it, without the loop's own cost; the minimum of
`--rounds`. `driver` is the driver's launch alone, in the same process: what all others are
compared with. Work is waited for after each round, of few enough launches not to fill the queue.
"""

import argparse
import itertools
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/python"))


def measure(function, wait, launches, rounds, clock):
    """The shortest time of a call, in nanoseconds, the loop included."""
    best = float("inf")
    for _ in range(rounds):
        loop = itertools.repeat(None, launches)
        start = clock()
        for _ in loop:
            function()
        best = min(best, (clock() - start) / launches)
        wait()
    return best


def report(ways, wait, arguments):
    # Under --mock nobody waits for anything, so other processes can be left out.
    clock = time.thread_time_ns if arguments.mock else time.perf_counter_ns

    def timed(function):
        return measure(function, wait, arguments.launches, arguments.rounds, clock)

    empty = timed(lambda: None)
    bare = None
    for name, function in ways:
        if name == "driver":
            taken = min(function() for _ in range(arguments.rounds))
            bare = taken
        else:
            taken = timed(function) - empty
        over = "" if bare is None or name == "driver" else f"{taken - bare:+10.0f}"
        print(f"{name:34s} {taken:9.0f} ns {over}")


def open_mock():
    """The tests' tensors and mock driver, on which all kernels of this process are loaded."""
    import exchange_support

    from mlir_tile._mlir_libs import _launch

    exchange = exchange_support.build()
    exchange.mock(quiet=True)
    device_kernel = _launch.device_kernel

    def on_mock(artifact, name):
        for manifest in json.loads(_launch.manifest(artifact))["kernels"]:
            exchange_support.declare_parameters(exchange, manifest)
        kernel = device_kernel(artifact, name, exchange.__file__)
        kernel.load()  # while the parameters are those of this kernel, not of a namesake
        return kernel

    _launch.device_kernel = on_mock
    return exchange


def mock_ways(with_torch):
    import exchange_support

    from mlir_tile import execution

    exchange = open_mock()
    kernel = execution.compile(exchange_support.ADD, target="cuda:sm_90a").launcher
    tensors = [
        exchange.Tensor(0x100000 * i, (128, 256), (256, 1), (2, 32, 1), (2, 0)) for i in (1, 2, 3)
    ]
    ways = ways_of(kernel, *tensors)
    if with_torch:
        import torch

        exchange.on_gpu(torch.Tensor)
        guards = torch._C._dynamo.guards
        guards._empty_strided_cuda = guards._empty_strided_cpu
        a, b, c = (torch.empty(128, 256) for _ in range(3))
        shape, more = tuple(a.shape), {"dtype": a.dtype, "device": a.device}
        ways += [(f"PyTorch: {name}", way) for name, way in ways_of(kernel, a, b, c)[1:]]
        ways += styles("mlir_tile", "cpu", {"target": "cuda:sm_90a"}).items()
        ways.append(("torch.empty(shape)", lambda: torch.empty(shape, **more)))
        ways.append(("torch.empty(*shape)", lambda: torch.empty(*shape, **more)))
        ready = shape, a.stride(), a.dtype
        ways.append(("_empty_strided", lambda: guards._empty_strided_cpu(*ready)))
    return ways, lambda: None


def ways_of(kernel, a, b, c):
    return [
        ("driver", lambda: kernel.repeat(1000, a, b, c)),
        ("kernel", lambda: kernel(a, b, c)),
        ("kernel, stream given", lambda: kernel(a, b, c, stream=0x100)),
    ]


def gpu_ways():
    import exchange_support
    import torch

    from mlir_tile import execution

    executable = execution.compile(exchange_support.ADD, target="cuda")
    kernel = executable.launcher
    a, b = (torch.randn(128, 256, device="cuda") for _ in range(2))
    c = torch.empty_like(a)
    kernel(a, b, c)
    torch.testing.assert_close(c, a + b)
    stream = torch.cuda.current_stream()
    address = stream.cuda_stream
    nothing = [tensor[:0] for tensor in (a, b, c)]
    ways = [
        ("driver", lambda: kernel.repeat(200, a, b, c)),
        ("kernel", lambda: kernel(a, b, c)),
        ("kernel, torch stream given", lambda: kernel(a, b, c, stream=stream)),
        ("kernel, the stream's address given", lambda: kernel(a, b, c, stream=address)),
        ("all but the driver's launch", lambda: kernel(*nothing)),
        ("Executable", lambda: executable(a, b, c)),
        ("kernel, torch.empty_like", lambda: kernel(a, b, torch.empty_like(a))),
        ("torch.add(out=)", lambda: torch.add(a, b, out=c)),
        ("torch a + b", lambda: a + b),
    ]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(a, b, c)
    c.zero_()
    graph.replay()
    torch.testing.assert_close(c, a + b)
    try:
        import cupy
    except ImportError:
        pass
    else:
        x, y, z = (cupy.asarray(tensor) for tensor in (a, b, c))
        ways.append(("kernel, CuPy", lambda: kernel(x, y, z)))
    return ways, torch.cuda.synchronize


def styles(module, device="cuda", options=None):
    """TileLang's three ways to call a kernel, by name, in the package `module`.

    `options`: of its `jit`.
    """
    import importlib

    import torch

    tilelang = importlib.import_module(module)
    T = importlib.import_module(f"{module}.language")
    jit = tilelang.jit(**(options or {}))

    def lazy(M, N):
        @T.prim_func
        def add(
            A: T.Tensor((M, N), "float32"),
            B: T.Tensor((M, N), "float32"),
            C: T.Tensor((M, N), "float32"),
        ):
            with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
                for i, j in T.Parallel(32, 32):
                    C[by * 32 + i, bx * 32 + j] = (
                        A[by * 32 + i, bx * 32 + j] + B[by * 32 + i, bx * 32 + j]
                    )

        return add

    @jit
    def into(A, B, C):
        M, N = T.const("M, N")
        A: T.Tensor((M, N), T.float32)
        B: T.Tensor((M, N), T.float32)
        C: T.Tensor((M, N), T.float32)
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            for i, j in T.Parallel(32, 32):
                C[by * 32 + i, bx * 32 + j] = (
                    A[by * 32 + i, bx * 32 + j] + B[by * 32 + i, bx * 32 + j]
                )

    @jit
    def made(A, B):
        M, N = T.const("M, N")
        A: T.Tensor((M, N), T.float32)
        B: T.Tensor((M, N), T.float32)
        C = T.empty((M, N), T.float32)
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            for i, j in T.Parallel(32, 32):
                C[by * 32 + i, bx * 32 + j] = (
                    A[by * 32 + i, bx * 32 + j] + B[by * 32 + i, bx * 32 + j]
                )
        return C

    a, b = (torch.randn(128, 256, device=device) for _ in range(2))
    c = torch.empty_like(a)
    kernel = jit(lazy)(128, 256)
    ways = {
        "lazy": lambda: kernel(a, b, c),
        "eager, without allocation": lambda: into(a, b, c),
        "eager, T.empty": lambda: made(a, b),
    }
    for way in ways.values() if device == "cuda" else ():
        c.zero_()
        result = way()
        found = result if isinstance(result, torch.Tensor) else c
        torch.testing.assert_close(found, a + b)
    return ways


def against_tilelang(arguments):
    import torch

    ours, theirs = styles("mlir_tile"), styles("tilelang")
    for name in ours:
        best = [float("inf")] * 2
        for _ in range(10):
            for i, way in enumerate((ours[name], theirs[name])):
                taken = measure(
                    way, torch.cuda.synchronize, arguments.launches, 5, time.perf_counter_ns
                )
                best[i] = min(best[i], taken)
        print(
            f"{name:34s} {best[0]:9.0f} ns, TileLang {best[1]:9.0f} ns, {best[0] / best[1]:.2f} of it"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mock", action="store_true", help="no GPU: the mock driver")
    parser.add_argument("--torch", action="store_true", help="of --mock: PyTorch's tensors")
    parser.add_argument("--tilelang", action="store_true", help="compare with TileLang's own")
    parser.add_argument("--launches", type=int, default=500, help="of a round")
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    if arguments.tilelang:
        return against_tilelang(arguments)
    ways, wait = mock_ways(arguments.torch) if arguments.mock else gpu_ways()
    report(ways, wait, arguments)


if __name__ == "__main__":
    main()
