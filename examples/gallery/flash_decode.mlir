// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flash decoding with a paged cache: 8 queries that share a head of keys (GQA) against LEN[b] keys, split over blocks, whose
// parts flash_combine.mlir puts together.
// Q: batch x heads x 8 x 128 f16; KC, VC: pages x 64 x heads x 128 f16; TABLE: batch x most pages i32 (the page of keys 64 i to
// 64 i + 63); LEN: batch i32; OP: batch x heads x parts x 8 x 128 f32, the normalized results of the parts; LSE: batch x heads x
// parts x 8 f32, log2 of the sums of 2^(score log2(e) / sqrt(128)), -1e30 where a part has no keys.
// Look at: tiles of the cache whose page is read from memory within the pipelined loop; online softmax with a mask.
#shared = #gpu.address_space<workgroup>
tile.kernel @flash_decode(
    %Q: memref<?x?x8x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 2, 8, 128>},
    %KC: memref<?x64x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 32, 64, 2, 128>},
    %VC: memref<?x64x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 32, 64, 2, 128>},
    %TABLE: memref<?x?xi32> {tile.shape_hint = array<i64: 4, 8>},
    %LEN: memref<?xi32> {tile.shape_hint = array<i64: 4>},
    %OP: memref<?x?x?x8x128xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 2, 4, 8, 128>},
    %LSE: memref<?x?x?x8xf32> {tile.shape_hint = array<i64: 4, 2, 4, 8>})
    grid(%s, %h, %b) = (dim(%OP, 2), dim(%Q, 1), dim(%Q, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %scale = arith.constant 0.12751743082459868 : f32
  %S = memref.dim %OP, %c2 : memref<?x?x?x8x128xf32>
  %len32 = memref.load %LEN[%b] : memref<?xi32>
  %len = arith.index_cast %len32 : i32 to index
  %lup = arith.addi %len, %c63 : index
  %pages = arith.divui %lup, %c64 : index
  %pup = arith.addi %pages, %S : index
  %pup1 = arith.subi %pup, %c1 : index
  %per = arith.divui %pup1, %S : index
  %first = arith.muli %s, %per : index
  %next = arith.addi %first, %per : index
  %last = arith.minui %next, %pages : index

  %Qs = tile.alloc : memref<16x128xf16, #shared>
  %Ks = tile.alloc : memref<64x128xf16, #shared>
  %Vs = tile.alloc : memref<64x128xf16, #shared>
  %sc = tile.alloc : memref<16x64xf32, #tile.fragment>
  %P = tile.alloc : memref<16x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<16x128xf32, #tile.fragment>
  %top = tile.alloc : memref<16xf32, #tile.fragment>
  %chunk = tile.alloc : memref<16xf32, #tile.fragment>
  %factor = tile.alloc : memref<16xf32, #tile.fragment>
  %sum = tile.alloc : memref<16xf32, #tile.fragment>
  tile.copy %Q[%b, %h, %c0, %c0] sizes [1, 1, 16, 128] to %Qs : memref<?x?x8x128xf16> to memref<16x128xf16, #shared>
  tile.fill %acc with %zero : memref<16x128xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<16xf32, #tile.fragment>, f32
  tile.fill %top with %lowest : memref<16xf32, #tile.fragment>, f32
  tile.pipelined %p = %first to %last step %c1 stages(4) {
    %pg32 = memref.load %TABLE[%b, %p] : memref<?x?xi32>
    %pg = arith.index_cast %pg32 : i32 to index
    tile.copy %KC[%pg, %c0, %h, %c0] sizes [1, 64, 1, 128] to %Ks : memref<?x64x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %VC[%pg, %c0, %h, %c0] sizes [1, 64, 1, 128] to %Vs : memref<?x64x?x128xf16> to memref<64x128xf16, #shared>
    tile.gemm %Qs, %Ks, %sc {clear, transpose_b} : memref<16x128xf16, #shared>, memref<64x128xf16, #shared>, memref<16x64xf32, #tile.fragment>
    %key0 = arith.muli %p, %c64 : index
    tile.parallel (%i, %j) in (16, 64) {
      %key = arith.addi %key0, %j : index
      %in = arith.cmpi ult, %key, %len : index
      %x = memref.load %sc[%i, %j] : memref<16x64xf32, #tile.fragment>
      %xs = arith.mulf %x, %scale : f32
      %y = arith.select %in, %xs, %lowest : f32
      memref.store %y, %sc[%i, %j] : memref<16x64xf32, #tile.fragment>
    }
    tile.reduce max %sc to %chunk dim(1) : memref<16x64xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.parallel (%i) in (16) {
      %old = memref.load %top[%i] : memref<16xf32, #tile.fragment>
      %new = memref.load %chunk[%i] : memref<16xf32, #tile.fragment>
      %both = arith.maximumf %old, %new : f32
      %less = arith.subf %old, %both : f32
      %f = math.exp2 %less fastmath<afn> : f32
      %l = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
      %ls = arith.mulf %l, %f : f32
      memref.store %f, %factor[%i] : memref<16xf32, #tile.fragment>
      memref.store %both, %top[%i] : memref<16xf32, #tile.fragment>
      memref.store %ls, %sum[%i] : memref<16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %sc[%i, %j] : memref<16x64xf32, #tile.fragment>
      %t = memref.load %top[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %x, %t : f32
      %e = math.exp2 %d fastmath<afn> : f32
      %eh = arith.truncf %e : f32 to f16
      memref.store %e, %sc[%i, %j] : memref<16x64xf32, #tile.fragment>
      memref.store %eh, %P[%i, %j] : memref<16x64xf16, #tile.fragment>
    }
    tile.reduce sum %sc to %sum dim(1) accumulate : memref<16x64xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 128) {
      %x = memref.load %acc[%i, %j] : memref<16x128xf32, #tile.fragment>
      %f = memref.load %factor[%i] : memref<16xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %acc[%i, %j] : memref<16x128xf32, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc : memref<16x64xf16, #tile.fragment>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (16, 128) {
    %x = memref.load %acc[%i, %j] : memref<16x128xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
    %none = arith.cmpf oeq, %l, %zero : f32
    %q = arith.divf %x, %l fastmath<arcp> : f32
    %y = arith.select %none, %zero, %q : f32
    memref.store %y, %acc[%i, %j] : memref<16x128xf32, #tile.fragment>
  }
  tile.parallel (%i) in (16) {
    %l = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
    %t = memref.load %top[%i] : memref<16xf32, #tile.fragment>
    %none = arith.cmpf oeq, %l, %zero : f32
    %log = math.log2 %l fastmath<afn> : f32
    %all = arith.addf %t, %log : f32
    %y = arith.select %none, %lowest, %all : f32
    memref.store %y, %sum[%i] : memref<16xf32, #tile.fragment>
  }
  tile.copy %acc to %OP[%b, %h, %s, %c0, %c0] sizes [1, 1, 1, 16, 128] : memref<16x128xf32, #tile.fragment> to memref<?x?x?x8x128xf32>
  tile.copy %sum to %LSE[%b, %h, %s, %c0] sizes [1, 1, 1, 16] : memref<16xf32, #tile.fragment> to memref<?x?x?x8xf32>
}
