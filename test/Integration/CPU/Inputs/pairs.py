# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of blocks and accumulators in turn (sm_100a), scheduled and executed on the CPU.

    pairs.py TILE_OPT TILE_RUN FOLDER

Every column of tiles runs its loop a different number of times: tile x of the grid 0 to 2N+2
times, N the stages, so that one run sees every trip count, and a persistent block sees one
after the other with phases of operands and of accumulators carried over. The schedule is the
whole pipeline's; it is proved by --tile-verify-rings, and compared with the program as written.
"""

import pathlib
import subprocess
import sys

from batch import count, run_batch

PROGRAM = """#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<?x?xf16> {{tile.alignment = 16}}, %B: memref<?x?xf16> {{tile.alignment = 16}}, %C: memref<?x?xf32> {{tile.alignment = 16}})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 32, (dim(%C, 0) ceildiv 256) * 2) threads(128) cluster(1, 2){attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %rowA = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %rowA {{divisible_by = 8 : i64}} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {{divisible_by = 8 : i64}} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c32 : index
  %K = arith.muli %bx, %c16 : index
  %As = tile.alloc : memref<128x16xf16, #shared>
  %Bs = tile.alloc : memref<16x32xf16, #shared>
  %acc = tile.alloc : memref<128x32xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c16 stages({stages}) {{
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x16xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x16xf16, #shared>, memref<16x32xf16, #shared>, memref<128x32xf32, #tile.fragment>
  }}
  tile.copy %acc to %C[%m, %n] : memref<128x32xf32, #tile.fragment> to memref<?x?xf32>
}}
"""
PASSES = ["tile-set-target{arch=sm_100a}", "tile-make-persistent", "tile-lower-affine-accesses", "tile-guard-overhang", "canonicalize",
          "cse", "tile-infer-layouts", "tile-place-accumulators", "tile-stage-loads", "tile-stage-stores", "tile-select-copies",
          "tile-pipeline", "tile-pair-gemms", "tile-ring-accumulators", "tile-specialize-warps", "tile-schedule-gemms",
          "tile-schedule-stores", "tile-verify-rings"]


def main():
    tile_opt, tile_run, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    lines, wrong = [], 0
    for stages in (1, 2, 3, 4):
        for persistent in (False, True):
            for pair in (False, True):
                name = f"stages{stages}{'_persistent' if persistent else ''}{'_pair' if pair else ''}"
                stated = [f"persistent = {int(persistent)} : i64"] * persistent + ["pairs = false"] * (not pair)
                attributes = f" attributes {{{', '.join(stated)}}}" if stated else ""
                source, scheduled = folder / f"{name}.mlir", folder / f"{name}.scheduled.mlir"
                source.write_text(PROGRAM.format(stages=stages, attributes=attributes))
                done = subprocess.run([tile_opt, source, f"--pass-pipeline=builtin.module({','.join(PASSES)})", "-o", scheduled],
                                      capture_output=True, text=True)
                if done.returncode:
                    wrong += 1
                    print(f"{name}: {done.stderr}")
                    continue
                text = scheduled.read_text()
                # One stage has no roles, so nobody whose turn it could be.
                if (", pair>" in text) != pair or ("mma -> threads" in text) != (persistent and stages > 1):
                    wrong += 1
                    print(f"{name}: not scheduled as expected")
                tiles = 2 * stages + 3
                lines.append(f"--name={name} {scheduled} --source={source} --check --workers=1 --blocks={2 * (1 + stages % 3)} "
                             f"--args=A=150x{16 * tiles}:smallint,B={16 * tiles}x{32 * tiles}:smallint,C=150x{32 * tiles} "
                             f"{'--lazy-async' if stages % 2 == 0 else ''}")
    print(f"{count(run_batch(tile_run, folder, lines), lines)}, {wrong} wrong schedules")


if __name__ == "__main__":
    main()
