// A condition on what memory has for a block, in a persistent kernel: each role computes the block, and reads the condition, by operations of its own.
// Both have to see one value, or one role would wait for the other for ever.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=PTX
// RUN: tile-run %s --args=COUNT=5,X=5x64x64,Y=5x64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// PTX: wgmma.mma_async
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<?x64x64xbf16> {tile.alignment = 16}, %W: memref<64x64xbf16> {tile.alignment = 16}, %COUNT: memref<?xi32>, %Y: memref<?x64x64xbf16> {tile.alignment = 16})
    grid(%e) = (dim(%COUNT, 0)) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %count = memref.load %COUNT[%e] : memref<?xi32>
  %some = arith.cmpi sgt, %count, %i0 : i32
  scf.if %some {
    %Xs = tile.alloc : memref<64x32xbf16, #shared>
    %Ws = tile.alloc : memref<32x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %c64 step %c32 stages(2) {
      tile.copy %X[%e, %c0, %k] sizes [1, 64, 32] to %Xs : memref<?x64x64xbf16> to memref<64x32xbf16, #shared>
      tile.copy %W[%k, %c0] to %Ws : memref<64x64xbf16> to memref<32x64xbf16, #shared>
      tile.gemm %Xs, %Ws, %acc : memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %Y[%e, %c0, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x64x64xbf16>
  }
}
