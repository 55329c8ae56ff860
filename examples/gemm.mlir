// C = A * B: f16 operands, f32 accumulation. One block computes a 128 x 128 tile.
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %NC = memref.dim %C, %c1 : memref<?x?xf16>
  // Rows of whole 16-byte pieces can be copied asynchronously; without these
  // promises (which the launcher checks) every shape is right, and slower.
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index

  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>

  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
