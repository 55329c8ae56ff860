// The same with a mask of blocks; empty blocks are neither loaded nor multiplied.
// Printed by: benchmarks/program.py sparse name=sparse_mask form=mask d=64 rows=64 keys=64 threads=128 hints=Q=2x200x64,K=2x200x64,V=2x200x64,MASK=2x4x4,O=2x200x64,LSE=2x200
#shared = #gpu.address_space<workgroup>
tile.kernel @sparse_mask(%Q: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %K: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %V: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %MASK: memref<?x?x?xi8> {tile.shape_hint = array<i64: 2, 4, 4>}, %O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 200, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 200>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 64, dim(%Q, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %f32_minf = arith.constant 0xFF800000 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %f32_0_6931471805599453 = arith.constant 0.6931471805599453 : f32
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant 0 : i8
  %lowest = arith.constant -1.0e+30 : f32
  %scale = arith.constant 0.18033688011112042 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x64xbf16>
  %m = arith.muli %b, %c64 : index
  %tables = memref.dim %MASK, %c0 : memref<?x?x?xi8>
  %ht = arith.remui %h, %tables : index
  %x0 = arith.addi %m, %keys : index
  %last = arith.subi %x0, %queries : index
  %x1 = arith.addi %keys, %c63 : index
  %all = arith.divui %x1, %c64 : index
  %count = arith.addi %all, %c0 : index
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
    %flag = memref.load %MASK[%ht, %b, %it] : memref<?x?x?xi8>
    %on = arith.cmpi ne, %flag, %nothing : i8
    scf.if %on {
    %n = arith.muli %it, %c64 : index
    tile.copy %K[%h, %n, %c0] sizes [1, 64, 64] to %Ks : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 64, 64] to %Vs : memref<?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    %x2 = arith.addi %n, %c64 : index
    %masked = arith.cmpi sgt, %x2, %keys : index
    scf.if %masked {
      tile.parallel (%i, %j) in (64, 64) {
        %x3 = arith.addi %n, %j : index
        %out = arith.cmpi sge, %x3, %keys : index
        %x4 = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x5 = arith.select %out, %f32_minf, %x4 : f32
        memref.store %x5, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
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
  }
  tile.parallel (%i, %j) in (64, 64) {
    %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x6 = arith.cmpf ogt, %l, %f32_0_0 : f32
    %some = arith.select %x6, %l, %f32_1_0 : f32
    %x7 = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %x8 = arith.divf %x7, %some fastmath<arcp> : f32
    memref.store %x8, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (64) {
    %x9 = memref.load %largest[%i] : memref<64xf32, #tile.fragment>
    %x10 = arith.mulf %x9, %scale : f32
    %x11 = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
    %x12 = math.log2 %x11 fastmath<afn> : f32
    %x13 = arith.addf %x10, %x12 : f32
    %x14 = arith.mulf %x13, %f32_0_6931471805599453 : f32
    memref.store %x14, %blockmax[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64xbf16>
  tile.copy %blockmax to %LSE[%h, %m] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x?xf32>
}
