// RUN: tile-opt %s --convert-tile-to-cpu --split-input-file | FileCheck %s
#shared = #gpu.address_space<workgroup>

// A pixel's number becomes an image and positions; each element is tested.
// CHECK-LABEL: func.func @convolution.cpu
// CHECK-SAME:  %[[X:[^:]*]]: memref<?x?x8xf32>
// CHECK:       %[[ROOM:.*]] = arith.addi %{{.*}}
// CHECK:       %[[STEPS:.*]] = arith.divsi %[[ROOM]]
// CHECK:       %[[COUNT:.*]] = arith.addi %[[STEPS]]
// CHECK:       %[[NONE:.*]] = arith.cmpi slt, %[[ROOM]]
// CHECK:       arith.select %[[NONE]], %{{.*}}, %[[COUNT]]
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           arith.remsi
// CHECK:           arith.divsi
// CHECK:           %[[IN:.*]] = arith.andi
// CHECK:           %[[V:.*]] = scf.if %{{.*}} -> (f16) {
// CHECK:             memref.load %[[X]]
// CHECK:             arith.truncf
// CHECK:           memref.store %[[V]]
tile.kernel @convolution(%X: memref<?x?x8xf32>) grid(%b) = (1) threads(32) {
  %c1 = arith.constant 1 : index
  %t = tile.alloc : memref<16x8xf16, #shared>
  tile.im2col %X pixel %b filter [%c1] channel %b to %t kernel [3] strides [2] pad_lower [1] : memref<?x?x8xf32> to memref<16x8xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @rows.cpu
// CHECK-SAME:  %[[X:[^:]*]]: memref<?x?xf16>, %[[I:[^:]*]]: memref<?xi32>
// CHECK:       %[[ROW:.*]] = scf.if %{{.*}} -> (index) {
// CHECK:         %[[R:.*]] = memref.load %[[I]]
// CHECK:         arith.index_cast %[[R]] : i32 to index
// CHECK:       } else {
// CHECK:         %[[NONE:.*]] = arith.constant -1 : index
// CHECK-NEXT:    scf.yield %[[NONE]]
// CHECK:       arith.cmpi ult, %[[ROW]]
// CHECK:       scf.if %{{.*}} -> (f16) {
// CHECK:         memref.load %[[X]][%[[ROW]],
// CHECK:       %[[ROW2:.*]] = scf.if %{{.*}} -> (index) {
// CHECK:       scf.if %{{.*}} {
// CHECK:         memref.store %{{.*}}, %[[X]][%[[ROW2]],
tile.kernel @rows(%X: memref<?x?xf16>, %I: memref<?xi32>) grid(%b) = (1) threads(32) {
  %c8 = arith.constant 8 : index
  %t = tile.alloc : memref<16x8xf16, #shared>
  tile.gather %X[%c8] rows %I[%b] to %t : memref<?x?xf16>, memref<?xi32> to memref<16x8xf16, #shared>
  tile.scatter %t to %X[%c8] rows %I[%b] : memref<16x8xf16, #shared> to memref<?x?xf16>, memref<?xi32>
}
