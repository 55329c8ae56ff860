// A sliding window of keys and a sink a head, in the layout [B, S, H, D]: keys outside of the window are skipped by
// blocks, the sink is a key without a value.
// Printed by: benchmarks/program.py attention name=forward_window_sinks d=64 rows=64 keys=64 threads=128 layout=batch grouped=True causal=True window=True sinks=True lse=True hints=Q=1x200x4x64,K=1x200x2x64,V=1x200x2x64,SINK=4,O=1x200x4x64,LSE=1x4x200,left=64
#shared = #gpu.address_space<workgroup>
tile.kernel @forward_window_sinks(%Q: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 200, 4, 64>}, %K: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 200, 2, 64>}, %V: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 200, 2, 64>}, %SINK: memref<?xf32> {tile.shape_hint = array<i64: 4>}, %O: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 200, 4, 64>}, %LSE: memref<?x?x?xf32> {tile.shape_hint = array<i64: 1, 4, 200>}, %left: i32 {tile.shape_hint = array<i64: 64>})
    grid(%b, %h, %z) = (dim(%Q, 1) ceildiv 64, dim(%Q, 2), dim(%Q, 0)) threads(128) {
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %f32_8_0 = arith.constant 8.0 : f32
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
  %one = arith.constant 1.0 : f32
  // log2(e) / sqrt(64): the softmax is taken in powers of two.
  %scale = arith.constant 0.18033688011112042 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x?x64xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x?x64xbf16>
  %heads = memref.dim %Q, %c2 : memref<?x?x?x64xbf16>
  %kvheads = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  // Neighbouring heads of Q share one of K and V.
  %x0 = arith.divui %heads, %kvheads : index
  %g = arith.divui %h, %x0 : index
  // The blocks with the most keys first; the first rows, which see few keys, may be less than a block: it begins
  // before them.
  %x1 = arith.addi %b, %c1 : index
  %x2 = arith.muli %x1, %c64 : index
  %m = arith.subi %queries, %x2 : index
  // The key that the block's first query stands at: the last query stands at the last key.
  %x3 = arith.addi %m, %keys : index
  %at = arith.subi %x3, %queries : index
  %x4 = arith.index_cast %left : i32 to index
  %first = arith.subi %at, %x4 : index
  %begin = arith.maxsi %first, %c0 : index
  %last = arith.addi %at, %c0 : index
  %x5 = arith.addi %last, %c64 : index
  %x6 = arith.minsi %x5, %keys : index
  %length = arith.maxsi %x6, %begin : index
  // A block that ends beyond this holds keys that some query does not see.
  %x7 = arith.addi %last, %c1 : index
  %limit = arith.minsi %x7, %keys : index
  // And so does one that begins before this.
  %whole = arith.addi %first, %c63 : index
  %hk = arith.addi %h, %c0 : index
  // Before the first key stands the sink: weight 1, value 0.
  %x8 = memref.load %SINK[%hk] : memref<?xf32>
  %sink = arith.mulf %x8, %f32_8_0 : f32
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

  tile.copy %Q[%z, %m, %h, %c0] sizes [1, 64, 1, 64] to %Qs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %sum with %one : memref<64xf32, #tile.fragment>, f32
  tile.fill %largest with %sink : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %n = %begin to %length step %ckeys stages(2) {
    tile.copy %K[%z, %n, %g, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%z, %n, %g, %c0] sizes [1, 64, 1, 64] to %Vs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    // To queries that see none of these keys, or do not exist, they add nothing.
    %seen = arith.subi %n, %last : index
    %x9 = arith.addi %n, %c64 : index
    %x10 = arith.subi %x9, %first : index
    %x11 = arith.subi %queries, %m : index
    %unseen = arith.minsi %x10, %x11 : index
    tile.assume_rows %seen to %unseen of 64
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %next = arith.addi %n, %ckeys : index
    %x12 = arith.cmpi sgt, %next, %limit : index
    %x13 = arith.cmpi slt, %n, %whole : index
    %masked = arith.ori %x12, %x13 : i1
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
      %key = arith.addi %n, %j : index
      %x14 = arith.addi %last, %i : index
      %x15 = arith.cmpi sgt, %key, %x14 : index
      %x16 = arith.addi %first, %i : index
      %x17 = arith.cmpi slt, %key, %x16 : index
      %out = arith.ori %x15, %x17 : i1
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
    %y = arith.divf %x, %l fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (64) {
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x18 = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
    %x19 = arith.mulf %x18, %scale : f32
    %x20 = math.log2 %l fastmath<afn> : f32
    %x21 = arith.addf %x19, %x20 : f32
    %x22 = arith.mulf %x21, %f32_0_6931471805599453 : f32
    memref.store %x22, %blockmax[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%z, %m, %h, %c0] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xbf16>
  tile.copy %blockmax to %LSE[%z, %h, %m] sizes [1, 1, 64] : memref<64xf32, #tile.fragment> to memref<?x?x?xf32>
}
