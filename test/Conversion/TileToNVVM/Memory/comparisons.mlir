// Comparisons of a loop's indices with values of the block: all but a register's constant is one value of 32 bits, in roles.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts --tile-select-copies --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s

// %i + %m <= %j + %n: the bound is n - m, clamped to what %i - %j reaches and one beyond.
// CHECK-LABEL: func @mask
// CHECK: llvm.intr.smax
// CHECK: llvm.intr.smin
// CHECK: llvm.trunc %{{.*}} : i64 to i32
// CHECK-COUNT-32: llvm.icmp "sge" %{{.*}}, %{{.*}} : i32
// CHECK-NOT: llvm.icmp "s{{[lg]e}}" {{.*}} : i64
tile.kernel @mask(%A: memref<128x32xf32>, %m: index, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.warp_specialize
  role "all" warps(4) {
    %x = tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(32, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) : memref<128x32xf32, #tile.fragment>
    tile.copy %A[%c0, %c0] to %x : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 32) {
      %row = arith.addi %i, %m : index
      %column = arith.addi %j, %n : index
      %keep = arith.cmpi sle, %row, %column : index
      %v = memref.load %x[%i, %j] : memref<128x32xf32, #tile.fragment>
      %y = arith.select %keep, %v, %zero : f32
      memref.store %y, %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    }
    tile.copy %x to %A[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
  }
}

// Unsigned ones stay: what is negative is large there.
// CHECK-LABEL: func @unsigned
// CHECK: llvm.icmp "ult" {{.*}} : i64
tile.kernel @unsigned(%A: memref<128x32xf32>, %m: index, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.warp_specialize
  role "all" warps(4) {
    tile.parallel (%i, %j) in (128, 32) {
      %row = arith.addi %i, %m : index
      %keep = arith.cmpi ult, %row, %n : index
      scf.if %keep {
        memref.store %zero, %A[%i, %j] : memref<128x32xf32>
      }
    }
  }
}
