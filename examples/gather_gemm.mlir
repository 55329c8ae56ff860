// Y[J[i]] = X[I[i]] * W: a gemm whose rows are gathered and scattered by index, as
// experts of a mixture do with their tokens. A row that X does not have (-1, for
// padding) counts as zeros, one that Y does not have is not stored.
// Printed by: benchmarks/program.py rows name=gather_gemm hints=X=256x512,I=256,W=512x512,J=256,Y=256x512
#shared = #gpu.address_space<workgroup>
tile.kernel @gather_gemm(%X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 512>}, %I: memref<?xi32> {tile.shape_hint = array<i64: 256>}, %W: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 512>}, %J: memref<?xi32> {tile.shape_hint = array<i64: 256>}, %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 512>})
    grid(%bx, %by) = (dim(%Y, 1) ceildiv 128, dim(%I, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %rowX = memref.dim %X, %c1 : memref<?x?xf16>
  tile.assume %rowX {divisible_by = 8 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xf16>
  tile.assume %rowW {divisible_by = 8 : i64} : index
  %rowY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %rowY {divisible_by = 8 : i64} : index
  %K = memref.dim %X, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %Xs = tile.alloc : memref<128x64xf16, #shared>
  %Ws = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(3) {
    tile.gather %X[%k] rows %I[%m] to %Xs : memref<?x?xf16>, memref<?xi32> to memref<128x64xf16, #shared>
    tile.copy %W[%k, %n] to %Ws : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %Xs, %Ws, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.scatter %acc to %Y[%n] rows %J[%m] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>, memref<?xi32>
}
