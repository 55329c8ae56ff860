// RUN: tile-opt %s --convert-tile-to-cpu --canonicalize | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-cpu=check-assumptions | FileCheck %s --check-prefix=CHECKED
#shared = #gpu.address_space<workgroup>

// `pipelined` is its sequential loop, `parallel` loops in order; a promise is
// dropped, or checked on request.
// CHECK-LABEL: func.func @loops.cpu
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c16
// CHECK:           scf.for %[[I:.*]] = %c0 to %c4 step %c1
// CHECK-NEXT:        scf.for %[[J:.*]] = %c0 to %c8 step %c1
// CHECK-NEXT:          %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]] : memref<4x8xf32>
// CHECK-NOT:     tile_cpu_assert_failed
// CHECKED:       arith.remsi
// CHECKED:       func.call @tile_cpu_assert_failed
tile.kernel @loops(%n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  tile.assume %n {divisible_by = 16 : i64} : index
  %t = tile.alloc : memref<4x8xf32, #shared>
  tile.pipelined %k = %c0 to %n step %c16 stages(2) {
    tile.parallel (%i, %j) in (4, 8) {
      %x = memref.load %t[%i, %j] : memref<4x8xf32, #shared>
      %y = arith.addf %x, %x : f32
      memref.store %y, %t[%i, %j] : memref<4x8xf32, #shared>
    }
  }
}

// Floats narrower than f32 are reduced in f32 and rounded once.
// CHECK-LABEL: func.func @reduce.cpu
// CHECK:         %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.maximumf %[[ACC]], %[[W]]
// CHECK:         arith.truncf %[[S]] : f32 to f16
tile.kernel @reduce(%R: memref<4xf16>) grid(%b) = (1) threads(32) {
  %t = tile.alloc : memref<4x8xf16, #shared>
  %r = tile.alloc : memref<4xf16, #shared>
  tile.reduce max %t to %r dim(1) {propagate_nan} : memref<4x8xf16, #shared> to memref<4xf16, #shared>
  tile.copy %r to %R : memref<4xf16, #shared> to memref<4xf16>
}

// A use of a ring is the copy `use mod stages`.
// CHECK-LABEL: func.func @ring.cpu
// CHECK-SAME:    %[[USE:[^:]*]]: index
// CHECK:         %[[COPIES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// CHECK:         %[[SLOT:.*]] = arith.remui %[[USE]], %c3
// CHECK:         %[[AT:.*]] = arith.muli %[[SLOT]], %c64
// CHECK:         memref.view %[[COPIES]][%[[AT]]][] : memref<192xi8> to memref<8xf16>
tile.kernel @ring(%use: index) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f16
  %ring = tile.ring.create : !tile.ring<3 x [memref<8xf16, #shared>], cp_async -> threads>
  %x = tile.ring.acquire %ring[%use] : !tile.ring<3 x [memref<8xf16, #shared>], cp_async -> threads>
  tile.fill %x with %zero : memref<8xf16, #shared>, f16
  tile.ring.commit %ring[%use] : !tile.ring<3 x [memref<8xf16, #shared>], cp_async -> threads>
}
