// The same by two blocks of a cluster that share the loop over K, for few columns.
// Look at: `split = 2` on the kernel; each step writes the weights' tile whole, so no step reaches the next one.
// Printed by: benchmarks/program.py quantized name=w4a16_cluster packing=split split=2 tile=32,64,128 hints=A=8x640,W=64x80,S=5x64,C=8x64
#shared = #gpu.address_space<workgroup>
#word = affine_map<(d0) -> (((d0 mod 8) floordiv 2) * 4 + d0 floordiv 32)>
#shift = affine_map<(d0) -> (((d0 mod 16) floordiv 8) * 4 + (d0 mod 2) * 16 + ((d0 mod 32) floordiv 16) * 8)>
#words = affine_map<(d0) -> (d0 floordiv 8)>
#group = affine_map<(d0) -> (d0 floordiv 128)>
tile.kernel @w4a16_cluster(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 640>}, %W: memref<?x?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 80>}, %S: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 64>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 64>})
    grid(%bx, %by) = (dim(%W, 0) ceildiv 64, dim(%A, 0) ceildiv 32) threads(128) attributes {split = 2 : i64} {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 128 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xi32>
  tile.assume %rowW {divisible_by = 4 : i64} : index
  %rowS = memref.dim %S, %c1 : memref<?x?xf16>
  tile.assume %rowS {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x128xf16, #shared>
  %Ws = tile.alloc : memref<64x16xi32, #shared>
  %wf = tile.alloc : memref<64x128xf16, #tile.fragment>
  %Ss = tile.alloc : memref<1x64xf16, #shared>
  %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<64x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(4) {
    %g = affine.apply #group(%k)
    %kw = affine.apply #words(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<32x128xf16, #shared>
    tile.copy %W[%n, %kw] to %Ws : memref<?x?xi32> to memref<64x16xi32, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf16> to memref<1x64xf16, #shared>
    tile.parallel (%i, %j) in (64, 128) {
      %p = affine.apply #word(%j)
      %sh = affine.apply #shift(%j)
      %w = memref.load %Ws[%i, %p] : memref<64x16xi32, #shared>
      %sh32 = arith.index_cast %sh : index to i32
      %ww = arith.shrui %w, %sh32 : i32
      %q = arith.trunci %ww : i32 to i4
      %f = arith.sitofp %q : i4 to f16
      %s0 = memref.load %Ss[%c0, %i] : memref<1x64xf16, #shared>
      %d = arith.mulf %f, %s0 : f16
      memref.store %d, %wf[%i, %j] : memref<64x128xf16, #tile.fragment>
    }
    tile.gemm %wf, %As, %acc {transpose_b} : memref<64x128xf16, #tile.fragment>, memref<32x128xf16, #shared>, memref<64x32xf32, #tile.fragment>
  }
  %Cs = tile.alloc : memref<32x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 32) {
    %x = memref.load %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
    %h = arith.truncf %x : f32 to f16
    memref.store %h, %Cs[%j, %i] : memref<32x64xf16, #shared>
  }
  tile.copy %Cs to %C[%m, %n] : memref<32x64xf16, #shared> to memref<?x?xf16>
}
