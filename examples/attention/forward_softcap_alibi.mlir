// Scores are capped by tanh, and a slope a head takes off what is far away (ALiBi).
// Printed by: benchmarks/program.py attention name=forward_softcap_alibi d=64 rows=64 keys=64 threads=128 softcap=20.0 bias=alibi lse=True hints=Q=2x100x64,K=2x100x64,V=2x100x64,SLOPE=2,O=2x100x64,LSE=2x100
#shared = #gpu.address_space<workgroup>
tile.kernel @forward_softcap_alibi(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %SLOPE: memref<?xf32> {tile.shape_hint = array<i64: 2>}, %O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 100>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 64, dim(%Q, 0)) threads(128) {
  %c64 = arith.constant 64 : index
  %f32_m0_05 = arith.constant -0.05 : f32
  %f32_0_00625 = arith.constant 0.00625 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %f32_0_6931471805599453 = arith.constant 0.6931471805599453 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant 64 : index
  %ckeys = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
  // What a score without weight becomes: its exponential is 0 even where a row has no others.
  %none = arith.constant 0xFF800000 : f32
  %scale = arith.constant 28.85390081777927 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x64xbf16>
  %m = arith.muli %b, %c64 : index
  %length = arith.addi %keys, %c0 : index
  // A block that ends beyond this holds keys that some query does not see.
  %limit = arith.addi %keys, %c0 : index
  %hs_heads = memref.dim %SLOPE, %c0 : memref<?xf32>
  %hs = arith.remui %h, %hs_heads : index
  %x0 = memref.load %SLOPE[%hs] : memref<?xf32>
  %slope = arith.mulf %x0, %f32_m0_05 : f32
  %x1 = arith.addi %m, %keys : index
  %at = arith.subi %x1, %queries : index
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %largest = tile.alloc : memref<64xf32, #tile.fragment>
  %blockmax = tile.alloc : memref<64xf32, #tile.fragment>
  %correction = tile.alloc : memref<64xf32, #tile.fragment>
  %sum = tile.alloc : memref<64xf32, #tile.fragment>

  tile.copy %Q[%h, %m, %c0] sizes [1, 64, 64] to %Qs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<64xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages(2) {
    tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 64, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    // To queries that see none of these keys, or do not exist, they add nothing.
    %seen = arith.addi %c0, %c0 : index
    %unseen = arith.subi %queries, %m : index
    tile.assume_rows %seen to %unseen of 64
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %steps = arith.subi %at, %n : index
    %x2 = arith.index_cast %steps : index to i32
    %apart = arith.sitofp %x2 : i32 to f32
    tile.parallel (%i, %j) in (64, 64) {
      %x3 = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x4 = arith.mulf %x3, %f32_0_00625 : f32
      %score = math.tanh %x4 fastmath<afn> : f32
      %x5 = arith.index_cast %i : index to i32
      %x6 = arith.sitofp %x5 : i32 to f32
      %x7 = arith.addf %apart, %x6 : f32
      %x8 = arith.index_cast %j : index to i32
      %x9 = arith.sitofp %x8 : i32 to f32
      %x10 = arith.subf %x7, %x9 : f32
      %far = math.absf %x10 : f32
      %biased = math.fma %far, %slope, %score : f32
      memref.store %biased, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %next = arith.addi %n, %ckeys : index
    %masked = arith.cmpi sgt, %next, %limit : index
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
      %key = arith.addi %n, %j : index
      %out = arith.cmpi sge, %key, %keys : index
      %x = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %y = arith.select %out, %none, %x : f32
      memref.store %y, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    }
    tile.reduce max %S to %blockmax dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    // Sums and products so far were taken against a smaller maximum.
    tile.parallel (%i) in (64) {
      %old = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
      %new = memref.load %blockmax[%i] : memref<64xf32, #tile.fragment>
      %both = arith.maximumf %old, %new : f32
      %less = arith.subf %old, %both : f32
      %e = arith.mulf %less, %scale : f32
      %factor = math.exp2 %e fastmath<afn> : f32
      memref.store %factor, %correction[%i] : memref<64xf32, #tile.fragment>
      memref.store %both, %largest[%i] : memref<64xf32, #tile.fragment>
      %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
      %scaled = arith.mulf %l, %factor : f32
      memref.store %scaled, %sum[%i] : memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %top = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
      %xs = arith.mulf %x, %scale fastmath<contract> : f32
      %ts = arith.mulf %top, %scale : f32
      %e = arith.subf %xs, %ts fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %narrow = arith.truncf %w : f32 to bf16
      memref.store %narrow, %P[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %factor = memref.load %correction[%i] : memref<64xf32, #tile.fragment>
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x11 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x11, %l, %f32_1_0 : f32
    %y = arith.divf %x, %some fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (64) {
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x12 = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
    %x13 = arith.mulf %x12, %scale : f32
    %x14 = math.log2 %l fastmath<afn> : f32
    %x15 = arith.addf %x13, %x14 : f32
    %x16 = arith.mulf %x15, %f32_0_6931471805599453 : f32
    memref.store %x16, %blockmax[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
  tile.copy %blockmax to %LSE[%h, %m] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x?xf32>
}
