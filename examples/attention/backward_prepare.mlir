// Backward, first: D = sum of O DO along rows, and L, the LSE as a power of two; DQ is cleared.
// Printed by: benchmarks/program.py backward name=backward_prepare kind=prepare d=64 rows=32 threads=128 atomic=True hints=O=2x100x64,DO=2x100x64,LSE=2x100,D=2x100,L=2x100,DQ=2x100x64
#shared = #gpu.address_space<workgroup>
tile.kernel @backward_prepare(%O: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %DO: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %LSE: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100>}, %D: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100>}, %L: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100>}, %DQ: memref<?x?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>})
    grid(%b, %h) = (dim(%O, 1) ceildiv 32, dim(%O, 0)) threads(128) {
  %c32 = arith.constant 32 : index
  %c0 = arith.constant 0 : index
  %f32_m1e_30 = arith.constant -1.0e+30 : f32
  %f32_1_4426950408889634 = arith.constant 1.4426950408889634 : f32
  %f32_1e_30 = arith.constant 1.0e+30 : f32
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c32 : index
  %o = tile.alloc : memref<32x64xf32, #tile.fragment>
  %do = tile.alloc : memref<32x64xbf16, #tile.fragment>
  %d = tile.alloc : memref<32xf32, #tile.fragment>
  %l = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %O[%h, %m, %c0] sizes [1, 32, 64] to %o : memref<?x?x64xbf16> to memref<32x64xf32, #tile.fragment>
  tile.copy %DO[%h, %m, %c0] sizes [1, 32, 64] to %do : memref<?x?x64xbf16> to memref<32x64xbf16, #tile.fragment>
  tile.copy %LSE[%h, %m] sizes [1, 32] to %l : memref<?x?xf32> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %x0 = memref.load %o[%i, %j] : memref<32x64xf32, #tile.fragment>
    %x1 = memref.load %do[%i, %j] : memref<32x64xbf16, #tile.fragment>
    %x2 = arith.extf %x1 : bf16 to f32
    %x3 = arith.mulf %x0, %x2 : f32
    memref.store %x3, %o[%i, %j] : memref<32x64xf32, #tile.fragment>
  }
  tile.reduce sum %o to %d dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  // A query without keys (LSE is -inf) has weights of 0.
  tile.parallel (%i) in (32) {
    %x = memref.load %l[%i] : memref<32xf32, #tile.fragment>
    %x4 = arith.cmpf ogt, %x, %f32_m1e_30 : f32
    %x5 = arith.mulf %x, %f32_1_4426950408889634 : f32
    %x6 = arith.select %x4, %x5, %f32_1e_30 : f32
    memref.store %x6, %l[%i] : memref<32xf32, #tile.fragment>
  }
  tile.copy %d to %D[%h, %m] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<?x?xf32>
  tile.copy %l to %L[%h, %m] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<?x?xf32>
  %none = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %none with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.copy %none to %DQ[%h, %m, %c0] sizes [1, 32, 64] : memref<32x64xf32, #tile.fragment> to memref<?x?x64xf32>
}
