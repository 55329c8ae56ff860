// A promise about an extent holds for the one that it equals: rows of both
// arguments start at multiples of 16 bytes.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// CHECK-LABEL: llvm.func @scale
// CHECK:         llvm.inline_asm {{.*}}"ld.global.nc.L2::cache_hint.v2.b64
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT:     f32, !llvm.ptr<1>
tile.kernel @scale(%X: memref<?x?xf32> {tile.alignment = 16}, %Y: memref<?x?xf32> {tile.alignment = 16}) grid(%b, %c) = (dim(%X, 0), dim(%X, 1) floordiv 128) threads(32) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %X, %c1 : memref<?x?xf32>
  %m = memref.dim %Y, %c1 : memref<?x?xf32>
  tile.assume %n equals %m : index
  tile.assume %m {divisible_by = 64 : i64} : index
  %first = arith.muli %c, %c128 : index
  tile.parallel (%j) in (128) {
    %at = arith.addi %first, %j : index
    %x = memref.load %X[%b, %at] : memref<?x?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %Y[%b, %at] : memref<?x?xf32>
  }
}
