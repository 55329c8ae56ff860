// A ring that tensor copies fill and a tensor store reads: one thread fills and empties it. It alone arrives, also
// where the block's warps are no power of two, and the others wait for nothing: that thread may be two uses ahead of them.
// RUN: tile-run %s --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: sed s/threads(96)/threads(128)/ %s > %t.mlir
// RUN: tile-run %t.mlir --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check --seed=2 | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=RING
// RING: tile.arrivals = {by = "agent", empty = 1 : i64, full = 1 : i64}{{.*}}, tma -> tma_store>
// CHECK: PASS

tile.kernel @move(%A: memref<?x5x64xf16> {tile.alignment = 16 : i64}, %C: memref<?x5x64xf16> {tile.alignment = 16 : i64})
    grid(%bx) = (1) threads(96) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %tile = tile.alloc : memref<5x64xf16, #gpu.address_space<workgroup>>
  scf.for %t = %c0 to %c7 step %c1 {
    tile.copy %A[%t, %c0, %c0] sizes [1, 5, 64] to %tile : memref<?x5x64xf16> to memref<5x64xf16, #gpu.address_space<workgroup>>
    tile.copy %tile to %C[%t, %c0, %c0] sizes [1, 5, 64] : memref<5x64xf16, #gpu.address_space<workgroup>> to memref<?x5x64xf16>
  }
}
