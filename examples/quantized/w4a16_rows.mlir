// The same from weights two to a byte, by rows, as most programs quantize them, with groups of 64 and a bias.
// Look at: what a thread of the instruction needs lies in single bytes, which the remark of the copy says.
// Printed by: benchmarks/program.py quantized name=w4a16_rows packing=rows group=64 bias=True tile=32,64,128 hints=A=5x320,W=80x320,S=5x80,BIAS=80,C=5x80
#shared = #gpu.address_space<workgroup>
#group = affine_map<(d0) -> (d0 floordiv 64)>
#row = affine_map<(d0) -> (d0 floordiv 64)>
tile.kernel @w4a16_rows(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 320>}, %W: memref<?x?xi4> {tile.alignment = 16, tile.shape_hint = array<i64: 80, 320>}, %S: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 80>}, %BIAS: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 80>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 80>})
    grid(%bx, %by) = (dim(%W, 0) ceildiv 64, dim(%A, 0) ceildiv 32) threads(128) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xi4>
  tile.assume %rowW {divisible_by = 32 : i64} : index
  %rowS = memref.dim %S, %c1 : memref<?x?xf16>
  tile.assume %rowS {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x128xf16, #shared>
  %Ws = tile.alloc : memref<64x128xi4, #shared>
  %wq = tile.alloc : memref<64x128xi4, #tile.fragment>
  %wf = tile.alloc : memref<64x128xf16, #tile.fragment>
  %Ss = tile.alloc : memref<2x64xf16, #shared>
  %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<64x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(4) {
    %g = affine.apply #group(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<32x128xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<?x?xi4> to memref<64x128xi4, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf16> to memref<2x64xf16, #shared>
    tile.copy %Ws to %wq : memref<64x128xi4, #shared> to memref<64x128xi4, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      %q = memref.load %wq[%i, %j] : memref<64x128xi4, #tile.fragment>
      %f = arith.sitofp %q : i4 to f16
      %r = affine.apply #row(%j)
      %s0 = memref.load %Ss[%r, %i] : memref<2x64xf16, #shared>
      %d = arith.mulf %f, %s0 : f16
      memref.store %d, %wf[%i, %j] : memref<64x128xf16, #tile.fragment>
    }
    tile.gemm %wf, %As, %acc {transpose_b} : memref<64x128xf16, #tile.fragment>, memref<32x128xf16, #shared>, memref<64x32xf32, #tile.fragment>
  }
  %bn = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %BIAS[%n] to %bn : memref<?xf16> to memref<64xf32, #tile.fragment>
  %Cs = tile.alloc : memref<32x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 32) {
    %x = memref.load %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
    %bnx = memref.load %bn[%i] : memref<64xf32, #tile.fragment>
    %y = arith.addf %x, %bnx : f32
    %h = arith.truncf %y : f32 to f16
    memref.store %h, %Cs[%j, %i] : memref<32x64xf16, #shared>
  }
  tile.copy %Cs to %C[%m, %n] : memref<32x64xf16, #shared> to memref<?x?xf16>
}
