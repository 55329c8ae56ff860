# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --tile-split-reduction and the passes after it make of plain programs, executed on the CPU.

    split.py TILE_OPT TILE_RUN FOLDER

As in specialized.py tile x of the grid runs its loop x times, so that one run sees every trip
count; each program is compared with itself as written, which is not split. Blocks that get no
iteration, and several workers, are among the cases.
"""

import pathlib
import subprocess
import sys

from specialized import COPIES, GEMM, HEAD, LOOP, PASSES, STAGED, STORE

# The loop continues what the tile holds.
CONTINUED = """  tile.copy %C[%m, %n] to %acc : memref<?x?xf32> to memref<64x16xf32, #tile.fragment>
"""
# Sums and maxima of rows beside the product.
ROWS = """  %rows = tile.alloc : memref<64xf32, #tile.fragment>
  %most = tile.alloc : memref<64xf32, #tile.fragment>
  tile.fill %rows with %zero : memref<64xf32, #tile.fragment>, f32
  tile.fill %most with %zero : memref<64xf32, #tile.fragment>, f32
  %a32 = tile.alloc : memref<64x16xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c16 stages(@N@) {
""" + COPIES + GEMM + """    tile.copy %As to %a32 : memref<64x16xf16, #shared> to memref<64x16xf32, #tile.fragment>
    tile.reduce sum %a32 to %rows dim(1) accumulate : memref<64x16xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.reduce max %a32 to %most dim(1) accumulate : memref<64x16xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 16) {
    %x = memref.load %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
    %y = memref.load %rows[%i] : memref<64xf32, #tile.fragment>
    %z = memref.load %most[%i] : memref<64xf32, #tile.fragment>
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    memref.store %t, %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
  }
"""
# The kernel's arguments as one batch: the third dimension of the grid is taken.
CUBE = HEAD.replace("grid(%bx, %by) =", "grid(%bx, %by, %bz) =").replace("ceildiv 64)", "ceildiv 64, 1)")

PROGRAMS = {
    "loop": HEAD + LOOP + STORE,
    "staged": HEAD + LOOP + STAGED,
    "continued": HEAD + CONTINUED + LOOP + STORE,
    "rows": HEAD + ROWS + STORE,
    "cube": CUBE + LOOP + STORE,
    "wide": HEAD + LOOP + STORE,
}


def main():
    tile_opt, tile_run, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    lines, refused = [], 0
    for index, (program, text) in enumerate(PROGRAMS.items()):
        for number, split in enumerate((2, 3, 8, 2, 4, 7)):
            stages = 1 + (index + number) % 4
            persistent = (index + number) % 2 == 0
            arch = "sm_90" if (index + number // 2) % 3 == 0 else "sm_90a"
            cluster = " cluster(2, 1)" if program == "wide" else ""
            attributes = f"{cluster} attributes {{split = {split}{', persistent = 1' if persistent else ''}}}"
            name = f"{program}_{split}_{stages}_{arch}{'_persistent' if persistent else ''}"
            source, scheduled = folder / f"{name}.mlir", folder / f"{name}.scheduled.mlir"
            source.write_text(text.replace("@N@", str(stages)).replace("@ATTRIBUTES@", attributes) + "}\n")
            passes = ",".join([f"tile-set-target{{arch={arch}}}", "tile-split-reduction", *PASSES])
            done = subprocess.run([tile_opt, source, f"--pass-pipeline=builtin.module({passes})", "-o", scheduled],
                                  capture_output=True, text=True)
            if done.returncode:
                refused += 1
                print(f"{name}: {done.stderr}")
                continue
            tiles = 2 * stages + 3
            workers, blocks = 1 + number % 3, 2 * split * (1 + stages % 3)
            lines.append(f"--name={name} {scheduled} --source={source} --check --workers={workers} --blocks={blocks} "
                         f"--args=A=70x{16 * tiles}:smallint,B={16 * tiles}x{16 * tiles}:smallint,"
                         f"C=70x{16 * tiles}{':smallint' if program == 'continued' else ''} "
                         f"{'--lazy-async' if (index + number) % 4 else ''}")
    batch = folder / "cases"
    batch.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run([tile_run, f"--batch={batch}", "--jobs=0"], capture_output=True, text=True)
    report = (done.stdout + done.stderr).splitlines()
    print("\n".join(line for line in report if not line.startswith("PASS ")))
    passed = sum(line.startswith("PASS ") for line in report)
    print(f"{len(lines)} runs, {len(lines) - passed} failures, {refused} refused")


if __name__ == "__main__":
    main()
