// The loop runs once, and its gemm stands in a branch that is taken later only: the accumulator, placed in tensor memory, is left without a gemm.
// RUN: tile-run %s --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_100a | FileCheck %s --check-prefix=LOWERED
// CHECK: PASS
// LOWERED-NOT: tcgen05.alloc
#shared = #gpu.address_space<workgroup>
tile.kernel @folded(%A: memref<128x16xf16> {tile.alignment = 16}, %B: memref<16x16xf16> {tile.alignment = 16}, %O: memref<128x16xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<128x16xf16, #shared>
  %t = tile.alloc : memref<16x16xf16, #shared>
  %f = tile.alloc : memref<128x16xf32, #tile.fragment>
  tile.fill %f with %zero : memref<128x16xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c1 step %c1 stages(2) {
    tile.copy %A[%c0, %c0] to %s : memref<128x16xf16> to memref<128x16xf16, #shared>
    tile.copy %B[%c0, %c0] to %t : memref<16x16xf16> to memref<16x16xf16, #shared>
    %later = arith.cmpi sge, %k, %c1 : index
    scf.if %later {
      tile.gemm %s, %t, %f : memref<128x16xf16, #shared>, memref<16x16xf16, #shared>, memref<128x16xf32, #tile.fragment>
    }
  }
  tile.copy %f to %O[%c0, %c0] : memref<128x16xf32, #tile.fragment> to memref<128x16xf32>
}
