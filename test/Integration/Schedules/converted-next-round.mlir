// As gemm-awaited-next-round.mlir, with a layout of the accumulator that no
// instruction has: the gemm is awaited before its result is converted.
// RUN: tile-run %s --stage=layouts --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=layouts --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=layouts --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#rows = #tile.fragment_layout<shape [64, 64] reg [(8, 1:1), (2, 1:8), (2, 1:16)] lane [(2, 1:32), (16, 0:1)] warp [(4, 0:16)]>
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc layout(#rows) : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %t0 = tile.token.done
  %t1 = scf.for %k = %c0 to %c256 step %c32 iter_args(%t = %t0) -> (!tile.token) {
    tile.await %t
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    %u = tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
    scf.yield %u : !tile.token
  }
  tile.await %t1
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
