// The same with a scale for each 128 along K: sums of a group in integers, of all in f32.
// Printed by: benchmarks/program.py quantized name=w4a8_group element=i8 group=128 scale=sums packing=split hints=A=16x256,W=64x32,S=2x64,SA=16,C=16x64
#shared = #gpu.address_space<workgroup>
#word = affine_map<(d0) -> (((d0 mod 16) floordiv 4) * 4 + d0 floordiv 32)>
#shift = affine_map<(d0) -> (((d0 mod 32) floordiv 16) * 4 + (d0 mod 4) * 8)>
#words = affine_map<(d0) -> (d0 floordiv 8)>
#group = affine_map<(d0) -> (d0 floordiv 128)>
tile.kernel @w4a8_group(%A: memref<?x?xi8> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 256>}, %W: memref<?x?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 32>}, %S: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 64>}, %SA: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 16>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 64>})
    grid(%bx, %by) = (dim(%W, 0) ceildiv 64, dim(%A, 0) ceildiv 16) threads(128) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xi8>
  tile.assume %K {divisible_by = 128 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xi32>
  tile.assume %rowW {divisible_by = 4 : i64} : index
  %rowS = memref.dim %S, %c1 : memref<?x?xf32>
  tile.assume %rowS {divisible_by = 4 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c16 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<16x128xi8, #shared>
  %Ws = tile.alloc : memref<64x16xi32, #shared>
  %wf = tile.alloc : memref<64x128xi8, #tile.fragment>
  %Ss = tile.alloc : memref<1x64xf32, #shared>
  %acc = tile.alloc : memref<64x16xf32, #tile.fragment>
  %part = tile.alloc : memref<64x16xi32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<64x16xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(4) {
    %g = affine.apply #group(%k)
    %kw = affine.apply #words(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xi8> to memref<16x128xi8, #shared>
    tile.copy %W[%n, %kw] to %Ws : memref<?x?xi32> to memref<64x16xi32, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf32> to memref<1x64xf32, #shared>
    tile.parallel (%i, %j) in (64, 128) {
      %p = affine.apply #word(%j)
      %sh = affine.apply #shift(%j)
      %w = memref.load %Ws[%i, %p] : memref<64x16xi32, #shared>
      %sh32 = arith.index_cast %sh : index to i32
      %ww = arith.shrui %w, %sh32 : i32
      %q = arith.trunci %ww : i32 to i4
      %f = arith.extsi %q : i4 to i8
      memref.store %f, %wf[%i, %j] : memref<64x128xi8, #tile.fragment>
    }
    tile.gemm %wf, %As, %part {transpose_b, clear} : memref<64x128xi8, #tile.fragment>, memref<16x128xi8, #shared>, memref<64x16xi32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 16) {
      %x = memref.load %part[%i, %j] : memref<64x16xi32, #tile.fragment>
      %y = memref.load %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
      %s0 = memref.load %Ss[%c0, %i] : memref<1x64xf32, #shared>
      %xf = arith.sitofp %x : i32 to f32
      %xs = arith.mulf %xf, %s0 fastmath<contract> : f32
      %d = arith.addf %xs, %y fastmath<contract> : f32
      memref.store %d, %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
    }
  }
  %sm = tile.alloc : memref<16xf32, #tile.fragment>
  tile.copy %SA[%m] to %sm : memref<?xf32> to memref<16xf32, #tile.fragment>
  %Cs = tile.alloc : memref<16x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 16) {
    %x = memref.load %acc[%i, %j] : memref<64x16xf32, #tile.fragment>
    %smx = memref.load %sm[%j] : memref<16xf32, #tile.fragment>
    %xsmx = arith.mulf %x, %smx : f32
    %h = arith.truncf %xsmx : f32 to f16
    memref.store %h, %Cs[%j, %i] : memref<16x64xf16, #shared>
  }
  tile.copy %Cs to %C[%m, %n] : memref<16x64xf16, #shared> to memref<?x?xf16>
}
