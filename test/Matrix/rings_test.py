#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves the schedules of the matrix of kernels with `tile-verify-rings`.

Each kernel is scheduled by the pipeline that compiles it, for sm_80 and for sm_90a, those for sm_100a for that.
Both explorations have to give the same verdict: proved, or nothing to prove where the kernel has no ring and no token.
"Not proved" is a failure, too. Two blocks with a loop over tiles, and blocks that split a range, are more states than the
exhaustive exploration visits: there the reduction alone has to prove.
"""

import re
import subprocess

import runner

# More than the default: loops without checks, in a loop over tiles, double the combinations.
VERIFY = ["--tile-verify-rings=remarks", "--tile-verify-rings=remarks max-states=4000000 exhaustive"]


def check(kernel, arch, options, folder):
    verify = VERIFY if kernel.get("exhaustive", True) else VERIFY[:1]
    command = [options.bin / "tile-opt", folder / kernel["file"], f"--tile-to-schedule=arch={arch}", *verify,
               "--mlir-print-op-on-diagnostic=false", "-o", folder / f"{kernel['name']}.{arch}.out"]
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return ["no verdict in 120 s"]
    wrong = re.search("(error|warning): .*", done.stderr)
    if done.returncode or wrong:
        return [f"{arch}: {wrong.group(0)[:200] if wrong else f'exits with {done.returncode}'}"]
    proofs = re.findall("remark: (rings are proved .*)", done.stderr)
    rings = "tile.ring.create" in (folder / f"{kernel['name']}.{arch}.out").read_text()
    if len(proofs) not in ((len(verify),) if rings else (0, len(verify))) or len(set(proofs)) > 1:
        return [f"{arch}: expected the same verdict from {len(verify)}, got {proofs}"]
    return []


def cases(kernels, options, folder):
    for kernel in kernels:
        for arch in ("sm_80", "sm_90a", "sm_100a"):
            runs = arch != "sm_80" or kernel["min_arch"] <= 80
            if runs and (arch == "sm_100a") == (kernel.get("archs") == ["sm_100a"]):
                yield f"{kernel['name']}.{arch}", check, (kernel, arch, options, folder)


if __name__ == "__main__":
    runner.main("matrix-rings", __doc__.splitlines()[0], "tile-opt", cases)
