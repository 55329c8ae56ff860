// O = softmax(Q K^T / sqrt(D)) V for each head: attention forward with an online
// softmax, any number of queries and keys. Two gemms; the scores become weights in
// registers and are the second gemm's operand without leaving them.
// Printed by: benchmarks/program.py attention name=attention d=128 element=bf16 hints=Q=4x512x128,K=4x512x128,V=4x512x128,O=4x512x128
// (causal=True, d=64, element=f16, ... for the other forms).
#shared = #gpu.address_space<workgroup>
tile.kernel @attention(%Q: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 512, 128>}, %K: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 512, 128>}, %V: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 512, 128>}, %O: memref<?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 512, 128>})
    grid(%b, %h) = (dim(%Q, 1) ceildiv 128, dim(%Q, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %crows = arith.constant 128 : index
  %ckeys = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // Less than any score; the exponential of what is so far below another is 0.
  %lowest = arith.constant -1.0e+30 : f32
  // log2(e) / sqrt(128): the softmax is taken in powers of two.
  %scale = arith.constant 0.12751743082459868 : f32
  %queries = memref.dim %Q, %c1 : memref<?x?x128xbf16>
  %keys = memref.dim %K, %c1 : memref<?x?x128xbf16>
  %m = arith.muli %b, %crows : index
  %length = arith.addi %keys, %c0 : index
  // A block that ends beyond this holds keys beyond the end.
  %limit = arith.addi %keys, %c0 : index

  %Qs = tile.alloc : memref<128x128xbf16, #shared>
  %Ks = tile.alloc : memref<128x128xbf16, #shared>
  %Vs = tile.alloc : memref<128x128xbf16, #shared>
  %S = tile.alloc : memref<128x128xf32, #tile.fragment>
  %P = tile.alloc : memref<128x128xbf16, #tile.fragment>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %largest = tile.alloc : memref<128xf32, #tile.fragment>
  %blockmax = tile.alloc : memref<128xf32, #tile.fragment>
  %correction = tile.alloc : memref<128xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>

  tile.copy %Q[%h, %m, %c0] sizes [1, 128, 128] to %Qs : memref<?x?x128xbf16> to memref<128x128xbf16, #shared>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  tile.fill %largest with %lowest : memref<128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %ckeys stages(2) {
    tile.copy %K[%h, %n, %c0] sizes [1, 128, 128] to %Ks : memref<?x?x128xbf16> to memref<128x128xbf16, #shared>
    tile.copy %V[%h, %n, %c0] sizes [1, 128, 128] to %Vs : memref<?x?x128xbf16> to memref<128x128xbf16, #shared>
    // Nobody asks for rows beyond the end.
    %rest = arith.subi %queries, %m : index
    tile.assume_rows %c0 to %rest of 128
    tile.gemm %Qs, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x128xbf16, #shared>, memref<128x128xbf16, #shared>, memref<128x128xf32, #tile.fragment>
    %next = arith.addi %n, %ckeys : index
    %masked = arith.cmpi ugt, %next, %limit : index
    scf.if %masked {
      tile.parallel (%i, %j) in (128, 128) {
      %key = arith.addi %n, %j : index
      %out = arith.cmpi sge, %key, %keys : index
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
  tile.copy %acc to %O[%h, %m, %c0] sizes [1, 128, 128] : memref<128x128xf32, #tile.fragment> to memref<?x?x128xbf16>
}
