// RUN: tile-opt %s --convert-tile-to-cpu --split-input-file | FileCheck %s
#shared = #gpu.address_space<workgroup>

// A region known to lie inside is not tested.
// CHECK-LABEL: func.func @inside.cpu
// CHECK-NOT:   arith.cmpi
// CHECK:       %[[X:.*]] = memref.load %{{.*}} : memref<64xf32>
// CHECK-NEXT:  %[[Y:.*]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT:  memref.store %[[Y]]
// CHECK-NOT:   scf.if
tile.kernel @inside(%A: memref<64xf32>) grid(%b) = (1) threads(32) {
  %c16 = arith.constant 16 : index
  %t = tile.alloc : memref<48xf16, #shared>
  tile.copy %A[%c16] to %t : memref<64xf32> to memref<48xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>

// One test for the whole region; a test for each element only where it fails.
// CHECK-LABEL: func.func @overhang.cpu
// CHECK-SAME:  %[[A:[^:]*]]: memref<?xf32>
// CHECK-DAG:   %[[PAD:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:       arith.cmpi sge
// CHECK:       arith.cmpi sle
// CHECK:       %[[IN:.*]] = arith.andi
// CHECK:       scf.if %[[IN]] {
// CHECK-NOT:     arith.cmpi
// CHECK:         memref.store
// CHECK:       } else {
// CHECK:         %[[OK:.*]] = arith.cmpi ult
// CHECK:         %[[V:.*]] = scf.if %[[OK]] -> (f32) {
// CHECK:           memref.load %[[A]]
// CHECK:         } else {
// CHECK:           scf.yield %[[PAD]]
// CHECK:         memref.store %[[V]]
tile.kernel @overhang(%A: memref<?xf32>, %m: index) grid(%b) = (1) threads(32) {
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<48xf32, #shared>
  tile.copy %A[%m] to %t pad(%one : f32) : memref<?xf32> to memref<48xf32, #shared>
}

// -----

// CHECK-LABEL: func.func @combine.cpu
// CHECK:       memref.atomic_rmw addf %{{.*}}, %{{.*}} : (f32, memref<8xf32>) -> f32
// CHECK:       memref.atomic_rmw maxnumf
// CHECK:       memref.atomic_rmw minu
tile.kernel @combine(%A: memref<8xf32>, %I: memref<8xi32>) grid(%b) = (1) threads(32) {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  %i = tile.alloc : memref<8xi32, #tile.fragment>
  tile.atomic add %f to %A : memref<8xf32, #tile.fragment> to memref<8xf32>
  tile.atomic max %f to %A : memref<8xf32, #tile.fragment> to memref<8xf32>
  tile.atomic min %i to %I {is_unsigned} : memref<8xi32, #tile.fragment> to memref<8xi32>
}

// -----

// Layouts do not matter; the copy between two of them is a copy.
// CHECK-LABEL: func.func @relayout.cpu
// CHECK:       %[[X:.*]] = memref.load
// CHECK-NEXT:  memref.store %[[X]]
tile.kernel @relayout() grid(%b) = (1) threads(32) {
  %p = tile.alloc : memref<8x8xf16, #tile.fragment>
  %q = tile.alloc : memref<8x8xf16, #tile.fragment>
  tile.convert_layout %p to %q : memref<8x8xf16, #tile.fragment> to memref<8x8xf16, #tile.fragment>
}
