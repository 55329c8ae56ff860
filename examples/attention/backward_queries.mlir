// DQ of a block of queries.
// Printed by: benchmarks/program.py backward name=backward_queries kind=queries d=64 rows=64 keys=64 threads=128 causal=True hints=Q=2x100x64,K=2x100x64,V=2x100x64,DO=2x100x64,D=2x100,L=2x100,DQ=2x100x64
#shared = #gpu.address_space<workgroup>
tile.kernel @backward_queries(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %DO: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %D: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100>}, %L: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100>}, %DQ: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 64, dim(%Q, 0)) threads(128) {
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
  %m = arith.muli %b, %c64 : index
  %begin = arith.addi %c0, %c0 : index
  %x0 = arith.addi %m, %c64 : index
  %x1 = arith.addi %x0, %last : index
  %x2 = arith.minsi %x1, %keys : index
  %end = arith.maxsi %x2, %begin : index
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %DOs = tile.alloc : memref<64x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %Ls = tile.alloc : memref<64xf32, #tile.fragment>
  %Ds = tile.alloc : memref<64xf32, #tile.fragment>
  %s = tile.alloc : memref<64x64xf32, #tile.fragment>
  %dp = tile.alloc : memref<64x64xf32, #tile.fragment>
  %ds = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %dq = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %Q[%h, %m, %c0] sizes [1, 64, 64] to %Qs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.copy %DO[%h, %m, %c0] sizes [1, 64, 64] to %DOs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.copy %L[%h, %m] sizes [1, 64] to %Ls : memref<?x?xf32> to memref<64xf32, #tile.fragment>
  tile.copy %D[%h, %m] sizes [1, 64] to %Ds : memref<?x?xf32> to memref<64xf32, #tile.fragment>
  tile.fill %dq with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %n = %begin to %end step %c64 stages(2) {
    tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 64, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %s {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %DOs, %Vs, %dp {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %x3 = arith.addi %n, %c64 : index
    %x4 = arith.cmpi sgt, %x3, %keys : index
    %x5 = arith.addi %n, %c63 : index
    %x6 = arith.addi %m, %last : index
    %x7 = arith.cmpi sgt, %x5, %x6 : index
    %masked = arith.ori %x4, %x7 : i1
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
        %query = arith.addi %m, %i : index
        %key = arith.addi %n, %j : index
        %x8 = arith.cmpi sge, %key, %keys : index
        %x9 = arith.addi %query, %last : index
        %x10 = arith.cmpi sgt, %key, %x9 : index
        %out = arith.ori %x8, %x10 : i1
        %x11 = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x12 = arith.select %out, %f32_minf, %x11 : f32
        memref.store %x12, %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      %l = memref.load %Ls[%i] : memref<64xf32, #tile.fragment>
      %xs = arith.mulf %x, %scale2 fastmath<contract> : f32
      %e = arith.subf %xs, %l fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      memref.store %w, %s[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x13 = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x14 = memref.load %dp[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x15 = memref.load %Ds[%i] : memref<64xf32, #tile.fragment>
      %x16 = arith.subf %x14, %x15 : f32
      %change = arith.mulf %x13, %x16 : f32
      %x17 = arith.truncf %change : f32 to bf16
      memref.store %x17, %ds[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.gemm %ds, %Ks, %dq {policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x18 = memref.load %dq[%i, %j] : memref<64x64xf32, #tile.fragment>
    %x19 = arith.mulf %x18, %scale : f32
    memref.store %x19, %dq[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %dq to %DQ[%h, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
}
