// A gemm that some iterations leave out: every warp tells that it has passed the wait, as no instruction of the warpgroup does.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=1 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=2 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=3 --check | FileCheck %s
// Slots become empty by four arrivals.
// IR-DAG: llvm.mlir.constant(4 : i32)
// IR: nvvm.bar.warp.sync
// IR: mbarrier.arrive
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @guarded(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<64x256xf16> {tile.alignment = 16}, %C: memref<64x64xf32>)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x16xf16, #shared>
  %Bs = tile.alloc : memref<64x16xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c16 stages(1) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x16xf16, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<64x256xf16> to memref<64x16xf16, #shared>
    %some = arith.cmpi sge, %k, %c128 : index
    scf.if %some {
      tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x16xf16, #shared>, memref<64x16xf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
