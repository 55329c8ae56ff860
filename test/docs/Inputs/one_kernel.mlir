// C = A B, one tile of 128x128 a block.
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<1024x1024xf16> {tile.alignment = 16}, %B: memref<1024x1024xf16> {tile.alignment = 16}, %C: memref<1024x1024xf16> {tile.alignment = 16})
    grid(%bx, %by) = (8, 8) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %tile = arith.constant 128 : index
  %K = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %tile : index
  %n = arith.muli %bx, %tile : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %step stages(4) {
    tile.copy %A[%m, %k] to %As : memref<1024x1024xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<1024x1024xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<1024x1024xf16>
}
