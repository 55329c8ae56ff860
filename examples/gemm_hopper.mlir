// C = A * B: f16 operands, f32 accumulation, for Hopper (and right everywhere). The
// same plain program as gemm.mlir: copies and a gemm in a pipelined loop. What makes
// it fast is chosen by the compiler, one pass each: TMA copies, wgmma, a ring of four
// stages, a warp that loads. The program fixes the tile, that one block per
// multiprocessor stays for all its tiles (`persistent`), their order (`panel`), and
// pairs of blocks that share what they load (`cluster`).
// Printed by: benchmarks/program.py gemm name=gemm_hopper cluster=2,1 hints=A=1024x1024,B=1024x1024,C=1024x1024
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm_hopper(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 512) * 2, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 1) attributes {panel = 8 : i64, persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
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
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}
