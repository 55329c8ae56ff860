// The same with A as the first operand: dequantized weights are written to shared memory, where the instruction reads them.
// Look at: barriers around the tile of weights, which one step writes and reads.
// Printed by: benchmarks/program.py quantized name=w4a16_shared form=shared group=64 tile=128,64,64 stages=3 hints=A=130x192,W=64x192,S=3x64,C=130x64
#shared = #gpu.address_space<workgroup>
#group = affine_map<(d0) -> (d0 floordiv 64)>
tile.kernel @w4a16_shared(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 130, 192>}, %W: memref<?x?xi4> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 192>}, %S: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 64>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 130, 64>})
    grid(%bx, %by) = (dim(%W, 0) ceildiv 64, dim(%A, 0) ceildiv 128) threads(128) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xi4>
  tile.assume %rowW {divisible_by = 32 : i64} : index
  %rowS = memref.dim %S, %c1 : memref<?x?xf16>
  tile.assume %rowS {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ws = tile.alloc : memref<64x64xi4, #shared>
  %wq = tile.alloc : memref<64x64xi4, #tile.fragment>
  %Wh = tile.alloc : memref<64x64xf16, #shared>
  %Ss = tile.alloc : memref<1x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    %g = affine.apply #group(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<?x?xi4> to memref<64x64xi4, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf16> to memref<1x64xf16, #shared>
    tile.copy %Ws to %wq : memref<64x64xi4, #shared> to memref<64x64xi4, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %q = memref.load %wq[%i, %j] : memref<64x64xi4, #tile.fragment>
      %f = arith.sitofp %q : i4 to f16
      %s0 = memref.load %Ss[%c0, %i] : memref<1x64xf16, #shared>
      %d = arith.mulf %f, %s0 : f16
      memref.store %d, %Wh[%i, %j] : memref<64x64xf16, #shared>
    }
    tile.gemm %As, %Wh, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x64xf32, #tile.fragment> to memref<?x?xf16>
}
