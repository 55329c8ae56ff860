// The same for packed sequences of any lengths: sequence i has the rows from CUQ[i] to CUQ[i + 1] of Q and O, and from
// CUK[i] on of K and V. Data for tile-run: --args=CUQ=4:sorted:0:201,CUK=4:sorted:0:301.
// Printed by: benchmarks/program.py attention name=forward_varlen d=64 rows=64 keys=64 threads=128 layout=packed grouped=True causal=True lse=True hints=Q=200x4x64,K=300x2x64,V=300x2x64,CUQ=4,CUK=4,O=200x4x64,LSE=4x200,longest=200
#shared = #gpu.address_space<workgroup>
tile.kernel @forward_varlen(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 200, 4, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 300, 2, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 300, 2, 64>}, %CUQ: memref<?xi32> {tile.shape_hint = array<i64: 4>}, %CUK: memref<?xi32> {tile.shape_hint = array<i64: 4>}, %O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 200, 4, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 4, 200>}, %longest: i32 {tile.shape_hint = array<i64: 200>})
    grid(%b, %h, %z) = (%longest ceildiv 64, dim(%Q, 1), dim(%CUQ, 0) - 1) threads(128) {
  %c64 = arith.constant 64 : index
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
  // log2(e) / sqrt(64): the softmax is taken in powers of two.
  %scale = arith.constant 0.18033688011112042 : f32
  %z1 = arith.addi %z, %c1 : index
  %all_Q = memref.dim %Q, %c0 : memref<?x?x64xbf16>
  %x0 = memref.load %CUQ[%z] : memref<?xi32>
  %x1 = arith.index_cast %x0 : i32 to index
  %x2 = arith.minsi %x1, %all_Q : index
  %q0 = arith.maxsi %x2, %c0 : index
  %x3 = memref.load %CUQ[%z1] : memref<?xi32>
  %x4 = arith.index_cast %x3 : i32 to index
  %x5 = arith.minsi %x4, %all_Q : index
  %x6 = arith.subi %x5, %q0 : index
  %queries = arith.maxsi %x6, %c0 : index
  %all_K = memref.dim %K, %c0 : memref<?x?x64xbf16>
  %x7 = memref.load %CUK[%z] : memref<?xi32>
  %x8 = arith.index_cast %x7 : i32 to index
  %x9 = arith.minsi %x8, %all_K : index
  %k0 = arith.maxsi %x9, %c0 : index
  %x10 = memref.load %CUK[%z1] : memref<?xi32>
  %x11 = arith.index_cast %x10 : i32 to index
  %x12 = arith.minsi %x11, %all_K : index
  %x13 = arith.subi %x12, %k0 : index
  %keys = arith.maxsi %x13, %c0 : index
  %heads = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %kvheads = memref.dim %K, %c1 : memref<?x?x64xbf16>
  // Neighbouring heads of Q share one of K and V.
  %x14 = arith.divui %heads, %kvheads : index
  %g = arith.divui %h, %x14 : index
  // The blocks with the most keys first, so that none of them is left for the end.
  %x15 = arith.index_cast %longest : i32 to index
  %x16 = arith.subi %x15, %c1 : index
  %x17 = arith.divui %x16, %c64 : index
  %x18 = arith.subi %x17, %b : index
  %m = arith.muli %x18, %c64 : index
  // The key that the block's first query stands at: the last query stands at the last key.
  %x19 = arith.addi %m, %keys : index
  %at = arith.subi %x19, %queries : index
  %last = arith.addi %at, %c0 : index
  %x20 = arith.cmpi slt, %m, %queries : index
  %x21 = arith.addi %last, %c64 : index
  %x22 = arith.minsi %x21, %keys : index
  %x23 = arith.maxsi %x22, %c0 : index
  %length = arith.select %x20, %x23, %c0 : index
  // A block that ends beyond this holds keys that some query does not see.
  %x24 = arith.addi %last, %c1 : index
  %limit = arith.minsi %x24, %keys : index

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

  %qm = arith.addi %q0, %m : index
  tile.copy %Q[%qm, %h, %c0] sizes [64, 1, 64] to %Qs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<64xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages(2) {
    %kn = arith.addi %k0, %n : index
    tile.copy %K[%kn, %g, %c0] sizes [64, 1, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%kn, %g, %c0] sizes [64, 1, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    // To queries that see none of these keys, or do not exist, they add nothing.
    %seen = arith.subi %n, %last : index
    %unseen = arith.subi %queries, %m : index
    tile.assume_rows %seen to %unseen of 64
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %next = arith.addi %n, %ckeys : index
    %masked = arith.cmpi sgt, %next, %limit : index
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
      %key = arith.addi %n, %j : index
      %x25 = arith.addi %last, %i : index
      %out = arith.cmpi sgt, %key, %x25 : index
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
    %x26 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x26, %l, %f32_1_0 : f32
    %y = arith.divf %x, %some fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (64) {
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x27 = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
    %x28 = arith.mulf %x27, %scale : f32
    %x29 = math.log2 %l fastmath<afn> : f32
    %x30 = arith.addf %x28, %x29 : f32
    %x31 = arith.mulf %x30, %f32_0_6931471805599453 : f32
    memref.store %x31, %blockmax[%i] : memref<64xf32, #tile.fragment>
  }
  %rest = arith.subi %queries, %m : index
  %inside = arith.cmpi sge, %rest, %c64 : index
  scf.if %inside {
    tile.copy %acc to %O[%qm, %h, %c0] sizes [64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
    tile.copy %blockmax to %LSE[%h, %qm] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x?xf32>
  } else {
    tile.parallel (%i, %j) in (64, 64) {
      %own = arith.cmpi slt, %i, %rest : index
      scf.if %own {
        %value = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x32 = arith.addi %qm, %i : index
        %x33 = arith.truncf %value : f32 to bf16
        memref.store %x33, %O[%x32, %h, %j] : memref<?x?x64xbf16>
      }
    }
    tile.parallel (%i) in (64) {
      %own = arith.cmpi slt, %i, %rest : index
      scf.if %own {
        %value = memref.load %blockmax[%i] : memref<64xf32, #tile.fragment>
        %x34 = arith.addi %qm, %i : index
        memref.store %value, %LSE[%h, %x34] : memref<?x?xf32>
      }
    }
  }
}
