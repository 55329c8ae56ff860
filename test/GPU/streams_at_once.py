#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels with memory of their own (`tile.workspace`, by `stream_k`) on several streams at a time, and captured into graphs.

  pack      compiles and packs: where the compiler is
  run       where the GPU is: needs PyTorch

Each stream has a problem of its own, and the kernels on it run beside those of the others: each result is compared with float32, and has the
same bits in every launch. A stream's first launch may stand in the capture of a graph.
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Beside it once it is packed.
sys.path.insert(0, str(HERE if (HERE / "tilebench").exists() else HERE.parents[1] / "benchmarks"))

from tilebench.gemm import Gemm  # noqa: E402
from tilebench import pack as packing  # noqa: E402

PROGRAMS = (
    Gemm(tb=True, tile=(128, 128, 64), threads=256, stages=4, panel=8, stream_k=16, stream_least=0),
    Gemm(tb=True, tile=(64, 64, 64), threads=128, stages=3, panel=0, stream_k=8, stream_least=0, persistent=2),
    Gemm(tb=True, tile=(128, 128, 64), threads=256, stages=4, panel=8, stream_k=16, stream_least=0, cluster=(2, 1)),
)
PROBLEMS = ((640, 4096, 4096), (200, 1160, 8200), (72, 520, 16384), (1288, 2056, 1032))
LAUNCHES = 40


class Launches:
    """One kernel on one stream."""

    def __init__(self, torch, kernel, problem, stream):
        from tilebench.launch import tensor_arg

        m, n, k = problem
        self.torch, self.stream = torch, stream
        a, b = (torch.randn(shape, dtype=torch.float16, device="cuda") for shape in ((m, k), (n, k)))
        self.results = [torch.full((m, n), float("nan"), dtype=torch.float16, device="cuda") for _ in range(LAUNCHES)]
        self.calls = [
            kernel.bind([tensor_arg(a, "f16"), tensor_arg(b, "f16"), tensor_arg(c, "f16")], stream.cuda_stream) for c in self.results
        ]
        self.want, self.bound, self.keep = a.float() @ b.float().T, 4e-3 * k**0.5, (a, b)

    def errors(self):
        first = self.results[0]
        if not self.torch.all((first.float() - self.want).abs() <= self.bound + 1e-3 * self.want.abs()):
            yield "wrong"
        for number, result in enumerate(self.results):
            if not self.torch.equal(result.view(self.torch.int16), first.view(self.torch.int16)):
                yield f"launch {number} has other bits than the first"
                break


def run(options):
    import torch
    from tilebench.launch import Runtime

    torch.backends.cuda.matmul.allow_tf32 = False
    runtime = Runtime(options.folder)
    passed, failed = 0, 0

    def count(what, found):
        nonlocal passed, failed
        passed, failed = passed + (not found), failed + bool(found)
        for error in found:
            print(f"FAIL {what}: {error}")

    for program in PROGRAMS:
        kernel = runtime.kernel(program.ident())
        streams = [torch.cuda.Stream() for _ in PROBLEMS]
        each = [Launches(torch, kernel, problem, stream) for problem, stream in zip(PROBLEMS, streams)]
        torch.cuda.synchronize()
        for number in range(LAUNCHES):
            for launches in each:
                launches.calls[number]()
        torch.cuda.synchronize()
        for launches, problem in zip(each, PROBLEMS):
            count(f"{program.ident()} {problem}", list(launches.errors()))
        # Graphs of two streams, whose first launches are captured, run at the same time.
        graphs = []
        for problem in PROBLEMS[:2]:
            stream = torch.cuda.Stream()
            launches = Launches(torch, kernel, problem, stream)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for call in launches.calls:
                    call()
            graphs.append((graph, launches, problem))
        torch.cuda.synchronize()
        for _ in range(3):
            for graph, launches, _ in graphs:
                with torch.cuda.stream(launches.stream):
                    graph.replay()
        torch.cuda.synchronize()
        for _, launches, problem in graphs:
            count(f"{program.ident()} {problem}, captured", list(launches.errors()))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "streams_at_once.tar.xz")
    p = commands.add_parser("run", help="where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    options = parser.parse_args()
    if options.command == "pack":
        return 1 if packing.pack(PROGRAMS, __file__, options) else 0
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
