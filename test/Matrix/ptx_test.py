#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the matrix of kernels to PTX and, where ptxas is present, assembles it.

Every kernel is compiled for one architecture, chosen in turn, the core group for all of them.
A kernel fails on any error, on instructions that its description does not expect, on a warning
C75xx of the assembler (serialized asynchronous instructions), on a stack frame, and on spills
where the estimate of its registers leaves no reason for any. The last line counts.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import generate

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120", "sm_120a")
FEWEST_SPILLS_AT = 200
INSTRUCTIONS = {"mma": r"\bmma\.sync", "ldmatrix": r"\bldmatrix\.sync", "cp_async": r"\bcp\.async\.c[ag]\.shared"}


def number(arch):
    return int(re.match(r"sm_(\d+)", arch)[1])


def jobs(found):
    """Pairs of kernel and architecture."""
    turn = 0
    for kernel in found:
        archs = [arch for arch in ARCHS if number(arch) >= kernel["min_arch"]]
        if kernel["group"] == "core":
            yield from ((kernel, arch) for arch in archs)
        else:
            yield kernel, archs[turn % len(archs)]
            turn += 1


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return ([line for line in lines if "error" in line] or lines or ["no message"])[0][:240]


def check(kernel, arch, options, folder):
    """Returns what is wrong, one line each."""
    source = options.kernels / kernel["file"]
    ptx = folder / f"{kernel['name']}.{arch}.ptx"
    run = lambda *command: subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    done = run(options.bin / "tile-translate", source, "--tile-to-ptx", f"--arch={arch}", "-o", ptx)
    if done.returncode:
        return [f"tile-translate exits with {done.returncode}: {first_error(done.stderr)}"]
    text, wrong = ptx.read_text(), []
    for what, wanted in kernel["expect"].items():
        if bool(re.search(INSTRUCTIONS[what], text)) != wanted:
            wrong.append(f"expected {'' if wanted else 'no '}{what} in the PTX")
    if options.ptxas:
        done = run(options.ptxas, f"-arch={arch}", "-v", ptx, "-o", ptx.with_suffix(".cubin"))
        if done.returncode:
            return wrong + [f"ptxas: {first_error(done.stderr)}"]
        wrong += [f"ptxas: {line.strip()}" for line in done.stderr.splitlines() if re.search(r"C75\d\d", line)]
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
        fits = kernel["registers"] <= FEWEST_SPILLS_AT
        if frame and int(frame[1]) and int(frame[2]) == 0 and "compile_only" not in kernel:
            wrong.append(f"ptxas: a stack frame of {frame[1]} bytes")
        if frame and fits and (int(frame[2]) or int(frame[3])):
            wrong.append(f"ptxas: {frame[2]} bytes of spill stores, with an estimate of {kernel['registers']} registers")
        ptx.with_suffix(".cubin").unlink()
    ptx.unlink()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-translate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only kernels whose names match this expression")
    options = parser.parse_args()
    options.ptxas = shutil.which("ptxas")
    if not options.ptxas:
        print("ptxas not found: the PTX is not assembled")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options.kernels = folder
        todo = [job for job in jobs(generate.write(folder)) if re.search(options.only, job[0]["name"])]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda job: check(*job, options, folder), todo))
    failed = 0
    for (kernel, arch), wrong in zip(todo, results):
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {kernel['name']} {arch}: {line}")
    print(f"{len(todo) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not todo else 0)


if __name__ == "__main__":
    main()
