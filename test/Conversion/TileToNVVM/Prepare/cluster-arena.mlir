// A ring that the other block of a cluster writes, too, shares no bytes with what this block has used before it: the other one may be
// ahead by a loop.
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=1 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=2 --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @ahead(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x128xf16> {tile.alignment = 16}, %D: memref<512x64xf16> {tile.alignment = 16},
                   %C: memref<64x128xf32>, %E: memref<128x64xf32>)
    grid(%b) = (2) threads(32) attributes {cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %column = arith.muli %b, %c64 : index
  %d = tile.alloc : memref<64x64xf16, #shared>
  %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(4) {
    %row = arith.addi %column, %k : index
    tile.copy %D[%row, %c0] to %d : memref<512x64xf16> to memref<64x64xf16, #shared>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %d[%i, %j] : memref<64x64xf16, #shared>
      %wide = arith.extf %x : f16 to f32
      %old = memref.load %sum[%i, %j] : memref<64x64xf32, #tile.fragment>
      %new = arith.addf %old, %wide : f32
      memref.store %new, %sum[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %E[%column, %c0] : memref<64x64xf32, #tile.fragment> to memref<128x64xf32>
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %column] to %Bs : memref<256x128xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %column] : memref<64x64xf32, #tile.fragment> to memref<64x128xf32>
}
