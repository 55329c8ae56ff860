// C = A * B^T as gemm_tunable.mlir, for any sizes from one artifact: `tile.versions` lists combinations of the
// tunables, each of which is compiled, and for the sizes of a launch the launcher takes the one that the cost
// model predicts to be the fastest. Few rows take tiles of few rows, which multiply with the operands swapped;
// few tiles with much K share out the K loop. docs/Rationale/TileChoice.md, section 5, says how it chooses.
//   tile-translate gemm_any.mlir --tile-to-artifact --arch=sm_90a -o gemm_any.tile
// Printed by: benchmarks/program.py gemm_any hints=A=1024x1024,B=1024x1024,C=1024x1024
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm_any(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    tunable(%bm in [8, 16, 32, 48, 64, 80, 96, 128, 144, 160, 192, 256], %bn in [64, 128, 160, 192, 224, 256], %bk in [64, 128], %stages in [3, 4, 5, 6, 7, 8, 9, 10], %groups in [1, 2, 3], %pair in [0, 1, 2], %split in [0, 2, 3, 4], %panel in [8])
    grid(%bx, %by) = ((dim(%C, 1) ceildiv (%bn * (1 + %pair mod 2))) * (1 + %pair mod 2), (dim(%C, 0) ceildiv (%bm * (1 + %pair floordiv 2))) * (1 + %pair floordiv 2)) threads(%groups * 128) cluster((1 + %pair mod 2), (1 + %pair floordiv 2)) tuned(panel = %panel, split = %split, persistent = 1 - (%split + 15) floordiv 16) attributes {tile.versions = [array<i64: 8, 64, 128, 10, 1, 0, 0, 8>, array<i64: 16, 64, 128, 9, 1, 0, 0, 8>, array<i64: 16, 64, 128, 9, 1, 0, 2, 8>, array<i64: 32, 64, 128, 8, 1, 0, 0, 8>, array<i64: 32, 64, 128, 8, 1, 0, 4, 8>, array<i64: 32, 128, 64, 9, 1, 0, 0, 8>, array<i64: 48, 128, 64, 8, 1, 0, 0, 8>, array<i64: 64, 64, 128, 6, 1, 0, 0, 8>, array<i64: 64, 128, 64, 8, 1, 0, 0, 8>, array<i64: 64, 192, 64, 6, 1, 0, 4, 8>, array<i64: 64, 192, 64, 6, 1, 1, 0, 8>, array<i64: 64, 192, 64, 6, 1, 2, 0, 8>, array<i64: 64, 256, 64, 4, 1, 0, 0, 8>, array<i64: 80, 128, 64, 7, 1, 0, 0, 8>, array<i64: 96, 128, 64, 6, 1, 0, 0, 8>, array<i64: 96, 256, 64, 4, 2, 0, 4, 8>, array<i64: 128, 128, 64, 6, 2, 0, 0, 8>, array<i64: 128, 128, 64, 6, 2, 1, 0, 8>, array<i64: 128, 160, 64, 5, 2, 0, 0, 8>, array<i64: 128, 160, 64, 5, 2, 0, 4, 8>, array<i64: 128, 160, 64, 5, 2, 1, 0, 8>, array<i64: 128, 192, 64, 4, 2, 0, 0, 8>, array<i64: 128, 192, 64, 4, 2, 1, 0, 8>, array<i64: 128, 224, 64, 4, 2, 0, 0, 8>, array<i64: 128, 224, 64, 4, 2, 0, 2, 8>, array<i64: 128, 224, 64, 4, 2, 1, 0, 8>, array<i64: 128, 224, 64, 4, 2, 2, 0, 8>, array<i64: 128, 256, 64, 4, 2, 0, 0, 8>, array<i64: 128, 256, 64, 4, 2, 1, 0, 8>, array<i64: 128, 256, 64, 4, 2, 2, 0, 8>, array<i64: 144, 128, 64, 5, 2, 0, 3, 8>, array<i64: 144, 128, 64, 5, 2, 1, 0, 8>, array<i64: 144, 192, 64, 4, 3, 0, 0, 8>, array<i64: 144, 256, 64, 3, 2, 2, 0, 8>, array<i64: 160, 192, 64, 4, 3, 1, 0, 8>, array<i64: 160, 256, 64, 3, 2, 1, 0, 8>, array<i64: 192, 128, 64, 4, 3, 1, 0, 8>, array<i64: 192, 192, 64, 4, 3, 1, 0, 8>, array<i64: 256, 160, 64, 3, 2, 1, 0, 8>, array<i64: 256, 192, 64, 3, 2, 1, 0, 8>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc(%bm, %bk) : memref<?x?xf16, #shared>
  %Bs = tile.alloc(%bn, %bk) : memref<?x?xf16, #shared>
  %acc = tile.alloc(%bm, %bn) : memref<?x?xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(%stages) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<?x?xf16, #shared>, memref<?x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}
