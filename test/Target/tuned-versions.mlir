// An artifact with several combinations of a kernel's tunables: each has its cost; what the assembler refuses is left out.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a -o %t && grep -a -c '"cost": {' %t | FileCheck %s --check-prefix=COSTS
// COSTS: 2
// RUN: grep -a '"name": "copy' %t | FileCheck %s --check-prefix=NAMES
// NAMES: "name": "copy",
// NAMES: "name": "copy__{{64|256}}"
// One where the command wants no versions.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a --versions=false -o %t && grep -a '"name": "copy' %t | FileCheck %s --check-prefix=ONE --implicit-check-not=copy__
// ONE: "name": "copy",
// A cost that is none is an error at the kernel.
// RUN: echo 'tile.kernel @f(%%A: memref<4xf32>) grid(%%b) = (1) threads(32) attributes {tile.cost = "{}"} { }' > %t.mlir
// RUN: not tile-translate %t.mlir --tile-to-artifact --arch=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{.*}}expected `tile.cost` as --tile-choose-tunables writes it: cost: expected the field 'device'
tile.kernel @copy(%A: memref<?xf32> {tile.alignment = 16, tile.shape_hint = [array<i64: 64>, array<i64: 100000000>]}, %B: memref<?xf32> {tile.alignment = 16, tile.shape_hint = [array<i64: 64>, array<i64: 100000000>]})
    tunable(%b in [64, 256]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = [array<i64: 64>, array<i64: 256>]} {
  %m = arith.muli %bx, %b : index
  %x = tile.alloc(%b) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
  tile.copy %x to %B[%m] : memref<?xf32, #tile.fragment> to memref<?xf32>
}
