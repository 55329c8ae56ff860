# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp-specialized GEMMs by hand, as docs/Rings.md writes them.

    schedules.py TILE_RUN FOLDER      every variant must compute what the plain GEMM does
    schedules.py TILE_RUN FOLDER --faults    and every seeded fault must be reported

Variants: stages 1 to 4, persistent or not, clusters with multicast, a staging ring and
asynchronous stores or none, tokens carried over the back edge or not; each with trip counts
0, 1, N-1, N, 2N+2 of the ring, by turns eagerly and lazily, with 1, 2, 3 and all blocks.
A fault is one line changed; where only numbers can tell, they must be wrong.
"""

import itertools
import pathlib
import re
import sys

from batch import count, run_batch

BM, BN, BK = 16, 32, 8

PLAIN = """#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 32, dim(%C, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c16 : index
  %n = arith.muli %bx, %c32 : index
  %As = tile.alloc : memref<16x8xf16, #shared>
  %Bs = tile.alloc : memref<8x32xf16, #shared>
  %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x32xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %K step %c8 {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<16x8xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<8x32xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<16x8xf16, #shared>, memref<8x32xf16, #shared>, memref<16x32xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<16x32xf32, #tile.fragment> to memref<?x?xf32>
}
"""

# ---- the schedule, in parts; @NAME@ are places that a variant or a fault fills ----

HEAD = """#shared = #gpu.address_space<workgroup>
!ab = !tile.ring<@N@ x [memref<16x8xf16, #shared>, memref<8x32xf16, #shared>], tma -> wgmma>
!cs = !tile.ring<1 x [memref<16x32xf32, #shared>], threads -> tma_store>
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 32, dim(%C, 0) ceildiv 16) threads(256) @CLUSTER@ attributes {@ATTRIBUTES@} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %ab = tile.ring.create @PEERS@ : !ab
  %cs = tile.ring.create : !cs
  @RANGE@
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    %e = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      @COORDINATES@
      %j = scf.for %k = %c0 to %K step %c8 iter_args(%u = @LOAD_START@) -> (index) {
        %a, %b = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %a @MULTICAST_A@ : memref<?x?xf16> to memref<16x8xf16, #shared>
        tile.copy %B[%k, %n] to %b @MULTICAST_B@ : memref<?x?xf16> to memref<8x32xf16, #shared>
        @COMMIT@
        %v = arith.addi %u, %c1 : index
        scf.yield %v : index
      }
      scf.yield %j : index
    }
  }
  role "mma" warps(4) registers(232) {
    %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
    %done = tile.token.done
    %e, %se, %st = scf.for %t = %first to %end step %step iter_args(%i = %c0, %s = %c0, %p = %done) -> (index, index, !tile.token) {
      @COORDINATES@
      tile.fill %acc with %zero : memref<16x32xf32, #tile.fragment>, f32
@MAINLOOP@
@EPILOGUE@
      scf.yield %j, @STAGED@ : index, index, !tile.token
    }
    @TAIL@
  }
}
"""

RANGE = {
    False: """%first = arith.constant 0 : index
  %end = arith.constant 1 : index
  %step = arith.constant 1 : index""",
    True: "%first, %end, %step = tile.block_range",
}
COORDINATES = {
    False: """%m = arith.muli %by, %c16 : index
      %n = arith.muli %bx, %c32 : index""",
    True: """%x, %y = tile.block_coordinates %t : index, index
      %m = arith.muli %y, %c16 : index
      %n = arith.muli %x, %c32 : index""",
}
GEMM = "tile.gemm %a, %b, %acc : memref<16x8xf16, #shared>, memref<8x32xf16, #shared>, memref<16x32xf32, #tile.fragment>"

# The products of use u are awaited, and its slot released, at use u + 1; needs two stages.
CARRIED = f"""      %j, %last = scf.for %k = %c0 to %K step %c8 iter_args(%u = %i, %prev = %done) -> (index, !tile.token) {{
        %a, %b = tile.ring.wait %ab[%u] : !ab
        %tok = {GEMM} -> !tile.token
        @RELEASE@
        %v = arith.addi %u, %c1 : index
        scf.yield %v, %tok : index, !tile.token
      }}
      tile.await %last
      %some = arith.cmpi ne, %j, %i : index
      scf.if %some {{
        %w = arith.subi %j, %c1 : index
        tile.ring.release %ab[%w] : !ab
      }}"""
RELEASE = """tile.await %prev
        %later = arith.cmpi ne, %u, %i : index
        scf.if %later {
          %w = arith.subi %u, %c1 : index
          tile.ring.release %ab[%w] : !ab
        }"""
IMMEDIATE = f"""      %j = scf.for %k = %c0 to %K step %c8 iter_args(%u = @WAIT_START@) -> (index) {{
        %a, %b = tile.ring.wait %ab[%u] : !ab
        %tok = {GEMM} -> !tile.token
        @RELEASE_NOW@
        %v = arith.addi %u, %c1 : index
        scf.yield %v : index
      }}"""
RELEASE_NOW = """tile.await %tok
        tile.ring.release %ab[%u] : !ab"""

DIRECT = "      tile.copy %acc to %C[%m, %n] : memref<16x32xf32, #tile.fragment> to memref<?x?xf32>"
# The staging slot is free for the next tile once the store has read it.
STORED = """      @STORE_AWAIT@
      %again = arith.cmpi ne, %s, %c0 : index
      scf.if %again {
        %w2 = arith.subi %s, %c1 : index
        tile.ring.release %cs[%w2] : !cs
      }
      %o = tile.ring.acquire %cs[%s] : !cs
      tile.copy %acc to %o : memref<16x32xf32, #tile.fragment> to memref<16x32xf32, #shared>
      tile.ring.commit %cs[%s] : !cs
      %o2 = tile.ring.wait %cs[%s] : !cs
      %q = tile.copy %o2 to %C[%m, %n] : memref<16x32xf32, #shared> to memref<?x?xf32> -> !tile.token
      %s2 = arith.addi %s, %c1 : index"""


def schedule(stages, persistent=False, cluster=None, panel=None, carried=False, stored=False, **faults):
    attributes = []
    if persistent:
        attributes.append("persistent = 1")
    if panel:
        attributes.append(f"panel = {panel}")
    size = cluster[0] * cluster[1] if cluster else 1

    def multicast(dim):
        """Among the blocks of a cluster that differ along `dim` only."""
        if not cluster or cluster[dim] == 1:
            return ""
        along = f", multicast_along = array<i64: {dim}>" if cluster[dim] < size else ""
        return f"{{multicast = {cluster[dim]}{along}}}"

    parts = {
        "MAINLOOP": CARRIED if carried else IMMEDIATE,
        "EPILOGUE": STORED if stored else DIRECT,
        "STAGED": "%s2, %q" if stored else "%s, %p",
        "TAIL": "tile.await %st" if stored else "",
        "RANGE": RANGE[persistent],
        "COORDINATES": COORDINATES[persistent],
        "CLUSTER": f"cluster({cluster[0]}, {cluster[1]})" if cluster else "",
        "ATTRIBUTES": ", ".join(attributes),
        "PEERS": f"{{peers = {size}}}" if cluster else "",
        "MULTICAST_A": multicast(0),
        "MULTICAST_B": multicast(1),
        "N": str(stages),
        "COMMIT": "tile.ring.commit %ab[%u] : !ab",
        "RELEASE": RELEASE,
        "RELEASE_NOW": RELEASE_NOW,
        "STORE_AWAIT": "tile.await read %p",
        "LOAD_START": "%i",
        "WAIT_START": "%i",
    }
    assert not faults.keys() - parts.keys()
    parts.update(faults)
    text = HEAD
    for _ in range(3):
        for name, part in parts.items():
            text = text.replace(f"@{name}@", part)
    return text


class Cases:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "plain.mlir").write_text(PLAIN)
        self.lines = []

    def write(self, name, text):
        (self.folder / f"{name}.mlir").write_text(text)

    def add(self, file, case, m, n, k, *options):
        self.lines.append(
            f"--name={case} {self.folder}/{file}.mlir --source={self.folder}/plain.mlir --check --workers=2 "
            f"--args=A={m}x{k}:smallint,B={k}x{n}:smallint,C={m}x{n} {' '.join(options)}"
        )

    def run(self, tile_run):
        return run_batch(tile_run, self.folder, self.lines)


def good(cases):
    for persistent, stages in itertools.product((False, True), (1, 2, 3, 4)):
        carried = stages > 1 and persistent
        name = f"{'persistent' if persistent else 'plain'}_{stages}"
        cases.write(name, schedule(stages, persistent, carried=carried, stored=stages % 2 == 1))
        for index, trip in enumerate(sorted({0, 1, stages - 1, stages, 2 * stages + 2})):
            blocks, lazy = index % 4 if persistent else 0, (index + stages) % 2 == 0
            m, n = (BM * 3 - 5, BN * 3 + 1) if persistent else (BM + 3, BN + 7)
            cases.add(name, f"{name}:trip={trip},blocks={blocks},lazy={lazy}", m, n, max(BK * trip - 3, 0),
                      f"--blocks={blocks}", "--lazy-async" if lazy else "")
    for cluster, panel, blocks in (((1, 2), None, 4), ((2, 1), 2, 8), ((2, 2), 3, 4), ((1, 2), 4, 0)):
        name = f"cluster_{cluster[0]}{cluster[1]}_{panel}"
        cases.write(name, schedule(3, True, cluster, panel, carried=True, stored=True))
        cases.add(name, name, BM * 5, BN * 3 - 2, BK * 5, f"--blocks={blocks}", "--lazy-async")


# name, what is reported (or that numbers differ), variant and the changed line
FAULTS = [
    ("load_restarts", "ring use mismatch: expected tile.ring.acquire of use 5 .*got use 0 in role \"load\"",
     dict(persistent=True, LOAD_START="%c0")),
    ("wait_restarts", "ring use mismatch: expected tile.ring.wait of use 5 .*got use 0 in role \"mma\"",
     dict(persistent=True, WAIT_START="%c0")),
    ("no_commit", "deadlock: role \"load\" waits in tile.ring.acquire of use 3 .*; role \"mma\" waits in tile.ring.wait of use 0",
     dict(COMMIT="")),
    ("double_commit", "ring use mismatch: expected tile.ring.commit of use 1 .*got use 0",
     dict(COMMIT="tile.ring.commit %ab[%u] : !ab\n tile.ring.commit %ab[%u] : !ab")),
    ("commit_ahead", "ring use mismatch: expected tile.ring.commit of use 0 .*got use 1",
     dict(COMMIT="%x1 = arith.addi %u, %c1 : index\n tile.ring.commit %ab[%x1] : !ab")),
    ("no_release", "deadlock: role \"load\" waits in tile.ring.acquire of use 3 .*; role \"mma\" waits in tile.ring.wait of use 3",
     dict(RELEASE_NOW="tile.await %tok")),
    ("double_release", "ring use mismatch: expected tile.ring.release of use 1 .*got use 0",
     dict(RELEASE_NOW=RELEASE_NOW + "\n tile.ring.release %ab[%u] : !ab")),
    ("no_await", "expected a tile.await of tile.gemm at", dict(RELEASE_NOW="tile.ring.release %ab[%u] : !ab")),
    ("release_first", "FAIL", dict(RELEASE_NOW="tile.ring.release %ab[%u] : !ab\n tile.await %tok")),
    ("await_late", "FAIL", dict(carried=True, RELEASE=RELEASE.replace("tile.await %prev\n", "") + "\n tile.await %prev")),
    ("carried_one_stage", "deadlock: role \"load\" waits in tile.ring.acquire of use 1 .*; role \"mma\" waits in tile.ring.wait of use 1",
     dict(stages=1, carried=True)),
    ("store_not_awaited", "FAIL", dict(persistent=True, stored=True, STORE_AWAIT="")),
]


def main():
    tile_run, folder = sys.argv[1:3]
    cases = Cases(folder)
    if "--faults" not in sys.argv:
        good(cases)
        print(count(cases.run(tile_run), cases.lines))
        return
    for name, _, variant in FAULTS:
        cases.write(name, schedule(**{"stages": 3, **variant}))
        cases.add(name, name, BM * 2, BN, BK * 5, "--blocks=1", "--lazy-async")
    report = cases.run(tile_run)
    missed = 0
    for name, expected, _ in FAULTS:
        line = next((text for text in report if text.startswith(f"FAIL {name} ")), "not reported")
        if not re.search(expected, line) or ("wrong schedule" in line) == (expected == "FAIL"):
            missed += 1
            print(f"{name}: expected '{expected}', got '{line}'")
    print(f"{len(FAULTS)} faults, {missed} missed")


if __name__ == "__main__":
    main()
