// RUN: tile-opt %s --tile-lower-affine-accesses | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm | mlir-opt | FileCheck %s --check-prefix=NVVM

// CHECK-LABEL: tile.kernel @shift
// CHECK: tile.parallel (%[[I:.*]]) in (128)
// CHECK-NOT: affine
// CHECK: %[[TWICE:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK: %[[X:.*]] = memref.load %A[%[[TWICE]]] : memref<?xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: memref.store %[[X]], %A[%[[NEXT]]] : memref<?xf32>
// NVVM-LABEL: llvm.func @shift
// NVVM: llvm.load
// NVVM: llvm.store
tile.kernel @shift(%A: memref<?xf32>) grid(%bx) = (1) threads(128) {
  tile.parallel (%i) in (128) {
    %x = affine.load %A[%i * 2] : memref<?xf32>
    affine.store %x, %A[%i * 2 + 1] : memref<?xf32>
  }
}
