// A loop whose body is one condition, of few registers for many, is skipped by a warp where it holds nowhere.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts --tile-select-copies --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s

// A row of 32 elements lies in one thread: one question for 32 products.
// CHECK-LABEL: func @rows
// CHECK: %[[HOLDS:.*]] = llvm.fcmp "une"
// CHECK-NEXT: %[[MASK:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: %[[ANY:.*]] = nvvm.vote.sync{{ +}}any %[[MASK]], %[[HOLDS]] -> i1
// CHECK-NEXT: llvm.cond_br %[[ANY]]
// CHECK-NOT: vote
tile.kernel @rows(%A: memref<128x32xf32>, %F: memref<128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %x = tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(32, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) : memref<128x32xf32, #tile.fragment>
  %f = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %x : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
  tile.copy %F[%c0] to %f : memref<128xf32> to memref<128xf32, #tile.fragment>
  tile.parallel (%i, %j) in (128, 32) {
    %v = memref.load %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    %by = memref.load %f[%i] : memref<128xf32, #tile.fragment>
    %y = arith.mulf %v, %by : f32
    %differs = arith.cmpf une, %by, %one : f32
    scf.if %differs {
      memref.store %y, %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    }
  }
  tile.copy %x to %A[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
}

// The condition is of the element itself.
// CHECK-LABEL: func @elements
// CHECK-NOT: vote
tile.kernel @elements(%A: memref<128x32xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(32, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) : memref<128x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %x : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (128, 32) {
    %v = memref.load %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    %less = arith.cmpf olt, %v, %zero : f32
    scf.if %less {
      memref.store %zero, %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    }
  }
  tile.copy %x to %A[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
}
