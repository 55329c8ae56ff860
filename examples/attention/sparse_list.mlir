// Block-sparse forward: each tile of queries lists its blocks of keys. Data for tile-run:
// --args=COUNT=2x4:range:0:4,INDEX=2x4x4:range:0:4.
// Printed by: benchmarks/program.py sparse name=sparse_list d=64 rows=64 keys=64 threads=128 hints=Q=2x200x64,K=2x200x64,V=2x200x64,COUNT=2x4,INDEX=2x4x4,O=2x200x64,LSE=2x200
#shared = #gpu.address_space<workgroup>
tile.kernel @sparse_list(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %COUNT: memref<?x?xi32> {tile.shape_hint = array<i64: 2, 4>}, %INDEX: memref<?x?x?xi32> {tile.shape_hint = array<i64: 2, 4, 4>}, %O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 200>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 64, dim(%Q, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %f32_minf = arith.constant 0xFF800000 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %f32_0_6931471805599453 = arith.constant 0.6931471805599453 : f32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %scale = arith.constant 0.18033688011112042 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x64xbf16>
  %m = arith.muli %b, %c64 : index
  %tables = memref.dim %COUNT, %c0 : memref<?x?xi32>
  %ht = arith.remui %h, %tables : index
  %x0 = arith.addi %m, %keys : index
  %last = arith.subi %x0, %queries : index
  %most = memref.dim %INDEX, %c2 : memref<?x?x?xi32>
  %x1 = memref.load %COUNT[%ht, %b] : memref<?x?xi32>
  %x2 = arith.index_cast %x1 : i32 to index
  %x3 = arith.minsi %x2, %most : index
  %count = arith.maxsi %x3, %c0 : index
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
  tile.pipelined %it = %c0 to %count step %c1 stages(2) {
    %x4 = memref.load %INDEX[%ht, %b, %it] : memref<?x?x?xi32>
    %x5 = arith.index_cast %x4 : i32 to index
    %x6 = arith.maxsi %x5, %c0 : index
    %n = arith.muli %x6, %c64 : index
    tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 64, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %x7 = arith.addi %n, %c64 : index
    %masked = arith.cmpi sgt, %x7, %keys : index
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
        %x8 = arith.addi %n, %j : index
        %out = arith.cmpi sge, %x8, %keys : index
        %x9 = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x10 = arith.select %out, %f32_minf, %x9 : f32
        memref.store %x10, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
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
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x11 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x11, %l, %f32_1_0 : f32
    %x12 = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %x13 = arith.divf %x12, %some fastmath<arcp> : f32
    memref.store %x13, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (64) {
    %x14 = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
    %x15 = arith.mulf %x14, %scale : f32
    %x16 = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x17 = math.log2 %x16 fastmath<afn> : f32
    %x18 = arith.addf %x15, %x17 : f32
    %x19 = arith.mulf %x18, %f32_0_6931471805599453 : f32
    memref.store %x19, %blockmax[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
  tile.copy %blockmax to %LSE[%h, %m] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x?xf32>
}
