// Copies between shared memory and fragments made of 8 x 8 matrices use ldmatrix
// and stmatrix, transposed where memory is contiguous the other way, and never
// element loads beside them.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-select-copies --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
#shared = #gpu.address_space<workgroup>
#swizzled = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)] swizzle(2, 4, 3)>
#rows = #tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:64)]>
#a = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (4, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#b = #tile.fragment_layout<shape [32, 64] reg [(2, 0:1), (4, 0:8), (2, 1:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>

// 16 registers of 16-bit elements: two loads of four matrices.
// CHECK-LABEL: llvm.func @plain
// CHECK-NOT:     llvm.load
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<row>
// CHECK:         nvvm.stmatrix
// CHECK-NOT:     nvvm.stmatrix
tile.kernel @plain() grid(%bx) = (1) threads(128) {
  %s = tile.alloc layout(#swizzled) : memref<64x32xf16, #shared>
  %t = tile.alloc layout(#swizzled) : memref<64x32xf16, #shared>
  %f = tile.alloc layout(#a) : memref<64x32xf16, #tile.fragment>
  tile.copy %s to %f decided {layout = #a} : memref<64x32xf16, #shared> to memref<64x32xf16, #tile.fragment>
  tile.copy %f to %t decided {layout = #a} : memref<64x32xf16, #tile.fragment> to memref<64x32xf16, #shared>
}

// CHECK-LABEL: llvm.func @transposed
// CHECK-NOT:     llvm.load
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>{{.*}}num = 4
// CHECK-NOT:     nvvm.ldmatrix
tile.kernel @transposed() grid(%bx) = (1) threads(128) {
  %s = tile.alloc layout(#rows) : memref<32x64xf16, #shared>
  %f = tile.alloc layout(#b) : memref<32x64xf16, #tile.fragment>
  tile.copy %s to %f decided {layout = #b} : memref<32x64xf16, #shared> to memref<32x64xf16, #tile.fragment>
}
