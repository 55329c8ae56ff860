// Gemms of few rows by wgmma with swapped operands: what they compute, with rows of 16, 24, 48, 64 and 144, operands that lie either way, warpgroups
// beside each other and below each other, and results that are stored, cast, added to, and reduced.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=rows16 --check | FileCheck %s
// RUN: tile-run %s --kernel=rows16 --stage=layouts --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows16 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows16_turned --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows48 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows144 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=bytes --args=A=:smallint,B=:smallint --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=halves --args=A=:smallint,B=:smallint --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=stated --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// A is M x K, B is K x N: two warpgroups with 64 columns each.
// IR-LABEL: tile.kernel @rows16(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>
tile.kernel @rows16(%A: memref<16x256xf16> {tile.alignment = 16}, %B: memref<256x128xf16> {tile.alignment = 16}, %C: memref<16x128xf32> {tile.alignment = 16}) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<16x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(3) {
    tile.copy %A[%c0, %k] to %As : memref<16x256xf16> to memref<16x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x128xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x128xf32, #tile.fragment> to memref<16x128xf32>
}

// A is K x M, B is N x K.
// IR-LABEL: tile.kernel @rows16_turned(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>
tile.kernel @rows16_turned(%A: memref<256x16xf16> {tile.alignment = 16}, %B: memref<128x256xf16> {tile.alignment = 16}, %C: memref<16x128xf16> {tile.alignment = 16}) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x16xf16, #shared>
  %Bs = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(3) {
    tile.copy %A[%k, %c0] to %As : memref<256x16xf16> to memref<64x16xf16, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<128x256xf16> to memref<128x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_a, transpose_b} : memref<64x16xf16, #shared>, memref<128x64xf16, #shared>, memref<16x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x128xf32, #tile.fragment> to memref<16x128xf16>
}

// One warpgroup repeats the instruction over the columns; both operands lie along m and n.
// IR-LABEL: tile.kernel @rows48(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 48, k = 16, warps = [4, 1], swapped>
tile.kernel @rows48(%A: memref<128x48xbf16> {tile.alignment = 16}, %B: memref<128x128xbf16> {tile.alignment = 16}, %C: memref<48x128xbf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x48xbf16, #shared>
  %Bs = tile.alloc : memref<64x128xbf16, #shared>
  %acc = tile.alloc : memref<48x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<48x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c128 step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %As : memref<128x48xbf16> to memref<64x48xbf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<128x128xbf16> to memref<64x128xbf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_a} : memref<64x48xbf16, #shared>, memref<64x128xbf16, #shared>, memref<48x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<48x128xf32, #tile.fragment> to memref<48x128xbf16>
}

// More rows than one warpgroup has; both operands along k. A bias for each column and each row, and what is below zero left out.
// IR-LABEL: tile.kernel @rows144(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 144, k = 16, warps = [8, 1], swapped>
tile.kernel @rows144(%A: memref<144x128xf16> {tile.alignment = 16}, %B: memref<128x128xf16> {tile.alignment = 16}, %X: memref<128xf32>, %Y: memref<144xf32>, %C: memref<144x128xf16> {tile.alignment = 16}) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<144x64xf16, #shared>
  %Bs = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<144x128xf32, #tile.fragment>
  %rows = tile.alloc : memref<144xf32, #tile.fragment>
  tile.copy %Y to %rows : memref<144xf32> to memref<144xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<144x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c128 step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<144x128xf16> to memref<144x64xf16, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<128x128xf16> to memref<128x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<144x64xf16, #shared>, memref<128x64xf16, #shared>, memref<144x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (144, 128) {
    %p = memref.load %acc[%i, %j] : memref<144x128xf32, #tile.fragment>
    %x = memref.load %X[%j] : memref<128xf32>
    %y = memref.load %rows[%i] : memref<144xf32, #tile.fragment>
    %q = arith.addf %p, %x : f32
    %r = arith.addf %q, %y : f32
    %s = arith.maximumf %r, %zero : f32
    memref.store %s, %acc[%i, %j] : memref<144x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<144x128xf32, #tile.fragment> to memref<144x128xf16>
}

// Two types, which are exchanged with the operands. The sums are added to what is there.
// IR-LABEL: tile.kernel @bytes(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 32, warps = [4, 1], swapped>
tile.kernel @bytes(%A: memref<16x128xf8E4M3FN> {tile.alignment = 16}, %B: memref<64x128xf8E5M2> {tile.alignment = 16}, %C: memref<16x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<16x64xf8E4M3FN, #shared>
  %Bs = tile.alloc : memref<64x64xf8E5M2, #shared>
  %acc = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c128 step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<16x128xf8E4M3FN> to memref<16x64xf8E4M3FN, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<64x128xf8E5M2> to memref<64x64xf8E5M2, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<16x64xf8E4M3FN, #shared>, memref<64x64xf8E5M2, #shared>, memref<16x64xf32, #tile.fragment>
  }
  tile.atomic add %acc to %C[%c0, %c0] : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
}

// Sums of f16, two in a register, which are neighbours along a column.
// IR-LABEL: tile.kernel @halves(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 24, k = 16, warps = [4, 1], swapped>
tile.kernel @halves(%A: memref<64x24xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<24x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %As = tile.alloc : memref<64x24xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<24x64xf16, #tile.fragment>
  tile.copy %A to %As : memref<64x24xf16> to memref<64x24xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %acc {transpose_a, clear} : memref<64x24xf16, #shared>, memref<64x64xf16, #shared>, memref<24x64xf16, #tile.fragment>
  tile.copy %acc to %C : memref<24x64xf16, #tile.fragment> to memref<24x64xf16>
}

// A stated plan: warpgroups below each other, each of which repeats the instruction over its rows. A row's maximum is in all warps of one of them.
// IR-LABEL: tile.kernel @stated(
// IR:         tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [4, 2], swapped>
tile.kernel @stated(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x128xf16> {tile.alignment = 16}, %C: memref<64x128xf32> {tile.alignment = 16}, %R: memref<64xf32>) grid(%b) = (1) threads(256) {
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  %max = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.gemm %As, %Bs, %acc {clear, plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [4, 2], swapped>} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  tile.reduce max %acc to %max dim(1) : memref<64x128xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x128xf32, #tile.fragment> to memref<64x128xf32>
  tile.copy %max to %R : memref<64xf32, #tile.fragment> to memref<64xf32>
}
