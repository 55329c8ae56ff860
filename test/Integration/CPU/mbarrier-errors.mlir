// Warps that wait for what never comes are told so, and do not hang.
// RUN: not tile-run %s --kernel=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: wrong schedule in block 0: deadlock: role "warp 1" waits in tile.mbarrier.wait on 1 of the barriers at loc({{.*}}mbarrier-errors.mlir":{{[0-9]+}}:8)
// RUN: not tile-run %s --kernel=many 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: wrong schedule in block 0: tile.mbarrier.arrive on 0 of the barriers at {{.*}} in role "warps 0 to 1": expected at most 32 more arrivals in this phase, of 32, got 64 threads
// RUN: not tile-run %s --kernel=index --args=n=7 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: wrong schedule in block 0: expected an index of the barriers at {{.*}}, got 7 in the block

tile.kernel @nobody(%A: memref<8xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tile.mbarrier.create arrivals [32] : !tile.mbarrier<2>
  tile.on_warps 0 count 1 {
    tile.mbarrier.arrive %e[%c0] : !tile.mbarrier<2>
  }
  tile.on_warps 1 count 1 {
    tile.mbarrier.wait %e[%c0] parity %c0 : !tile.mbarrier<2>
    tile.mbarrier.wait %e[%c1] parity %c0 : !tile.mbarrier<2>
  }
}

tile.kernel @many(%A: memref<8xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %e = tile.mbarrier.create arrivals [32] : !tile.mbarrier<1>
  tile.on_warps 0 count 2 {
    tile.mbarrier.arrive %e[%c0] : !tile.mbarrier<1>
  }
}

tile.kernel @index(%A: memref<8xf32>, %n: index) grid(%b) = (1) threads(64) {
  %e = tile.mbarrier.create arrivals [64] : !tile.mbarrier<1>
  tile.mbarrier.arrive %e[%n] : !tile.mbarrier<1>
}
