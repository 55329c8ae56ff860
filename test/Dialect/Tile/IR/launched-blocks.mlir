// Which blocks of a grid do something: the launcher leaves the others out, here those beyond the larger one of two sizes.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-run %s --args=A=3x4:ones,B=5x4:ones,C=1:zeros --stage=lowered --arch=sm_90a --save=C:%t.npy
// RUN: od -An -t d4 -j 128 %t.npy | FileCheck %s --check-prefix=LAUNCHED

// CHECK-LABEL: tile.kernel @count
// CHECK-SAME: tile.launched_blocks = {{\[}}["max", ["dim", 0, 0], ["dim", 1, 0]], 4]
// LAUNCHED: {{^ *}}20{{$}}
tile.kernel @count(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %C: memref<1xi32>) grid(%bx, %by) = (dim(%A, 0) + dim(%B, 0), 4) threads(32) attributes {tile.launched_blocks = [["max", ["dim", 0, 0], ["dim", 1, 0]], 4]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.parallel (%i) in (1) {
    %old = memref.atomic_rmw addi %one, %C[%c0] : (i32, memref<1xi32>) -> i32
  }
}
