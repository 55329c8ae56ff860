// Operands of fp8 with a scale for each head; V is [heads, D, S]. Weights are raised by 2^8, as far as e4m3 goes.
// Printed by: benchmarks/program.py attention name=forward_fp8 d=64 rows=64 keys=64 threads=128 element=f8E4M3FN out=bf16 scaled=True whole=True hints=Q=2x96x64,K=2x96x64,V=2x64x96,SQ=2,SK=2,SV=2,O=2x96x64
#shared = #gpu.address_space<workgroup>
tile.kernel @forward_fp8(%Q: memref<?x?x64xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 96, 64>}, %K: memref<?x?x64xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 96, 64>}, %V: memref<?x64x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 64, 96>}, %SQ: memref<?xf32> {tile.shape_hint = array<i64: 2>}, %SK: memref<?xf32> {tile.shape_hint = array<i64: 2>}, %SV: memref<?xf32> {tile.shape_hint = array<i64: 2>}, %O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 96, 64>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 64, dim(%Q, 0)) threads(128) {
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %f32_0_18033688011112042 = arith.constant 0.18033688011112042 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant 64 : index
  %ckeys = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
  // What a score without weight becomes: its exponential is 0 even where a row has no others.
  %none = arith.constant 0xFF800000 : f32
  %eight = arith.constant 8.0 : f32
  // log2(e) / sqrt(64): the softmax is taken in powers of two.
  %queries = memref.dim %Q, %c1 : memref<?x?x64xf8E4M3FN>
  %keys = memref.dim %K, %c1 : memref<?x?x64xf8E4M3FN>
  %row = memref.dim %V, %c2 : memref<?x64x?xf8E4M3FN>
  tile.assume %row {divisible_by = 16 : i64} : index
  %m = arith.muli %b, %c64 : index
  %length = arith.addi %keys, %c0 : index
  // A block that ends beyond this holds keys that some query does not see.
  %limit = arith.addi %keys, %c0 : index
  %x0 = memref.load %SQ[%h] : memref<?xf32>
  %x1 = memref.load %SK[%h] : memref<?xf32>
  %x2 = arith.mulf %x0, %x1 : f32
  %scale = arith.mulf %x2, %f32_0_18033688011112042 : f32
  %x3 = memref.load %SV[%h] : memref<?xf32>
  %output = arith.addf %x3, %f32_0_0 : f32
  %Qs = tile.alloc : memref<64x64xf8E4M3FN, #shared>
  %Ks = tile.alloc : memref<64x64xf8E4M3FN, #shared>
  %Vs = tile.alloc : memref<64x64xf8E4M3FN, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf8E4M3FN, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %largest = tile.alloc : memref<64xf32, #tile.fragment>
  %blockmax = tile.alloc : memref<64xf32, #tile.fragment>
  %correction = tile.alloc : memref<64xf32, #tile.fragment>
  %sum = tile.alloc : memref<64xf32, #tile.fragment>

  tile.copy %Q[%h, %m, %c0] sizes [1, 64, 64] to %Qs : memref<?x?x64xf8E4M3FN> to memref<64x64xf8E4M3FN, #shared>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<64xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages(2) {
    tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xf8E4M3FN> to memref<64x64xf8E4M3FN, #shared>
    tile.copy %V[%h, %c0, %n] sizes [1, 64, 64] to %Vs : memref<?x64x?xf8E4M3FN> to memref<64x64xf8E4M3FN, #shared>
    // To queries that see none of these keys, or do not exist, they add nothing.
    %seen = arith.addi %c0, %c0 : index
    %unseen = arith.subi %queries, %m : index
    tile.assume_rows %seen to %unseen of 64
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xf8E4M3FN, #shared>, memref<64x64xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
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
      %t8 = arith.subf %ts, %eight : f32
      %e = arith.subf %xs, %t8 fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %narrow = arith.truncf %w : f32 to f8E4M3FN
      memref.store %narrow, %P[%i, %j] : memref<64x64xf8E4M3FN, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %factor = memref.load %correction[%i] : memref<64xf32, #tile.fragment>
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc {transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xf8E4M3FN, #tile.fragment>, memref<64x64xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x4 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x4, %l, %f32_1_0 : f32
    %x5 = arith.divf %x, %some fastmath<arcp> : f32
    %y = arith.mulf %x5, %output : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
}
