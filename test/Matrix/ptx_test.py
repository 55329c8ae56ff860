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
from report import report

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120", "sm_120a")
# Estimated registers up to which no spills are accepted.
MOST_REGISTERS = 200
# Kernels that spill although the estimate fits, and at most how many bytes of spill stores: the
# nested loop keeps the predicates and addresses of unaligned copies alive across both levels, the
# others a few bytes. Each is printed, and fails where it gets worse. On sm_90 and sm_100 ptxas
# unpacks fp8 operands of mma.sync to f16; it keeps to 128 registers there, and in gemm_f16_f16_nt,
# for four blocks a multiprocessor: with `.minnctapersm 1` it takes 146 to 158 and spills nothing.
# policy_full_col_w4 has 128 accumulators and two steps of operands (80): its two spilled words are
# read in the loop of the last iterations only.
KNOWN_SPILLS = {"control_nested": 300, "gemm_f16_f16_nt": 16, "gemm_f8E4M3FN_f8E5M2_nt": 16, "gemm_f8E5M2_f8E4M3FN_nt": 16,
                "policy_full_col_w4": 16, "negate_guarded_f16": 16,
                "tcgen05_m64_n256": 24, "tile_80x48x32_w1_nn": 16}
# Where ptxas uses fewer registers than this, what it spills are predicates and convergence barriers of
# kernels with many branches (scalar atomics, rows without alignment), of which it has 7 and 16 and
# for which no estimate of ours stands. Up to so many bytes of these are accepted, and printed.
FEW_REGISTERS = 128
FEW_BYTES = 32
INSTRUCTIONS = {"mma": r"\bmma\.sync", "wgmma": r"\bwgmma\.mma_async",
                "tcgen05": r"\btcgen05\.mma", "pair": r"\btcgen05\.\S*cta_group::2",
                "alone": r"\btcgen05\.\S*cta_group::1", "multicast": r"global\S*\.multicast::cluster",
                "two_masks": r"multicast::cluster[^;]*, (%rs\d+);[\s\S]*multicast::cluster[^;]*, (?!\1;)%rs\d+;",
                "ldmatrix": r"\bldmatrix\.sync", "cp_async": r"\bcp\.async\.(c[ag]\.shared|bulk\.)"}


def number(arch):
    return int(re.match(r"sm_(\d+)", arch)[1])


def jobs(found):
    """Pairs of kernel and architecture."""
    turn = 0
    for kernel in found:
        archs = [arch for arch in ARCHS if number(arch) >= kernel["min_arch"] and arch in kernel.get("archs", ARCHS)]
        if kernel["group"] == "core":
            yield from ((kernel, arch) for arch in archs)
        else:
            yield kernel, archs[turn % len(archs)]
            turn += 1


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return ([line for line in lines if "error" in line] or lines or ["no message"])[0][:240]


def miscompiled(text):
    """Differences that ptxas gets wrong (lib/Target/AssemblerFaults.h): the minuend is the zero-extended upper half of
    a 32-bit product."""
    halves = set(re.findall(r"mul\.hi\.[us]32\s+(%r\d+),", text))
    extended = {wide for wide, narrow in re.findall(r"cvt\.u64\.u32\s+(%rd\d+), (%r\d+);", text) if narrow in halves}
    return [line for line, minuend in re.findall(r"(sub\.s64\s+%rd\d+, (%rd\d+), %rd\d+);", text) if minuend in extended]


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
        better = [name for name in ("wgmma", "tcgen05") if name not in kernel["expect"]]
        if what in ("mma", "ldmatrix") and any(re.search(INSTRUCTIONS[name], text) for name in better):
            continue  # the better instruction of sm_90a or sm_100a takes their place
        if bool(re.search(INSTRUCTIONS[what], text)) != wanted:
            wrong.append(f"expected {'' if wanted else 'no '}{what} in the PTX")
    # Registers are numbered a function.
    wrong += [f"miscompiled by ptxas: {line}" for entry in text.split(".entry")[1:] for line in miscompiled(entry)]
    if options.ptxas:
        done = run(options.ptxas, f"-arch={arch}", "-v", ptx, "-o", ptx.with_suffix(".cubin"))
        if done.returncode:
            return wrong + [f"ptxas: {first_error(done.stderr)}"]
        wrong += [f"ptxas: {line.strip()}" for line in done.stderr.splitlines() if re.search(r"C75\d\d", line)]
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
        if frame and "compile_only" not in kernel and kernel["registers"] <= MOST_REGISTERS:
            bytes_lost = max(int(frame[1]), int(frame[2]), int(frame[3]))
            used = re.search(r"Used (\d+) registers", done.stderr)
            few = FEW_BYTES if used and int(used[1]) < FEW_REGISTERS else 0
            if bytes_lost > KNOWN_SPILLS.get(kernel["name"], few):
                wrong.append(f"ptxas: {frame[0]}, with an estimate of {kernel['registers']} registers")
            elif bytes_lost:
                print(f"known: {kernel['name']} {arch}: {frame[0]}")
        ptx.with_suffix(".cubin").unlink()
    ptx.unlink()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-translate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only kernels whose names match this expression")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
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
    names = [f"{kernel['name']} {arch}" for kernel, arch in todo]
    sys.exit(report("matrix-ptx", list(zip(names, results)), options.junit))


if __name__ == "__main__":
    main()
