#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What limits a packed kernel: one launch for ncu, or seconds of launches beside the chip's clock and power.

  once     launches each kernel once, after one launch that is compared with float32; to be run under
           `ncu --clock-control none --set full --section SourceCounters -k regex:gemm --launch-skip 1 ...`
  sustain  launches each kernel for a while and reads `nvidia-smi` meanwhile: TFLOP/s, MHz, W, and operations a cycle

Kernels are those of `gemm_hopper.py pack` whose names match --only, all of one problem; `--peers` adds Triton and cuBLAS.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gemm_hopper  # noqa: E402
from tilebench.bench import Bench  # noqa: E402
from tilebench.problems import Problem  # noqa: E402


def launches(bench, options):
    """name -> launch, of our kernels that compute the right thing, and of the peers."""
    torch = bench.torch
    m, n, k = options.shape
    problem = Problem(m, n, k, options.tb)
    a, b, view, c = gemm_hopper.matrices(bench, problem, "f16")
    bias, r = bench.timing.normal((n,), "f16"), bench.timing.normal((m, n), "f16")
    found = {}
    for program in {p.ident(): p for _, p in gemm_hopper.programs() if p.tb == options.tb}.values():
        name = program.ident()
        if name not in bench.have or not re.search(options.only, name):
            continue
        launch = bench.bind(program, dict(A=a, B=b, C=c, bias=bias, R=r))
        finish = gemm_hopper.finishes(torch, bias, r)[program.epilogue]
        if bench.verified(name, launch, c, a, view, "f16", "f16", finish):
            found[name] = launch
    if options.peers:
        from tilebench import triton_gemm

        d = torch.empty_like(c)
        found["cublas"] = lambda: torch.matmul(a, view, out=d)
        for config in triton_gemm.CONFIGS[:2]:
            found[f"triton {config}"] = triton_gemm.launcher(a, b, d, options.tb, config)
            found[f"triton {config}"]()
    torch.cuda.synchronize()
    return found, problem


def once(bench, options):
    for launch in launches(bench, options)[0].values():
        launch()
    bench.torch.cuda.synchronize()


CLOCK = r"""
extern "C" __global__ void now(long long *at) {
  long long cycles, nanoseconds;
  unsigned sm;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  at[0] = cycles, at[1] = nanoseconds, at[2] = sm;
}
"""


def clock_reader(torch):
    """read(): cycles, nanoseconds and the multiprocessor they are of, when what is on the stream has ended. What
    nvidia-smi calls the clock is the one asked for; cycles that passed are what a multiprocessor had."""
    import cupy

    kernel = cupy.RawKernel(CLOCK, "now")

    def read():
        at = torch.zeros(3, dtype=torch.int64, device="cuda")
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            kernel((1,), (1,), (at.data_ptr(),))
        return at

    return read


def sustain(bench, options):
    found, problem = launches(bench, options)
    torch = bench.torch
    clock = clock_reader(torch)
    for turn in range(options.turns):
        for name, launch in found.items():
            bench.alive()
            query = "--query-gpu=clocks.sm,power.draw.instant,temperature.gpu"
            sampler = subprocess.Popen(
                ["nvidia-smi", query, "--format=csv,noheader,nounits", "-lms", "50"], stdout=subprocess.PIPE, text=True
            )
            begun, count = time.time(), 0
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            while time.time() - begun < options.seconds / 3:  # until the clock has settled
                launch()
                torch.cuda.synchronize()
            settled = time.time()
            start.record()
            before = clock()
            while time.time() - settled < options.seconds:
                for _ in range(8):
                    launch()
                count += 8
                torch.cuda.synchronize()
            after = clock()
            end.record()
            torch.cuda.synchronize()
            cycles, nanoseconds, sm = (after - before).tolist()
            real = f"{cycles / nanoseconds * 1e3:5.0f} MHz real  " if sm == 0 else "    ? MHz real  "
            sampler.terminate()
            rows = [[float(v) for v in line.split(",")] for line in sampler.stdout.read().splitlines() if line.count(",") == 2]
            rows = rows[len(rows) // 3 :]
            rate = problem.flops() * count / start.elapsed_time(end) / 1e9
            mhz, watts, celsius = (statistics.median(column) for column in zip(*rows))
            print(
                f"{rate:6.1f} TFLOP/s  {mhz:5.0f} MHz  {real}{watts:4.0f} W  {celsius:3.0f} C  "
                f"{rate * 1e6 / mhz / 132:5.0f} operations a cycle and SM (peak 4096 in f16)  {name}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the unpacked folder of gemm_hopper.py pack")
    parser.add_argument("what", choices=("once", "sustain"))
    parser.add_argument("--only", default=".", help="a regular expression that the kernels' names match")
    parser.add_argument("--shape", type=int, nargs=3, default=(8192, 8192, 8192), metavar=("M", "N", "K"))
    parser.add_argument("--tb", action="store_true", help="B stored as N x K")
    parser.add_argument("--peers", action="store_true", help="cuBLAS and Triton, too")
    parser.add_argument("--seconds", type=float, default=1.0, help="of launches, each")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--patience", type=float, default=45, help="seconds without progress after which to give up")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the inputs; fresh by default")
    options = parser.parse_args()
    options.tune, options.pairs, options.rep = False, 0, 0
    only, options.only = options.only, None
    bench = Bench(options)
    options.only = only
    {"once": once, "sustain": sustain}[options.what](bench, options)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
