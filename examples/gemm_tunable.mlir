// C = A * B as gemm_hopper.mlir, with everything left open that decides how fast it is: tile,
// stages, warpgroups, cluster, order. `tile-choose-tunables` picks the values by a cost model,
// for the sizes that are known (the types, `--shape-hints=A=8192x4096,...`, `tile.shape_hint`
// on arguments) and the architecture; docs/Rationale/TileChoice.md says how. `--remarks` shows
// the choice, `--tunables=bm=128` decides one, `tile-run --tune --target=cuda` measures the best.
// Printed by: benchmarks/program.py gemm name=gemm_tunable tunable=True hints=A=1024x1024,B=1024x1024,C=1024x1024
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm_tunable(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    tunable(%bm in [64, 128, 192, 256], %bn in [128, 160, 192, 224, 256], %bk in [64], %stages in [3, 4, 5], %groups in [1, 2, 3], %cx in [1, 2], %cy in [1, 2], %panel in [8, 16])
    grid(%bx, %by) = ((dim(%C, 1) ceildiv (%bn * %cx)) * %cx, (dim(%C, 0) ceildiv (%bm * %cy)) * %cy) threads(%groups * 128) cluster(%cx, %cy) tuned(panel = %panel) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  // Rows of whole 16-byte pieces, which the launcher checks: what the tensor memory
  // accelerator asks of strides.
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc(%bm, %bk) : memref<?x?xf16, #shared>
  %Bs = tile.alloc(%bk, %bn) : memref<?x?xf16, #shared>
  %acc = tile.alloc(%bm, %bn) : memref<?x?xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(%stages) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<?x?xf16, #shared>, memref<?x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}
