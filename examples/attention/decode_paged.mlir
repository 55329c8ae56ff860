// The same with pages of 64 keys, found by a table. Data for tile-run: --args=TABLE=2x4:range:0:8,LEN=2:range:1:257.
// Printed by: benchmarks/program.py decode name=decode_paged d=64 kv=paged stages=2 hints=Q=16x64,K=8x64x2x64,V=8x64x2x64,TABLE=2x4,LEN=2,OP=48x64,LSE=3x16,tokens=1,splits=3
#shared = #gpu.address_space<workgroup>
tile.kernel @decode_paged(%Q: memref<?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 64>}, %K: memref<?x64x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 64, 2, 64>}, %V: memref<?x64x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 64, 2, 64>}, %TABLE: memref<?x?xi32> {tile.shape_hint = array<i64: 2, 4>}, %LEN: memref<?xi32> {tile.shape_hint = array<i64: 2>}, %OP: memref<?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 48, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 3, 16>}, %tokens: i32 {tile.shape_hint = array<i64: 1>}, %splits: i32 {tile.shape_hint = array<i64: 3>})
    grid(%s, %h, %b) = (%splits, dim(%K, 2), dim(%LEN, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %i32_m1 = arith.constant -1 : i32
  %f32_minf = arith.constant 0xFF800000 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %i32_0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  // log2(e) / sqrt(columns of Q): the softmax is taken in powers of two.
  %scale = arith.constant 0.18033688011112042 : f32
  %B = memref.dim %LEN, %c0 : memref<?xi32>
  %R = memref.dim %Q, %c0 : memref<?x64xbf16>
  %T = arith.index_cast %tokens : i32 to index
  %most = memref.dim %TABLE, %c1 : memref<?x?xi32>
  %room = arith.muli %most, %c64 : index
  %x0 = memref.load %LEN[%b] : memref<?xi32>
  %x1 = arith.index_cast %x0 : i32 to index
  %x2 = arith.minsi %x1, %room : index
  %len = arith.maxsi %x2, %c0 : index
  %G = memref.dim %K, %c2 : memref<?x64x?x64xbf16>
  %x3 = arith.muli %B, %T : index
  %H = arith.divui %R, %x3 : index
  %group = arith.divui %H, %G : index
  %row0 = arith.addi %c0, %c0 : index
  %head0 = arith.muli %h, %group : index
  %x4 = arith.addi %len, %c63 : index
  %steps = arith.divui %x4, %c64 : index
  %x5 = arith.index_cast %splits : i32 to index
  %x6 = arith.addi %steps, %x5 : index
  %x7 = arith.subi %x6, %c1 : index
  %x8 = arith.index_cast %splits : i32 to index
  %x9 = arith.divui %x7, %x8 : index
  %share = arith.muli %x9, %c64 : index
  %x10 = arith.muli %s, %share : index
  %begin = arith.minsi %x10, %len : index
  %x11 = arith.addi %begin, %share : index
  %end = arith.minsi %x11, %len : index
  // Keys from here on are behind some token.
  %x12 = arith.subi %len, %T : index
  %limit = arith.addi %x12, %c1 : index
  %Qs = tile.alloc : memref<16x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %row = tile.alloc : memref<16xi32, #shared>
  %to = tile.alloc : memref<16xi32, #shared>
  %seen = tile.alloc : memref<16xi32, #tile.fragment>
  %S = tile.alloc : memref<16x64xf32, #tile.fragment>
  %P = tile.alloc : memref<16x64xbf16, #tile.fragment>
  %acc = tile.alloc : memref<16x64xf32, #tile.fragment>
  %largest = tile.alloc : memref<16xf32, #tile.fragment>
  %blockmax = tile.alloc : memref<16xf32, #tile.fragment>
  %correction = tile.alloc : memref<16xf32, #tile.fragment>
  %sum = tile.alloc : memref<16xf32, #tile.fragment>
  // Row i of the tile is a token's query of one of the heads; rows that are none name no row.
  tile.parallel (%i) in (16) {
    %k = arith.addi %row0, %i : index
    %token = arith.divui %k, %group : index
    %x13 = arith.muli %b, %T : index
    %x14 = arith.addi %x13, %token : index
    %x15 = arith.muli %x14, %H : index
    %x16 = arith.addi %x15, %head0 : index
    %x17 = arith.remui %k, %group : index
    %which = arith.addi %x16, %x17 : index
    %x18 = arith.muli %T, %group : index
    %x19 = arith.cmpi slt, %k, %x18 : index
    %x20 = arith.index_cast %which : index to i32
    %x21 = arith.select %x19, %x20, %i32_m1 : i32
    memref.store %x21, %row[%i] : memref<16xi32, #shared>
    %x22 = arith.addi %limit, %token : index
    %x23 = arith.index_cast %x22 : index to i32
    memref.store %x23, %seen[%i] : memref<16xi32, #tile.fragment>
  }
  tile.gather %Q[%c0] rows %row[%c0] to %Qs : memref<?x64xbf16>, memref<16xi32, #shared> to memref<16x64xbf16, #shared>
  tile.fill %acc with %zero : memref<16x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<16xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<16xf32, #tile.fragment>, f32
  tile.pipelined %n = %begin to %end step %c64 stages(2) {
    %x24 = arith.addi %n, %c0 : index
    %x25 = arith.divui %x24, %c64 : index
    %x26 = arith.subi %most, %c1 : index
    %x27 = arith.minsi %x25, %x26 : index
    %x28 = memref.load %TABLE[%b, %x27] : memref<?x?xi32>
    %page0 = arith.index_cast %x28 : i32 to index
    %within = arith.addi %c0, %c0 : index
    tile.copy %K[%page0, %within, %h, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x64x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%page0, %within, %h, %c0] sizes [1, 64, 1, 64] to %Vs : memref<?x64x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<square>} : memref<16x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<16x64xf32, #tile.fragment>
    %x29 = arith.addi %n, %c64 : index
    %masked = arith.cmpi sgt, %x29, %limit : index
    scf.if %masked {
      tile.parallel (%i, %j) in (16, 64) {
        %x30 = arith.addi %n, %j : index
        %x31 = arith.index_cast %x30 : index to i32
        %x32 = memref.load %seen[%i] : memref<16xi32, #tile.fragment>
        %x33 = arith.cmpi slt, %x31, %x32 : i32
        %x34 = memref.load %S[%i, %j] : memref<16x64xf32, #tile.fragment>
        %x35 = arith.select %x33, %x34, %f32_minf : f32
        memref.store %x35, %S[%i, %j] : memref<16x64xf32, #tile.fragment>
      }
    }
    tile.reduce max %S to %blockmax dim(1) : memref<16x64xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    // Sums and products so far were taken against a smaller maximum.
    tile.parallel (%i) in (16) {
      %old = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
      %new = memref.load %blockmax[%i] : memref<16xf32, #tile.fragment>
      %both = arith.maximumf %old, %new : f32
      %less = arith.subf %old, %both : f32
      %e = arith.mulf %less, %scale : f32
      %factor = math.exp2 %e fastmath<afn> : f32
      memref.store %factor, %correction[%i] : memref<16xf32, #tile.fragment>
      memref.store %both, %largest[%i] : memref<16xf32, #tile.fragment>
      %l = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
      %scaled = arith.mulf %l, %factor : f32
      memref.store %scaled, %sum[%i] : memref<16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %S[%i, %j] : memref<16x64xf32, #tile.fragment>
      %top = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
      %xs = arith.mulf %x, %scale fastmath<contract> : f32
      %ts = arith.mulf %top, %scale : f32
      %e = arith.subf %xs, %ts fastmath<contract> : f32
      %w = math.exp2 %e fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<16x64xf32, #tile.fragment>
      %narrow = arith.truncf %w : f32 to bf16
      memref.store %narrow, %P[%i, %j] : memref<16x64xbf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<16x64xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %acc[%i, %j] : memref<16x64xf32, #tile.fragment>
      %factor = memref.load %correction[%i] : memref<16xf32, #tile.fragment>
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %acc[%i, %j] : memref<16x64xf32, #tile.fragment>
    }
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<square>} : memref<16x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<16x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (16, 64) {
    %l = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
    %x36 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x36, %l, %f32_1_0 : f32
    %x37 = memref.load %acc[%i, %j] : memref<16x64xf32, #tile.fragment>
    %x38 = arith.divf %x37, %some fastmath<arcp> : f32
    memref.store %x38, %acc[%i, %j] : memref<16x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (16) {
    %r = memref.load %row[%i] : memref<16xi32, #shared>
    %x39 = arith.cmpi sge, %r, %i32_0 : i32
    %x40 = arith.muli %s, %R : index
    %x41 = arith.index_cast %x40 : index to i32
    %x42 = arith.addi %r, %x41 : i32
    %x43 = arith.select %x39, %x42, %i32_m1 : i32
    memref.store %x43, %to[%i] : memref<16xi32, #shared>
  }
  tile.scatter %acc to %OP[%c0] rows %to[%c0] : memref<16x64xf32, #tile.fragment> to memref<?x64xf32>, memref<16xi32, #shared>
  tile.parallel (%i) in (16) {
    %r = memref.load %row[%i] : memref<16xi32, #shared>
    %x44 = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
    %x45 = arith.mulf %x44, %scale : f32
    %x46 = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
    %x47 = math.log2 %x46 fastmath<afn> : f32
    %l = arith.addf %x45, %x47 : f32
    %exists = arith.cmpi sge, %r, %i32_0 : i32
    scf.if %exists {
      %x48 = arith.index_cast %r : i32 to index
      memref.store %l, %LSE[%s, %x48] : memref<?x?xf32>
    }
  }
}
