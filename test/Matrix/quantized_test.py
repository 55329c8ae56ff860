#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of quantized weights at small sizes and compares with numpy in float64; round trips of packings.

    quantized_test.py --bin build/release/bin [--cases 'i4*'] [--paths source,lowered] [--seed 1] [--jobs 1]

`source` is the program as written, on the CPU; `lowered` what becomes PTX for sm_90a, thread by thread (docs/Lowered.md). C starts as
NaN, so that an element that nothing stores is wrong. The last line counts.
"""

import argparse
import concurrent.futures
import fnmatch
import pathlib
import sys
import tempfile
import time
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))

from attention_test import PATHS, differences, run_step  # noqa: E402
from quantized_cases import CASES, elements, problem  # noqa: E402
from tilebench import packings  # noqa: E402


def run(case, path, options):
    """What is wrong, or None, and the seconds."""
    start = time.time()
    rng = np.random.default_rng([options.seed, zlib.crc32(case.name.encode())])
    given, value, error = problem(rng, case.program, *case.sizes, case.splits)
    data = {}
    with tempfile.TemporaryDirectory() as folder:
        wrong = run_step((case.program, given, {"C": "C"}), data, pathlib.Path(folder), options, PATHS[path])
    if not wrong:
        got = elements.from_bf16(data["C"]) if case.program.result == "bf16" else data["C"].astype(np.float64)
        wrong = differences("C", got.sum(0) if case.program.split_k else got, value, error)
    return wrong, time.time() - start


def round_trips(seed):
    """Names of packings, and whether what they unpack is what was packed."""
    rng = np.random.default_rng(seed)
    q = rng.integers(0, 16, (128, 256)).astype(np.uint8)
    zeros = rng.integers(1, 16, (2, 128)).astype(np.float32)
    scales = rng.uniform(0.5, 1, (2, 128)).astype("f2")
    same = lambda *pairs: all(np.array_equal(a, b) for a, b in pairs)
    yield "bytes", same((packings.unpack_bytes(packings.pack_bytes(q)), q))
    for packing in ("pairs", "split"):
        for narrow in (False, True):
            yield f"{packing} {narrow}", same((packings.unpack_words(packings.pack_words(q, 4, packing, narrow), 4, packing, narrow), q))
            wide = rng.integers(0, 256, q.shape).astype(np.uint8)
            yield f"{packing} of 8 bits {narrow}", same((packings.unpack_words(packings.pack_words(wide, 8, packing, narrow), 8, packing, narrow), wide))
    for version in (1, 2):
        found, s, z, _ = packings.from_gptq(*packings.to_gptq(q, zeros, version), scales, version=version)[:4]
        yield f"gptq {version}", same((found, q), (s, scales), (z, zeros))
    # Rows of qweight in another order than their groups.
    order = rng.permutation(256)
    words, zero_words = packings.to_gptq(q[:, order], zeros)
    found, _, _, taken = packings.from_gptq(words, zero_words, scales, g_idx=(np.arange(256) // 128)[order])
    yield "gptq by g_idx", same((found, q[:, order[taken]]), (order[taken] // 128, np.arange(256) // 128))
    # Bits as the formats' own documents have them: element [k, n] = [3, 1] of a matrix that is zero elsewhere.
    one = np.zeros((128, 256), np.uint8)
    one[1, 3] = 5
    yield "gptq place", packings.to_gptq(one, zeros)[0][0, 1] == 5 << 12
    yield "awq place", packings.to_awq(one, zeros)[0][3, 0] == 5 << 16
    found, s, z = packings.from_awq(*packings.to_awq(q, zeros), scales)
    yield "awq", same((found, q), (s, scales), (z, zeros))
    for group, rows in ((128, 2), (0, 1)):
        words, mixed = packings.to_marlin(q, scales[:rows], group)
        found, s, z = packings.from_marlin(words, mixed, group)
        yield f"marlin {group}", same((found, q), (s, scales[:rows]), (z, np.full((rows, 128), 8)))
    # Thread 0 of marlin has rows 0, 8, 0, 8 of columns 0 and 8 in the low half of its first word, rows 1 and 9 in the high one.
    one[1, 3], one[0, 8] = 0, 7
    yield "marlin place", packings.to_marlin(one, scales)[0][0, 0] == 7 << 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run")
    parser.add_argument("--cases", default="*", help="only cases whose names match one of these patterns, with commas between")
    parser.add_argument("--paths", default="source,lowered")
    parser.add_argument("--all", action="store_true", help="every case on every path, also those that are left to `source`")
    parser.add_argument("--seed", type=int, default=1, help="of the data")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print every case with its seconds")
    options = parser.parse_args()
    patterns = options.cases.split(",")
    chosen = [c for c in CASES if any(fnmatch.fnmatch(c.name, p) for p in patterns)]
    todo = [(c, path) for path in options.paths.split(",") for c in chosen if path == "source" or c.lowered or options.all]
    failed = passed = 0
    for name, right in round_trips(options.seed):
        failed, passed = failed + (not right), passed + bool(right)
        if not right:
            print(f"FAIL packing {name}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (case, path), (wrong, seconds) in zip(todo, pool.map(lambda job: run(*job, options), todo)):
            failed, passed = failed + (wrong is not None), passed + (wrong is None)
            if wrong or options.verbose:
                print(f"{'FAIL' if wrong else 'pass'} {case.name} {path} {seconds:.2f} s{': ' + wrong if wrong else ''}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
