// Iterations of one thread follow each other in its local memory: no group of
// them is taken operation by operation.
// RUN: tile-run %s --args=A=16x4:smallint,B=16 --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
tile.kernel @local(%A: memref<16x4xf32> {tile.alignment = 16}, %B: memref<16xf32> {tile.alignment = 16}) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = tile.alloc : memref<2xf32, #tile.local>
  tile.parallel (%i) in (16) attributes {coalesced_width = 4 : i64} {
    %x = memref.load %A[%i, %c0] : memref<16x4xf32>
    memref.store %x, %l[%c0] : memref<2xf32, #tile.local>
    %y = memref.load %A[%i, %c1] : memref<16x4xf32>
    memref.store %y, %l[%c1] : memref<2xf32, #tile.local>
    %at = arith.remsi %i, %c2 : index
    %v = memref.load %l[%at] : memref<2xf32, #tile.local>
    memref.store %v, %B[%i] : memref<16xf32>
  }
}
