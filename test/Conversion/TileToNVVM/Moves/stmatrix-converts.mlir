// Registers are converted on their way into words: an f32 accumulator goes to a tile of f16 by stmatrix.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file | FileCheck %s --check-prefix=NONE
// NONE-NOT: nvvm.stmatrix

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @half
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK: nvvm.stmatrix
// CHECK: llvm.return
tile.kernel @half(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf16>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %as = tile.alloc : memref<64x64xf16, #shared>
  %bs = tile.alloc : memref<64x64xf16, #shared>
  %cs = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A to %as : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.fill %c with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %as, %bs, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %c to %cs : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %cs to %C : memref<64x64xf16, #shared> to memref<64x64xf16>
}
