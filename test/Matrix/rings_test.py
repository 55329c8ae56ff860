#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves the schedules of the matrix of kernels with `tile-verify-rings`.

Each kernel is scheduled for sm_80 and for sm_90a, those for sm_100a for that. Both explorations have to give the same verdict:
proved, or nothing to prove where the kernel has no ring and no token. "Not proved" is a failure, too.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import generate
from report import report

SCHEDULE = ["--tile-make-persistent", "--tile-lower-affine-accesses", "--canonicalize", "--cse", "--tile-infer-layouts",
            "--tile-place-accumulators", "--tile-stage-stores", "--tile-select-copies", "--tile-pipeline", "--tile-specialize-warps",
            "--tile-schedule-gemms", "--tile-schedule-stores"]
VERIFY = ["--tile-verify-rings=remarks", "--tile-verify-rings=remarks exhaustive"]


def check(kernel, arch, options, folder):
    command = [options.bin / "tile-opt", folder / kernel["file"], f"--tile-set-target=arch={arch}", *SCHEDULE, *VERIFY,
               "--mlir-print-op-on-diagnostic=false", "-o", folder / f"{kernel['name']}.{arch}.out"]
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no verdict in 120 s"
    wrong = re.search("(error|warning): .*", done.stderr)
    if done.returncode or wrong:
        return f"{arch}: {wrong.group(0)[:200] if wrong else f'exits with {done.returncode}'}"
    proofs = re.findall("remark: (rings are proved .*)", done.stderr)
    rings = "tile.ring.create" in (folder / f"{kernel['name']}.{arch}.out").read_text()
    if len(proofs) not in ((2,) if rings else (0, 2)) or len(set(proofs)) > 1:
        return f"{arch}: expected the same verdict twice, got {proofs}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-opt")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only kernels whose names match this expression")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pairs = [(kernel, arch) for kernel in generate.write(folder) if re.search(options.only, kernel["name"])
                 for arch in ("sm_80", "sm_90a", "sm_100a") if arch != "sm_80" or kernel["min_arch"] <= 80
                 if (arch == "sm_100a") == (kernel.get("archs") == ["sm_100a"])]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda pair: check(*pair, options, folder), pairs))
    done = [(f"{kernel['name']}.{arch}", [r] if r else []) for (kernel, arch), r in zip(pairs, results)]
    sys.exit(report("matrix-rings", done, options.junit))


if __name__ == "__main__":
    main()
