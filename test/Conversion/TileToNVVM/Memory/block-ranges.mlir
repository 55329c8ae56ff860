// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
// A constant extent of the grid bounds the block's index; clusters round it up.

// CHECK-LABEL: llvm.func @static
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 7> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 1> : i32
tile.kernel @static(%A: memref<7x1xf32>) grid(%bx, %by) = (7, 1) threads(32) {
  %x = memref.load %A[%bx, %by] : memref<7x1xf32>
  memref.store %x, %A[%bx, %by] : memref<7x1xf32>
}

// CHECK-LABEL: llvm.func @cluster
// CHECK: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 8> : i32
tile.kernel @cluster(%A: memref<8xf32>) grid(%bx) = (7) threads(32) cluster(2) {
  %x = memref.load %A[%bx] : memref<8xf32>
  memref.store %x, %A[%bx] : memref<8xf32>
}

// CHECK-LABEL: llvm.func @dynamic
// CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
tile.kernel @dynamic(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0)) threads(32) {
  %x = memref.load %A[%bx] : memref<?xf32>
  memref.store %x, %A[%bx] : memref<?xf32>
}
