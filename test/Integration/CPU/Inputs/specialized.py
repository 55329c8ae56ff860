# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scheduling passes make of plain programs, executed on the CPU.

    specialized.py TILE_OPT TILE_RUN FOLDER

Every tile of a kernel runs its loops a different number of times: tile x of the grid 0 to
2N+2 times, N the stages, so that one run sees every trip count, and a persistent block sees
one after the other with phases carried over. Each program is scheduled for sm_90a (two
roles) and for sm_90 (one agent), persistent or not, and for sm_100a (accumulators in
tensor memory, slots released by the tensor core), and compared with itself as written.
Then once more with roles asked for and copies that other instructions make: one of two
by cp.async, both, one by cp.async and one by stores, all three kinds.
"""

import pathlib
import subprocess
import sys

from batch import count, run_batch

SHARED = "#gpu.address_space<workgroup>"
TMA = "decided {plan = #tile.copy_plan<tma, bytes = 16>}"
WGMMA = "{plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [4, 1]>}"

TCGEN05 = "{plan = #tile.mma_plan<tcgen05, m = 64, n = 16, k = 16, warps = [4, 1]>}"
# What reading tensor memory gives.
ROWS = "#tile.fragment_layout<shape [64, 16] reg [(2, 1:1), (2, 0:8), (2, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>"

HEAD = """#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 16, dim(%C, 0) ceildiv 64) threads(128)@ATTRIBUTES@ {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c16 : index
  %K = arith.muli %bx, %c16 : index
  %As = tile.alloc : memref<64x16xf16, #shared>
  %Bs = tile.alloc : memref<16x16xf16, #shared>
  %acc = tile.alloc : memref<64x16xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x16xf32, #tile.fragment>, f32
"""
COPIES = f"""    tile.copy %A[%m, %k] to %As {TMA} : memref<?x?xf16> to memref<64x16xf16, #shared>
    tile.copy %B[%k, %n] to %Bs {TMA} : memref<?x?xf16> to memref<16x16xf16, #shared>
"""
GEMM = f"    tile.gemm %As, %Bs, %acc {WGMMA} : memref<64x16xf16, #shared>, memref<16x16xf16, #shared>, memref<64x16xf32, #tile.fragment>\n"
LOOP = "  tile.pipelined %k = %c0 to %K step %c16 stages(@N@) {\n" + COPIES + GEMM + "  }\n"
STORE = "  tile.copy %acc to %C[%m, %n] : memref<64x16xf32, #tile.fragment> to memref<?x?xf32>\n"
STAGED = f"""  %Cs = tile.alloc : memref<64x16xf32, #shared>
  tile.copy %acc to %Cs : memref<64x16xf32, #tile.fragment> to memref<64x16xf32, #shared>
  tile.copy %Cs to %C[%m, %n] {TMA} : memref<64x16xf32, #shared> to memref<?x?xf32>
"""
# The second loop runs once less, and has a ring of its own.
SECOND = f"""  %Ds = tile.alloc : memref<64x16xf16, #shared>
  %Es = tile.alloc : memref<16x16xf16, #shared>
  %k1 = arith.subi %K, %c16 : index
  tile.pipelined %k = %c0 to %k1 step %c16 stages(2) {{
    tile.copy %A[%m, %k] to %Ds {TMA} : memref<?x?xf16> to memref<64x16xf16, #shared>
    tile.copy %B[%k, %n] to %Es {TMA} : memref<?x?xf16> to memref<16x16xf16, #shared>
    tile.gemm %Ds, %Es, %acc {WGMMA} : memref<64x16xf16, #shared>, memref<16x16xf16, #shared>, memref<64x16xf32, #tile.fragment>
  }}
