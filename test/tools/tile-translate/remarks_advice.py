#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows what remarks advise: the remark is there, and where the program says what it names, another takes its place.

    remarks_advice.py TILE_TRANSLATE

Each case is an example, an architecture, what a remark says of it, what is written instead of what in the program, and what is
said then. Prints each case that fails; the last line counts.
"""

import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
ALIGNED = (r"\{tile\.shape_hint", "{tile.alignment = 16, tile.shape_hint")


def attribute(text):
    """Adds an attribute to the kernel, which has none."""
    return (r"(threads\(\d+\)) \{", rf"\1 attributes {{{text}}} {{")


CASES = [
    ("scale.mlir", "sm_90a", r"vector not taken: .*`tile\.alignment = 16` promises more", [
        ALIGNED,
    ], r"vector not taken: the stride .*`tile\.assume` with `divisible_by` can promise more"),
    ("scale.mlir", "sm_90a", r"vector not taken", [
        ALIGNED, (r"(\n  %c64 =)", r"""
  %one = arith.constant 1 : index
  %dx = memref.dim %X, %one : memref<?x?xf32>
  %dy = memref.dim %Y, %one : memref<?x?xf32>
  tile.assume %dx {divisible_by = 4 : i64} : index
  tile.assume %dy {divisible_by = 4 : i64} : index\1"""),
    ], r"global to registers copy: vector, 16 bytes"),
    ("conv2d.mlir", "sm_100a", r"does not overlap the next tile: .*; `persistent = 1`", [
        attribute("persistent = 1 : i64"),
    ], r"2 accumulators in turn"),
    ("attention.mlir", "sm_90a", r"stored through .*; `disable_tma`", [
        (r"(tile\.copy %acc to %O\[.*?\] sizes \[.*?\])", r"\1 {disable_tma}"),
    ], r"stored directly: the program states how to copy; without `prefer` and `disable_tma`"),
    ("attention.mlir", "sm_80", r"warps not specialized: .*; `specialize = true`", [
        attribute("specialize = true"),
    ], r"warps specialized"),
    ("attention_like_chained.mlir", "sm_90a", r"warps not specialized: .* blocks at a time .*; `specialize = true`", [
        attribute("specialize = true"),
    ], r"warps specialized"),
    ("gemm.mlir", "sm_80", r"pipelined: 2 of 2 copies run 2 iterations ahead, .*; `stages\(\.\.\.\)` says how far", [
        (r"stages\(\d+\)", "stages(5)"),
    ], r"pipelined: 2 of 2 copies run 4 iterations ahead"),
    ("gather_gemm.mlir", "sm_90a", r"no gemm stays in flight .* too late; more `stages\(\.\.\.\)`", [
        (r"stages\(\d+\)", "stages(4)"),
    ], r"gemm stays in flight across iterations$"),
    ("gemm_hopper.mlir", "sm_100a", r"share A; `cluster\(\.\.\.\)` of two blocks along the rows", [
        (r"\(dim\(%C, 1\) ceildiv 512\) \* 2, dim\(%C, 0\) ceildiv 128", "dim(%C, 1) ceildiv 256, (dim(%C, 0) ceildiv 256) * 2"),
        (r"cluster\(2, 1\)", "cluster(1, 2)"),
    ], r"two blocks multiply together: 256x256"),
    ("gemm_hopper.mlir", "sm_90a", r"each block works off its part of the grid, as `persistent`", [
        (r", persistent = 1 : i64", ""),
    ], r"warps specialized"),
    ("gemm_tunable.mlir", "sm_100a", r"operands not loaded ahead: other warps fill its ring; .*`specialize = false`", [
        (r"persistent = 1 : i64", "persistent = 1 : i64, specialize = false"),
    ], r"warps not specialized: `specialize = false` forbids it; without it the compiler decides"),
    ("gemm.mlir", "sm_120a", r"27:5: .*tma not taken: threads multiply on sm_120a, .*\(`prefer` asks for TMA\)", [
        (r"(to %As) :", r"\1 {prefer = #tile.copy_instruction<tma>} :"),
    ], r"27:5: remark: global to shared copy: tma$"),
    ("attention_like_chained.mlir", "sm_90a", r"accumulators are filled .*may have no iterations; with constant bounds", [
        (r"%length = memref\.dim [^\n]*", "%length = arith.constant 1024 : index"),
    ], r"pipelined: 2 of 2 copies run 2 iterations ahead"),
    ("gemm.mlir", "sm_90", r"stored directly: .*; a copy to shared memory, and one from there with `prefer`, take TMA", [
        (r"  tile\.copy %acc to (%C\[.*?\]) : [^\n]*", r"""
  %Cs = tile.alloc : memref<128x128xf16, #shared>
  tile.copy %acc to %Cs : memref<128x128xf32, #tile.fragment> to memref<128x128xf16, #shared>
  tile.copy %Cs to \1 {prefer = #tile.copy_instruction<tma>} : memref<128x128xf16, #shared> to memref<?x?xf16>"""),
    ], r"shared to global copy: tma$"),
]  # fmt: skip


def said(tool, text, arch):
    command = [tool, "-", "--tile-to-llvmir", f"--arch={arch}", "--remarks", "-o", "/dev/null"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        return f"refused: {done.stderr}"
    return done.stderr


def main():
    failed = 0
    for name, arch, before, changes, after in CASES:
        text = (EXAMPLES / name).read_text()
        if not re.search(before, said(sys.argv[1], text, arch), re.MULTILINE):
            print(f"{name} for {arch}: expected the remark /{before}/, found none")
            failed += 1
            continue
        for pattern, replacement in changes:
            text, times = re.subn(pattern, replacement, text, flags=re.DOTALL)
            if not times:
                print(f"{name}: expected /{pattern}/ in the program")
                failed += 1
        output = said(sys.argv[1], text, arch)
        if not re.search(after, output, re.MULTILINE) or re.search(before, output, re.MULTILINE):
            print(f"{name} for {arch}: expected /{after}/ in place of /{before}/, found\n{output}")
            failed += 1
    print(f"{len(CASES)} cases, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
