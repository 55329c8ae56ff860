// Where the program has barriers of the cluster itself, blocks wait for the
// barriers that a reduction in a role counts by at once: an arrival that pends
// would be taken for one at the program's barrier.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s

// CHECK-LABEL: .entry pends(
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive.aligned;{{ *$}}
// CHECK: barrier.cluster.wait.aligned;
// CHECK: mbarrier.arrive.release.cluster
tile.kernel @pends(%X: memref<2x32xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  tile.warp_specialize
    role "sum" warps(1) {
      %f = tile.alloc : memref<32xf32, #tile.fragment>
      tile.copy %X[%b, %c0] sizes [1, 32] to %f : memref<2x32xf32> to memref<32xf32, #tile.fragment>
      tile.cluster_reduce sum %f blocks(2) stride(1) : memref<32xf32, #tile.fragment>
      tile.copy %f to %X[%b, %c0] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<2x32xf32>
    }
    role "rest" warps(1) {
    }
}

// CHECK-LABEL: .entry meets(
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK-NOT: barrier.cluster
// CHECK: mbarrier.arrive.release.cluster
tile.kernel @meets(%X: memref<2x32xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  tile.cluster_barrier
  tile.warp_specialize
    role "sum" warps(1) {
      %f = tile.alloc : memref<32xf32, #tile.fragment>
      tile.copy %X[%b, %c0] sizes [1, 32] to %f : memref<2x32xf32> to memref<32xf32, #tile.fragment>
      tile.cluster_reduce sum %f blocks(2) stride(1) : memref<32xf32, #tile.fragment>
      tile.copy %f to %X[%b, %c0] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<2x32xf32>
    }
    role "rest" warps(1) {
    }
}
