// O = relu(Q * K^T / 8) * V, K and V of one length: two gemms in a chain, as in
// attention, with relu in place of softmax. The accumulator of the first becomes
// an operand of the second without leaving the registers.
#shared = #gpu.address_space<workgroup>
tile.kernel @attention_like_chained(%Q: memref<?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 64>}, %K: memref<?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 64>}, %V: memref<?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 64>}, %O: memref<?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 64>})
    grid(%b) = (dim(%Q, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %length = memref.dim %K, %c0 : memref<?x64xf16>
  %m = arith.muli %b, %c64 : index

  %Qs = tile.alloc : memref<64x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>

  tile.copy %Q[%m, %c0] to %Qs : memref<?x64xf16> to memref<64x64xf16, #shared>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %c64 stages(2) {
    // Rows beyond the end are zeros: they give scores of 0, times rows of 0.
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %scaled = arith.mulf %x, %scale : f32
      %y = arith.maximumf %scaled, %zero : f32
      %p = arith.truncf %y : f32 to f16
      memref.store %p, %P[%i, %j] : memref<64x64xf16, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x64xf16>
}
