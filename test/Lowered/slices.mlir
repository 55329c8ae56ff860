// Slices of a tile along its first dimension, the buffers of a pipeline written
// by hand: gemms take them where they are, with every kind of matrix
// instruction, and other slices are filled meanwhile.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=turns --check | FileCheck %s
// RUN: tile-run %s --kernel=more --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=more --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=more --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=more --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=more --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS
// IR-LABEL: tile.kernel @turns
// IR-DAG:   %[[A:.*]] = memref.subview {{.*}} : memref<2x64x64xf16, #gpu.address_space<workgroup>> to memref<64x64xf16
// IR-DAG:   %[[B:.*]] = memref.subview {{.*}} : memref<2x64x128xf16, #gpu.address_space<workgroup>> to memref<64x128xf16
// IR:       tile.gemm %[[A]], %[[B]]
#shared = #gpu.address_space<workgroup>

tile.kernel @turns(%A: memref<64x192xf16>, %B: memref<192x128xf16>, %C: memref<64x128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<2x64x64xf16, #shared>
  %bs = tile.alloc : memref<2x64x128xf16, #shared>
  %c = tile.alloc : memref<64x128xf32, #tile.fragment>
  %a0 = memref.subview %a[0, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1]>, #shared>
  %b0 = memref.subview %bs[0, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xf16, #shared> to memref<64x128xf16, strided<[128, 1]>, #shared>
  tile.copy %A[%c0, %c0] to %a0 : memref<64x192xf16> to memref<64x64xf16, strided<[64, 1]>, #shared>
  tile.copy %B[%c0, %c0] to %b0 : memref<192x128xf16> to memref<64x128xf16, strided<[128, 1]>, #shared>
  tile.fill %c with %zero : memref<64x128xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c3 step %c1 {
    %next = arith.addi %k, %c1 : index
    %more = arith.cmpi slt, %next, %c3 : index
    scf.if %more {
      %slot = arith.remui %next, %c2 : index
      %at = arith.muli %next, %c64 : index
      %an = memref.subview %a[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      %bn = memref.subview %bs[%slot, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xf16, #shared> to memref<64x128xf16, strided<[128, 1], offset: ?>, #shared>
      tile.copy %A[%c0, %at] to %an : memref<64x192xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      tile.copy %B[%at, %c0] to %bn : memref<192x128xf16> to memref<64x128xf16, strided<[128, 1], offset: ?>, #shared>
    }
    %now = arith.remui %k, %c2 : index
    %ak = memref.subview %a[%now, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
    %bk = memref.subview %bs[%now, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xf16, #shared> to memref<64x128xf16, strided<[128, 1], offset: ?>, #shared>
    tile.gemm %ak, %bk, %c : memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x128xf16, strided<[128, 1], offset: ?>, #shared>, memref<64x128xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<64x128xf32, #tile.fragment> to memref<64x128xf32>
}

// Two dimensions of slices; slices of 48 bytes a row, for which rows are padded
// or as they are; fp8 operands.
tile.kernel @more(%A: memref<2x3x32x48xf8E4M3FN>, %B: memref<3x48x16xf8E4M3FN>, %C: memref<2x3x32x16xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = tile.alloc : memref<2x3x32x48xf8E4M3FN, #shared>
  %bs = tile.alloc : memref<3x48x16xf8E4M3FN, #shared>
  %c = tile.alloc : memref<32x16xf32, #tile.fragment>
  tile.copy %A to %a : memref<2x3x32x48xf8E4M3FN> to memref<2x3x32x48xf8E4M3FN, #shared>
  tile.copy %B to %bs : memref<3x48x16xf8E4M3FN> to memref<3x48x16xf8E4M3FN, #shared>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %ak = memref.subview %a[%i, %j, 0, 0] [1, 1, 32, 48] [1, 1, 1, 1] : memref<2x3x32x48xf8E4M3FN, #shared> to memref<32x48xf8E4M3FN, strided<[48, 1], offset: ?>, #shared>
      %bk = memref.subview %bs[%j, 0, 0] [1, 48, 16] [1, 1, 1] : memref<3x48x16xf8E4M3FN, #shared> to memref<48x16xf8E4M3FN, strided<[16, 1], offset: ?>, #shared>
      tile.gemm %ak, %bk, %c {clear} : memref<32x48xf8E4M3FN, strided<[48, 1], offset: ?>, #shared>, memref<48x16xf8E4M3FN, strided<[16, 1], offset: ?>, #shared>, memref<32x16xf32, #tile.fragment>
      tile.copy %c to %C[%i, %j, %c0, %c0] sizes [1, 1, 32, 16] : memref<32x16xf32, #tile.fragment> to memref<2x3x32x16xf32>
    }
  }
}
