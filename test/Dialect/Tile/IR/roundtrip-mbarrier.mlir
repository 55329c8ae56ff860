// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @parts
tile.kernel @parts(%n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]] = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  // CHECK: tile.mbarrier.create arrivals [128, 256] : !tile.mbarrier<2>
  %free = tile.mbarrier.create arrivals [128, 256] : !tile.mbarrier<2>
  // CHECK: tile.on_warps 0 count 4 {
  // CHECK-NEXT: tile.mbarrier.arrive %[[R]][%{{.*}}] : !tile.mbarrier<2>
  tile.on_warps 0 count 4 {
    tile.mbarrier.arrive %ready[%c1] : !tile.mbarrier<2>
    // CHECK-NEXT: tile.mbarrier.arrive %[[R]][%{{.*}}] after_copies : !tile.mbarrier<2>
    tile.mbarrier.arrive %ready[%c1] after_copies : !tile.mbarrier<2>
  }
  // CHECK: tile.on_warps 4 count 4 registers 232 {
  // CHECK-NEXT: tile.mbarrier.wait %[[R]][%{{.*}}] parity %{{.*}} : !tile.mbarrier<2>
  tile.on_warps 4 count 4 registers 232 {
    tile.mbarrier.wait %ready[%c1] parity %n : !tile.mbarrier<2>
  }
}

// CHECK-LABEL: tile.kernel @flags
tile.kernel @flags(%n: index, %m: index) grid(%b) = (1) threads(32) {
  // CHECK: tile.assume %{{.*}} equals %{{.*}} : index
  tile.assume %n equals %m : index
  // CHECK: tile.assume %{{.*}} equals %{{.*}} {divisible_by = 8 : i64} : index
  tile.assume %n equals %m {divisible_by = 8 : i64} : index
}
