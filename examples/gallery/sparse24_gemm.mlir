// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = W A^T with W sparse along K, two of each four, expanded in registers: the memory traffic of sparse weights, the
// arithmetic of dense ones (tile.gemm has no sparse form).
// A: M x K f16; WV: N x K / 2 f16, the two that are kept of each four; WI: N x K / 4 i4, the place of the first plus four times the
// place of the second; C: N x M f16; K a multiple of 64, M of 8.
// Look at: operand A of the product is made element by element in a fragment; indices of shared memory may be any.
#shared = #gpu.address_space<workgroup>
#half = affine_map<(d0) -> (d0 floordiv 2)>
#quarter = affine_map<(d0) -> (d0 floordiv 4)>
#pos = affine_map<(d0) -> (d0 mod 4)>
#pair = affine_map<(d0) -> ((d0 floordiv 4) * 2)>
#pair1 = affine_map<(d0) -> ((d0 floordiv 4) * 2 + 1)>
tile.kernel @sparse24_gemm(
    %A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 256>},
    %WV: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 128>},
    %WI: memref<?x?xi4> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 64>},
    %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 256>})
    grid(%bm, %bn) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeroh = arith.constant 0.0 : f16
  %two = arith.constant 2 : i8
  %three = arith.constant 3 : i8
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %KV = memref.dim %WV, %c1 : memref<?x?xf16>
  %KI = memref.dim %WI, %c1 : memref<?x?xi4>
  %M = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  tile.assume %KV {divisible_by = 32 : i64} : index
  tile.assume %KI {divisible_by = 16 : i64} : index
  tile.assume %M {divisible_by = 8 : i64} : index
  %m = arith.muli %bm, %c128 : index
  %n = arith.muli %bn, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Vs = tile.alloc : memref<128x32xf16, #shared>
  %Is = tile.alloc : memref<128x16xi4, #shared>
  %w = tile.alloc : memref<128x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    %kv = affine.apply #half(%k)
    %ki = affine.apply #quarter(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %WV[%n, %kv] to %Vs : memref<?x?xf16> to memref<128x32xf16, #shared>
    tile.copy %WI[%n, %ki] to %Is : memref<?x?xi4> to memref<128x16xi4, #shared>
    tile.parallel (%i, %j) in (128, 64) {
      %g = affine.apply #quarter(%j)
      %p = affine.apply #pos(%j)
      %a = affine.apply #pair(%j)
      %b = affine.apply #pair1(%j)
      %meta4 = memref.load %Is[%i, %g] : memref<128x16xi4, #shared>
      %v0 = memref.load %Vs[%i, %a] : memref<128x32xf16, #shared>
      %v1 = memref.load %Vs[%i, %b] : memref<128x32xf16, #shared>
      %meta = arith.extui %meta4 : i4 to i8
      %i0 = arith.andi %meta, %three : i8
      %i1 = arith.shrui %meta, %two : i8
      %pi = arith.index_cast %p : index to i8
      %is0 = arith.cmpi eq, %pi, %i0 : i8
      %is1 = arith.cmpi eq, %pi, %i1 : i8
      %x1 = arith.select %is1, %v1, %zeroh : f16
      %x = arith.select %is0, %v0, %x1 : f16
      memref.store %x, %w[%i, %j] : memref<128x64xf16, #tile.fragment>
    }
    tile.gemm %w, %As, %acc {transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<128x64xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%n, %m] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
