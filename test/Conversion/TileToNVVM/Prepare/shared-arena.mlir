// Buffers that are never alive together share bytes of the arena.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @disjoint
// CHECK-SAME:    mlir_tile.shared_bytes = 16384 : i64
tile.kernel @disjoint(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %t = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
  tile.copy %A to %t : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %t to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @together
// CHECK-SAME:    mlir_tile.shared_bytes = 32768 : i64
tile.kernel @together(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %t = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %A to %t : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
  tile.copy %t to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}
