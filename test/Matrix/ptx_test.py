#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the matrix of kernels to PTX and assembles it.

Every kernel is compiled for one architecture, chosen in turn, the core group for all of them, and a few kernels for the
architectures that have been added since. With --all-archs every kernel is compiled for every architecture that the compiler
claims: for releases (CONTRIBUTING.md), some hours on 2 cores.
A kernel fails on any error, on a hazard that --tile-verify-nvvm finds, on instructions that its description does not expect, on a warning
C75xx of the assembler (serialized asynchronous instructions), on a stack frame, and on spills
where the estimate of its registers leaves no reason for any. What is accepted is in ptx_limits.py, each with its reason; it is
printed, and counts as skipped where a kernel is refused. Without ptxas nothing passes. The last line counts.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import assembler
import generate
import ptx_faults
from ptx_limits import FEW_BYTES, FEW_REGISTERS, MOST_REGISTERS, REFUSED, SPILLS
from report import Skipped, report

TURNS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120", "sm_120a")
# For the architectures that are not in TURNS: one of each kind of copy, multiplication and epilogue.
FEW = ("gemm_f16_f32_nt", "gemm_bf16_f32_nn", "gemm_i8_i32_nt", "gemm_f8E4M3FN_f8E4M3FN_nt", "stages_3_any", "epilogue_rowmax",
       "copy_f16_f16_s", "reduce_row_wide", "atomic_add_f16", "w4a16", "tcgen05_f16_nn", "tcgen05_pair_f16_nt", "tcgen05_registers_f16")
# Kernels for one of these are for all of them: they have tensor memory.
TENSOR_MEMORY = ("sm_100a", "sm_100f", "sm_103a", "sm_110a")
# Of them, those whose tcgen05.mma multiplies integers (PTX ISA, "tcgen05.mma": .kind::i8).
TENSOR_MEMORY_OF_INTEGERS = ("sm_100a", "sm_110a")
INSTRUCTIONS = {"mma": r"\bmma\.sync", "wgmma": r"\bwgmma\.mma_async",
                "tcgen05": r"\btcgen05\.mma", "pair": r"\btcgen05\.\S*cta_group::2",
                "alone": r"\btcgen05\.\S*cta_group::1", "multicast": r"global\S*\.multicast::cluster",
                "two_masks": r"multicast::cluster[^;]*, (%rs\d+)[,;][\s\S]*multicast::cluster[^;]*, (?!\1[,;])%rs\d+[,;]",
                "ldmatrix": r"\bldmatrix\.sync", "cp_async": r"\bcp\.async\.(c[ag]\.shared|bulk\.)"}


def number(arch):
    return int(re.match(r"sm_(\d+)", arch)[1])


