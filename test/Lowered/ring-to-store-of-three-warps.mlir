// A ring that tensor copies fill and a tensor store reads: one thread fills and empties it. It alone arrives, also
// where the block's warps are no power of two, and the others wait for nothing: that thread may be two uses ahead of them.
// RUN: tile-run %s --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: sed s/threads(96)/threads(128)/ %s > %t.mlir
// RUN: tile-run %t.mlir --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check --seed=2 | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=RING
// RING: tile.arrivals = {by = "agent", empty = 1 : i64, full = 1 : i64}{{.*}}, tma -> tma_store>
// CHECK: PASS

// With all threads waiting for full slots, and no barriers around the store, that is found, whatever the order of threads.
// RUN: tile-opt %t.mlir --tile-to-nvvm=arch=sm_90a -o %t.right.mlir
// RUN: awk '{ l[NR] = $0 } /cond_br/ { c = NR } /try_wait/ { if (++n == 2) w = c } END { for (i = 1; i <= NR; ++i) { if (i == w) { match(l[i], /\^bb[0-9]+/); l[i] = "llvm.br " substr(l[i], RSTART, RLENGTH) } if (l[i] !~ /nvvm.barrier0/ || !b++) print l[i] } }' %t.right.mlir > %t.wrong.mlir
// RUN: tile-run %t.right.mlir --source=%s --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: not tile-run %t.wrong.mlir --source=%s --args=A=7x5x64,C=7x5x64 --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: completes phase 1 of an mbarrier, and nothing orders that after the wait of thread {{[0-9]+}} of block [0, 0, 0] for the phase before it at {{.*}}: a thread may wait too late for its parity

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
