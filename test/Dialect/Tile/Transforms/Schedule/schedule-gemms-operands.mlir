// A gemm whose operands the next iteration overwrites ends in its own: the tiles
// are no slots of a ring, so nothing else holds the copies back. Found by
// tile-verify-rings [R7].
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-gemms | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-gemms --tile-verify-rings -o /dev/null

#shared = #gpu.address_space<workgroup>
// CHECK: scf.for %{{.*}} {
// CHECK: %[[T:.*]] = tile.gemm {{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: }
// CHECK-NOT: tile.await
tile.kernel @one_stage(%A: memref<?x?xf16>, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  scf.for %k = %c0 to %K step %c64 {
    tile.copy %A[%c0, %k] to %s : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %s, %s, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}
// Behind an arrival, and behind the barrier of a cluster, others may overwrite what the gemm reads: it has ended there.
// CHECK-LABEL: tile.kernel @handed_over
// CHECK: %[[T0:.*]] = tile.gemm {{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[T0]]
// CHECK-NEXT: tile.mbarrier.arrive
// CHECK: %[[T1:.*]] = tile.gemm {{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[T1]]
// CHECK-NEXT: tile.cluster_barrier
tile.kernel @handed_over(%C: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %read = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %s = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %s, %s, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.mbarrier.arrive %read[%c0] : !tile.mbarrier<1>
  tile.gemm %s, %s, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.cluster_barrier
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