"""
# A copy that stands alone, then a loop, in a loop.
NESTED = f"""  %Q = tile.alloc : memref<64x16xf16, #shared>
  %q = tile.alloc : memref<64x16xf16, #tile.fragment>
  scf.for %t = %c0 to %c2 step %c1 {{
    tile.copy %A[%m, %n] to %Q {TMA} : memref<?x?xf16> to memref<64x16xf16, #shared>
    tile.copy %Q to %q : memref<64x16xf16, #shared> to memref<64x16xf16, #tile.fragment>
    tile.parallel (%i, %j) in (64, 16) {{
      %x = memref.load %q[%i, %j] : memref<64x16xf16, #tile.fragment>
      %y = memref.load %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
      %w = arith.extf %x : f16 to f32
      %z = arith.addf %y, %w : f32
      memref.store %z, %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
    }}
""" + LOOP + "  }\n"
GUARDED = """  %even = arith.remui %bx, %c2 : index
  %run = arith.cmpi eq, %even, %c0 : index
  scf.if %run {
""" + LOOP + "  }\n"
# Two products of one iteration; the second reads what the first gave.
CHAINED = f"""  %s = tile.alloc : memref<64x16xf32, #tile.fragment>
  %p = tile.alloc : memref<64x16xf16, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c16 stages(@N@) {{
{COPIES}    tile.fill %s with %zero : memref<64x16xf32, #tile.fragment>, f32
{GEMM.replace("%acc", "%s")}    tile.copy %s to %p : memref<64x16xf32, #tile.fragment> to memref<64x16xf16, #tile.fragment>
    tile.gemm %p, %Bs, %acc {WGMMA} : memref<64x16xf16, #tile.fragment>, memref<16x16xf16, #shared>, memref<64x16xf32, #tile.fragment>
  }}
"""
# Scalar code reads what a ring holds.
READ = """  tile.pipelined %k = %c0 to %K step %c16 stages(@N@) {
""" + COPIES + GEMM + """    tile.parallel (%i, %j) in (64, 16) {
      %x = memref.load %As[%i, %j] : memref<64x16xf16, #shared>
      %y = memref.load %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
      %w = arith.extf %x : f16 to f32
      %z = arith.addf %y, %w : f32
      memref.store %z, %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
    }
  }
"""

PROGRAMS = {
    "loop": LOOP + STORE,
    "staged": LOOP + STAGED,
    "two_loops": LOOP + SECOND + STORE,
    "nested": NESTED + STORE,
    "guarded": GUARDED + STORE,
    "chained": CHAINED + STAGED,
    "read": READ + STORE,
}
PASSES = ["tile-make-persistent", "canonicalize", "cse", "tile-place-accumulators", "tile-pipeline", "tile-specialize-warps", "tile-schedule-gemms", "tile-clear-accumulators", "tile-schedule-stores", "tile-delay-stores"]


def for_tensor_memory(text):
    """The program with gemms by tcgen05, but for those with an operand in registers."""
    lines = []
    for line in text.splitlines(keepends=True):
        if "tile.gemm %p" not in line:
            line = line.replace(WGMMA, TCGEN05)
        for name in ("%acc", "%s"):
            line = line.replace(f"{name} = tile.alloc :", f"{name} = tile.alloc layout({ROWS}) :")
        lines.append(line)
    return "".join(lines)


def variants():
    """Program, stages, whether it is persistent, its architecture and whether operations are put off."""
    for index, program in enumerate(PROGRAMS):
        for stages in (1, 2, 3, 4):
            persistent = (index + stages) % 2 == 0
            lazy = (index + stages) % 4 != 0
            yield program, stages, persistent, "sm_90" if (index + stages // 2) % 3 == 0 else "sm_90a", lazy
            yield program, stages, not persistent, "sm_100a", lazy


CP_ASYNC = TMA.replace("tma", "cp_async")
STORES = "decided {plan = #tile.copy_plan<vector, bytes = 4>}"
MIXTURES = {"mixed": (CP_ASYNC, TMA), "async": (CP_ASYNC, CP_ASYNC), "stores": (STORES, CP_ASYNC), "stored": (STORES, TMA)}


def mixtures():
    """Program, its copies, stages, whether it is persistent, architecture, whether operations are put off."""
    for index, program in enumerate(p for p in PROGRAMS if p != "staged"):
        for number, mixture in enumerate(MIXTURES):
            stages = 2 + (index + number) % 3
            arch = ("sm_90a", "sm_90", "sm_80")[(index + number) % 3]
            if "sm_80" == arch and (program == "nested" or TMA in MIXTURES[mixture]):
                arch = "sm_90"
            yield program, mixture, stages, (index + number) % 2 == 0, arch, number % 2 == 0


def mixed(text, mixture):
    """The program with other instructions for the copies of A and of B in loops."""
    of_a, of_b = MIXTURES[mixture]
    lines = []
    for line in text.splitlines(keepends=True):
        if "[%m, %k]" in line or "[%k, %n]" in line:
            line = line.replace(TMA, of_a if "%A" in line else of_b)
        lines.append(line)
    return "".join(lines)


def main():
    tile_opt, tile_run, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    lines, refused = [], 0
    for program, mixture, stages, persistent, arch, lazy in [(v[0], None, *v[1:]) for v in variants()] + list(mixtures()):
        name = f"{program}_{mixture or 'tma'}_{stages}_{arch}{'_persistent' if persistent else ''}"
        text = (HEAD + PROGRAMS[program]).replace("@N@", str(stages)) + "}\n"
        if arch == "sm_100a":
            text = for_tensor_memory(text)
        if mixture:
            text = mixed(text, mixture)
        source, scheduled = folder / f"{name}.mlir", folder / f"{name}.scheduled.mlir"
        source.write_text(text.replace("@ATTRIBUTES@", " attributes {persistent = 1}" if persistent else ""))
        passes = ",".join([f"tile-set-target{{arch={arch}}}", *PASSES])
        if mixture:
            passes = passes.replace("tile-pipeline", "tile-pipeline{roles=on}")
        done = subprocess.run([tile_opt, source, f"--pass-pipeline=builtin.module({passes})", "-o", scheduled],
                              capture_output=True, text=True)
        if done.returncode:
            refused += 1
            print(f"{name}: {done.stderr}")
            continue
        if mixture and "mbarrier ->" not in scheduled.read_text():
            print(f"{name}: no copies of a role's threads")
        tiles = 2 * stages + 3
        lines.append(f"--name={name} {scheduled} --source={source} --check --workers=1 --blocks={1 + stages % 3} "
                     f"--args=A=70x{16 * tiles}:smallint,B={16 * tiles}x{16 * tiles}:smallint,C=70x{16 * tiles} "
                     f"{'--lazy-async' if lazy else ''}")
    print(f"{count(run_batch(tile_run, folder, lines), lines)}, {refused} refused")


if __name__ == "__main__":
    main()
