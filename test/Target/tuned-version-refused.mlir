// A combination that the assembler refuses is left out, also where it is the one in the kernel's place; with all of them the program is refused.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/picky-about-threads -o %t --remarks 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=error:
// LEFT: note: 'copy__64' is left out, and others of 'copy' are launched in its place: cannot assemble the PTX: ptxas error   : Entry function 'copy' uses too few threads
// RUN: grep -a '"name": "copy' %t | FileCheck %s --check-prefix=NAMES --implicit-check-not=__64
// NAMES: "name": "copy",
// NAMES: "name": "copy__{{128|256}}"
// RUN: env REFUSED=all not tile-translate %s --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/picky-about-threads -o %t.none 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not ls %t.none
// ALL: error: {{.*}}expected a combination of tunables that compiles, got none: all are left out
tile.kernel @copy(%A: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 100000000>}, %B: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 100000000>})
    tunable(%b in [64, 128, 256]) grid(%bx) = (dim(%A, 0) ceildiv (%b * 4)) threads(%b) attributes {tile.versions = [array<i64: 64>, array<i64: 128>, array<i64: 256>]} {
  %c4 = arith.constant 4 : index
  %e = arith.muli %b, %c4 : index
  %m = arith.muli %bx, %e : index
  %x = tile.alloc(%e) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
  tile.copy %x to %B[%m] : memref<?xf32, #tile.fragment> to memref<?xf32>
}