def claimed(options):
    """The architectures that the compiler claims, as it lists them where it gets another."""
    command = [options.bin / "tile-translate", options.kernels / "print_assert.mlir", "--tile-to-ptx", "--arch=sm_1"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    found = re.search(r"expected an architecture among ([^;]*);", done.stderr)
    if not found:
        raise SystemExit(f"expected a list of architectures from tile-translate, got: {done.stderr[:200]}")
    return found[1].split(", ")


def is_for(kernel, arch):
    """Whether the kernel's description is for an architecture: what it expects is in the PTX then."""
    archs = kernel.get("archs", [arch])
    alike = TENSOR_MEMORY_OF_INTEGERS if re.match(r"tcgen05_(pair_|registers_)?i8", kernel["name"]) else TENSOR_MEMORY
    return arch in archs or (archs == ["sm_100a"] and arch in alike)


def jobs(found, archs, every):
    """Pairs of kernel and architecture."""
    turn = 0
    for kernel in found:
        possible = [arch for arch in archs if number(arch) >= kernel["min_arch"]]
        if every:
            yield from ((kernel, arch) for arch in possible)
            continue
        possible = [arch for arch in possible if is_for(kernel, arch)]
        usual = [arch for arch in possible if arch in TURNS]
        if kernel["group"] == "core":
            yield from ((kernel, arch) for arch in usual)
        else:
            yield kernel, usual[turn % len(usual)]
            turn += 1
        if kernel["name"] in FEW:
            yield from ((kernel, arch) for arch in possible if arch not in TURNS)


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return ([line for line in lines if "error" in line] or lines or ["no message"])[0][:240]


def unexpected(kernel, arch, text):
    """Instructions that are missing in the PTX, or that should not be there."""
    wrong = []
    for what, wanted in kernel["expect"].items() if is_for(kernel, arch) else ():
        better = [name for name in ("wgmma", "tcgen05") if name not in kernel["expect"]]
        if what in ("mma", "ldmatrix") and any(re.search(INSTRUCTIONS[name], text) for name in better):
            continue  # the better instruction of sm_90a or sm_100a takes their place
        if bool(re.search(INSTRUCTIONS[what], text)) != wanted:
            wrong.append(f"expected {'' if wanted else 'no '}{what} in the PTX")
    return wrong


def spilled(kernel, arch, text):
    """What ptxas says of spills that nothing explains."""
    frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
    if not frame or kernel["registers"] > MOST_REGISTERS:
        return []
    bytes_lost = max(map(int, frame.groups()))
    used = re.search(r"Used (\d+) registers", text)
    few = FEW_BYTES if used and int(used[1]) < FEW_REGISTERS else 0
    known = [(most, reason) for name, of, most, reason in SPILLS if re.fullmatch(name, kernel["name"]) and re.fullmatch(of, arch)]
    most, reason = max(known, default=(few, "few registers: predicates and convergence barriers"))
    if bytes_lost > most:
        return [f"ptxas: {frame[0]}, with an estimate of {kernel['registers']} registers"]
    if bytes_lost:
        print(f"known: {kernel['name']} {arch}: {frame[0]} ({reason})")
    return []


def refused(kernel, arch, text):
    """The reason why an architecture may refuse a kernel, or None."""
    for name, of, message, reason in REFUSED:
        if re.fullmatch(name, kernel["name"]) and re.fullmatch(of, arch) and re.search(message, text):
            print(f"known: {kernel['name']} {arch}: {first_error(text)}")
            return reason
    return None


def check(kernel, arch, options):
    """Returns what is wrong, one line each, or why nothing is decided."""
    source = options.kernels / kernel["file"]
    ptx = options.kernels / f"{kernel['name']}.{arch}.ptx"
    run = lambda *command: subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=options.timeout)
    try:
        done = run(options.bin / "tile-translate", source, "--tile-to-ptx", "--verify-nvvm", f"--arch={arch}", "-o", ptx)
        if done.returncode:
            reason = refused(kernel, arch, done.stderr)
            return Skipped(reason) if reason else [f"tile-translate exits with {done.returncode}: {first_error(done.stderr)}"]
        text = ptx.read_text()
        wrong = unexpected(kernel, arch, text)
        wrong += [f"miscompiled by ptxas: {line}" for line in ptx_faults.found(text)]
        if not options.ptxas:
            return wrong or Skipped(assembler.NONE)
        done = run(options.ptxas, f"-arch={arch}", "-v", ptx, "-o", ptx.with_suffix(".cubin"))
        if done.returncode:
            return wrong + [f"ptxas: {first_error(done.stderr)}"]
        wrong += [f"ptxas: {line.strip()}" for line in done.stderr.splitlines() if re.search(r"C75\d\d", line)]
        return wrong + spilled(kernel, arch, done.stderr)
    except subprocess.TimeoutExpired as late:
        return [f"{pathlib.Path(late.cmd[0]).name}: no result in {late.timeout:.0f} s"]
    finally:
        for made in (ptx, ptx.with_suffix(".cubin")):
            made.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-translate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only cases, `kernel architecture`, that match this expression")
    parser.add_argument("--all-archs", action="store_true", help="every kernel for every architecture that the compiler claims")
    parser.add_argument("--part", default="1/1", help="I/N: every Nth case from the Ith on, for several machines or a sample")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a compilation may take")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    assembler.add_options(parser)
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    options.ptxas = assembler.find(options, "matrix-ptx")
    with tempfile.TemporaryDirectory() as folder:
        options.kernels = pathlib.Path(folder)
        found = generate.write(options.kernels)
        todo = [job for job in jobs(found, claimed(options), options.all_archs) if re.search(options.only, f"{job[0]['name']} {job[1]}")]
        todo = todo[part - 1 :: parts]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = []
            for (kernel, arch), wrong in zip(todo, pool.map(lambda job: check(*job, options), todo)):
                results.append(wrong)
                if options.all_archs and (len(results) % 100 == 0 or isinstance(wrong, list) and wrong):
                    print(f"{len(results)} of {len(todo)}: {kernel['name']} {arch}: {wrong or 'right'}", flush=True)
    names = [f"{kernel['name']} {arch}" for kernel, arch in todo]
    sys.exit(report("matrix-ptx", list(zip(names, results)), options.junit))


if __name__ == "__main__":
    main()
