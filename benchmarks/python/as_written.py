#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMMs as people write them, with the parameters that they choose, against TileLang's.

    PYTHONPATH=SITE benchmarks/python/as_written.py --out rows.jsonl    # a GPU, both packages

TileLang's quickstart GEMM (no order of blocks, not persistent) with tiles of 128x128x32,
128x128x64 and 64x64x32, 128 or 256 threads, 2 to 4 stages, of 1024, 4096 and 8192. Both packages
compile the same function; results are compared with torch's in float32, outputs start as NaN.
Times are medians of `triton.testing.do_bench`, alternating in one process; the ratio is TileLang's
time over ours, the median of `--pairs`. `--variants plain,alone` adds ours without roles.
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve()
TILES = [(128, 128, 32), (128, 128, 64), (64, 64, 32)]
PASS_CONFIGS = {"plain": {}, "alone": {"tl.disable_warp_specialized": True}}


def factory(module, configs):
    """The quickstart GEMM in a package, as a function of sizes and parameters."""
    import importlib

    tilelang = importlib.import_module(module)
    T = importlib.import_module(f"{module}.language")

    def matmul(size, block_M, block_N, block_K, stages, threads):
        @T.prim_func
        def gemm(
            A: T.Tensor((size, size), "float16"),
            B: T.Tensor((size, size), "float16"),
            C: T.Tensor((size, size), "float16"),
        ):
            with T.Kernel(
                T.ceildiv(size, block_N), T.ceildiv(size, block_M), threads=threads
            ) as (bx, by):
                A_shared = T.alloc_shared((block_M, block_K), "float16")
                B_shared = T.alloc_shared((block_K, block_N), "float16")
                C_local = T.alloc_fragment((block_M, block_N), "float32")
                T.clear(C_local)
                for k in T.Pipelined(T.ceildiv(size, block_K), num_stages=stages):
                    T.copy(A[by * block_M, k * block_K], A_shared)
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                    T.gemm(A_shared, B_shared, C_local)
                T.copy(C_local, C[by * block_M, bx * block_N])

        return gemm

    return tilelang.jit(pass_configs=configs)(matmul)


def warm(case):
    """Fills TileLang's cache on disk, in a process of its own."""
    try:
        factory("tilelang", {})(*case)
    except Exception as error:
        return f"{case}: {str(error).splitlines()[0]}"
    return None


def measure(case, variants, pairs, make):
    import torch
    import triton.testing

    size = case[0]
    torch.manual_seed(sum(case))
    a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
    expected = a.float() @ b.float()
    bound = 2e-3 * float(expected.abs().max())
    kernels = {}
    row = {"case": case}
    for name in [*variants, "tilelang"]:
        try:
            kernels[name] = make[name](*case)
            c = torch.full((size, size), float("nan"), device="cuda", dtype=torch.float16)
            kernels[name](a, b, c)
            worst = float((c.float() - expected).abs().max())
            if not worst <= bound:
                raise AssertionError(f"expected results within {bound:.3g}, got {worst:.3g}")
        except Exception as error:
            kernels.pop(name, None)
            row[f"{name} failed"] = str(error).splitlines()[0]
    times = {name: [] for name in kernels}
    for _ in range(pairs):
        for name, kernel in kernels.items():
            took = triton.testing.do_bench(
                lambda kernel=kernel: kernel(a, b, c), warmup=3, rep=12, return_mode="median"
            )
            times[name].append(took)
    row["ms"] = {name: statistics.median(each) for name, each in times.items()}
    if "tilelang" in times:
        for name in times.keys() - {"tilelang"}:
            ratios = sorted(t / o for t, o in zip(times["tilelang"], times[name], strict=True))
            row[name] = [statistics.median(ratios), ratios[0], ratios[-1]]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("as_written.jsonl"))
    parser.add_argument("--sizes", default="1024,4096,8192")
    parser.add_argument("--variants", default="plain", help=f"of {', '.join(PASS_CONFIGS)}")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=12, help="processes that warm TileLang's cache")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    variants = options.variants.split(",")
    cases = [
        (size, *tile, stages, threads)
        for size, tile, stages, threads in itertools.product(sizes, TILES, (2, 3, 4), (128, 256))
    ]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for failure in pool.map(warm, cases):
            if failure:
                print(f"TileLang: {failure}", file=sys.stderr)
    make = {name: factory("mlir_tile", PASS_CONFIGS[name]) for name in variants}
    make["tilelang"] = factory("tilelang", {})
    rows = []
    with options.out.open("w") as out:
        for case in cases:
            row = measure(case, variants, options.pairs, make)
            rows.append(row)
            out.write(json.dumps(row) + "\n")
            out.flush()
    for name in variants:
        found = [row[name][0] for row in rows if name in row]
        failed = len(rows) - len(found)
        print(
            f"{name}: {len(found)} of {len(rows)}, geomean {statistics.geometric_mean(found):.3f}, "
            f"worst {min(found):.3f}, below 1: {sum(ratio < 1 for ratio in found)}, failed {failed}"
        )


if __name__ == "__main__":
    main()
