// 8-bit operands that lie along m or n: ldmatrix.trans of pairs of bytes, taken
// apart by prmt and exchanged by shuffles; no byte is loaded on its own. Where a
// warp has no whole groups of 16 columns they are.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_89 | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @both
// CHECK-NOT:     llvm.load {{.*}} !llvm.ptr<3> -> i8
// CHECK:         nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>{{.*}}num = 4
// CHECK:         prmt.b32
// CHECK:         nvvm.shfl.sync idx
// CHECK:         prmt.b32
// CHECK:         nvvm.shfl.sync idx
// CHECK-NOT:     llvm.load {{.*}} !llvm.ptr<3> -> i8
// CHECK-NOT:     nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>
// CHECK:         nvvm.mma.sync
tile.kernel @both(%A: memref<64x64xi8> {tile.alignment = 16}, %B: memref<64x64xi8> {tile.alignment = 16}, %C: memref<64x64xi32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0 : i32
  %a = tile.alloc : memref<64x64xi8, #shared>
  %b0 = tile.alloc : memref<64x64xi8, #shared>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.copy %A to %a : memref<64x64xi8> to memref<64x64xi8, #shared>
  tile.copy %B to %b0 : memref<64x64xi8> to memref<64x64xi8, #shared>
  tile.fill %c with %zero : memref<64x64xi32, #tile.fragment>, i32
  tile.gemm %a, %b0, %c {transpose_a} : memref<64x64xi8, #shared>, memref<64x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  tile.copy %c to %C : memref<64x64xi32, #tile.fragment> to memref<64x64xi32>
}

// -----
#shared = #gpu.address_space<workgroup>
// The inner fragment of m16n8k16 takes two matrices.
// CHECK-LABEL: llvm.func @k16
// CHECK:         nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>{{.*}}num = 2
// CHECK:         nvvm.mma.sync
tile.kernel @k16(%A: memref<64x16xi8> {tile.alignment = 16}, %B: memref<16x64xi8> {tile.alignment = 16}, %C: memref<64x64xi32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0 : i32
  %a = tile.alloc : memref<64x16xi8, #shared>
  %b0 = tile.alloc : memref<16x64xi8, #shared>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.copy %A to %a : memref<64x16xi8> to memref<64x16xi8, #shared>
  tile.copy %B to %b0 : memref<16x64xi8> to memref<16x64xi8, #shared>
  tile.fill %c with %zero : memref<64x64xi32, #tile.fragment>, i32
  tile.gemm %a, %b0, %c : memref<64x16xi8, #shared>, memref<16x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  tile.copy %c to %C : memref<64x64xi32, #tile.fragment> to memref<64x64xi32>
}

// -----
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @odd
// CHECK-NOT:     layout = #nvvm.mma_layout<col>{{.*}}num = 4
// CHECK:         llvm.load {{.*}} !llvm.ptr<3> -> i8
tile.kernel @odd(%A: memref<32x32xf8E4M3FN> {tile.alignment = 16}, %B: memref<32x24xf8E4M3FN>, %C: memref<32x24xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<32x32xf8E4M3FN, #shared>
  %b0 = tile.alloc : memref<32x24xf8E4M3FN, #shared>
  %c = tile.alloc : memref<32x24xf32, #tile.fragment>
  tile.copy %A to %a : memref<32x32xf8E4M3FN> to memref<32x32xf8E4M3FN, #shared>
  tile.copy %B to %b0 : memref<32x24xf8E4M3FN> to memref<32x24xf8E4M3FN, #shared>
  tile.fill %c with %zero : memref<32x24xf32, #tile.fragment>, f32
  tile.gemm %a, %b0, %c : memref<32x32xf8E4M3FN, #shared>, memref<32x24xf8E4M3FN, #shared>, memref<32x24xf32, #tile.fragment>
  tile.copy %c to %C : memref<32x24xf32, #tile.fragment> to memref<32x24xf32>
}
