// RUN: tile-opt %s --tile-form-roles | FileCheck %s
// RUN: tile-opt %s --tile-form-roles=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
#shared = #gpu.address_space<workgroup>

// The example of the pass's description.
// REMARK: remark: roles as stated: warps 0 to 3, warps 4 to 7
// CHECK-LABEL: tile.kernel @loops
// CHECK: tile.mbarrier.create
// CHECK-NEXT: tile.warp_specialize
// CHECK-NEXT: role "warps 0 to 3" warps(4) {
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.mbarrier.arrive
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: role "warps 4 to 7" warps(4) {
// CHECK-NEXT: scf.for %[[K:.*]] =
// CHECK-NEXT: tile.mbarrier.wait %{{.*}}[%{{.*}}] parity %[[K]]
// CHECK-NOT: scf.for
// CHECK: tile.kernel @rest
tile.kernel @loops(%n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  scf.for %k = %c0 to %n step %c1 {
    tile.on_warps 0 count 4 {
      tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %ready[%c0] parity %k : !tile.mbarrier<1>
    }
  }
}

// Warps without parts idle, up to where a warpgroup begins; a warpgroup has one
// budget. A scalar that is used behind the parts stays in front of them, and a
// tile is allocated there.
// REMARK: remark: roles as stated: warps 0 to 1, warps 4 to 7
// CHECK: tile.alloc
// CHECK: %[[T:.*]] = tile.alloc
// CHECK: %[[R:.*]] = scf.for
// CHECK-NOT: tile.on_warps
// CHECK: tile.warp_specialize
// CHECK-NEXT: role "warps 0 to 1" warps(2) registers(40) {
// CHECK: scf.for
// CHECK: tile.fill
// CHECK: role "warps 2 to 3" warps(2) registers(40) {
// CHECK-NEXT: }
// CHECK-NEXT: role "warps 4 to 7" warps(4) registers(232) {
// CHECK-NEXT: tile.fill %[[T]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy %{{.*}} to %{{.*}}[%[[R]]]
tile.kernel @rest(%A: memref<?xf32>, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<32xf32, #shared>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %next = arith.addi %sum, %k : index
    tile.on_warps 0 count 2 registers 40 {
      tile.fill %s with %zero : memref<32xf32, #shared>, f32
    }
    scf.yield %next : index
  }
  %t = tile.alloc : memref<32xf32, #shared>
  tile.on_warps 4 count 4 registers 232 {
    tile.fill %t with %zero : memref<32xf32, #shared>, f32
  }
  tile.copy %s to %A[%r] : memref<32xf32, #shared> to memref<?xf32>
}

// What all warps do in a loop keeps the loop together.
// REMARK: remark: not pipelined: the loop does not count from 0 by 1; a tile and a barrier for each stage
// CHECK-LABEL: tile.kernel @between
// CHECK: scf.for
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.warp_specialize
// CHECK-NEXT: role "warp 0" warps(1) {
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: role "warp 1" warps(1) {
// CHECK-NEXT: }
// CHECK-NEXT: }
tile.kernel @between(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %n step %c32 stages(2) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.on_warps 0 count 1 {
      tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
}
