// Copies by TMA behind a loop into a tile that the loop fills are further uses
// of its ring.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-pipeline=remarks -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-pipeline --tile-specialize-warps --tile-verify-rings -o /dev/null
// Without roles, too.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-pipeline --tile-verify-rings -o /dev/null

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @behind
// CHECK: %[[RING:.*]] = tile.ring.create : !tile.ring<4 x [memref<64x64xf16, #gpu.address_space<workgroup>>], tma -> threads>
// CHECK-NOT: tile.ring.create
// CHECK: scf.for {{.*}} iter_args(%[[BASE:[a-z0-9_]+]] = %c0{{.*}}) -> (index) {
// CHECK: scf.for
// CHECK: tile.ring.drain %[[RING]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[BASE]], %{{.*}} : index
// CHECK: %[[SLOT:.*]] = tile.ring.acquire %[[RING]][%[[FIRST]]]
// CHECK-NEXT: tile.copy %R[%c0{{.*}}, %c0{{.*}}] sizes [64, 64] to %[[SLOT]]
// CHECK-NEXT: tile.ring.commit %[[RING]][%[[FIRST]]]
// CHECK-NEXT: %[[VIEW:.*]] = tile.ring.wait %[[RING]][%[[FIRST]]]
// CHECK-NEXT: tile.copy %[[VIEW]] to %{{.*}}
// CHECK-NEXT: tile.copy %[[VIEW]] to %{{.*}}
// CHECK-NEXT: tile.ring.release %[[RING]][%[[FIRST]]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1{{.*}}
// CHECK: tile.ring.acquire %[[RING]][%[[SECOND]]]
// CHECK: tile.ring.release %[[RING]][%[[SECOND]]]
// CHECK: %[[THIRD:.*]] = arith.addi %[[SECOND]], %c1{{.*}}
// CHECK: scf.yield %[[THIRD]]
tile.kernel @behind(%A: memref<64x?xf16> {tile.alignment = 16}, %R: memref<64x?xf16> {tile.alignment = 16}, %tiles: index, %T: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  %g = tile.alloc : memref<64x64xf16, #tile.fragment>
  scf.for %tile = %c0 to %tiles step %c1 {
    // expected-remark @below {{pipelined: 1 of 1 copy runs 4 iterations ahead, filled by tma}}
    tile.pipelined %k = %c0 to %T step %c64 stages(4) {
      tile.copy %A[%c0, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      tile.copy %As to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    }
    // expected-remark @below {{copied through the ring of the loop before it, in 2 uses}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %As to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.copy %As to %g : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.copy %R[%c0, %c64] sizes [64, 64] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %As to %g : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// Threads change the tile before it is read: it stays a tile, and the copy takes
// another way.
// CHECK-LABEL: tile.kernel @changed
// CHECK: %[[TILE:.*]] = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK: tile.ring.drain
// CHECK-NOT: tile.ring.acquire
// CHECK: tile.copy %R[%c0{{.*}}, %c0{{.*}}] sizes [64, 64] to %[[TILE]]
// CHECK: tile.fill %[[TILE]]
// CHECK-NOT: tile.ring.wait
// CHECK: tile.return
tile.kernel @changed(%A: memref<64x?xf16> {tile.alignment = 16}, %R: memref<64x?xf16> {tile.alignment = 16}, %T: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  %As = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-remark @below {{pipelined: 1 of 1 copy runs 4 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %T step %c64 stages(4) {
    tile.copy %A[%c0, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %As to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
  // expected-remark @below {{instead of tma: another operation also writes the shared buffer}}
  tile.copy %R[%c0, %c0] sizes [64, 64] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
  tile.copy %As to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  tile.fill %As with %zero : memref<64x64xf16, #shared>, f16
  tile.copy %As to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
}
