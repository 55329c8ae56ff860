// Blocks of a cluster that wait for what never comes are told so, and do not
// hang; nor do those of other clusters.
// RUN: not tile-run %s --kernel=uneven 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: wrong meeting in block {{[0-9]+}}: deadlock in a cluster: block 0 of it waits in tile.cluster_barrier; block 1 of it has ended
// RUN: not tile-run %s --kernel=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: deadlock in a cluster: block 0 of it waits in tile.mbarrier.wait on 0 of the barriers at loc({{.*}}cluster-errors.mlir":{{[0-9]+}}:8); block 1 of it has ended
// RUN: not tile-run %s --kernel=many 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: tile.mbarrier.arrive on 0 of the barriers at {{.*}}: expected at most 32 more arrivals in this phase, of 32, got 64 threads
// RUN: not tile-run %s --kernel=index --args=n=5 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: wrong schedule in block {{[0-9]+}}: expected an index of the barriers at {{.*}}, got 5 in the block
// RUN: not tile-run %s --kernel=block --args=n=3 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: wrong meeting in block {{[0-9]+}}: expected a block of the cluster's 2, got block 3
// RUN: not tile-run %s --kernel=uneven --stage=lowered --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=LOWERED
// LOWERED: deadlock: 64 threads
#shared = #gpu.address_space<workgroup>

tile.kernel @uneven(%A: memref<8xf32>) grid(%b) = (8) threads(64) cluster(2) {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %rank = arith.remui %b, %c2 : index
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  scf.if %isFirst {
    tile.cluster_barrier
  }
}

tile.kernel @nobody(%A: memref<8xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %e = tile.mbarrier.create arrivals [64] cluster : !tile.mbarrier<1>
  %isFirst = arith.cmpi eq, %b, %c0 : index
  scf.if %isFirst {
    tile.mbarrier.wait %e[%c0] parity %c0 : !tile.mbarrier<1>
  }
}

tile.kernel @many(%A: memref<8xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tile.mbarrier.create arrivals [32] cluster : !tile.mbarrier<1>
  tile.mbarrier.arrive %e[%c0] block(%c1) : !tile.mbarrier<1>
  tile.mbarrier.wait %e[%c0] parity %c0 : !tile.mbarrier<1>
}

tile.kernel @index(%A: memref<8xf32>, %n: index) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %e = tile.mbarrier.create arrivals [64] cluster : !tile.mbarrier<1>
  tile.mbarrier.arrive %e[%n] block(%c0) : !tile.mbarrier<1>
  tile.mbarrier.wait %e[%c0] parity %c0 : !tile.mbarrier<1>
}

tile.kernel @block(%A: memref<8xf32>, %n: index) grid(%b) = (2) threads(64) cluster(2) {
  %a = tile.alloc : memref<8xf32, #shared>
  tile.cluster_copy %a to %a block(%n) : memref<8xf32, #shared> to memref<8xf32, #shared>
}
