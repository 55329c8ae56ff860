// Products of slices along K, all of K in steps of one size, are one product of the tiles.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-merge-gemms=remarks -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @slices
// CHECK: tile.gemm %[[A:[0-9]+]], %[[B:[0-9]+]], %[[C:[0-9]+]] {transpose_b} : memref<128x32xf16
// CHECK-NOT: scf.for
tile.kernel @slices() grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<128x32xf16, #shared>
  %C = tile.alloc : memref<128x128xf32, #tile.fragment>
  scf.for %k = %c0 to %c2 step %c1 {
    %at = arith.muli %k, %c16 : index
    %a = memref.subview %As[0, %at] [128, 16] [1, 1] : memref<128x32xf16, #shared> to memref<128x16xf16, strided<[32, 1], offset: ?>, #shared>
    %b = memref.subview %Bs[0, %at] [128, 16] [1, 1] : memref<128x32xf16, #shared> to memref<128x16xf16, strided<[32, 1], offset: ?>, #shared>
    // expected-remark @below {{2 slices along K are one product of the tiles}}
    tile.gemm %a, %b, %C {transpose_b} : memref<128x16xf16, strided<[32, 1], offset: ?>, #shared>, memref<128x16xf16, strided<[32, 1], offset: ?>, #shared>, memref<128x128xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// Half of K; rows instead of K; a sum that each slice starts anew; a loop that does more.
// CHECK-LABEL: tile.kernel @others
// CHECK-COUNT-4: scf.for
tile.kernel @others() grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  %D = tile.alloc : memref<16x16xf32, #tile.fragment>
  scf.for %k = %c0 to %c2 step %c1 {
    %at = arith.muli %k, %c16 : index
    %a = memref.subview %As[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    %b = memref.subview %Bs[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    tile.gemm %a, %b, %C {transpose_b} : memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf32, #tile.fragment>
  }
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.muli %k, %c16 : index
    %a = memref.subview %As[%at, 0] [16, 64] [1, 1] : memref<64x64xf16, #shared> to memref<16x64xf16, strided<[64, 1], offset: ?>, #shared>
    %b = memref.subview %Bs[%at, 0] [16, 64] [1, 1] : memref<64x64xf16, #shared> to memref<16x64xf16, strided<[64, 1], offset: ?>, #shared>
    tile.gemm %a, %b, %D {transpose_b} : memref<16x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<16x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<16x16xf32, #tile.fragment>
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.muli %k, %c16 : index
    %a = memref.subview %As[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    %b = memref.subview %Bs[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    tile.gemm %a, %b, %C {clear, transpose_b} : memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf32, #tile.fragment>
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.muli %k, %c16 : index
    %a = memref.subview %As[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    %b = memref.subview %Bs[0, %at] [64, 16] [1, 1] : memref<64x64xf16, #shared> to memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>
    tile.gemm %a, %b, %C {transpose_b} : memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x16xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf32, #tile.fragment>
    tile.fill %C with %zero : memref<64x64xf32, #tile.fragment>, f32
  }
}
