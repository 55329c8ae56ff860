// Where a block is one warp, its threads meet as lanes of a warp.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s

// CHECK-LABEL: llvm.func @turned
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.bar.warp.sync
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @turned(%A: memref<32xf32>, %B: memref<32xf32>) grid(%b) = (1) threads(32) {
  %c31 = arith.constant 31 : index
  %s = tile.alloc : memref<32xf32, #gpu.address_space<workgroup>>
  tile.parallel (%t) in (32) {
    %v = memref.load %A[%t] : memref<32xf32>
    memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
  }
  tile.parallel (%t) in (32) {
    %other = arith.subi %c31, %t : index
    %v = memref.load %s[%other] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %v, %B[%t] : memref<32xf32>
  }
}
