// Backward, second: DK and DV of a block of keys, and its part of DQ, which is added atomically; heads of a group one
// after the other.
// Printed by: benchmarks/program.py backward name=backward_atomic d=64 rows=64 keys=64 threads=128 causal=True grouped=True atomic=True hints=Q=4x100x64,K=2x100x64,V=2x100x64,DO=4x100x64,D=4x100,L=4x100,DQ=4x100x64,DK=2x100x64,DV=2x100x64
#shared = #gpu.address_space<workgroup>
tile.kernel @backward_atomic(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %DO: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100, 64>}, %D: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100>}, %L: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100>}, %DQ: memref<?x?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100, 64>}, %DK: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %DV: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>})
    grid(%b, %h) = (dim(%K, 1) ceildiv 64, dim(%K, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %f32_minf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  // log2(e) / sqrt(64) and 1 / sqrt(64).
  %scale2 = arith.constant 0.18033688011112042 : f32
  %scale = arith.constant 0.125 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x64xbf16>
  %heads = memref.dim %Q, %c0 : memref<?x?x64xbf16>
  %kvheads = memref.dim %K, %c0 : memref<?x?x64xbf16>
  %shift = arith.subi %keys, %queries : index
  %last = arith.addi %shift, %c0 : index
  %row_L = memref.dim %L, %c1 : memref<?x?xf32>
  tile.assume %row_L {divisible_by = 4 : i64} : index
  %row_D = memref.dim %D, %c1 : memref<?x?xf32>
  tile.assume %row_D {divisible_by = 4 : i64} : index
  %n = arith.muli %b, %c64 : index
  %x0 = arith.subi %n, %last : index
  %x1 = arith.maxsi %x0, %c0 : index
  %x2 = arith.divui %x1, %c64 : index
  %begin = arith.muli %x2, %c64 : index
  %end = arith.maxsi %queries, %begin : index
  // The queries of all heads that share these keys, one head after the other.
  %group = arith.divui %heads, %kvheads : index
  %x3 = arith.subi %end, %begin : index
  %x4 = arith.addi %x3, %c63 : index
  %steps = arith.divui %x4, %c64 : index
  %total = arith.muli %steps, %group : index
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %DOs = tile.alloc : memref<64x64xbf16, #shared>
  %Ls = tile.alloc : memref<64xf32, #shared>
  %Ds = tile.alloc : memref<64xf32, #shared>
  %DSs = tile.alloc : memref<64x64xbf16, #shared>
  %dq = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Out = tile.alloc : memref<64x64xbf16, #shared>
  %s = tile.alloc : memref<64x64xf32, #tile.fragment>
  %dp = tile.alloc : memref<64x64xf32, #tile.fragment>
  %p = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %ds = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %dk = tile.alloc : memref<64x64xf32, #tile.fragment>
  %dv = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.copy %V[%h, %n, %c0] sizes [1, 64, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.fill %dk with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %dv with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %it = %c0 to %total step %c1 stages(2) {
    %x5 = arith.muli %h, %group : index
    %x6 = arith.divui %it, %steps : index
    %hq = arith.addi %x5, %x6 : index
    %x7 = arith.remui %it, %steps : index
    %x8 = arith.muli %x7, %c64 : index
    %m = arith.addi %begin, %x8 : index
    tile.copy %Q[%hq, %m, %c0] sizes [1, 64, 64] to %Qs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %DO[%hq, %m, %c0] sizes [1, 64, 64] to %DOs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %L[%hq, %m] sizes [1, 64] to %Ls : memref<?x?xf32> to memref<64xf32, #shared>
    tile.copy %D[%hq, %m] sizes [1, 64] to %Ds : memref<?x?xf32> to memref<64xf32, #shared>
    tile.gemm %Ks, %Qs, %s {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Vs, %DOs, %dp {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %x9 = arith.addi %n, %c64 : index
    %x10 = arith.cmpi sgt, %x9, %keys : index
    %x11 = arith.addi %n, %c63 : index
    %x12 = arith.addi %m, %last : index
    %x13 = arith.cmpi sgt, %x11, %x12 : index
    %masked = arith.ori %x10, %x13 : i1
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
        %query = arith.addi %m, %j : index
        %key = arith.addi %n, %i : index
        %x14 = arith.cmpi sge, %key, %keys : index
        %x15 = arith.addi %query, %last : index
        %x16 = arith.cmpi sgt, %key, %x15 : index
        %out = arith.ori %x14, %x16 : i1
        %x17 = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x18 = arith.select %out, %f32_minf, %x17 : f32
        memref.store %x18, %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      %l = memref.load %Ls[%j] : memref<64xf32, #shared>
      %xs = arith.mulf %x, %scale2 fastmath<contract> : f32
      %e = arith.subf %xs, %l fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      %x19 = arith.truncf %w : f32 to bf16
      memref.store %x19, %p[%i, %j] : memref<64x64xbf16, #tile.fragment>
      memref.store %w, %s[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x20 = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x21 = memref.load %dp[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x22 = memref.load %Ds[%j] : memref<64xf32, #shared>
      %x23 = arith.subf %x21, %x22 : f32
      %change = arith.mulf %x20, %x23 : f32
      %x24 = arith.truncf %change : f32 to bf16
      memref.store %x24, %ds[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.gemm %p, %DOs, %dv {policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %ds, %Qs, %dk {policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %ds to %DSs : memref<64x64xbf16, #tile.fragment> to memref<64x64xbf16, #shared>
    tile.gemm %DSs, %Ks, %dq {clear, transpose_a, policy = #tile.warp_policy<full_col>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.atomic add %dq to %DQ[%hq, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xf32>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x25 = memref.load %dk[%i, %j] : memref<64x64xf32, #tile.fragment>
    %x26 = arith.mulf %x25, %scale : f32
    memref.store %x26, %dk[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %dk to %Out : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
  tile.copy %Out to %DK[%h, %n, %c0] sizes [1, 64, 64] : memref<64x64xbf16, #shared> to memref<?x?x64xbf16>
  tile.copy %dv to %Out : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
  tile.copy %Out to %DV[%h, %n, %c0] sizes [1, 64, 64] : memref<64x64xbf16, #shared> to memref<?x?x64xbf16>
}
