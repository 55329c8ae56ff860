// MLA's prefill: Q and K of 192 columns, V of 128.
// Printed by: benchmarks/program.py attention name=mla_prefill d=192 dv=128 causal=True lse=True hints=Q=2x130x192,K=2x130x192,V=2x130x128,O=2x130x128,LSE=2x130
#shared = #gpu.address_space<workgroup>
tile.kernel @mla_prefill(%Q: memref<?x?x192xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 130, 192>}, %K: memref<?x?x192xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 130, 192>}, %V: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 130, 128>}, %O: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 130, 128>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 130>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 128, dim(%Q, 0)) threads(256) {
  %f32_0_6931471805599453 = arith.constant 0.6931471805599453 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant 128 : index
  %ckeys = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
  // log2(e) / sqrt(192): the softmax is taken in powers of two.
  %scale = arith.constant 0.10411754627697264 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x192xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x192xbf16>
  // The blocks with the most keys first; the first rows, which see few keys, may be less than a block: it begins
  // before them.
  %next_b = arith.addi %b, %c1 : index
  %up = arith.muli %next_b, %crows : index
  %m = arith.subi %queries, %up : index
  %below = arith.addi %m, %crows : index
  %length = arith.minsi %below, %keys : index
  // From this key on a block holds keys behind some query, or beyond the end.
  %behind_m = arith.minsi %m, %keys : index
  %limit = arith.maxsi %behind_m, %c0 : index

  %Qs = tile.alloc : memref<128x192xbf16, #shared>
  %Ks = tile.alloc : memref<128x192xbf16, #shared>
  %Vs = tile.alloc : memref<128x128xbf16, #shared>
  %S = tile.alloc : memref<128x128xf32, #tile.fragment>
  %P = tile.alloc : memref<128x128xbf16, #tile.fragment>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %largest = tile.alloc : memref<128xf32, #tile.fragment>
  %blockmax = tile.alloc : memref<128xf32, #tile.fragment>
  %correction = tile.alloc : memref<128xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>

  tile.copy %Q[%h, %m, %c0] sizes [1, 128, 192] to %Qs : memref<?x?x192xbf16> to memref<128x192xbf16, #shared>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages(2) {
    tile.copy %K[%h, %n, %c0] sizes [1, 128, 192] to %Ks : memref<?x?x192xbf16> to memref<128x192xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 128, 128] to %Vs : memref<?x?x128xbf16> to memref<128x128xbf16, #shared>
    // To queries that see none of these keys they add nothing.
    %seen = arith.subi %n, %m : index
    tile.assume_rows %seen to %crows of 128
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x192xbf16, #shared>, memref<128x192xbf16, #shared>, memref<128x128xf32, #tile.fragment>
    %next = arith.addi %n, %ckeys : index
    %masked = arith.cmpi ugt, %next, %limit : index
    scf.if %masked {
      tile.parallel (%i, %j) in (128, 128) {
      %query = arith.addi %m, %i : index
      %key = arith.addi %n, %j : index
      %behind = arith.cmpi sgt, %key, %query : index
      %beyond = arith.cmpi sge, %key, %keys : index
      %out = arith.ori %behind, %beyond : i1
      %x = memref.load %S[%i, %j] : memref<128x128xf32, #tile.fragment>
      %y = arith.select %out, %lowest, %x : f32
      memref.store %y, %S[%i, %j] : memref<128x128xf32, #tile.fragment>
      }
    }
    tile.reduce max %S to %blockmax dim(1) : memref<128x128xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    // Sums and products so far were taken against a smaller maximum.
    tile.parallel (%i) in (128) {
      %old = memref.load %largest[%i] : memref<128xf32, #tile.fragment>
      %new = memref.load %blockmax[%i] : memref<128xf32, #tile.fragment>
      %both = arith.maximumf %old, %new : f32
      %less = arith.subf %old, %both : f32
      %e = arith.mulf %less, %scale : f32
      %factor = math.exp2 %e fastmath<afn> : f32
      memref.store %factor, %correction[%i] : memref<128xf32, #tile.fragment>
      memref.store %both, %largest[%i] : memref<128xf32, #tile.fragment>
      %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
      %scaled = arith.mulf %l, %factor : f32
      memref.store %scaled, %sum[%i] : memref<128xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %S[%i, %j] : memref<128x128xf32, #tile.fragment>
      %top = memref.load %largest[%i] : memref<128xf32, #tile.fragment>
      %xs = arith.mulf %x, %scale fastmath<contract> : f32
      %ts = arith.mulf %top, %scale : f32
      %e = arith.subf %xs, %ts fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<128x128xf32, #tile.fragment>
      %narrow = arith.truncf %w : f32 to bf16
      memref.store %narrow, %P[%i, %j] : memref<128x128xbf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<128x128xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
      %factor = memref.load %correction[%i] : memref<128xf32, #tile.fragment>
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<128x128xbf16, #tile.fragment>, memref<128x128xbf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %y = arith.divf %x, %l fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.parallel (%i) in (128) {
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %x0 = memref.load %largest[%i] : memref<128xf32, #tile.fragment>
    %x1 = arith.mulf %x0, %scale : f32
    %x2 = math.log2 %l fastmath<afn> : f32
    %x3 = arith.addf %x1, %x2 : f32
    %x4 = arith.mulf %x3, %f32_0_6931471805599453 : f32
    memref.store %x4, %blockmax[%i] : memref<128xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 128, 128] : memref<128x128xf32, #tile.fragment> to memref<?x?x128xbf16>
  tile.copy %blockmax to %LSE[%h, %m] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<?x?xf32>
}
