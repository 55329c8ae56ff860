#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMM through mma.sync on an sm_90 GPU against cuBLAS.

    python3 benchmarks/gemm_sm90.py pack --bin BIN -o OUT.tar.xz   # where the compiler is
    python3 gemm_sm90.py run FOLDER                                # where the GPU is (torch, triton): the unpacked folder

Every result is compared with float32 on fresh random inputs, the output poisoned with NaN, before it is timed; times are
medians of triton.testing.do_bench, ours and torch.matmul alternating in one process. Each tile is measured with loads as
the compiler chooses them for sm_90, and (`notma`) as it chooses them for GPUs without TMA.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.bench import Bench  # noqa: E402
from tilebench.gemm import Gemm, padded_row  # noqa: E402
from tilebench.problems import RAGGED  # noqa: E402

TILES = [  # tile, stages, threads
    ((256, 128, 64), 3, 256), ((256, 128, 64), 4, 256), ((128, 256, 64), 3, 256), ((128, 256, 64), 4, 256),
    ((128, 128, 64), 3, 128), ((128, 128, 32), 3, 128), ((128, 128, 32), 4, 128), ((256, 128, 32), 4, 256),
]


def program(tile, stages, threads, **more):
    return Gemm(tile=tile, stages=stages, threads=threads, persistent=0, **more)


def cases():
    """(label, M, N, K, program)"""
    found = [(str(size), size, size, size, program(*tile, load_tma=tma))
             for size, tiles in ((8192, TILES), (4096, TILES[:1] + TILES[5:6])) for tma in (True, False) for tile in tiles]
    for layout, aligned in (("padded", True), ("dense", False)):
        found.append((f"odd, {layout}", *RAGGED, program((128, 128, 32), 3, 128, layout=layout, static=RAGGED, aligned=aligned)))
    return found


def pack(options):
    from tilebench import pack as packing

    return packing.pack([c[-1] for c in cases()], __file__, options)


def run(options):
    bench = Bench(options)
    torch = bench.torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; medians of {options.pairs} pairs, TFLOP/s", flush=True)
    for label, m, n, k, candidate in cases():
        if not bench.packed([candidate]):
            print(f"{candidate.ident()}: {bench.failed.get(candidate.ident(), 'not packed')}")
            continue
        if options.seconds and time.time() - options.seed_time > options.seconds:
            print("out of time")
            break

        def matrix(rows, columns, padded=candidate.layout == "padded"):
            width = padded_row(columns, "f16") if padded else columns
            return bench.timing.normal((rows, width), "f16", bench.device)[:, :columns]

        a, b, c, d = matrix(m, k), matrix(k, n), matrix(m, n), matrix(m, n)
        launch = bench.bind(candidate, dict(A=a, B=b, C=c))
        if bench.verified(candidate.ident(), launch, c, a, b, "f16", "f16"):
            bench.report("sm_90", label, candidate.ident(), launch, 2 * m * n * k, {"cublas": lambda: torch.matmul(a, b, out=d)})
    bench.record("sm_90")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong")
    return bool(bench.wrong)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "gemm_sm90.tar.xz")
    p.set_defaults(arch="sm_90", info=True)
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    packing.add_run_options(p)
    p.add_argument("--seconds", type=float, default=0, help="start no measurement after this time")
    options = parser.parse_args()
    options.seed_time = time.time()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
