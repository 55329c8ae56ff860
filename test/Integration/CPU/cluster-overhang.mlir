// Blocks of a cluster that lie outside of the grid store no single elements, on the CPU as on a GPU.
// RUN: tile-run %s --args=A=3x32 --args=O=3x32 --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --args=A=3x32 --args=O=3x32 --check | FileCheck %s
// CHECK: PASS
tile.kernel @k(%A: memref<?x32xf32>, %O: memref<?x32xf32>)
    grid(%bx, %by) = (1, dim(%A, 0)) threads(32) cluster(1, 2) attributes {persistent = 1 : i64} {
  tile.parallel (%i) in (32) {
    %x = memref.load %A[%by, %i] : memref<?x32xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %O[%by, %i] : memref<?x32xf32>
  }
}
