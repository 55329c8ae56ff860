// Backward, last: DQ from f32 to bf16, with the scale of the scores.
// Printed by: benchmarks/program.py backward name=backward_convert kind=convert d=64 rows=32 threads=128 hints=DQ=2x100x64,DQO=2x100x64
#shared = #gpu.address_space<workgroup>
tile.kernel @backward_convert(%DQ: memref<?x?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>}, %DQO: memref<?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 100, 64>})
    grid(%b, %h) = (dim(%DQ, 1) ceildiv 32, dim(%DQ, 0)) threads(128) {
  %c32 = arith.constant 32 : index
  %c0 = arith.constant 0 : index
  %f32_0_125 = arith.constant 0.125 : f32
  %m = arith.muli %b, %c32 : index
  %dq = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.copy %DQ[%h, %m, %c0] sizes [1, 32, 64] to %dq : memref<?x?x64xf32> to memref<32x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %x0 = memref.load %dq[%i, %j] : memref<32x64xf32, #tile.fragment>
    %x1 = arith.mulf %x0, %f32_0_125 : f32
    memref.store %x1, %dq[%i, %j] : memref<32x64xf32, #tile.fragment>
  }
  tile.copy %dq to %DQO[%h, %m, %c0] sizes [1, 32, 64] : memref<32x64xf32, #tile.fragment> to memref<?x?x64xbf16>
}
